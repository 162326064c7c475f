"""The question of a training's form whether it learns from known equations alone."""

from __future__ import annotations

from django import forms

from questionbank.numbers import counted
from questionbank.selectors.training.analogy_material import predicted_problems


def known_only_field() -> forms.Field:
    """Return the field; its help counts the questions that only the solver has an equation for."""
    predicted = counted(predicted_problems(), "further question has", "further questions have")
    said = f"{predicted} an equation only from the solver; a wrong equation teaches a wrong similarity."
    return forms.BooleanField(
        label="Learn only from known equations", initial=True, required=False, help_text=said
    )
