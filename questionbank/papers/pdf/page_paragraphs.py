"""Convert lines of pages to paragraphs: handle numbers alone at the margin, and join lines broken by the page width."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from questionbank.papers.marks import GAP, cuts, take_mark
from questionbank.papers.paper_lines import Area
from questionbank.papers.paragraphs import BOLD, Paragraph, Rich
from questionbank.papers.pdf.glyph_lines import PdfLine, is_chinese
from questionbank.papers.pdf.layout import Placed, cell_paragraphs
from questionbank.papers.phrases import ANSWER, SECTION, SOLUTION
from questionbank.papers.tables import table_paragraphs

Item = PdfLine | Placed
_BARE = re.compile(rf"(?P<star>[*★†])?\s?(?P<zero>0[ {GAP}]?)?(?P<number>[1-9]|[1-9]\d)(?=[ {GAP}]|$)")
_ALIGNED = 14.0  # points; numbers in the same margin
_MARGIN_GAP = 0.55  # of the font size, after a number in the margin
_MOST_UNKNOWN = 0.25  # of a line's characters; from here on a picture of the line replaces it
_WIDEST_SPACING = 2.3  # times the font size, between the baselines of one paragraph
_HEADING = 1.18  # times the usual size
_HYPHENATED = re.compile(r"[^\W\d_]{2,}-$")
_OPENS, _CLOSES = re.compile(r"[(\[]\s?\d{1,2}$"), re.compile(r"\w{1,8}\s?[)\]]$")
_MARKS_ALONE = re.compile(r"[(\[]\s?\d{1,2}\s?(?:marks?|points?|pts?|p|punkte|分)?\s?[)\]]|/\s?\d{1,2}", re.IGNORECASE)


def set_numbers(items: Sequence[Item]) -> None:
    """Record question numbers in the margin without punctuation ("7   Solve"), if they are consecutive."""
    found: list[tuple[int, PdfLine, re.Match[str]]] = []
    for item in items:
        if isinstance(item, PdfLine) and (match := _BARE.match(item.text.text)):
            is_alone = match.end() == len(item.text.text)
            is_bold = bool(item.text.looks[0] & BOLD) and item.margin_gap > 0.2
            if is_alone or is_bold or item.margin_gap > _MARGIN_GAP:
                found.append((int(match["number"]), item, match))
    chain = _chain(found)
    if len(chain) < 2:
        return
    for number, line, match in chain:
        line.number = f"{number}."
        line.text = line.text[match.end() :].stripped()


def _chain(found: Sequence[tuple[int, PdfLine, re.Match[str]]]) -> list[tuple[int, PdfLine, re.Match[str]]]:
    """Return the longest chain of consecutive numbers from 1 in one margin."""
    best: list[tuple[int, PdfLine, re.Match[str]]] = []
    for place, (number, line, _match) in enumerate(found):
        if number != 1:
            continue
        chain = [found[place]]
        for other in found[place + 1 :]:
            is_aligned = abs(_in_column(other[1]) - _in_column(line)) < _ALIGNED
            if is_aligned and other[0] == chain[-1][0] + 1:
                chain.append(other)
        if len(chain) > len(best):
            best = chain
    return best


def _in_column(line: PdfLine) -> float:
    return line.box.x0 - line.column[0]


class ParagraphMaker:
    """Builds paragraphs from lines.

    Args:
        size: size of most of the text, in points.
        scales: pixels per point in each page's picture.
    """

    def __init__(self, size: float, scales: Sequence[float]) -> None:
        self._size = size
        self._scales = scales
        self.paragraphs: list[Paragraph] = []
        self.pictures: list[tuple[str, Area]] = []
        self._last: PdfLine | None = None
        self._spacing = 1.2

    def read(self, items: Sequence[Item]) -> None:
        """Add the paragraphs of a document with consecutive pages."""
        lines = [item for item in items if isinstance(item, PdfLine)]
        self._spacing = _usual_spacing(lines)
        for item in items:
            if isinstance(item, PdfLine):
                self._add_line(item)
            elif item.rows is not None:
                self._add_table(item)
            else:
                self._add_picture(item)

    def _area(self, box: Placed | PdfLine) -> Area:
        scale = self._scales[box.page]
        left, right = min(box.column[0], box.box.x0), max(box.column[1], box.box.x1)
        values = (left - 6, box.box.top - 4, right + 6, box.box.bottom + 4)
        return (box.page, *(max(0, round(value * scale)) for value in values)) if scale else ()

    def _add_line(self, line: PdfLine) -> None:
        text = line.text
        if text.text.count("\ufffd") > _MOST_UNKNOWN * len(text.text):
            self._add_picture(Placed(line.box, line.page, line.column))
            self.paragraphs[-1].is_uncertain = True
            self.paragraphs[-1].number = line.number
            return
        if self._last is not None and self._goes_on(self._last, line):
            self._join(line)
        else:
            heading = 2 if line.size > _HEADING * self._size and not line.number and len(text.text) < 90 else 0
            paragraph = Paragraph(_plain_of(text), line.number, heading=heading)
            paragraph.area, paragraph.is_uncertain = self._area(line), line.is_uncertain
            self.paragraphs.append(paragraph)
        self._last = line

    def _join(self, line: PdfLine) -> None:
        above = self.paragraphs[-1]
        text = _plain_of(line.text)
        if _HYPHENATED.search(above.rich.text) and text.text[:1].islower():
            above.rich = above.rich[: len(above.rich.text) - 1] + text
        else:
            joined = above.rich
            is_glued = is_chinese(joined.text[-1:]) and is_chinese(text.text)
            joined.add("" if is_glued else " ", joined.looks[-1] if joined.looks else 0)
            above.rich = joined + text
        above.area = joined_area(above.area, self._area(line))
        above.is_uncertain |= line.is_uncertain

    def _goes_on(self, above: PdfLine, line: PdfLine) -> bool:
        """Return whether a line continues the paragraph above, broken only by the page width."""
        if line.number or _begins(line) or _is_other_font(above, line):
            return False
        if (
            line.box.x0 < above.box.x0 - 3.5 * line.size and above.page == line.page
        ):  # below a formula on a line of its own
            return False
        is_next_column = above.page != line.page or above.column != line.column
        gap = line.baseline - above.baseline
        if not is_next_column and not 0 < gap < self._spacing * 1.2 * max(above.size, self._tall(above, line)):
            return False
        if _CLOSES.match(line.text.text) and _OPENS.search(above.text.text):  # "(04" with "marks)" below it
            return True
        if _is_wide(above) or _is_wide(_without_marks(line)):
            return False
        room = above.column[1] - above.box.x1
        if room > line.first_word + 0.3 * line.size + 2.0 and room > 0.02 * (above.column[1] - above.column[0]):
            return False
        ends = above.text.text.rstrip()[-1:]
        return not (is_next_column and ends in ".?!:]")

    def _tall(self, above: PdfLine, line: PdfLine) -> float:
        """Return a size that allows for fractions, which increase the line spacing."""
        return max(above.box.bottom - above.baseline, 0) + max(line.baseline - line.box.top, 0)

    def _add_table(self, table: Placed) -> None:
        rows = [[cell_paragraphs(cell) for cell in row] for row in table.rows or ()]
        for paragraph in table_paragraphs(rows, self.paragraphs):
            paragraph.area = self._area(table)
            paragraph.is_uncertain = any(line.is_uncertain for row in table.rows or () for cell in row for line in cell)
            self.paragraphs.append(paragraph)
        self._last = None

    def _add_picture(self, placed: Placed) -> None:
        name = f"page{placed.page + 1}-{len(self.pictures) + 1}.png"
        scale = self._scales[placed.page]
        box = (placed.box.x0, placed.box.top, placed.box.x1, placed.box.bottom)
        self.pictures.append((name, (placed.page, *(max(0, round(value * scale)) for value in box)) if scale else ()))
        paragraph = Paragraph.of(f"![]({name})")
        paragraph.area = self._area(placed)
        self.paragraphs.append(paragraph)
        self._last = None


def joined_area(one: Area, other: Area) -> Area:
    """Return the bounding area of two areas in the same column; otherwise the first non-empty one."""
    if not one or not other or one[0] != other[0] or other[1] > one[3] or one[1] > other[3]:
        return one or other
    return (one[0], min(one[1], other[1]), min(one[2], other[2]), max(one[3], other[3]), max(one[4], other[4]))


def _is_other_font(above: PdfLine, line: PdfLine) -> bool:
    """Return whether a line has a different font size; the size of a formula on its own is ignored."""
    is_formula = any(one.text.text.startswith("$") and one.text.text.endswith("$") for one in (above, line))
    return not is_formula and abs(above.size - line.size) > 0.12 * above.size


def _is_wide(line: PdfLine) -> bool:
    """Return whether gaps divide a line into columns: options in a row, points at its right end."""
    text = line.text.text.strip()
    return GAP in text[len(take_mark(text)[0]) + 2 :] or _MARKS_ALONE.fullmatch(text) is not None


def _without_marks(line: PdfLine) -> PdfLine:
    """Return a line without the points at its right end, which may follow the last line of a text."""
    before, gap, last = line.text.text.rpartition(GAP)
    return replace(line, text=line.text[: len(before)]) if gap and _MARKS_ALONE.fullmatch(last.strip()) else line


def _begins(line: PdfLine) -> bool:
    """Return whether a line begins with a mark, or with a word that labels it."""
    text = line.text.text.strip(f" {GAP}")
    if take_mark(text)[0] or cuts(text):
        return True
    return any(pattern.match(text) for pattern in (ANSWER, SOLUTION, SECTION)) or text[:1] in "•●▪–☐"


def set_columns(items: Sequence[Item]) -> None:
    """Set the edges of columns from the lines left in them, across all pages with columns at the same position."""
    groups: list[list[PdfLine]] = []
    for item in items:
        if not isinstance(item, PdfLine):
            continue
        group = next((one for one in groups if _are_alike(one[0].column, item.column)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    for group in groups:
        edges = (min(line.box.x0 for line in group), max(line.box.x1 for line in group))
        for line in group:
            line.column = edges


def _are_alike(one: tuple[float, float], other: tuple[float, float]) -> bool:
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared > 0.65 * max(one[1] - one[0], other[1] - other[0], 1.0)


def _usual_spacing(lines: Sequence[PdfLine]) -> float:
    """Return the usual distance between the baselines of a paragraph, in font sizes."""
    steps = Counter(
        round((below.baseline - above.baseline) / above.size, 1)
        for above, below in pairwise(lines)
        if above.page == below.page
        and above.column == below.column
        and not _begins(below)
        and not _has_room(above, below)
    )
    usual = [
        step
        for step, count in steps.most_common(2)
        if 0.9 < step < _WIDEST_SPACING and 2 * count >= max(steps.values())
    ]
    return max(1.15, min(usual, default=1.3))


def _has_room(above: PdfLine, line: PdfLine) -> bool:
    """Return whether the first word of a line would have fitted on the line above it."""
    room = above.column[1] - above.box.x1
    return room > line.first_word + 0.3 * line.size + 2.0 and room > 0.02 * (above.column[1] - above.column[0])


def _plain_of(rich: Rich) -> Rich:
    return Rich(rich.text, rich.looks)
