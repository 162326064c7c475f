"""The form of the page that shows what the encoder's training makes of a question."""

from __future__ import annotations

from django import forms

from analytics.encoder.augment.preview import LONGEST
from questionbank.forms.problems import ServiceForm


class AugmentationForm(ServiceForm):
    """A question to change."""

    text = forms.CharField(
        label="Question",
        max_length=LONGEST,
        widget=forms.Textarea(
            attrs={"rows": 5, "class": "source-text", "spellcheck": "false", "dir": "auto"}
        ),
    )
