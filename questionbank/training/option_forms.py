"""Form fields that capabilities add to the training options."""

from __future__ import annotations

from django import forms

from questionbank.core.wording import counted
from questionbank.training.analogy_material import predicted_problems
from questionbank.training.scorer import decision_counts


def known_only_field() -> forms.Field:
    """Return the field, whose help text says how many questions have an equation only from the solver."""
    predicted = counted(predicted_problems(), "further question has", "further questions have")
    said = f"{predicted} an equation only from the solver; a wrong equation teaches a wrong similarity."
    return forms.BooleanField(label="Learn only from known equations", initial=True, required=False, help_text=said)


def decisions_field() -> forms.Field:
    """Return the field; its help text counts the decided pairs."""
    decided = decision_counts()
    said = (
        f"{counted(decided.usable, 'decided pair', 'decided pairs')}: {decided.accepted} accepted,"
        f" {decided.rejected} rejected, {decided.changed} accepted with changes."
    )
    return forms.BooleanField(
        label="Learn from reviewers' decisions as well", initial=True, required=False, help_text=said
    )
