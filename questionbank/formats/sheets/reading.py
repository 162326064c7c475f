"""Workbooks as tables: find the sheet with the questions and its header, and read rows by our field names."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from analytics.json_lines import UNPACKED_LIMIT
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.archives import MEMBER_LIMIT, check_member, is_archive, opened_archive
from questionbank.formats.column_names import guess_fields
from questionbank.formats.csv_files import named_rows
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
from questionbank.formats.sheets.opendocument import OpenDocumentWorkbook
from questionbank.formats.sheets.workbook import Row, Workbook

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
    from questionbank.formats.sheets.excel import ExcelWorkbook  # openpyxl would add half a second to every start

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
