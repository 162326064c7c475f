"""What a workbook is to the readers of its sheets: names of sheets, and rows of cells that say what they show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

NEVER_CALCULATED = "a formula that has never been calculated; open the file in its program, save it and upload it again"


class SheetName(NamedTuple):
    """A sheet of a workbook."""

    name: str
    is_hidden: bool = False


class Cell(NamedTuple):
    """A cell.

    Attributes:
        text: what it shows.
        is_merged: it belongs to the cell above, whose text it repeats.
        problem: what is wrong with it, as in "a formula that ...".
    """

    text: str
    is_merged: bool = False
    problem: str = ""


Row = tuple[int, dict[int, Cell]]
"""The number of a row, counted from 1, and its cells by their columns, counted from 0."""


class Workbook(Protocol):
    """A workbook that is open.

    Attributes:
        label: what it is, for people.
        sheets: in their order.
    """

    label: str
    sheets: tuple[SheetName, ...]

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the rows of a sheet that hold cells, in their order."""
