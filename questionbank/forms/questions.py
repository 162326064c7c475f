"""The form to write or edit a question.

Options come as three parallel lists of inputs, so that the form works without JavaScript and a script
can add rows without renumbering anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from analytics.json_lines import TEXT_LIMIT
from questionbank.errors import ValidationFailed
from questionbank.formats import limits
from questionbank.models import KnowledgeConcept, Question
from questionbank.numbers import whole_number

OPTION_LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: limits.OPTIONS_LIMIT]
ROWS_AT_FIRST = 4
PASTE_LIMIT = 20_000  # characters of a text that is pasted for a look
LANGUAGES = [("en", _("English")), ("zh", _("Chinese")), ("und", _("Another language"))]


@dataclass(frozen=True, slots=True)
class OptionRow:
    """What stands in one row of the options editor."""

    label: str
    text: str = ""
    misconception: str = ""

    def as_option(self) -> dict[str, str]:
        """Return the row as it is kept with the question."""
        option = {"label": self.label, "text": self.text}
        return option | {"misconception": self.misconception} if self.misconception else option


def option_rows(data: QueryDict) -> list[OptionRow]:
    """Return the rows as they were sent, trimmed, empty ones included."""
    columns = [
        [value.strip() for value in data.getlist(name)]
        for name in ("option_label", "option_text", "option_misconception")
    ]
    return [OptionRow(*row) for row in zip(*columns, strict=False)][: len(OPTION_LABELS)]


def padded(rows: list[OptionRow], at_least: int = ROWS_AT_FIRST) -> list[OptionRow]:
    """Return `rows` and enough empty ones, each with the next free letter."""
    rows = list(rows)
    for letter in OPTION_LABELS:
        if len(rows) >= at_least:
            break
        if letter not in {row.label for row in rows}:
            rows.append(OptionRow(letter))
    return rows


class QuestionForm(forms.Form):
    """Everything that a person enters about a question."""

    text = forms.CharField(
        label=_("Question"),
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 7, "class": "source-text", "spellcheck": "true", "dir": "auto"}),
        help_text=_(r"Plain text with LaTeX between dollar signs, for example $\frac{3}{4}$."),
    )
    kind = forms.ChoiceField(label=_("Type"), choices=Question.Kind.choices, initial=Question.Kind.OPEN)
    language = forms.ChoiceField(label=_("Language"), choices=LANGUAGES, initial="en")
    grade = forms.CharField(label=_("Grade"), max_length=limits.GRADE_LIMIT, required=False)
    answer = forms.CharField(
        label=_("Answer"),
        max_length=limits.ANSWER_LIMIT,
        required=False,
        help_text=_("For multiple choice, the letter of the right option."),
    )
    solution = forms.CharField(
        label=_("Worked solution"),
        max_length=TEXT_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5, "class": "source-text", "dir": "auto"}),
    )
    equation = forms.CharField(
        label=_("Equation of a word problem"),
        max_length=limits.EQUATION_LIMIT,
        required=False,
        help_text=_("Arithmetic without the unknown, for example (11-1)*2. Leave empty if there is none."),
    )
    concepts = forms.ModelMultipleChoiceField(
        label=_("Concepts"), queryset=KnowledgeConcept.objects.all(), required=False
    )
    status = forms.ChoiceField(
        label=_("Status"),
        choices=[
            (Question.Status.DRAFT, _("Draft: only in my list")),
            (Question.Status.READY, _("Ready: visible to everyone")),
        ],
        initial=Question.Status.READY,
    )
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    seen_concepts = forms.CharField(required=False, widget=forms.HiddenInput)
    submission = forms.UUIDField(required=False, widget=forms.HiddenInput, initial=uuid4)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        question: Question | None = None,
        rows: list[OptionRow] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data, **kwargs)
        self.option_problems: list[str] = []
        self._rows = option_rows(data) if data is not None else list(rows or [])
        if question is not None:
            self._allow("language", question.language, question.language)
            self._allow("status", question.status, question.get_status_display())

    @classmethod
    def of_question(cls, question: Question, concepts: list[int], equation: str) -> QuestionForm:
        """Return the form filled with what the question holds now."""
        initial = {
            name: getattr(question, name)
            for name in ("text", "kind", "language", "grade", "answer", "solution", "status", "version")
        }
        rows = [
            OptionRow(option.get("label", ""), option.get("text", ""), option.get("misconception", ""))
            for option in question.options
        ]
        seen = ",".join(map(str, concepts))
        initial |= {"concepts": concepts, "seen_concepts": seen, "equation": equation}
        return cls(initial=initial, rows=rows, question=question)

    @classmethod
    def unfinished(cls, data: QueryDict, question: Question | None = None) -> QuestionForm:
        """Return the form as it was sent, without complaints: somebody is still writing."""
        initial: dict[str, Any] = {name: data.get(name, "") for name in cls.base_fields}
        initial["concepts"] = chosen_concepts(data)
        return cls(initial=initial, rows=option_rows(data), question=question)

    def _allow(self, name: str, value: str, label: str) -> None:
        """Keep a language or a status possible that the form does not offer, for a question that has it."""
        field: Any = self.fields[name]
        if value not in {choice for choice, _label in field.choices}:
            field.choices = [*field.choices, (value, label)]

    @property
    def rows(self) -> list[OptionRow]:
        """Rows of the options editor."""
        return padded(self._rows)

    def add_row(self) -> None:
        """Show one empty row more."""
        self._rows = padded(self._rows, min(len(self.rows) + 1, len(OPTION_LABELS)))

    @property
    def chosen(self) -> list[int]:
        """Ids of the chosen concepts, whether or not the form was sent."""
        if self.is_bound:
            return chosen_concepts(self.data)
        return [int(pk) for pk in self.initial.get("concepts") or []]

    def clean(self) -> dict[str, Any]:
        """Collect the options; whether they make sense is the service's to say."""
        cleaned = super().clean() or {}
        return cleaned | {"options": [row.as_option() for row in self._rows if row.text]}

    def service_fields(self) -> dict[str, Any]:
        """Return what the services take, once the form is valid."""
        others = ("version", "submission", "seen_concepts")
        fields = {name: value for name, value in self.cleaned_data.items() if name not in others}
        return fields | {"concepts": list(self.cleaned_data["concepts"])}

    def add_problems(self, error: ValidationFailed) -> None:
        """Take over what a service found; what concerns the options stands beside them."""
        self.option_problems = error.fields.get("options", [])
        for name, problems in error.fields.items():
            for problem in problems if name != "options" else ():
                self.add_error(name if name in self.fields else None, problem)
        if not error.fields:
            self.add_error(None, str(error))


def chosen_concepts(data: Any) -> list[int]:
    """Return the ids among the values sent as ``concepts``."""
    return [pk for pk in map(whole_number, data.getlist("concepts")) if pk is not None]
