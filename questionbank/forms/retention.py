"""The form that says how many unused models of each kind are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from analytics.catalog import CAPABILITIES

MOST = 1000


class RetentionForm(forms.Form):
    """One number for each capability; an empty one keeps all."""

    def __init__(self, *args: Any, keep: Mapping[str, int], **kwargs: Any) -> None:
        super().__init__(*args, initial=dict(keep), **kwargs)
        for word, capability in CAPABILITIES.items():
            self.fields[word] = forms.IntegerField(
                label=capability.title, required=False, min_value=0, max_value=MOST
            )

    @property
    def keep(self) -> dict[str, int]:
        """The numbers of a valid form, without the empty ones."""
        return {word: number for word, number in self.cleaned_data.items() if number is not None}
