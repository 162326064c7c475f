"""The interface of workbooks for sheet readers: sheet names, and rows of cells with their displayed text."""

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
        text: the displayed text.
        is_merged: whether it belongs to the cell above and repeats its text.
        problem: what is wrong with it, as in "a formula that ...".
    """

    text: str
    is_merged: bool = False
    problem: str = ""


Row = tuple[int, dict[int, Cell]]
"""The number of a row, counted from 1, and its cells by column, counted from 0."""


class Workbook(Protocol):
    """An open workbook.

    Attributes:
        label: its type, for people.
        sheets: its sheets, in order.
    """

    label: str
    sheets: tuple[SheetName, ...]

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the non-empty rows of a sheet, in order."""
