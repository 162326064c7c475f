"""The form to import a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms

from questionbank.core.forms import FileForm, ServiceForm
from questionbank.core.wording import whole_number
from questionbank.formats.catalog import AUTO, DOCUMENT_SUFFIXES, FORMATS, known_formats, known_suffixes
from questionbank.formats.columns import COLUMN_FIELDS, COLUMNS, OPTION_COLUMNS
from questionbank.formats.layout import DELIMITERS, MOST_TITLE_ROWS, FileLayout
from questionbank.formats.lines import ENCODINGS
from questionbank.formats.scales import scale_names
from questionbank.models import Question, User
from questionbank.people.school_selectors import usual_visible_to, visible_to_choices


class ReadersForm(ServiceForm):
    """An import whose new questions are visible to everyone, or only to the importer.

    Args:
        user: the importer; without permission to publish, there is no choice and drafts are imported.
        usual: the default status.
    """

    status = forms.ChoiceField(
        label="Who sees the questions",
        required=False,
        choices=[(Question.Status.READY, "Everyone"), (Question.Status.DRAFT, "Only you: as drafts")],
        help_text="You can publish drafts later. Admins see all drafts.",
    )

    visible_to = forms.ChoiceField(label="Visible to", required=False)

    def __init__(self, *args: Any, user: User, usual: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        status: Any = self.fields["status"]
        shown: Any = self.fields["visible_to"]
        status.initial, shown.initial, shown.choices = usual, usual_visible_to(user), visible_to_choices()
        if shown.choices:
            status.label = "Import them as"
            status.choices = [(Question.Status.READY, "Ready: visible as below"), (Question.Status.DRAFT, "My drafts")]
        else:
            del self.fields["visible_to"]
        if not user.has_perm("questionbank.import_publish"):
            del self.fields["status"]

    def clean_status(self) -> str:
        """Return the status, or the default if nothing was chosen."""
        return str(self.cleaned_data["status"] or self.fields["status"].initial)


class ImportForm(ReadersForm, FileForm):
    """A file of questions and how to read it; refused lines are handled after the dry run."""

    known = known_formats()
    accept = ",".join(dict.fromkeys([*known_suffixes(), *DOCUMENT_SUFFIXES]))
    format = forms.ChoiceField(
        label="Format",
        required=False,
        choices=[
            (AUTO, "Recognised from the file"),
            *((file_format.name, file_format.label) for file_format in FORMATS.values()),
        ],
    )
    source = forms.CharField(
        label="Name of the set",
        max_length=120,
        required=False,
        help_text="Leave empty to take it from the file's name.",
    )
    hierarchy = forms.CharField(
        label="Name of the concept hierarchy",
        max_length=200,
        required=False,
        help_text="Leave empty to name it after the set. An existing name adds to that hierarchy.",
    )
    scale = forms.ChoiceField(
        label="Difficulty scale",
        required=False,
        choices=[("", "As stated in each line"), *((name, name) for name in scale_names())],
        help_text="For lines with a difficulty but no scale.",
    )

    update = forms.BooleanField(
        label="Update questions that came from this file before",
        required=False,
        help_text="Matched by set name and identifier, or else by what they ask. You see every change first.",
    )

    def clean_format(self) -> str:
        """Return the format; if nothing was chosen, it is detected from the file."""
        return self.cleaned_data["format"] or AUTO


_DELIMITER_NAMES = {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar"}
_ENCODING_NAMES = {
    "utf-8": "UTF-8 (Unicode)",
    "utf-16": "UTF-16 (Unicode text of Excel)",
    "windows-1252": "Windows-1252 (Western European)",
    "mac-roman": "Mac Roman (older Excel for Mac)",
    "gb18030": "GB18030 (Chinese)",
}
_FIELD_NAMES = {column.name: column.label for column in COLUMNS}
_FIELD_NAMES |= {letter: f"Option {letter}" for letter in OPTION_COLUMNS}
_SIGNS = {name: sign for sign, name in DELIMITERS.items()}  # by name, because forms strip a tab


class ColumnsForm(ServiceForm):
    """How a file is laid out: encoding, and a field for each column; for a table, also delimiter and header.

    Args:
        layout: the initial choices.
    """

    encoding = forms.ChoiceField(label="Encoding", choices=[(name, _ENCODING_NAMES[name]) for name in ENCODINGS])
    delimiter = forms.ChoiceField(
        label="Separator between columns", choices=[(DELIMITERS[sign], _DELIMITER_NAMES[sign]) for sign in DELIMITERS]
    )
    header_line = forms.IntegerField(
        label="Row with the names of the columns",
        min_value=0,
        max_value=MOST_TITLE_ROWS,
        required=False,
        help_text="0 if the file has no such row.",
    )
    sheet = forms.ChoiceField(label="Sheet")

    def __init__(self, data: Any = None, *, layout: FileLayout) -> None:
        initial = {"encoding": layout.encoding, "header_line": layout.header_line}
        if layout.delimiter:
            initial["delimiter"] = DELIMITERS[layout.delimiter]
        super().__init__(data, initial=initial | {"sheet": layout.sheet})
        not_asked = ("encoding", "delimiter") if layout.sheet else ("sheet",)
        for name in not_asked if layout.is_table else ("delimiter", "header_line", "sheet"):
            del self.fields[name]
        if layout.sheet:
            self.fields["sheet"].choices = [  # type: ignore[attr-defined]
                (name, f"{name} (hidden)" if name in layout.hidden else name) for name in layout.sheets
            ]
            self.order_fields(["sheet"])
        choices = [("", "Not read"), *((name, _FIELD_NAMES[name]) for name in COLUMN_FIELDS)]
        self._layout = layout
        self.columns = [f"column-{place}" for place in range(len(layout.names))]
        for name, cell, field in zip(self.columns, layout.names, layout.fields, strict=True):
            self.fields[name] = forms.ChoiceField(
                label=cell or "(without a name)", choices=choices, required=False, initial=field
            )

    def reading(self) -> list[forms.BoundField]:
        """Return the form fields that apply to the whole file."""
        return [self[name] for name in self.fields if name not in self.columns]

    def mapped(self) -> list[forms.BoundField]:
        """Return the form fields of the columns, in order."""
        return [self[name] for name in self.columns]

    def layout(self) -> FileLayout:
        """Return the layout that a valid form describes.

        Raises:
            ImportRefused: the layout is impossible.
        """
        fields = self.cleaned_data
        line = fields.get("header_line")
        return replace(
            self._layout,
            fields=tuple(fields[name] for name in self.columns),
            encoding=fields.get("encoding", self._layout.encoding),
            delimiter=_SIGNS.get(fields.get("delimiter", ""), ""),
            header_line=self._layout.header_line if line is None else line,
            sheet=fields.get("sheet", ""),
        )


def chosen_reading(data: Mapping[str, str], guessed: FileLayout) -> dict[str, Any]:
    """Return the submitted reading options as arguments of `layout_of`; invalid ones are ignored."""
    encoding = data.get("encoding", "")
    line = whole_number(data.get("header_line", ""))
    given: dict[str, Any] = {"encoding": encoding if encoding in ENCODINGS else guessed.encoding}
    if guessed.is_table:
        if guessed.sheet:
            sheet = data.get("sheet", "")
            given["sheet"] = sheet if sheet in guessed.sheets else guessed.sheet
        else:
            given["delimiter"] = _SIGNS.get(data.get("delimiter", ""), guessed.delimiter)
        is_relaid = line is None or any(
            given[name] != getattr(guessed, name) for name in ("delimiter", "sheet") if name in given
        )
        given["header_line"] = None if is_relaid and line == guessed.header_line else line
    return given
