"""A page to lines in reading order: tables, pictures, columns, and what is left as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

from questionbank.documents.marks import GAP
from questionbank.documents.paragraphs import Paragraph, Rich
from questionbank.documents.pdf.areas import Grid, grids_of, is_level, mark_ringed, pictures_of
from questionbank.documents.pdf.glyphs import INVISIBLE, Box, Glyph, Page, around, usual_size
from questionbank.documents.pdf.lines import PdfLine, line_of
from questionbank.documents.pdf.mathematics import rows_of, set_tall, with_structures

AnyBox = TypeVar("AnyBox", bound=Box)
_OPTION = re.compile(r"[(（]?[B-Fb-f][.)．、）]")
_NUMBERED = re.compile(r"(?:Q(?:uestion)?)?(\d{1,2})[.):]?")
_GUTTER = 11.0  # points between two columns, at least
_FEWEST_LINES = 6  # in a column
_BLANK_RULE = (12.0, 320.0)  # points: a rule that stands for a gap in a sentence


@dataclass(slots=True, eq=False)
class Placed:
    """A picture or a table with its place on the page.

    Attributes:
        rows: of a table; None for a picture.
    """

    box: Box
    page: int
    column: tuple[float, float]
    rows: list[list[list[PdfLine]]] | None = None


@dataclass(slots=True)
class PageLayout:
    """What a page holds, in reading order."""

    items: list[PdfLine | Placed] = field(default_factory=list)


def layout_of(page: Page) -> PageLayout:
    """Return the lines, tables and pictures of a page in reading order."""
    glyphs = [glyph for glyph in page.glyphs if not glyph.flags & INVISIBLE or page.has_hidden_text]
    layout = PageLayout()
    set_tall(glyphs, usual_size(glyphs))
    page.drawings, page.frames = mark_ringed(page.drawings, glyphs), mark_ringed(page.frames, glyphs)
    grids, rules = grids_of(page.rules, glyphs)
    tables = []
    for grid in grids:
        inside, glyphs = _parted(glyphs, grid.box)
        ruled, rules = _parted(rules, grid.box)
        tables.append((grid, with_structures(inside, [rule for rule in ruled if is_level(rule)])[0]))
    short = [rule for rule in rules if is_level(rule) and rule.width < 0.6 * page.width]
    glyphs, unused = with_structures(glyphs, short)
    rules = [rule for rule in rules if rule not in short or rule in unused]
    pictures = pictures_of(page, _without_blanks(rules, glyphs), glyphs)
    glyphs = [one for one in glyphs if not any(picture.holds(one.center, one.middle) for picture in pictures)]
    glyphs += _blanks(rules, glyphs, pictures)
    columns = _columns(glyphs, page)
    for column in columns:
        layout.items += _side_by_side(
            [line_of(row, page.number, column.edges) for row in rows_of(column.glyphs)]
        )
    placed = [Placed(picture, page.number, _edges_at(columns, picture)) for picture in pictures]
    placed += [
        Placed(grid.box, page.number, _edges_at(columns, grid.box), _cells(grid, inside, page.number))
        for grid, inside in tables
    ]
    layout.items = _in_order(layout.items, placed, columns)
    return layout


def _parted(boxes: Sequence[AnyBox], area: Box) -> tuple[list[AnyBox], list[AnyBox]]:
    """Return what is within an area, and what is not."""
    inside: list[AnyBox] = []
    outside: list[AnyBox] = []
    for box in boxes:
        (inside if area.holds((box.x0 + box.x1) / 2, box.middle) else outside).append(box)
    return inside, outside


# -- blanks to fill in --------------------------------------------------------------------------------------------


def _blank_row(rule: Box, glyphs: Sequence[Glyph]) -> Glyph | None:
    """Return a glyph of the line that a rule stands in as a blank; None for a rule in no line, or below a text."""
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


def _without_blanks(rules: Sequence[Box], glyphs: Sequence[Glyph]) -> list[Box]:
    return [rule for rule in rules if _blank_row(rule, glyphs) is None]


def _blanks(rules: Sequence[Box], glyphs: Sequence[Glyph], pictures: Sequence[Box]) -> list[Glyph]:
    found = []
    for rule in rules:
        beside = _blank_row(rule, glyphs)
        if beside is None or any(picture.holds(rule.x0, rule.middle) for picture in pictures):
            continue
        blank = Glyph(rule.x0, beside.baseline - 1, rule.x1, beside.baseline, "____", rule.x0, rule.x1)
        blank.baseline, blank.size, blank.blanks = beside.baseline, beside.size, 1
        found.append(blank)
    return found


# -- columns ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Column:
    glyphs: list[Glyph]
    edges: tuple[float, float]
    band: tuple[float, float]  # top and bottom


def _columns(glyphs: list[Glyph], page: Page) -> list[_Column]:
    """Return the columns of a page in reading order; text that runs across both parts them into bands."""
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
    """Return where a page is parted in two columns; None for a page of one column."""
    text = around(glyphs)
    rows = [_segments(sorted(row.glyphs, key=lambda one: one.start)) for row in rows_of(glyphs)]
    spans = [[(run[0].start, max(one.end for one in run), run) for run in row] for row in rows]
    best: tuple[int, float] | None = None
    for step in range(30, 71):
        x = page.width * step / 100
        crossing = sum(
            any(a < x + _GUTTER / 2 and x - _GUTTER / 2 < b for a, b, _run in row) for row in spans
        )
        if 4 * crossing > len(spans) or (best is not None and crossing >= best[0]):
            continue
        left = [[span for span in row if span[1] <= x] for row in spans]
        right = [[span for span in row if span[0] >= x] for row in spans]
        sides = [[row for row in side if row] for side in (left, right)]
        edges = ((text.x0, x), (x, text.x1))
        if min(map(len, sides)) >= _FEWEST_LINES and (
            all(_are_full(side, *edge) for side, edge in zip(sides, edges, strict=True)) or _counts_on(*sides)
        ):
            best = (crossing, x)
    return best[1] if best else None


Span = tuple[float, float, list[Glyph]]


def _are_full(rows: Sequence[Sequence[Span]], left: float, right: float) -> bool:
    """Return whether many lines of a column fill it, and many begin at the same place."""
    widths = [sum(end - start for start, end, _run in row) for row in rows]
    letters = ["".join(glyph.text for glyph in row[0][2][:3]) for row in rows]
    if 3 * sum(_OPTION.match(text) is not None for text in letters) > len(rows):
        return False
    starts = [row[0][0] for row in rows]
    full = sum(width > 0.6 * (right - left) for width in widths)
    aligned = max(sum(abs(one - other) < 4 for other in starts) for one in starts)
    return full >= max(5, 0.25 * len(rows)) and 3 * aligned >= len(rows)


def _counts_on(left: Sequence[Sequence[Span]], right: Sequence[Sequence[Span]]) -> bool:
    """Return whether the questions in the right column are numbered on from those in the left."""
    numbers = []
    for rows in (left, right):
        starts = ["".join(glyph.text for glyph in row[0][2][:5]) for row in rows]
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
    """Return stretches of a page from the top down: whether its rows run across the gutter, and its glyphs."""
    bands: list[tuple[bool, list[Glyph]]] = []
    for row in rows_of(glyphs):
        runs = _segments(sorted(row.glyphs, key=lambda one: one.start))
        is_across = any(
            run[0].start < gutter - _GUTTER / 2 and max(one.end for one in run) > gutter + _GUTTER / 2
            for run in runs
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
    """Return lines, those joined that stand beside each other on slightly different baselines: "(a)" and its text."""
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
        first.box, first.is_uncertain = (
            around([first.box, second.box]),
            above.is_uncertain or line.is_uncertain,
        )
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
    """Return lines with tables and pictures put between them; a picture beside text follows the line at its top."""
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
    """Return the lines of a cell as one paragraph, or none."""
    rich = Rich()
    for line in lines:
        if rich.text:
            rich.add(" ")
        rich = rich + line.text
    return [Paragraph(rich)] if rich.text.strip() else []
