"""The question of a training's form whether it learns from known equations alone."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from questionbank.selectors.analogy_material import predicted_problems

__all__ = ["known_only_field"]


def known_only_field() -> forms.Field:
    """Return the field; its help counts the questions that only the solver has an equation for."""
    predicted = predicted_problems()
    said = ngettext(
        "%(number)d further question has an equation by the solver alone; a wrong one teaches a wrong likeness.",
        "%(number)d further questions have an equation by the solver alone; a wrong one teaches a wrong likeness.",
        predicted,
    ) % {"number": predicted}
    return forms.BooleanField(
        label=_("Learn from known equations alone"), initial=True, required=False, help_text=said
    )
