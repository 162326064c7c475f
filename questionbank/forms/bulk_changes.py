"""What a change of many questions asks for, by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from analytics.json_lines import string_problem
from questionbank.formats.limits import GRADE_LIMIT, SET_LIMIT
from questionbank.models import BulkChange, KnowledgeConcept
from questionbank.scales import SCALES

Kind = BulkChange.Kind


class BulkForm(forms.Form):
    """A change that asks for nothing; the others add fields. Its values are kept with the change as JSON.

    The names of its inputs begin with ``set-``: the address also holds filters of the same names.
    """

    prefix = "set"

    def values(self) -> dict[str, Any]:
        """Return what was entered; only after `is_valid`."""
        return dict(self.cleaned_data)


class _GradeForm(BulkForm):
    grade = forms.CharField(
        label="Grade",
        max_length=GRADE_LIMIT,
        required=False,
        help_text="Leave empty to remove the grade.",
    )

    def clean_grade(self) -> str:
        return _plain(self.cleaned_data["grade"], GRADE_LIMIT)


class _SourceForm(BulkForm):
    source = forms.CharField(
        label="Source",
        max_length=SET_LIMIT,
        required=False,
        help_text="Leave empty to remove the source.",
    )

    def clean_source(self) -> str:
        return _plain(self.cleaned_data["source"], SET_LIMIT)


class _DifficultyForm(BulkForm):
    difficulty = forms.FloatField(label="Difficulty")
    difficulty_scale = forms.ChoiceField(
        label="Scale", choices=[(name, name) for name in SCALES], initial="1-5"
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        scale, value = SCALES.get(cleaned.get("difficulty_scale", "")), cleaned.get("difficulty")
        if scale is not None and value is not None and not scale.low <= value <= scale.high:
            self.add_error("difficulty", f"Between {scale.low:g} and {scale.high:g} on this scale.")
        return cleaned


class _ConceptsForm(BulkForm):
    add = forms.IntegerField(required=False, widget=forms.HiddenInput)
    remove = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        chosen = {cleaned.get("add"), cleaned.get("remove")} - {None}
        if KnowledgeConcept.objects.filter(pk__in=chosen).count() < len(chosen):
            raise ValidationError("The chosen concept no longer exists.")
        if not chosen:
            raise ValidationError("Choose a concept to add, to remove, or both.")
        if cleaned.get("add") == cleaned.get("remove"):
            raise ValidationError("Choose two different concepts.")
        return cleaned


def _plain(value: str, limit: int) -> str:
    text = " ".join(value.split())
    if reason := string_problem(text, limit):
        raise ValidationError(reason[0].upper() + reason[1:] + ".")
    return text


BULK_FORMS: Mapping[str, type[BulkForm]] = {  # a literal table
    Kind.RETIRE: BulkForm,
    Kind.RESTORE: BulkForm,
    Kind.DELETE_DRAFTS: BulkForm,
    Kind.CONCEPTS: _ConceptsForm,
    Kind.GRADE: _GradeForm,
    Kind.SOURCE: _SourceForm,
    Kind.DIFFICULTY: _DifficultyForm,
}
