"""The rows of a list of answers: cells between bars or tabs, a line as it stands, points that a row names."""

from __future__ import annotations

import re

from questionbank.documents.marks import GAP
from questionbank.documents.paper import Line
from questionbank.documents.phrases import ANSWER_COLUMN, NUMBER_COLUMN, POINTS_ALONE

_NUMBERED = re.compile(r"\W*\d{1,3}[a-h]?\s?[.):]?")


def full_text(line: Line) -> str:
    """Return a line as it stands, its number before its text."""
    return f"{line.number} {line.text}".strip()


def row_cells(text: str) -> list[str] | None:
    """Return the cells of a row of a table in our notation; None where a text is none."""
    if not (text.startswith("|") and text.endswith("|") and len(text) > 2):
        return None
    return [cell.strip() for cell in text[1:-1].split("|")]


def table_cells(text: str) -> list[str]:
    """Return the cells of a typed row that begins with the name of a column: numbers or answers between tabs."""
    cells = _columns(text)
    is_row = len(cells) > 2 and (NUMBER_COLUMN.fullmatch(cells[0]) or ANSWER_COLUMN.fullmatch(cells[0]))
    return cells if is_row and not any("|" in cell for cell in cells) else []


def without_marks(text: str) -> str:
    r"""Return a row of a number, an answer and its marks without the marks.

    >>> without_marks("1\tB\t2"), without_marks("1\tB\t2\tC")
    ('1. B', '1\tB\t2\tC')
    """
    number, *cells = _columns(text)
    if len(cells) < 2 or not _NUMBERED.fullmatch(number):
        return text
    are_marks = all(POINTS_ALONE.fullmatch(cell) or not cell for cell in cells[1:])
    return f"{number.rstrip('.):')}. {cells[0]}" if are_marks else text


def _columns(text: str) -> list[str]:
    return [cell.strip() for cell in re.split(f"[\\t{GAP}]", text)]
