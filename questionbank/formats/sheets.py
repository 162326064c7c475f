"""Workbooks as tables: find the sheet with the questions and its header, and read rows by our field names."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analytics.json_lines import UNPACKED_LIMIT
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.archives import MEMBER_LIMIT, check_member, file_pieces, is_archive, opened_archive
from questionbank.formats.columns import OBSERVED_FIELDS, WRITTEN_FIELDS, guess_fields
from questionbank.formats.csv_files import named_rows, question_cells
from questionbank.formats.layout import (
    MOST_TITLE_ROWS,
    FileLayout,
    Header,
    best_header,
    check_columns,
    count_known,
    with_fields,
)
from questionbank.formats.lines import Progress
from questionbank.formats.seam import Attachments, CannotHold
from questionbank.formats.workbooks import OpenDocumentWorkbook, Row, Workbook
from questionbank.formats.written_numbers import plain

if TYPE_CHECKING:
    from openpyxl.cell import WriteOnlyCell


CELLS_LIMIT = 10_000_000
_UNREADABLE = (ArithmeticError, AttributeError, LookupError, OSError, SyntaxError, TypeError, ValueError)
_PROGRESS_EVERY = 500  # rows
_STREAMED_LIMIT = 256 * 1024 * 1024  # bytes of a sheet, above which it is checked as a possible zip bomb


def is_workbook(archive: zipfile.ZipFile) -> bool:
    """Return whether an archive is a workbook."""
    names = archive.namelist()
    return "xl/workbook.xml" in names or ("content.xml" in names and "META-INF/manifest.xml" in names)


@contextmanager
def _opened(path: Path) -> Iterator[Workbook]:
    """Open a workbook.

    Raises:
        ImportRefused: the file is not a workbook, or is damaged or protected.
    """
    from questionbank.formats.workbooks import ExcelWorkbook  # openpyxl would add half a second to every start

    if not is_archive(path):
        raise ImportRefused(f"{path.name} is not an Excel or OpenDocument workbook.")
    with opened_archive(path) as archive:
        names = archive.namelist()
        for member in archive.infolist():
            is_streamed = member.filename == "content.xml" or member.filename.startswith("xl/worksheets/")
            if member.filename.endswith(".xml") and (not is_streamed or member.file_size > _STREAMED_LIMIT):
                check_member(member, path, limit=UNPACKED_LIMIT if is_streamed else MEMBER_LIMIT)
        try:
            yield OpenDocumentWorkbook(archive) if "content.xml" in names else ExcelWorkbook(archive)
        except _UNREADABLE as error:
            if "content.xml" in names and b"encryption-data" in archive.read("META-INF/manifest.xml"):
                what = "it is protected by a password; save it without one"
            else:
                what = "it is not a proper workbook; open it in its program and save it again"
            raise ImportRefused(f"{path.name} cannot be read: {what}.") from error


def guess_sheet_layout(
    path: Path,
    *,
    sheet: str = "",
    columns: Mapping[str, str] | None = None,
    header_line: int | None = None,
    **_of_texts: Any,
) -> FileLayout:
    """Return the layout of a workbook: its first sheet with questions, visible sheets first, and the header.

    Args:
        sheet: name of the sheet chosen by the user.
        columns, header_line: see `questionbank.formats.layout.guess_layout`.

    Raises:
        ImportRefused: the workbook cannot be read, has no such sheet, or is empty.
    """
    with _opened(path) as book:
        visible = [one.name for one in book.sheets if not one.is_hidden]
        names = [*visible, *(one.name for one in book.sheets if one.is_hidden)]
        if sheet and sheet not in names:
            raise ImportRefused(f"{path.name} has no sheet {sheet!r}; it has {', '.join(names)}.")
        found: tuple[str, Header] | None = None
        for name in [sheet] if sheet else names:
            header = _header(book.rows(name), header_line)
            if header is not None and (found is None or count_known(header.names, header.sample)):
                found = name, header
                if count_known(header.names, header.sample):
                    break
    if found is None:
        raise ImportRefused(f"{path.name} holds no cells" + (f" in the sheet {sheet!r}." if sheet else "."))
    name, header = found
    check_columns(header, path)
    guess = FileLayout(
        header.names,
        guess_fields(header.names, header.sample),
        header_line=header.line,
        sheet=name,
        sheets=tuple(names),
        hidden=tuple(names[len(visible) :]),
    )
    return with_fields(guess, columns or {}, path)


def _header(rows: Iterator[Row], line: int | None) -> Header | None:
    first: list[tuple[int, tuple[str, ...]]] = []
    for number, cells in islice(rows, MOST_TITLE_ROWS):
        if number > MOST_TITLE_ROWS and first:
            break
        width = max((column + 1 for column, cell in cells.items() if cell.text.strip()), default=0)
        if width:
            texts = (cells[column].text if column in cells else "" for column in range(width))
            first.append((number, tuple(" ".join(text.split()) for text in texts)))
    best = best_header(first, count_known, line=line) if first else None
    return best[1] if best else None


def sheet_rows(
    path: Path, layout: FileLayout, *, progress: Progress | None = None
) -> Iterator[tuple[int, dict[str, str] | LineProblem | LineWarning]]:
    """Yield a sheet's rows as cells by our field names, or as problems; warnings come before their row.

    Raises:
        ImportRefused: the rest of the workbook cannot be read, or it is too large.
    """
    with _opened(path) as book:
        yield from named_rows(_cells(path, book.rows(layout.sheet), layout, progress), layout.fields)


def sheet_texts(
    path: Path, notes: list[str], *, is_preferred: Callable[[Sequence[str]], bool]
) -> Iterator[tuple[int, list[str] | LineProblem]]:
    """Yield the rows of one visible sheet, as texts or as problems of single cells: the first one that has any.

    Args:
        notes: collects the names of the sheets that are not read.
        is_preferred: given the first row of a sheet, returns whether it is read rather than the first sheet.

    Raises:
        ImportRefused: the workbook cannot be read.
    """
    with _opened(path) as book:
        visible = [sheet.name for sheet in book.sheets if not sheet.is_hidden]
        tops = {name: top[1] for name in visible if (top := next(book.rows(name), None))}
        headers = {name: [" ".join(cell.text.split()) for cell in top.values()] for name, top in tops.items()}
        chosen = next((name for name, header in headers.items() if is_preferred(header)), next(iter(tops), None))
        others = [sheet.name for sheet in book.sheets if sheet.name != chosen]
        if others:
            notes.append(f"Sheets that are not read: {', '.join(others)}.")
        for number, row in book.rows(chosen) if chosen else ():
            texts = [""] * (max(row, default=-1) + 1)
            for column, cell in row.items():
                if cell.is_merged:
                    yield number, LineProblem(number, f"column {column + 1} is merged with the cell above; split it")
                elif cell.problem:
                    yield number, LineProblem(number, f"column {column + 1} is {cell.problem}")
                else:
                    texts[column] = cell.text
            yield number, texts


def _cells(
    path: Path, rows: Iterator[Row], layout: FileLayout, progress: Progress | None
) -> Iterator[tuple[int, list[str] | LineProblem | LineWarning]]:
    seen = 0
    for number, row in rows:
        seen += len(row)
        if seen > CELLS_LIMIT:
            raise ImportRefused(
                f"{path.name} has more than {CELLS_LIMIT:,} cells; split it.",
                [LineProblem(number, "the sheet is read up to here")],
            )
        if progress is not None and number % _PROGRESS_EVERY == 0:
            progress(min(number, 999_999), 1_000_000)  # the number of rows is not known in advance
        if number <= layout.header_line:
            continue
        texts = [""] * (max(row, default=-1) + 1)
        said: list[tuple[str, str]] = []
        for column, cell in row.items():
            field = layout.fields[column] if column < len(layout.fields) else ""
            if cell.is_merged and field in ("", "text"):  # a question must not be repeated
                continue
            texts[column] = cell.text
            if field and cell.problem:
                said.append((field, f"{field} is {cell.problem}"))
            elif field and cell.is_merged:
                said.append((field, f"{field} comes from the merged cell above"))
        if any(texts) or said:
            yield from ((number, LineWarning(number, reason, field)) for field, reason in said)
            yield number, texts
    if progress is not None:
        progress(1, 1)


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
