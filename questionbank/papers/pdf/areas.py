"""Rules and drawings of a page: find which rules form tables, and which areas are pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from questionbank.papers.pdf.glyph_lines import BLANK, is_blank
from questionbank.papers.pdf.mathematics import Row, rows_of, runs_of
from questionbank.papers.pdf.pages import Box, Glyph, Page, around

_SAME = 3.0  # points; rules this close touch
_NEAR = 7.0  # points; drawings this close are one picture
_MARK = re.compile(r"\(?(?:\d{1,2}|[a-hA-H])[.)]")
_LABEL_GAP = 11.0  # points from a drawing to its label
_SMALLEST = 9.0  # points; minimum of a picture's longer side
_MOST_RULES = 2_000
_PROSE = 12  # words; minimum for a frame to contain a text
_FRAME = 0.35  # of the page's width; minimum of a frame around a text
_LABEL_WORDS = 5  # in a smaller frame; from here on a text rather than a label
_RING = 45.0  # points; maximum of a ring around a letter
_LARGEST = 0.85  # of the page; larger areas are background
_BORDER = 0.6  # of the page; a larger frame is the page border
_SQUARED = 5  # upright rules; from here on squared paper rather than a border
_TALLEST_CELL = 0.5  # of the page's height; taller cells contain questions, not data


@dataclass(slots=True, eq=False)
class Grid:
    """A ruled table: the edges of its columns and rows."""

    xs: list[float]
    ys: list[float]
    uprights: list[Box]

    @property
    def box(self) -> Box:
        return Box(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def column(self, x: float) -> int:
        """Return the column that contains a point."""
        return max(0, min(len(self.xs) - 2, sum(edge <= x for edge in self.xs) - 1))

    def row(self, y: float) -> int:
        """Return the row that contains a point."""
        return max(0, min(len(self.ys) - 2, sum(edge <= y for edge in self.ys) - 1))

    def begins(self, column: int, row: int) -> bool:
        """Return whether there is a rule at the left of a cell; without one it continues the previous cell."""
        y, x = (self.ys[row] + self.ys[row + 1]) / 2, self.xs[column]
        return not column or any(
            rule.top - _SAME <= y <= rule.bottom + _SAME and abs(rule.x0 - x) < _SAME for rule in self.uprights
        )


def is_level(rule: Box) -> bool:
    """Return whether a rule is horizontal."""
    return rule.width > rule.height


def clusters(boxes: Iterable[Box], margin: float) -> list[list[Box]]:
    """Return the groups of boxes that touch or are within a margin of each other."""
    groups: list[tuple[Box, list[Box]]] = []
    for box in sorted(boxes, key=lambda one: one.top):
        joined, members = box, [box]
        rest = []
        for area, group in groups:
            if area.touches(joined, margin):
                joined, members = around([area, joined]), [*group, *members]
            else:
                rest.append((area, group))
        groups = [*rest, (joined, members)]
    return [members for _area, members in groups]


def grids_of(page: Page, glyphs: Sequence[Glyph]) -> tuple[list[Grid], list[Box]]:
    """Return the ruled tables of a page, and the rules outside tables."""
    grids: list[Grid] = []
    left = [*page.rules[_MOST_RULES:]]
    for group in _crossing(page.rules[:_MOST_RULES]):
        grid = _grid(group)
        if grid is None or not _is_table(grid, glyphs, _TALLEST_CELL * page.height):
            left += group
        else:
            grids.append(grid)
    return grids, left


def _crossing(rules: Sequence[Box]) -> list[list[Box]]:
    """Return the groups of rules that cross or meet; a fraction in a cell, or a table in a frame, is its own group."""
    group = {id(rule): [rule] for rule in rules}
    level = [rule for rule in rules if is_level(rule)]
    for upright in (rule for rule in rules if not is_level(rule)):
        for rule in level:
            one, other = group[id(upright)], group[id(rule)]
            if one is not other and upright.touches(rule, _SAME):
                one += other
                group |= {id(member): one for member in other}
    return [*{id(members): members for members in group.values()}.values()]


def _grid(rules: Sequence[Box]) -> Grid | None:
    level = [rule for rule in rules if is_level(rule)]
    uprights = [rule for rule in rules if not is_level(rule)]
    xs, ys = _edges([rule.x0 for rule in uprights]), _edges([rule.middle for rule in level])
    if len(xs) < 2 or len(ys) < 2 or len(xs) + len(ys) < 5:
        return None
    return Grid(xs, ys, uprights)


def _edges(values: Iterable[float]) -> list[float]:
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > _SAME:
            edges.append(value)
    return edges


def _is_table(grid: Grid, glyphs: Sequence[Glyph], tallest: float) -> bool:
    """Return whether enough cells contain text; squared paper and diagrams contain little, a page's border too much."""
    box = grid.box
    if max(lower - upper for upper, lower in pairwise(grid.ys)) > tallest:
        return False
    filled = {(grid.column(glyph.center), grid.row(glyph.middle)) for glyph in box.glyphs_inside(glyphs)}
    if box.height > tallest and len({column for column, _row in filled}) < 2:
        return False
    cells = (len(grid.xs) - 1) * (len(grid.ys) - 1)
    return 3 * len(filled) >= cells and len(filled) > 1


def mark_ringed(drawings: Sequence[Box], glyphs: Sequence[Glyph]) -> list[Box]:
    """Return the drawings without rings around one or two letters, which mark the letters as colour does."""
    left = []
    for box in drawings:
        inside = box.glyphs_inside(glyphs) if box.height < _RING else []
        if inside and len(inside) <= 3 and max(box.width, box.height) < 2.6 * inside[0].size:
            for glyph in inside:
                glyph.flags |= 2  # coloured
        else:
            left.append(box)
    return left


def pictures_of(page: Page, rules: Sequence[Box], glyphs: Sequence[Glyph]) -> list[Box]:
    """Return the areas of a page that are pictures: images and drawings, including labels in and beside them."""
    area = page.width * page.height
    drawn = [box for box in (*page.images, *page.drawings) if box.width * box.height < _LARGEST * area]
    drawn = [box for box in drawn if box.width > 0.5 or box.height > 0.5]
    frames = [box for box in page.frames if not _is_around_text([box], glyphs, area)]
    ruled = [group for group in _crossing(rules[:_MOST_RULES]) if not _is_around_text(group, glyphs, area)]
    rules = [*(rule for group in ruled for rule in group), *rules[_MOST_RULES:]]
    found = []
    for group in clusters([*drawn, *frames, *rules], _NEAR)[:500]:
        box = around(group)
        if max(box.width, box.height) < _SMALLEST or min(box.width, box.height) < 4 or _is_layout(group, rules, frames):
            continue
        inside = box.glyphs_inside(glyphs)
        has_image = any(one in group for one in page.images)
        is_framed = _is_rectangle(group, [*rules, *frames]) and _is_frame(box, inside, page.width)
        if not has_image and (is_framed or is_blank(inside) or holds_prose(box, inside)):
            continue
        found.append(_within(page, _with_labels(box, glyphs)))
    return _merged(found)


def _is_around_text(frame: Sequence[Box], glyphs: Sequence[Glyph], area: float) -> bool:
    """Return whether a frame is layout: the border of a page, or a frame around a text, whatever else it contains."""
    box = around(frame)
    uprights = _edges(one.x0 for one in frame if not is_level(one))
    if box.width * box.height > _BORDER * area and len(uprights) < _SQUARED:
        return True
    return holds_prose(box, glyphs)


def holds_prose(box: Box, glyphs: Sequence[Glyph]) -> bool:
    """Return whether an area contains a text of several sentences rather than labels."""
    inside = box.glyphs_inside(glyphs)
    return len(inside) > 5 * _PROSE and _words(inside) > _PROSE


def _is_layout(group: Sequence[Box], rules: Sequence[Box], frames: Sequence[Box]) -> bool:
    """Return whether a group is writing lines, a frame, or the rules of an empty form."""
    if any(one not in rules and one not in frames for one in group):
        return False
    uprights = [one for one in group if one in rules and not is_level(one)]
    level = [one for one in group if one in rules and is_level(one)]
    if not uprights or not level:
        return len(group) < 2 or bool(level or uprights)
    edges = len(_edges(one.x0 for one in uprights)) + len(_edges(one.middle for one in level))
    return edges < 4 and len(group) < 4


def _is_rectangle(group: Sequence[Box], straight: Sequence[Box]) -> bool:
    """Return whether a group may be a single rectangle: a drawing that fills its area, or a few rules."""
    box = around(group)
    is_filled = any(one.width > 0.9 * box.width and one.height > 0.9 * box.height for one in group)
    return len(group) < 6 and (is_filled or all(one in straight for one in group))


def _is_frame(box: Box, inside: Sequence[Glyph], width: float) -> bool:
    """Return whether a text fills a rectangle; in a small one a few words may be a label."""
    rows = rows_of(inside)
    words = len(rows) + _words(inside)
    if not rows or (box.width < _FRAME * width and words < _LABEL_WORDS):
        return False
    return sum(row.size for row in rows) > 0.35 * box.height


def _words(glyphs: Sequence[Glyph]) -> int:
    """Return how many words follow another in their row, after a space, or after a gap if the font has no spaces."""
    runs = [run for row in rows_of(glyphs) for run in runs_of(row)]
    return sum(
        after.blanks > 0 or after.start - before.end > BLANK * after.size
        for run in runs
        for before, after in pairwise(run)
    )


def _with_labels(box: Box, glyphs: Sequence[Glyph]) -> Box:
    """Return an area extended by the short texts directly beside it: the labels of sides and axes."""
    near = Box(box.x0 - 80, box.top - 14, box.x1 + 80, box.bottom + 14)
    taken = near.glyphs_inside(glyphs)
    for run in (run for row in rows_of(taken) if not _is_numbered(row) for run in runs_of(row)):
        area = around(run)
        if area.width > max(60.0, min(0.5 * box.width, 110.0)) or not area.touches(box, _LABEL_GAP):
            continue
        if box.holds((area.x0 + area.x1) / 2, area.middle):
            continue
        is_level_with = area.top < box.bottom and box.top < area.bottom
        if not is_level_with and (area.x0 < box.x0 - 5 or area.x1 > box.x1 + 5):
            continue
        ids = {id(one) for one in run}
        is_line = any(
            id(one) not in ids
            and abs(one.middle - area.middle) < 4
            and -1 < max(area.x0 - one.x1, one.x0 - area.x1) < 14
            for one in glyphs
        )
        if not is_line:
            box = around([box, area])
    return box


def _is_numbered(row: Row) -> bool:
    """Return whether a row begins with a mark, and is thus a line of a question rather than a label."""
    return _MARK.match("".join(one.text for one in runs_of(row)[0])) is not None


def _within(page: Page, box: Box) -> Box:
    return Box(
        max(0.0, box.x0 - 2), max(0.0, box.top - 2), min(page.width, box.x1 + 2), min(page.height, box.bottom + 2)
    )


def _merged(boxes: list[Box]) -> list[Box]:
    return [around(group) for group in clusters(boxes, 0.0)]
