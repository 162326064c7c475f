"""The question of a training's form whether it learns from known equations alone."""

from __future__ import annotations

from django import forms
from django.utils.translation import ngettext

from questionbank.selectors.training.analogy_material import predicted_problems


def known_only_field() -> forms.Field:
    """Return the field; its help counts the questions that only the solver has an equation for."""
    predicted = predicted_problems()
    said = ngettext(
        "%(number)d further question has an equation only from the solver; a wrong equation teaches a wrong"
        " similarity.",
        "%(number)d further questions have an equation only from the solver; a wrong equation teaches a wrong"
        " similarity.",
        predicted,
    ) % {"number": predicted}
    return forms.BooleanField(
        label="Learn only from known equations", initial=True, required=False, help_text=said
    )
