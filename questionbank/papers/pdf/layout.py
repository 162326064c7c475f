"""Convert a page to lines in reading order: tables, pictures, columns, and the remaining text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

from questionbank.papers.marks import GAP
from questionbank.papers.paragraphs import Paragraph, Rich
from questionbank.papers.pdf.areas import Grid, grids_of, holds_prose, is_level, mark_ringed, pictures_of
from questionbank.papers.pdf.glyph_lines import PdfLine, line_of
from questionbank.papers.pdf.mathematics import rows_of
from questionbank.papers.pdf.pages import INVISIBLE, Box, Glyph, Page, around, usual_size
from questionbank.papers.pdf.structures import set_tall, with_structures

AnyBox = TypeVar("AnyBox", bound=Box)
_OPTION = re.compile(r"[(（]?[B-Fb-f][.)．、）]")
_NO_TEXT = re.compile(r"[(\[][^()\[\]]*[)\]]|.*[._…]{5}.*")  # points and writing lines
_NUMBERED = re.compile(r"(?:Q(?:uestion)?)?(\d{1,2})[.):]?")
_GUTTER = 11.0  # minimum, in points, between two columns
_GUTTER_RULE = 0.2  # of the page's height: minimum of a rule between two columns
_MARGIN = 14.0  # points; questions begin within this distance of a column's edge
_FEWEST_LINES = 6  # in a column
_BLANK_RULE = (12.0, 320.0)  # points; length of a rule that is a gap in a sentence


@dataclass(slots=True, eq=False)
class Placed:
    """A picture or table with its position on the page.

    Attributes:
        rows: rows of a table; None for a picture.
    """

    box: Box
    page: int
    column: tuple[float, float]
    rows: list[list[list[PdfLine]]] | None = None


@dataclass(slots=True)
class PageLayout:
    """The contents of a page, in reading order."""

    items: list[PdfLine | Placed] = field(default_factory=list)


def layout_of(page: Page) -> PageLayout:
    """Return the lines, tables and pictures of a page in reading order."""
    glyphs = [glyph for glyph in page.glyphs if not glyph.flags & INVISIBLE or page.has_hidden_text]
    set_tall(glyphs, usual_size(glyphs))
    page.drawings, page.frames = mark_ringed(page.drawings, glyphs), mark_ringed(page.frames, glyphs)
    grids, rules = grids_of(page, glyphs)
    tables = []
    for grid in grids:
        inside, glyphs = _parted(glyphs, grid.box)
        ruled, rules = _parted(rules, grid.box)
        tables.append((grid, with_structures(inside, [rule for rule in ruled if is_level(rule)])[0]))
    glyphs, rules = _with_fractions(glyphs, rules, page)
    blanks = _blanks(rules, glyphs, page.drawings)
    pictures = pictures_of(page, [rule for rule in rules if rule not in blanks], glyphs)
    glyphs = [*_unpictured(glyphs, pictures), *_blank_glyphs(blanks, pictures)]
    columns = _columns(glyphs, page)
    lines: list[PdfLine] = []
    for column in columns:
        lines += _side_by_side([line_of(row, page.number, column.edges) for row in rows_of(column.glyphs)])
    placed = [Placed(picture, page.number, _edges_at(columns, picture)) for picture in pictures]
    placed += [
        Placed(grid.box, page.number, _edges_at(columns, grid.box), _cells(grid, inside, page.number))
        for grid, inside in tables
    ]
    return PageLayout(_in_order(lines, placed, columns))


def _with_fractions(glyphs: Sequence[Glyph], rules: Sequence[Box], page: Page) -> tuple[list[Glyph], list[Box]]:
    """Combine fractions and similar structures into glyphs; return the glyphs and the rules left over."""
    short = [rule for rule in rules if is_level(rule) and rule.width < 0.6 * page.width]
    joined, unused = with_structures(glyphs, short)
    return joined, [rule for rule in rules if rule not in short or rule in unused]


def _unpictured(glyphs: Sequence[Glyph], pictures: Sequence[Box]) -> list[Glyph]:
    """Return the glyphs without the labels in pictures; a picture that contains prose is the background of a text."""
    labelled = [picture for picture in pictures if not holds_prose(picture, glyphs)]
    return [one for one in glyphs if not any(picture.holds(one.center, one.middle) for picture in labelled)]


def _parted(boxes: Sequence[AnyBox], area: Box) -> tuple[list[AnyBox], list[AnyBox]]:
    """Split boxes into those inside and those outside an area."""
    inside: list[AnyBox] = []
    outside: list[AnyBox] = []
    for box in boxes:
        (inside if area.holds((box.x0 + box.x1) / 2, box.middle) else outside).append(box)
    return inside, outside


# -- blanks to fill in --------------------------------------------------------------------------------------------


def _blank_row(rule: Box, glyphs: Sequence[Glyph]) -> Glyph | None:
    """Return a glyph of the line that a rule is a gap in; None if the rule is in no line, or underlines a text."""
    if not _BLANK_RULE[0] <= rule.width <= _BLANK_RULE[1] or not is_level(rule):
        return None
    beside = None
    for one in glyphs:
        if one.axis is not None or not -0.35 * one.size < rule.middle - one.baseline < 0.45 * one.size:
            continue
        if rule.x0 - 1 < one.center < rule.x1 + 1:
            return None
        if -3 < rule.x0 - one.end < 3 * one.size or -3 < one.start - rule.x1 < 3 * one.size:
            beside = one
    return beside


def _blanks(rules: Sequence[Box], glyphs: Sequence[Glyph], drawings: Sequence[Box]) -> dict[Box, Glyph]:
    """Return the rules that are gaps, each with a glyph of its line; a rule that meets a drawing belongs to that."""
    drawn = [*drawings, *(rule for rule in rules if not is_level(rule))]
    found = {}
    for rule in rules:
        beside = _blank_row(rule, glyphs)
        if beside is not None and not any(_meets(rule, one) for one in drawn):
            found[rule] = beside
    return found


def _meets(rule: Box, drawing: Box) -> bool:
    """Return whether a rule ends at a drawing or crosses it; a rule well inside it may be in a frame."""
    is_within = drawing.x0 + 1 < rule.x0 and rule.x1 < drawing.x1 - 1
    return rule.touches(drawing, 1.0) and not is_within


def _blank_glyphs(blanks: Mapping[Box, Glyph], pictures: Sequence[Box]) -> Iterator[Glyph]:
    """Yield the gaps outside pictures as glyphs of their lines."""
    for rule, beside in blanks.items():
        if not any(picture.holds(rule.x0, rule.middle) for picture in pictures):
            blank = Glyph(rule.x0, beside.baseline - 1, rule.x1, beside.baseline, "____", rule.x0, rule.x1)
            blank.baseline, blank.size, blank.blanks = beside.baseline, beside.size, 1
            yield blank


# -- columns ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Column:
    glyphs: list[Glyph]
    edges: tuple[float, float]
    band: tuple[float, float]  # top and bottom


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of a row between gaps as wide as a gutter: its text, its position and its baseline."""

    text: str
    start: float
    end: float
    baseline: float

    @property
    def is_text(self) -> bool:
        """Whether it is more than points or writing lines, which appear at the right of a single column."""
        return _NO_TEXT.fullmatch(self.text) is None


def _spans(glyphs: Sequence[Glyph]) -> list[list[_Span]]:
    found = []
    for row in rows_of(glyphs):
        runs = _segments(sorted(row.glyphs, key=lambda one: one.start))
        found.append(
            [
                _Span("".join(one.text for one in run), run[0].start, max(one.end for one in run), row.baseline)
                for run in runs
            ]
        )
    return found


def _columns(glyphs: list[Glyph], page: Page) -> list[_Column]:
    """Return the columns of a page in reading order; text across both columns divides them into bands."""
    if not glyphs:
        return []
    text = around(glyphs)
    gutter = _gutter(glyphs, page)
    whole = _Column(glyphs, (text.x0, text.x1), (text.top, text.bottom))
    if gutter is None:
        return [whole]
    found: list[_Column] = []
    for is_across, band in _bands(glyphs, gutter):
        area = around(band)
        height = (area.top, area.bottom)
        if is_across:
            found.append(_Column(band, (text.x0, text.x1), height))
            continue
        left = [one for one in band if one.center < gutter]
        right = [one for one in band if one.center >= gutter]
        if left:
            found.append(_Column(left, (text.x0, around(left).x1), height))
        if right:
            found.append(_Column(right, (around(right).x0, text.x1), height))
    return found


def _gutter(glyphs: Sequence[Glyph], page: Page) -> float | None:
    """Return the position of the gutter between two columns; None for a page with one column."""
    text = around(glyphs)
    rows = _spans(glyphs)
    best: tuple[int, float] | None = None
    for step in range(30, 71):
        x = page.width * step / 100
        crossing = _crossed(rows, x)
        if 4 * crossing > len(rows) or (best is not None and crossing >= best[0]):
            continue
        sides = _sides(rows, x)
        edges = ((text.x0, x), (x, text.x1))
        if min(map(len, sides)) >= _FEWEST_LINES and (
            all(_are_full(side, *edge) for side, edge in zip(sides, edges, strict=True)) or _counts_on(*sides)
        ):
            best = (crossing, x)
    return best[1] if best else _ruled_gutter(rows, page)


def _ruled_gutter(rows: Sequence[Sequence[_Span]], page: Page) -> float | None:
    """Return the position of a rule that separates two columns: it meets no other rule, and no text crosses it."""
    for rule in page.rules:
        x = (rule.x0 + rule.x1) / 2
        beside = [row for row in rows if rule.top < row[0].baseline < rule.bottom]
        if (
            rule.height > _GUTTER_RULE * page.height
            and 0.3 * page.width < x < 0.7 * page.width
            and not any(is_level(other) and rule.touches(other, 3.0) for other in page.rules)
            and not _crossed(beside, x)
            and min(map(len, _sides(beside, x))) >= _FEWEST_LINES
        ):
            return x
    return None


def _crossed(rows: Sequence[Sequence[_Span]], x: float) -> int:
    """Return the number of rows with text in a gutter."""
    return sum(any(span.start < x + _GUTTER / 2 and x - _GUTTER / 2 < span.end for span in row) for row in rows)


def _sides(rows: Sequence[Sequence[_Span]], x: float) -> tuple[list[list[_Span]], list[list[_Span]]]:
    """Return the text spans of each row to the left and to the right of a gutter."""
    left = [[span for span in row if span.end <= x and span.is_text] for row in rows]
    right = [[span for span in row if span.start >= x and span.is_text] for row in rows]
    return [row for row in left if row], [row for row in right if row]


def _are_full(rows: Sequence[Sequence[_Span]], left: float, right: float) -> bool:
    """Return whether many lines of a column fill its width, and many begin at the same position."""
    widths = [sum(span.end - span.start for span in row) for row in rows]
    if 3 * sum(_OPTION.match(row[0].text) is not None for row in rows) > len(rows):
        return False
    starts = [row[0].start for row in rows]
    full = sum(width > 0.6 * (right - left) for width in widths)
    aligned = max(sum(abs(one - other) < 4 for other in starts) for one in starts)
    return full >= max(5, 0.25 * len(rows)) and 3 * aligned >= len(rows)


def _counts_on(left: Sequence[Sequence[_Span]], right: Sequence[Sequence[_Span]]) -> bool:
    """Return whether the question numbers in the right column continue those in the left."""
    numbers = []
    for rows in (left, right):
        margin = min(row[0].start for row in rows)
        starts = [row[0].text for row in rows if row[0].start < margin + _MARGIN]
        numbers.append([int(match[1]) for text in starts if (match := _NUMBERED.match(text))])
    is_rising = all(one < other for side in numbers for one, other in pairwise(side))
    return is_rising and min(map(len, numbers)) > 2 and numbers[1][0] == numbers[0][-1] + 1


def _segments(row: Sequence[Glyph]) -> list[list[Glyph]]:
    runs: list[list[Glyph]] = []
    for glyph in row:
        if runs and glyph.start - max(one.end for one in runs[-1]) < _GUTTER * 0.9:
            runs[-1].append(glyph)
        else:
            runs.append([glyph])
    return runs


def _bands(glyphs: Sequence[Glyph], gutter: float) -> list[tuple[bool, list[Glyph]]]:
    """Return bands of a page from top to bottom: whether their rows cross the gutter, and their glyphs."""
    bands: list[tuple[bool, list[Glyph]]] = []
    for row in rows_of(glyphs):
        runs = _segments(sorted(row.glyphs, key=lambda one: one.start))
        is_across = any(
            run[0].start < gutter - _GUTTER / 2 and max(one.end for one in run) > gutter + _GUTTER / 2 for run in runs
        )
        if bands and bands[-1][0] == is_across:
            bands[-1][1].extend(row.glyphs)
        else:
            bands.append((is_across, [*row.glyphs]))
    return bands


def _edges_at(columns: Sequence[_Column], box: Box) -> tuple[float, float]:
    near = [column for column in columns if column.edges[0] - 5 <= box.x0 and box.x1 <= column.edges[1] + 40]
    if not near:
        return (box.x0, box.x1)
    return min(near, key=lambda one: (abs((one.band[0] + one.band[1]) / 2 - box.middle), one.edges[0])).edges


def _side_by_side(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Join lines that are side by side on slightly different baselines: "(a)" and its text."""
    found: list[PdfLine] = []
    for line in lines:
        above = found[-1] if found else None
        if above is None or not _is_beside(above, line):
            found.append(line)
            continue
        first, second = sorted((above, line), key=lambda one: one.box.x0)
        gap = second.box.x0 - first.box.x1
        first.text = first.text + Rich(GAP, bytes(1)) + second.text
        if not first.margin_gap:
            first.margin_gap = gap / max(first.size, 1.0)
        first.box, first.is_uncertain = (around([first.box, second.box]), above.is_uncertain or line.is_uncertain)
        found[-1] = first
    return found


def _is_beside(above: PdfLine, line: PdfLine) -> bool:
    gap = max(line.box.x0 - above.box.x1, above.box.x0 - line.box.x1)
    is_level = abs(line.baseline - above.baseline) < 0.45 * min(line.size, above.size)
    return is_level and gap > 0.3 * above.size


# -- order --------------------------------------------------------------------------------------------------------


def _in_order(
    lines: Sequence[PdfLine | Placed], placed: Sequence[Placed], columns: Sequence[_Column]
) -> list[PdfLine | Placed]:
    """Insert tables and pictures between lines; a picture beside text follows the line at its top."""
    items = [*lines]
    for one in sorted(placed, key=lambda each: each.box.top):
        place = len(items)
        is_set = False
        for at, item in enumerate(items):
            if item.column != one.column and len(columns) > 1:
                continue
            is_set = True
            if isinstance(item, PdfLine) and item.box.middle > one.box.top and item.box.top < one.box.bottom:
                place = at + 1
                break
            if item.box.top >= one.box.top:
                place = at
                break
            place = at + 1
        items.insert(place if is_set else len(items), one)
    return items


def _cells(grid: Grid, glyphs: Sequence[Glyph], page: int) -> list[list[list[PdfLine]]]:
    """Return the lines in the cells of a table, row by row."""
    columns, rows = len(grid.xs) - 1, len(grid.ys) - 1
    inside: list[list[list[Glyph]]] = [[[] for _ in range(columns)] for _ in range(rows)]
    for glyph in glyphs:
        row, column = grid.row(glyph.middle), grid.column(glyph.center)
        while column and not grid.begins(column, row):
            column -= 1
        inside[row][column].append(glyph)
    edges = (grid.box.x0, grid.box.x1)
    return [[[line_of(each, page, edges) for each in rows_of(cell)] for cell in row] for row in inside]


def cell_paragraphs(lines: Sequence[PdfLine]) -> list[Paragraph]:
    """Return the lines of a cell as one paragraph; empty if there are none."""
    rich = Rich()
    for line in lines:
        if rich.text:
            rich.add(" ")
        rich = rich + line.text
    return [Paragraph(rich)] if rich.text.strip() else []
