"""A worksheet's marks as typed into a grid or pasted from a spreadsheet, read like a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.responses.reading import read_cells
from questionbank.responses.response_table import ResponseTable
from questionbank.responses.table_cells import PERSON_ROLES, CellTable, role_of

_DELIMITERS = ("\t", ";", ",")


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A column of the grid.

    Attributes:
        number: its printed number.
        points: its maximum mark; None if it has no points.
    """

    number: int
    points: float | None = None

    @property
    def header(self) -> str:
        """The column's header, as a file would have it."""
        return f"Q{self.number}" if self.points is None else f"Q{self.number} ({self.points:.12g})"


def read_typed(questions: Sequence[TypedQuestion], grid: Sequence[Sequence[str]], pasted: str) -> ResponseTable:
    """Return the responses of both; the pasted rows come after those of the grid.

    Args:
        grid: the pupil and the marks of each row.
        pasted: a row a line, cells separated by tabs, semicolons or commas.

    Raises:
        ImportRefused: there is no row that can be read.
    """
    problems: list[LineProblem] = []
    rows = [(line, [cell.strip() for cell in cells]) for line, cells in enumerate(grid, start=1)]
    rows = [(line, cells) for line, cells in rows if any(cells)]
    first = rows[-1][0] if rows else 0
    for line, cells in _pasted_rows(pasted, first + 1):
        if len(cells) > len(questions) + 1:
            said = f"the row has {len(cells)} cells; write the pupil and {len(questions)} marks, without a total"
            problems.append(LineProblem(line, said))
        else:
            rows.append((line, cells))
    if not rows:
        raise ImportRefused("No row can be read: write a pupil and the marks in each.", problems)
    header = ("Name", *(question.header for question in questions))
    table = read_cells(CellTable(header, rows, problems, []), "This table")
    table.kind = "Marks typed in"
    return table


def _pasted_rows(pasted: str, first: int) -> Iterator[tuple[int, list[str]]]:
    lines = pasted.splitlines()
    delimiter = next((sign for sign in _DELIMITERS if any(sign in line for line in lines)), "\t")
    for place, line in enumerate(lines):
        cells = [cell.strip().strip('"') for cell in line.split(delimiter)]
        while len(cells) > 1 and not cells[-1]:
            cells.pop()
        is_header = not place and (role_of(cells[0]) in PERSON_ROLES or not cells[0])
        if any(cells) and not is_header:
            yield first + place, cells
