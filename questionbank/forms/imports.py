"""The form to import a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from questionbank.formats.catalog import AUTO, FORMATS
from questionbank.formats.csv_layout import COLUMN_FIELDS, DELIMITERS, ENCODINGS, OPTION_COLUMNS, CsvLayout
from questionbank.forms.uploads import FileForm
from questionbank.scales import scale_names

__all__ = ["ColumnsForm", "ImportForm"]


class ImportForm(FileForm):
    """A file of questions and how to read it; refused lines are dealt with after the dry run."""

    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[
            (AUTO, _("From the file's name")),
            *((file_format.name, file_format.label) for file_format in FORMATS.values()),
        ],
    )
    source = forms.CharField(
        label=_("Name of the set"),
        max_length=120,
        required=False,
        help_text=_("Leave empty to take it from the file's name."),
    )
    hierarchy = forms.CharField(
        label=_("Name of the concept hierarchy"),
        max_length=200,
        required=False,
        help_text=_("Leave empty to name it after the set. An existing name adds to that hierarchy."),
    )
    scale = forms.ChoiceField(
        label=_("Difficulty scale"),
        required=False,
        choices=[("", _("As each line says")), *((name, name) for name in scale_names())],
        help_text=_("Of lines that have a difficulty but name no scale."),
    )

    def clean_format(self) -> str:
        """Return the format; nothing chosen means: look at the name."""
        return self.cleaned_data["format"] or AUTO


_DELIMITER_NAMES = {",": _("Comma"), ";": _("Semicolon"), "\t": _("Tab")}
_ENCODING_NAMES = {
    "utf-8": _("UTF-8 (Unicode)"),
    "windows-1252": _("Windows-1252 (Western European)"),
    "gb18030": _("GB18030 (Chinese)"),
}
_FIELD_NAMES = {
    "id": _("Identifier"),
    "text": _("Question"),
    "language": _("Language"),
    "kind": _("Type of question"),
    "options": _("Options, as JSON"),
    "answer": _("Answer"),
    "solution": _("Worked solution"),
    "equation": _("Equation"),
    "numbers": _("Numbers"),
    "concepts": _("Concepts"),
    "difficulty": _("Difficulty"),
    "difficulty_scale": _("Difficulty scale"),
    "grade": _("Grade"),
    "stage": _("Stage"),
    "facility": _("Share of correct responses"),
    "responses": _("Number of responses"),
    "set": _("Name of the set"),
    "path": _("Path of a concept (no question)"),
    "name": _("Name of a concept (no question)"),
    "parent": _("Parent of a concept (no question)"),
}
_TABS = {"comma": ",", "semicolon": ";", "tab": "\t"}  # a form trims a tab away


class ColumnsForm(forms.Form):
    """How a CSV file is laid out: encoding, delimiter, and one choice for each column of its header.

    Args:
        cells: names of the columns.
        layout: what is chosen at first.
    """

    encoding = forms.ChoiceField(
        label=_("Encoding"), choices=[(name, _ENCODING_NAMES[name]) for name in ENCODINGS]
    )
    delimiter = forms.ChoiceField(
        label=_("Separator between columns"),
        choices=[(DELIMITERS[sign], _DELIMITER_NAMES[sign]) for sign in DELIMITERS],
    )

    def __init__(self, data: Any = None, *, cells: Sequence[str], layout: CsvLayout) -> None:
        initial = {"encoding": layout.encoding, "delimiter": DELIMITERS[layout.delimiter]}
        super().__init__(data, initial=initial)
        letters = {letter: _("Option %(letter)s") % {"letter": letter} for letter in OPTION_COLUMNS}
        choices = [("", _("Not read")), *((name, (_FIELD_NAMES | letters)[name]) for name in COLUMN_FIELDS)]
        self.columns = [f"column-{place}" for place in range(len(cells))]
        for name, cell, field in zip(self.columns, cells, layout.columns, strict=True):
            self.fields[name] = forms.ChoiceField(
                label=cell.strip() or _("(without a name)"), choices=choices, required=False, initial=field
            )

    def mapped(self) -> list[forms.BoundField]:
        """Return the choices of the columns, in their order."""
        return [self[name] for name in self.columns]

    def layout(self) -> CsvLayout:
        """Return the layout that a valid form describes.

        Raises:
            ImportRefused: no file can have it.
        """
        fields = self.cleaned_data
        return CsvLayout(
            _TABS[fields["delimiter"]], fields["encoding"], tuple(fields[name] for name in self.columns)
        )
