"""The forms of worksheets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from analytics.question_content import content_of, own_text
from questionbank.core.forms import ServiceForm
from questionbank.core.wording import language_name, whole_number
from questionbank.models import Question, QuestionList, User, Worksheet
from questionbank.people.owned import NAME_LIMIT
from questionbank.rendering.titles import question_title
from questionbank.search.filters import USED, SearchFilters
from questionbank.worksheets.selectors import MOST_FILLED, FillUpWish, WorksheetRow
from questionbank.worksheets.services import INSTRUCTIONS_LIMIT, TITLE_LIMIT
from questionbank.worksheets.sheet import MOST_LINES, MOST_POINTS


def _short(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "class": "short", "dir": "auto"})


class NewWorksheetForm(ServiceForm):
    """The name of a new worksheet."""

    name = forms.CharField(label="Name", max_length=NAME_LIMIT)


class LayoutForm(ServiceForm):
    """The appearance of a worksheet, and how its versions are generated."""

    name = forms.CharField(label="Name", max_length=NAME_LIMIT, help_text="In your list of worksheets.")
    title = forms.CharField(
        label="Title",
        max_length=TITLE_LIMIT,
        required=False,
        help_text="At the top of the paper. Leave it empty to print the name.",
    )
    instructions = forms.CharField(
        label="Instructions",
        max_length=INSTRUCTIONS_LIMIT,
        required=False,
        widget=_short(3),
        help_text="Below the title, for example the time allowed. Formulas go between dollar signs.",
    )
    columns = forms.TypedChoiceField(
        label="Columns", coerce=int, choices=((1, "One"), (2, "Two")), widget=forms.RadioSelect
    )
    paper = forms.ChoiceField(label="Paper", choices=Worksheet.Paper.choices, widget=forms.RadioSelect)
    has_name_field = forms.BooleanField(label="A line for name, class and date", required=False)
    versions = forms.TypedChoiceField(
        label="Versions",
        coerce=int,
        choices=((1, "One"), (2, "Two: A and B"), (3, "Three: A to C"), (4, "Four: A to D")),
        help_text="Version A is in your order. The others differ as chosen below, each with a key of its own.",
    )
    mixes_questions = forms.BooleanField(
        label="Mix the order of questions",
        required=False,
        help_text="Inside their sections. Questions that share a text, or refer to the one before, stay together.",
    )
    mixes_options = forms.BooleanField(
        label="Mix the order of options",
        required=False,
        help_text="Options such as “all of the above”, “A and B” or true and false stay in their order.",
    )
    changes_numbers = forms.BooleanField(
        label="Change numbers",
        required=False,
        help_text="In English questions whose answer comes from a confirmed equation; the answer is computed again."
        " Each version says which questions keep the numbers of version A, and why.",
    )


class ItemForm(ServiceForm):
    """The points and answer lines of a question."""

    points = forms.FloatField(label="Points", required=False, min_value=0, max_value=MOST_POINTS)
    answer_lines = forms.IntegerField(label="Lines", required=False, min_value=0, max_value=MOST_LINES)


class SectionForm(ServiceForm):
    """The heading and instructions of a section."""

    heading = forms.CharField(label="Heading", max_length=TITLE_LIMIT, required=False)
    instructions = forms.CharField(
        label="Instructions", max_length=INSTRUCTIONS_LIMIT, required=False, widget=_short(2)
    )


class NewSectionForm(SectionForm):
    """A section and the row after which it starts."""

    after = forms.TypedChoiceField(
        label="Begins",
        coerce=int,
        required=False,
        empty_value=None,
        widget=forms.Select(attrs={"data-row-place": ""}),
        help_text="Follows the row that you were in last.",
    )

    def __init__(self, *args: Any, rows: Sequence[WorksheetRow], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        places = [(row.item.pk, f"After {row.place}: {_row_name(row)}") for row in rows]
        choices = [("", "At the end"), (0, "At the beginning"), *places]
        self.fields["after"].choices = choices  # type: ignore[attr-defined]


def _row_name(row: WorksheetRow) -> str:
    if row.question is None:
        return row.item.heading or "a section" if row.item.is_section else f"question {row.item.question_id}"
    return question_title(own_text(row.question.text, content_of(row.question.content)), 40)


class AddQuestionsForm(ServiceForm):
    """Questions to add by number, or from one of the person's lists."""

    question_list = forms.ModelChoiceField(
        label="From a list", queryset=QuestionList.objects.none(), required=False, empty_label="Choose a list"
    )
    numbers = forms.CharField(
        label="By number", max_length=2_000, required=False, help_text="Numbers of questions, for example 12, 40."
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["question_list"].queryset = QuestionList.objects.filter(owner=user)  # type: ignore[attr-defined]

    def clean_numbers(self) -> list[int]:
        """Return the numbers, or raise a validation error."""
        texts = self.cleaned_data["numbers"].replace(",", " ").split()
        numbers = [whole_number(text) for text in texts]
        if None in numbers:
            wrong = texts[numbers.index(None)]
            raise forms.ValidationError(f"“{wrong[:40]}” is not a question’s number.")
        return [number for number in numbers if number is not None]

    def clean(self) -> dict[str, Any]:
        """Require a list or a number."""
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("question_list") and not cleaned.get("numbers"):
            self.add_error("numbers", "Choose a list, or enter the numbers of questions.")
        return cleaned


class FillUpForm(ServiceForm):
    """The number and kind of questions to add; the concepts are chosen beside the form."""

    number = forms.IntegerField(label="Number of questions", min_value=1, max_value=MOST_FILLED, initial=10)
    difficulty_min = forms.FloatField(label="Difficulty from (%)", required=False, min_value=0, max_value=100)
    difficulty_max = forms.FloatField(
        label="Difficulty to (%)",
        required=False,
        min_value=0,
        max_value=100,
        help_text="0% is easy, 100% is hard. With bounds, only questions whose difficulty is known.",
    )
    kind = forms.ChoiceField(label="Type", required=False)
    language = forms.ChoiceField(label="Language", required=False)
    used = forms.ChoiceField(
        label="Use on worksheets",
        required=False,
        choices=[("", "any"), *USED.items()],
        initial="not_year",
        help_text="On worksheets of the whole school.",
    )

    def __init__(self, *args: Any, languages: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [
            (value, label)
            for value, label in Question.Kind.choices
            if value not in (Question.Kind.OPAQUE, Question.Kind.DESCRIPTION)
        ]
        self.fields["kind"].choices = [("", "any"), *kinds]  # type: ignore[attr-defined]
        named = [(language, language_name(language)) for language in languages]
        self.fields["language"].choices = [("", "any"), *named]  # type: ignore[attr-defined]

    def wish(self, concepts: list[int]) -> FillUpWish:
        """Return the requested selection; call it only after `is_valid`."""
        given = self.cleaned_data
        low, high = given["difficulty_min"], given["difficulty_max"]
        if low is not None and high is not None and low > high:
            low, high = high, low
        filters = SearchFilters(
            difficulty_min=low, difficulty_max=high, kind=given["kind"], language=given["language"], used=given["used"]
        )
        return FillUpWish(given["number"], tuple(concepts), filters)
