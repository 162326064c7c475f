"""An Excel workbook with the columns of our CSV files; cells are text, so that 3/4 stays 3/4 when edited."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from analytics.records import QuestionRecord
from questionbank.formats.archives import file_pieces
from questionbank.formats.columns import OBSERVED_FIELDS, WRITTEN_FIELDS
from questionbank.formats.csv_files import question_cells
from questionbank.formats.seam import Attachments, CannotHold
from questionbank.formats.written_numbers import plain

if TYPE_CHECKING:
    from openpyxl.cell import WriteOnlyCell

SHEET = "Questions"
CELL_LIMIT = 32_767  # characters, Excel's limit
_AS_TEXT = "@"
_NUMBERS = frozenset({"difficulty", "facility", "responses", *OBSERVED_FIELDS})
_WIDTHS = {"text": 60, "solution": 40, "concepts": 40, "answer": 20}
# What XML cannot hold, and text that would be read as an escape of such a character.
_ESCAPED = re.compile(r"[\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def write_workbook(records: Iterable[QuestionRecord], _attachments: Attachments) -> Iterator[bytes]:
    """Yield a workbook in pieces; omit questions with a text too long for a cell."""
    from openpyxl import Workbook  # importing it at module level would add half a second to every start
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    sheet = book.create_sheet(SHEET)
    sheet.freeze_panes = "A2"
    for place, name in enumerate(WRITTEN_FIELDS, start=1):
        column = sheet.column_dimensions[get_column_letter(place)]
        column.width = _WIDTHS.get(name, 12)
        if name not in _NUMBERS:
            column.number_format = _AS_TEXT
    bold, wrapped = Font(bold=True), Alignment(vertical="top", wrap_text=True)

    def cell(value: str, *, is_number: bool = False) -> WriteOnlyCell:
        made = WriteOnlyCell(sheet, float(value) if is_number else _escaped(value))
        if not is_number:
            made.data_type, made.number_format = "s", _AS_TEXT  # never a formula
        made.alignment = wrapped
        return made

    head = [WriteOnlyCell(sheet, name) for name in WRITTEN_FIELDS]
    for title in head:
        title.font = bold
    sheet.append(head)
    for record in records:
        cells = question_cells(record)
        if _fits(cells):
            sheet.append(
                [
                    cell(value, is_number=_is_number(name, value)) if (value := cells.get(name, "")) else None
                    for name in WRITTEN_FIELDS
                ]
            )
    with tempfile.TemporaryFile() as file:
        book.save(file)
        yield from file_pieces(file)


def workbook_losses(record: QuestionRecord) -> None:
    """Raise `CannotHold` if a text is too long for a cell."""
    if not _fits(question_cells(record)):
        raise CannotHold(f"questions with more than {CELL_LIMIT:,} characters in a cell, the most that Excel holds")


def _fits(cells: dict[str, str]) -> bool:
    return all(len(_escaped(value)) <= CELL_LIMIT for value in cells.values())


def _is_number(name: str, value: str) -> bool:
    """Return whether a value survives a round trip through a numeric cell."""
    return name in _NUMBERS and float(plain(float(value))) == float(value)


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: f"_x{ord(match[0]):04X}_", text) if _ESCAPED.search(text) else text
