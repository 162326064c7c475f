"""What a change of many questions asks for, by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from questionbank.formats.limits import SET_LIMIT
from questionbank.forms.grades import GradeField
from questionbank.forms.problems import ServiceForm
from questionbank.models import BulkChange, KnowledgeConcept
from questionbank.scales import SCALES

Kind = BulkChange.Kind


class BulkForm(ServiceForm):
    """A change that asks for nothing; the others add fields. Its values are kept with the change as JSON.

    The names of its inputs begin with ``set-``: the address also holds filters of the same names.
    """

    prefix = "set"

    def values(self) -> dict[str, Any]:
        """Return what was entered; only after `is_valid`."""
        return dict(self.cleaned_data)


class _LineField(forms.CharField):
    """A text of one line, without needless blanks."""

    def to_python(self, value: Any) -> str:
        return " ".join(super().to_python(value).split())


class _GradeForm(BulkForm):
    grade = GradeField(help_text="Leave empty to remove the grade.")


class _SourceForm(BulkForm):
    source = _LineField(
        label="Source",
        max_length=SET_LIMIT,
        required=False,
        help_text="Leave empty to remove the source.",
    )


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


BULK_FORMS: Mapping[str, type[BulkForm]] = {  # a literal table
    Kind.PUBLISH: BulkForm,
    Kind.RETIRE: BulkForm,
    Kind.RESTORE: BulkForm,
    Kind.DELETE_DRAFTS: BulkForm,
    Kind.CONCEPTS: _ConceptsForm,
    Kind.GRADE: _GradeForm,
    Kind.SOURCE: _SourceForm,
    Kind.DIFFICULTY: _DifficultyForm,
}
