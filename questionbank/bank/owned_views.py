"""Parts of pages about rows that people own, such as lists, worksheets, test papers and saved searches.

An owner or admin chooses who sees a row; somebody adds to one of their own rows or names a new one.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from questionbank.bank.history_selectors import row_moves
from questionbank.core.errors import ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.models import DocumentDraft, QuestionList, ResponseSet, Worksheet
from questionbank.people.owned import NAME_LIMIT, row_show
from questionbank.people.permissions import may_move
from questionbank.people.school_selectors import NAMES, visible_to_choices, visible_to_of

Row = QuestionList | Worksheet | DocumentDraft | ResponseSet


class VisibilityForm(ServiceForm):
    """Who sees a row."""

    visible_to = forms.ChoiceField(label="Visible to", widget=forms.Select(attrs={"class": "input"}))

    def __init__(self, *args: Any, row: Row, **kwargs: Any) -> None:
        super().__init__(*args, initial={"visible_to": visible_to_of(row)}, **kwargs)
        self.fields["visible_to"].choices = visible_to_choices() or list(NAMES.items())  # type: ignore[attr-defined]


def visibility_context(request: HttpRequest, row: Row, address: str) -> dict[str, Any]:
    """Return the context of ``components/visible_to.html``; empty for people who may not choose.

    Args:
        address: name of the address that takes the choice; its argument is the row's id.
    """
    if not may_move(request.user, row):
        return {}
    return {
        "visible_to": {
            "shown_to": row.shown_to,
            "form": VisibilityForm(row=row),
            "moves": row_moves(row),
            "address": reverse(address, args=[row.pk]),
        }
    }


def row_shown(request: HttpRequest, row: Row, *, page: str, index: str) -> HttpResponse:
    """Take the choice and redirect to the row's page, or to the index if the person no longer sees it."""
    form = VisibilityForm(request.POST, row=row)
    if not form.is_valid():
        raise ValidationFailed("Choose everybody, one of your schools or only the owner.")
    row_show(user=request.user, row=row, visible_to=form.cleaned_data["visible_to"])
    messages.success(request, f"It is visible to {row.shown_to} now.")
    return redirect(page, row.pk) if may_move(request.user, row) else redirect(index)


class OwnOrNewForm(ServiceForm):
    """One of a person's own rows, or the name of a new one, which takes precedence.

    Attributes:
        noun: what such a row is called.
        label: label of the choice.
    """

    noun: ClassVar[str]
    label: ClassVar[str]

    existing = forms.ModelChoiceField(
        queryset=None,
        required=False,
        blank=True,  # otherwise a group of radio buttons has no empty choice
        widget=forms.RadioSelect,
    )
    name = forms.CharField(max_length=NAME_LIMIT, required=False)

    def __init__(self, *args: Any, own: QuerySet[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        existing: Any = self.fields["existing"]
        existing.label, existing.empty_label, existing.queryset = self.label, f"A new {self.noun}", own
        self.fields["name"].label = f"Name of the new {self.noun}"

    def clean(self) -> dict[str, Any]:
        """Require a name if no row is chosen; ignore the chosen row if a name is given."""
        cleaned = super().clean() or {}
        if cleaned.get("name"):
            cleaned["existing"] = None
        if not cleaned.get("existing") and not cleaned.get("name") and not self.errors:
            self.add_error("name", f"Enter a name for the new {self.noun}.")
        return cleaned
