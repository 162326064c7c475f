"""The field for a grade, which shows and reads it in the school system of the installation."""

from __future__ import annotations

from typing import Any

from django import forms

from questionbank.formats.limits import GRADE_LIMIT
from questionbank.school_grades import grade_name, grade_typed


class GradeField(forms.CharField):
    """A grade: "8" of an English school is shown as "Year 8" and stored as "7"."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"label": "Grade", "max_length": GRADE_LIMIT, "required": False, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        """Return a stored grade as the form shows it."""
        return grade_name(value).removeprefix("Grade ") if isinstance(value, str) else value

    def bound_data(self, data: Any, _initial: Any) -> Any:
        """Return what was sent as it would be stored, because `prepare_value` comes next."""
        return grade_typed(data) if isinstance(data, str) else data

    def to_python(self, value: Any) -> str:
        """Return the grade to store."""
        return grade_typed(" ".join((super().to_python(value) or "").split()))
