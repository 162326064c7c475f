"""The question of a training's form whether it learns from reviewers' decisions."""

from __future__ import annotations

from django import forms
from django.utils.translation import ngettext

from questionbank.selectors.training.scorer_report import decision_counts


def decisions_field() -> forms.Field:
    """Return the field; its help counts the decided pairs."""
    decided = decision_counts()
    said = ngettext(
        "%(usable)d decided pair: %(accepted)d accepted, %(rejected)d rejected, %(changed)d accepted with changes.",
        "%(usable)d decided pairs: %(accepted)d accepted, %(rejected)d rejected, %(changed)d accepted with changes.",
        decided.usable,
    ) % {
        "usable": decided.usable,
        "accepted": decided.accepted,
        "rejected": decided.rejected,
        "changed": decided.changed,
    }
    return forms.BooleanField(
        label="Learn from reviewers' decisions as well", initial=True, required=False, help_text=said
    )
