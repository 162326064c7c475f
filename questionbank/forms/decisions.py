"""The question of a training's form whether it learns from reviewers' decisions."""

from __future__ import annotations

from django import forms

from questionbank.numbers import counted
from questionbank.selectors.training.scorer_report import decision_counts


def decisions_field() -> forms.Field:
    """Return the field; its help counts the decided pairs."""
    decided = decision_counts()
    said = (
        f"{counted(decided.usable, 'decided pair', 'decided pairs')}: {decided.accepted} accepted,"
        f" {decided.rejected} rejected, {decided.changed} accepted with changes."
    )
    return forms.BooleanField(
        label="Learn from reviewers' decisions as well", initial=True, required=False, help_text=said
    )
