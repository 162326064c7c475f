"""Files as tables of cells: CSV in any encoding, Excel and OpenDocument workbooks."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.archives import is_archive
from questionbank.formats.csv_files import DecodedLines, table_rows
from questionbank.formats.layout import MOST_TITLE_ROWS, best_header, find_header, table_sample
from questionbank.formats.limits import COLUMNS_LIMIT
from questionbank.formats.lines import file_encoding, read_lines, refuse_unreadable
from questionbank.formats.sheets import sheet_texts
from questionbank.responses.column_roles import count_known, is_published

CELLS_LIMIT = 10_000_000


@dataclass(frozen=True, slots=True)
class CellTable:
    """The cells of a file.

    Attributes:
        header: names of the columns, tidied.
        rows: line number and cells of each row below the header that is not blank.
        problems: rows and cells that cannot be read.
        notes: remarks about the file as a whole.
    """

    header: tuple[str, ...]
    rows: list[tuple[int, list[str]]]
    problems: list[LineProblem]
    notes: list[str]


def read_table(path: Path) -> CellTable:
    """Read a file and find its header.

    Raises:
        ImportRefused: the file cannot be read, is too large or is not a table.
    """
    refuse_unreadable(path)
    problems: list[LineProblem] = []
    notes: list[str] = []
    if is_archive(path):
        rows = list(_checked(sheet_texts(path, notes, is_preferred=is_published), path, problems))
        head = rows[:MOST_TITLE_ROWS]
        best = best_header([(line, _tidy(cells)) for line, cells in head], count_known)
        header, header_line = (best[1].names, best[1].line) if best else ((), 0)
    else:
        encoding = file_encoding(path)
        found = find_header(table_sample(path, encoding), count_known)
        header, header_line = found.names, found.line
        rows = list(_checked(_csv_texts(path, encoding, found.delimiter, header_line), path, problems))
        rows = list(_of_width(rows, len(header), problems))
    if len(header) < 2:
        raise ImportRefused(f"{path.name} is not a table: it needs a column for the pupil and one for each question.")
    if len(header) > COLUMNS_LIMIT:
        raise ImportRefused(f"{path.name} has {len(header):,} columns, more than {COLUMNS_LIMIT:,}.")
    return CellTable(header, [(line, cells) for line, cells in rows if line > header_line], problems, notes)


def _csv_texts(
    path: Path, encoding: str, delimiter: str, header_line: int
) -> Iterator[tuple[int, list[str] | LineProblem]]:
    lines = DecodedLines(read_lines(path), encoding)
    lines.skip_to(header_line)
    next(csv.reader(lines, delimiter=delimiter), None)
    lines.take_bad()
    names = [str(column) for column in range(COLUMNS_LIMIT)]
    for number, row in table_rows(lines, names, delimiter):
        if isinstance(row, LineProblem):
            yield number, row
        else:
            width = max(map(int, row)) + 1
            yield number, [row.get(name, "") for name in names[:width]]


def _checked(
    rows: Iterator[tuple[int, list[str] | LineProblem]], path: Path, problems: list[LineProblem]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows; put problems aside.

    Raises:
        ImportRefused: there are too many cells.
    """
    count = 0
    for line, cells in rows:
        if isinstance(cells, LineProblem):
            problems.append(cells)
            continue
        count += len(cells)
        if count > CELLS_LIMIT:
            raise ImportRefused(f"{path.name} has more than {CELLS_LIMIT:,} cells; split it.")
        if any(cell.strip() for cell in cells):
            yield line, [cell.strip() for cell in cells]


def _of_width(
    rows: Iterable[tuple[int, list[str]]], width: int, problems: list[LineProblem]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that have no cells beyond the header: a comma in a mark has divided the others."""
    for line, cells in rows:
        if any(cells[width:]):
            said = f"the row has {len(cells)} cells, the header {width}; a mark with a decimal comma needs"
            problems.append(LineProblem(line, f"{said} quotation marks around it"))
        else:
            yield line, cells


def _tidy(cells: list[str]) -> tuple[str, ...]:
    width = max((place + 1 for place, cell in enumerate(cells) if cell), default=0)
    return tuple(" ".join(cell.split()) for cell in cells[:width])
