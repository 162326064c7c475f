"""The forms of an import of responses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, ClassVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from questionbank.bank.list_selectors import question_lists
from questionbank.core.forms import FileForm, ServiceForm
from questionbank.models import User, Worksheet
from questionbank.responses.matching_selectors import QuestionMatch
from questionbank.responses.response_table import ResponseTable
from questionbank.responses.set_selectors import class_labels, order_of_list, order_of_worksheet
from questionbank.responses.set_services import Deletion, SetDetails, pupil_hashes

_DAYS = "Enter a day in the years 1950 to 2149."  # else a typing mistake
_EMPTY = {"": None, "zero": True, "not-asked": False}


class ResponseFileForm(FileForm):
    """A table of responses."""

    limit: ClassVar[str] = "REVIEW_UPLOAD_MAX_BYTES"
    accept = ".csv,.tsv,.txt,.xlsx,.xlsm,.ods"


class DetailsForm(ServiceForm):
    """What the file does not say: which test it was, and which question a column is about.

    Args:
        user: the person, whose lists and worksheets are offered.
        table: what was read; each of its questions has a field for the number of the bank's question.
    """

    title = forms.CharField(label="Title", max_length=120)
    class_label = forms.CharField(label="Class", max_length=60, required=False, help_text="For example 7b, 2026")
    day = forms.DateField(
        label="Date",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        validators=[MinValueValidator(date(1950, 1, 1), _DAYS), MaxValueValidator(date(2149, 12, 31), _DAYS)],
        help_text="Questions that were changed later count as they were then.",
    )
    order = forms.ChoiceField(
        label="Question numbers refer to", required=False, help_text="For files that number the questions 1, 2, 3 ..."
    )
    empty = forms.ChoiceField(
        label="A question without a response",
        required=False,
        choices=[
            ("", "Decide by the file: 0 marks if most cells are filled"),
            ("zero", "Counts as 0 marks"),
            ("not-asked", "Was not asked"),
        ],
    )

    def __init__(self, data: Any = None, *, user: User, table: ResponseTable, **kwargs: Any) -> None:
        super().__init__(data, initial={"title": table.title[:120]}, **kwargs)
        self._table = table
        lists = question_lists().filter(owner=user)
        worksheets = Worksheet.objects.filter(owner=user)
        self.fields["order"].choices = [  # type: ignore[attr-defined]
            ("", "Nothing: find them by identifier or text"),
            *((f"list-{chosen.pk}", f"the list “{chosen.name}”") for chosen in lists),
            *((f"worksheet-{chosen.pk}", f"the worksheet “{chosen.name}”") for chosen in worksheets),
        ]
        if table.order:  # typed into the grid of a worksheet
            del self.fields["order"]
        self._chosen = [f"question-{index}" for index in range(len(table.questions))]
        for name, reference in zip(self._chosen, table.questions, strict=True):
            self.fields[name] = forms.IntegerField(
                label=f"Question for {reference.name}",
                min_value=0,
                max_value=2**62,
                required=False,
                widget=forms.NumberInput(attrs={"class": "input number-input"}),
            )

    def details(self) -> SetDetails:
        """Return the details of a valid form."""
        fields = self.cleaned_data
        kind, number = self._test()
        return SetDetails(
            fields["title"],
            fields["class_label"],
            fields["day"],
            _EMPTY[fields["empty"]],
            number if kind == "worksheet" else self._table.worksheet,
        )

    def choices(self) -> dict[int, int]:
        """Return the question chosen for each reference, by index; 0 leaves it out."""
        chosen = {index: self.cleaned_data.get(name) for index, name in enumerate(self._chosen)}
        return {index: number for index, number in chosen.items() if number is not None}

    def order_of_test(self) -> list[int]:
        """Return the ids of the questions of the chosen list or worksheet in order."""
        kind, number = self._test()
        if kind == "list":
            return order_of_list(list_id=number)
        return order_of_worksheet(worksheet_id=number) if kind == "worksheet" else self._table.order

    def _test(self) -> tuple[str, int]:
        """Return the chosen kind of test and its number."""
        kind, _dash, number = self.cleaned_data.get("order", "").partition("-")
        return kind, int(number or 0)

    def matched(self, matches: Sequence[QuestionMatch]) -> list[tuple[QuestionMatch, forms.BoundField]]:
        """Return each match with the field to choose another question."""
        return [(match, self[name]) for match, name in zip(matches, self._chosen, strict=True)]


class DeletionForm(ServiceForm):
    """Whose responses to delete: a pupil's, a class's, or those of old tests.

    Args:
        user: the person, whose classes are offered; an admin may delete those of all.
    """

    pupil = forms.CharField(
        label="A pupil",
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="As the file had it: the pupil’s number or login, else the e-mail address, else the name.",
    )
    class_label = forms.ChoiceField(label="A class", required=False)
    before = forms.DateField(
        label="Tests before",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="A test without a date counts by the day of its import.",
    )

    def __init__(self, data: Any = None, *, user: User, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        labels = [(label, label) for label in class_labels(user=user)]
        self.fields["class_label"].choices = [("", "Choose a class"), *labels]  # type: ignore[attr-defined]

    def deletion(self) -> Deletion:
        """Return what a valid form asks for."""
        fields = self.cleaned_data
        return Deletion(pupil_hashes(fields["pupil"]), fields["class_label"], fields["before"])
