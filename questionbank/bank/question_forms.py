"""The form to write or edit a question, and a field for a grade in the installation's school system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.html import format_html

from analytics.json_lines import TEXT_LIMIT
from analytics.question_content import EMPTY, Option, QuestionContent, content_of, content_texts
from questionbank.bank.answer_content_forms import (
    RowProblem,
    add_pictures,
    content_rows,
    feedback_initial,
    read_content,
    read_options,
    with_feedback,
    with_pictures,
)
from questionbank.bank.answer_row_forms import COLUMNS, ROW_LABELS, ROWS_OF_KIND, Cell, Row, cells, padded, sent_rows
from questionbank.bank.school_grades import grade_name, grade_typed
from questionbank.bank.series_services import SeriesChoice
from questionbank.core.errors import ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.wording import language_name, whole_number
from questionbank.formats import WRITTEN, limits
from questionbank.formats.kinds import derived_answer
from questionbank.formats.limits import GRADE_LIMIT
from questionbank.formats.pictures import picture_names
from questionbank.models import KnowledgeConcept, Question, QuestionOriginal, Response
from questionbank.people.school_selectors import visible_to_choices, visible_to_of


class GradeField(forms.CharField):
    """A grade; an English school's "8" is shown as "Year 8" and stored as "7"."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"label": "Grade", "max_length": GRADE_LIMIT, "required": False, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        """Return a stored grade as shown in the form."""
        return grade_name(value).removeprefix("Grade ") if isinstance(value, str) else value

    def bound_data(self, data: Any, _initial: Any) -> Any:
        """Return the submitted grade as it would be stored, because `prepare_value` is applied next."""
        return grade_typed(data) if isinstance(data, str) else data

    def to_python(self, value: Any) -> str:
        """Return the grade to store."""
        return grade_typed(" ".join((super().to_python(value) or "").split()))


DRAFT_LABEL = "Draft: only in my list"
ROWS_AT_FIRST = {"option": 4, "accepted": 1, "pair": 2, "blank": 1, "part": 1, "picture": 0}
PASTE_LIMIT = 20_000  # characters of a pasted text
# People cannot write opaque questions: only the originating system can present them.
KINDS = [(value, label) for value, label in Question.Kind.choices if value != Question.Kind.OPAQUE]
LANGUAGES = [("en", "English"), ("zh", "Chinese"), ("und", "Another, or not recognised")]
_OF_CONTENT = (
    "title", "points", "tags", "hints", "feedback_general", "feedback_right", "feedback_partly", "feedback_wrong",
)  # fmt: skip


def _long_text(label: Any, rows: int, **kwargs: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": rows, "class": "source-text", "dir": "auto"}),
        **kwargs,
    )


class SeveralFiles(forms.FileInput):
    """A file input that accepts several files."""

    allow_multiple_selected = True


class QuestionForm(ServiceForm):
    """Everything that a person enters about a question."""

    text = forms.CharField(
        label="Question",
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 7, "class": "source-text", "spellcheck": "true", "dir": "auto"}),
        help_text=(
            r"Plain text with LaTeX between dollar signs, for example $\frac{3}{4}$. A gap is [[1]], a picture"
            " ![what it shows](name.png)."
        ),
    )
    kind = forms.ChoiceField(label="Type", choices=KINDS, initial=Question.Kind.OPEN)
    language = forms.ChoiceField(label="Language", choices=LANGUAGES, initial="en")
    grade = GradeField()
    answer = forms.CharField(
        label="Answer",
        max_length=limits.ANSWER_LIMIT,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": " "}),  # lets the style sheet see whether it is empty
        help_text=format_html(
            '<span class="for-letters">{}</span> <span class="for-truth">{}</span>',
            "For multiple choice, the letter of the right option, or several: A, C.",
            "For true or false, True or False.",
        ),
    )
    solution = _long_text("Worked solution", 5, required=False)
    pictures = forms.FileField(
        label="Add pictures",
        required=False,
        widget=SeveralFiles(attrs={"accept": "image/png,image/jpeg,image/gif,image/webp"}),
        help_text="PNG, JPEG, GIF or WebP. A picture that the text does not name is put at its end.",
    )
    title = forms.CharField(label="Title", max_length=300, required=False)
    points = forms.FloatField(label="Points", min_value=0, max_value=limits.POINTS_LIMIT, required=False)
    tags = forms.CharField(label="Tags, separated by commas", max_length=2_000, required=False)
    hints = _long_text("Hints, one per line", 2, required=False)
    feedback_general = _long_text("Feedback for everybody", 2, required=False)
    feedback_right = _long_text("Feedback for a right answer", 2, required=False)
    feedback_partly = _long_text("Feedback for a partly right answer", 2, required=False)
    feedback_wrong = _long_text("Feedback for a wrong answer", 2, required=False)
    equation = forms.CharField(
        label="Equation of a word problem",
        max_length=limits.EQUATION_LIMIT,
        required=False,
        help_text="Arithmetic without the unknown, for example (11-1)*2. Leave empty if there is none.",
    )
    concepts = forms.ModelMultipleChoiceField(label="Concepts", queryset=KnowledgeConcept.objects.all(), required=False)
    status = forms.ChoiceField(
        label="Status",
        choices=[(Question.Status.DRAFT, DRAFT_LABEL), (Question.Status.READY, "Ready: visible to everyone")],
        initial=Question.Status.READY,
    )
    visible_to = forms.ChoiceField(label="Visible to", required=False)
    series = forms.ChoiceField(
        label="Earlier responses of pupils",
        required=False,
        choices=[
            (SeriesChoice.AUTOMATIC, "Start over, unless this edit only corrects a typing mistake"),
            (SeriesChoice.KEEP, "Still count for this question"),
            (SeriesChoice.NEW, "Start over: pupils will see a different question"),
        ],
        help_text="Changed options, answers, numbers and formulas are never typing mistakes. Earlier figures stay.",
    )
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    seen_concepts = forms.CharField(required=False, widget=forms.HiddenInput)
    submission = forms.UUIDField(required=False, widget=forms.HiddenInput, initial=uuid4)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        question: Question | None = None,
        rows: dict[str, list[Row]] | None = None,
        files: Sequence[UploadedFile] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(data, **kwargs)
        self.option_problems: list[str] = []
        self._question = question
        self._base = content_of(question.content) if question is not None else EMPTY
        self._rows = sent(data) if data is not None else rows or {}
        if files:
            self._add_pictures(files)
        self._has_picture_problems = bool(self.option_problems)
        choices: Any = self.fields["visible_to"]
        choices.choices = visible_to_choices()
        if choices.choices:
            status: Any = self.fields["status"]
            status.choices = [(Question.Status.DRAFT, DRAFT_LABEL), (Question.Status.READY, "Ready: visible as below")]
        else:
            del self.fields["visible_to"]
        if question is None or not Response.objects.filter(question=question).exists():
            del self.fields["series"]
        if question is not None:
            self._allow("kind", question.kind, question.get_kind_display())
            self._allow("language", question.language, language_name(question.language))
            self._allow("status", question.status, question.get_status_display())

    @classmethod
    def of_question(cls, question: Question, concepts: list[int], equation: str) -> QuestionForm:
        """Return the form filled with the question's current values."""
        initial = {
            name: getattr(question, name)
            for name in ("text", "kind", "language", "grade", "answer", "solution", "status", "version")
        }
        content = content_of(question.content)
        initial |= feedback_initial(content) | {"visible_to": visible_to_of(question)}
        rows = content_rows(content, question.options)
        seen = ",".join(map(str, concepts))
        initial |= {"concepts": concepts, "seen_concepts": seen, "equation": equation}
        return cls(initial=initial, rows=rows, question=question)

    @classmethod
    def unfinished(
        cls, data: QueryDict, question: Question | None = None, files: Sequence[UploadedFile] = ()
    ) -> QuestionForm:
        """Return the form as submitted, without errors, for somebody who is still writing."""
        initial: dict[str, Any] = {name: data.get(name, "") for name in cls.base_fields}
        initial |= {"concepts": chosen_concepts(data), "grade": grade_typed(data.get("grade", ""))}
        return cls(initial=initial, rows=sent(data), question=question, files=files)

    def _allow(self, name: str, value: str, label: str) -> None:
        """Allow a question's current value although the form does not offer it otherwise."""
        field: Any = self.fields[name]
        if value not in {choice for choice, _label in field.choices}:
            field.choices = [*field.choices, (value, label)]

    @property
    def rows(self) -> list[Row]:
        """Rows of the options editor."""
        return self._shown("option")

    @property
    def option_cells(self) -> list[list[Cell]]:
        """Inputs of the options editor."""
        return cells("option", self.rows)

    @property
    def more_rows(self) -> list[tuple[str, str, str, list[list[Cell]]]]:
        """Kind, name, help and inputs of the other kinds of rows."""
        return [(kind, *said, cells(kind, self._shown(kind))) for kind, said in ROW_LABELS.items()]

    @property
    def problem_place(self) -> tuple[str, str]:
        """Anchor and name of the field to correct: pictures, the rows of the chosen type, or else the type itself."""
        if self._has_picture_problems:
            return "pictures", "Add pictures"
        kind = ROWS_OF_KIND.get(str(self["kind"].value() or ""), "option" if self._rows.get("option") else "kind")
        return kind, {"option": "Options", "kind": "Type"}.get(kind) or ROW_LABELS[kind][0]

    @property
    def picture_rows(self) -> list[Row]:
        """The attached pictures."""
        return [row for row in self._rows.get("picture", []) if row["sha256"]]

    @property
    def kept_as(self) -> str:
        """Explain what can be changed of an opaque question; empty for other questions."""
        question = self._question
        if question is None or question.kind != Question.Kind.OPAQUE:
            return ""
        original = QuestionOriginal.objects.filter(question=question).only("format").first()
        if original is None:
            return "Its original did not come along, so no other system can get it back."
        format = WRITTEN.get(original.format)
        if format is None:
            return "Kindred does not write the format it came in, so what you change stays in this bank."
        return (
            f"A {format.label} file gets the original back. Which of your changes it cannot hold is listed before you"
            " download it."
        )

    @property
    def has_grading(self) -> bool:
        """Whether a title, points, tags, hints or feedback are given."""
        return any(self[name].value() for name in _OF_CONTENT)

    def _shown(self, kind: str) -> list[Row]:
        return padded(self._rows.get(kind, []), kind, ROWS_AT_FIRST[kind])

    def add_row(self, kind: str) -> None:
        """Show one more empty row."""
        if kind in ROWS_AT_FIRST:
            self._rows[kind] = padded(self._rows.get(kind, []), kind, len(self._shown(kind)) + 1)

    def _add_pictures(self, files: Sequence[UploadedFile]) -> None:
        """Store pictures, and append to the text those that it does not mention."""
        rows = self._rows["picture"] = add_pictures(self._rows.get("picture", []), files, self.option_problems)
        values = self.data.copy() if self.is_bound else self.initial
        named = picture_names([*(str(values.get(name) or "") for name in self.fields), *self._row_texts()])
        missing = [f"![]({row['name']})" for row in rows if row["name"] not in named]
        values["text"] = "\n\n".join([str(values.get("text") or "").rstrip(), *missing])
        if self.is_bound:
            self.data = values

    def _row_texts(self) -> list[str]:
        return [value for rows in self._rows.values() for row in rows for value in row.values()]

    @property
    def chosen(self) -> list[int]:
        """Ids of the chosen concepts, whether or not the form is bound."""
        if self.is_bound:
            return chosen_concepts(self.data)
        return [int(pk) for pk in self.initial.get("concepts") or []]

    def clean(self) -> dict[str, Any]:
        """Collect the rows; the service decides whether they make sense."""
        cleaned = super().clean() or {}
        if self.option_problems:
            raise forms.ValidationError(self.option_problems)
        question = self._question
        try:
            options = read_options(self._rows.get("option", []), question.options if question else ())
            content = self.content(cleaned)
        except RowProblem as error:
            self.option_problems.append(str(error))
            raise forms.ValidationError(str(error)) from error
        answer = cleaned.get("answer", "")
        is_changed = answer != (question.answer if question else "")
        if question is not None and is_changed:
            # A changed answer replaces the option weights and accepted answers from which the old one was derived.
            if [option.get("weight") for option in options] == [option.get("weight") for option in question.options]:
                options = [{**option, "weight": None} for option in options]
            if content.accepted == self._base.accepted:
                content = replace(content, accepted=())
        cleaned |= {"options": options, "content": content}
        if answer and is_changed:
            self._check_answer(cleaned)
        return cleaned

    def _check_answer(self, cleaned: Mapping[str, Any]) -> None:
        """Refuse an answer that contradicts the grading content: it would be replaced silently."""
        kind, answer = cleaned.get("kind", ""), cleaned["answer"]
        options = [Option(**option) for option in cleaned["options"]]
        derived = derived_answer(kind=kind, options=options, answer=answer, content=cleaned["content"])
        if "".join(derived.split()) != "".join(answer.split()):
            self.add_error(
                "answer",
                f"The answer follows from the options, gaps, pairs or parts below, which say {derived[:200]!r}."
                " Change these, or clear this field.",
            )

    def content(self, fields: Mapping[str, Any]) -> QuestionContent:
        """Return the grading content from the rows and fields.

        Raises:
            RowProblem: a row cannot be read.
        """
        rows = {kind: self._rows.get(kind, []) for kind in COLUMNS}
        kind = fields.get("kind", "")
        content = read_content(kind, rows, self._base, self._question.kind if self._question else kind)
        if {*_OF_CONTENT} <= {*fields}:
            content = with_feedback(content, fields)
        texts = [fields.get("text", ""), fields.get("solution", ""), *(row["text"] for row in rows["option"])]
        texts += [row["feedback"] for row in rows["option"]]
        return with_pictures(content, rows["picture"], texts, self._former_texts())

    def _former_texts(self) -> list[str]:
        """Return the previous texts in which pictures may be named."""
        question = self._question
        if question is None:
            return []
        options = [option.get(name, "") for option in question.options for name in ("text", "feedback")]
        return [question.text, question.solution, *options, *content_texts(self._base)]

    def service_fields(self) -> dict[str, Any]:
        """Return the arguments for the services, once the form is valid."""
        others = ("version", "series", "submission", "seen_concepts", "pictures", *_OF_CONTENT)
        fields = {name: value for name, value in self.cleaned_data.items() if name not in others}
        return fields | {"concepts": list(self.cleaned_data["concepts"])}

    @property
    def series_choice(self) -> SeriesChoice:
        """Whether earlier responses still count, once the form is valid."""
        return SeriesChoice(self.cleaned_data.get("series") or SeriesChoice.AUTOMATIC)

    def add_problems(self, error: ValidationFailed) -> None:
        """Show the service's problems; those of options are shown next to them."""
        fields = dict(error.fields)
        of_rows = [fields.pop(name, []) for name in ("options", "pairs", "content")]
        self.option_problems = [problem for problems in of_rows for problem in problems]
        if fields or not error.fields:
            super().add_problems(ValidationFailed(str(error), fields))


def sent(data: QueryDict) -> dict[str, list[Row]]:
    """Return the submitted rows of all kinds."""
    return {kind: sent_rows(data, kind) for kind in COLUMNS}


def chosen_concepts(data: Any) -> list[int]:
    """Return the ids among the values sent as ``concepts``."""
    return [pk for pk in map(whole_number, data.getlist("concepts")) if pk is not None]
