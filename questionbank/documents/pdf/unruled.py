"""Tables without rules: rows whose cells stand below each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from questionbank.documents.marks import take_mark
from questionbank.documents.paragraphs import Rich
from questionbank.documents.pdf.glyphs import around
from questionbank.documents.pdf.layout import Placed
from questionbank.documents.pdf.lines import Cell, PdfLine

Item = PdfLine | Placed
_FEWEST_ROWS = 3
_ALIGNED = 4.0  # points
_NEXT_ROW = 3.2  # sizes of the font between the baselines of two rows, at most
_POINTS = re.compile(
    r"[(\[]?\s?\d{0,2}\s?(?:marks?|points?|pts?|p|punkte|分)?\s?[)\]]|/\s?\d{1,2}|[_.…\s]+", re.IGNORECASE
)


def with_tables(items: Sequence[Item]) -> list[Item]:
    """Return the items of a document, rows of cells that stand below each other as tables."""
    found: list[Item] = []
    place = 0
    while place < len(items):
        rows, end = _table(items, place)
        if len(rows) < _FEWEST_ROWS:
            found.append(items[place])
            place += 1
            continue
        lines = [item for item in items[place:end] if isinstance(item, PdfLine)]
        cells = [[[_as_line(cell, lines[0])] for cell in row] for row in rows]
        found.append(Placed(around([line.box for line in lines]), lines[0].page, lines[0].column, cells))
        place = end
    return found


def _table(items: Sequence[Item], place: int) -> tuple[list[list[Rich]], int]:
    """Return the rows of the table that begins at an item, and where it ends."""
    first = items[place]
    rows: list[list[Rich]] = []
    if not isinstance(first, PdfLine) or not _may_be_row(first):
        return rows, place
    above = first
    for end in range(place, len(items)):
        line = items[end]
        if (
            not isinstance(line, PdfLine)
            or line.page != first.page
            or line.column != first.column
            or line.number
        ):
            return rows, end
        if line is not first and not 0 < line.baseline - above.baseline < _NEXT_ROW * first.size:
            return rows, end
        columns = [_column(cell, first.cells) for cell in line.cells]
        if len(line.cells) == len(first.cells) and columns == [*range(len(columns))] and _may_be_row(line):
            rows.append([cell.text for cell in line.cells])
        elif rows and _goes_on(line, columns, above):
            for cell, column in zip(line.cells, columns, strict=True):
                rows[-1][column] = rows[-1][column] + Rich(" ", bytes(1)) + cell.text
        else:
            return rows, end
        above = line
    return rows, len(items)


def _may_be_row(line: PdfLine) -> bool:
    """Return whether a line has cells that are more than a mark before it, or points behind it."""
    texts = [cell.text.text.strip() for cell in line.cells]
    if texts and _POINTS.fullmatch(texts[-1]):
        texts.pop()
    if len(texts) != 2:
        return len(texts) > 2
    return bool(_rest(texts[0])) and bool(take_mark(texts[1])[1].strip())


def _rest(text: str) -> str:
    """Return what stands behind the mark of a text."""
    mark, rest = take_mark(text)
    return rest.strip() if mark else "" if text.isdigit() or len(text) < 2 else text


def _column(cell: Cell, columns: Sequence[Cell]) -> int:
    """Return the column that a cell stands in: with the same left edge, right edge or middle; -1 for none."""
    for number, column in enumerate(columns):
        if any(
            abs(one - other) < _ALIGNED
            for one, other in (
                (cell.x0, column.x0),
                (cell.x1, column.x1),
                ((cell.x0 + cell.x1) / 2, (column.x0 + column.x1) / 2),
            )
        ):
            return number
    return -1


def _goes_on(line: PdfLine, columns: Sequence[int], above: PdfLine) -> bool:
    """Return whether a line goes on with cells of the row above it."""
    is_near = line.baseline - above.baseline < 1.7 * line.size
    begins = any(take_mark(cell.text.text)[0] for cell in line.cells)
    return is_near and bool(columns) and min(columns) >= 0 and len({*columns}) == len(columns) and not begins


def _as_line(text: Rich, line: PdfLine) -> PdfLine:
    return PdfLine(text, line.box, line.size, line.page, line.column, line.baseline)
