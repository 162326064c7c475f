"""Detect how a paper writes points without a word for them: "(2)", "/2" or "2" at the end, from all its paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from questionbank.papers.marks import GAP, read_mark, take_mark
from questionbank.papers.paper import Line
from questionbank.papers.paragraphs import Paragraph, Rich
from questionbank.papers.point_phrases import COUNTED, POINTS, points_of

_FEWEST = 3
_FEWEST_ALONE = 4  # numbers without text beside them
_MOST = 20
_LARGE = 10
_LONGEST_MARK = 3  # characters: "B 5" is an option
_VALUE = r"(?P<points>[1-9]|1\d|20)"


_COLUMN = re.compile(rf"(?<=[^=＝\s\d{GAP}]){GAP}\s*{_VALUE}\s*$")
_BRACKETS = re.compile(rf"(?<=\S)[\s{GAP}]+\((?P<points>[1-9]|1\d|20|\d{{1,2}}[.,][05])\)\s*$")
_SLASH = re.compile(rf"(?<=\S)[\s{GAP}]+/\s?{_VALUE}\s*$")
_BEHIND_SPACE = re.compile(rf"(?:_{{3,}}|\.{{5,}}|…{{2,}})[\s{GAP}]*(?:[^\s()]{{1,5}}[\s{GAP}]*)?\({_VALUE}\)\s*$")
_FIRST = re.compile(
    rf"\(?(?P<points>\d{{1,2}}(?:[.,]5)?\s?{COUNTED})\)?[\s{GAP}]+(?P<number>\d{{1,3}})[.)]?[\s{GAP}]+(?=\S)",
    re.IGNORECASE,
)
_SAYS_POINTS = re.compile(rf"\b(?:total|marks|points|punkte)\b.{{0,40}}\d|\d\s?{COUNTED}(?!\w)", re.IGNORECASE)


def with_points(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Put numbers that are points by the paper's style in square brackets at the end of their paragraphs."""
    found = _with_points_behind(paragraphs)
    for part in found:
        if not part.is_row and (match := _BEHIND_SPACE.search(part.rich.text)):
            _put_in_brackets(part, match)
    asked = [part for part in found if _asks(part)]
    for style in (_COLUMN, _BRACKETS, _SLASH):
        if _is_used(style, asked, found):
            for part in found:
                match = style.search(part.rich.text)
                if match and not part.is_row and len(part.rich.text[: match.start()].strip()) > _LONGEST_MARK:
                    _put_in_brackets(part, match)
    return found


def _put_in_brackets(part: Paragraph, match: re.Match[str]) -> None:
    points = f" [{match['points']}]" if match["points"].isdigit() else f" ({match['points']} marks)"
    before = len(part.rich.text[: match.start("points")].rstrip(f" (/{GAP}"))
    part.rich = part.rich[:before] + Rich(points, bytes(len(points)))


def _is_used(style: re.Pattern[str], asked: Sequence[Paragraph], found: Sequence[Paragraph]) -> bool:
    """Return whether enough questions and parts end like this, with plausible numbers, for these to be points.

    After a slash a number can hardly be anything else. In a column or in brackets it may be an answer, unless the
    numbers repeat, or the paper mentions points and puts small numbers in brackets.
    """
    values = [points_of(match["points"]) for part in asked if (match := style.search(part.rich.text))]
    if len(values) < _FEWEST or 3 * len(values) < len(asked):
        return False
    if style is _SLASH or 2 * len({*values}) <= len(values):
        return True
    return style is _BRACKETS and max(values) < _LARGE and any(_SAYS_POINTS.search(part.rich.text) for part in found)


def with_column_of_points(lines: Sequence[Line]) -> list[Line]:
    """Put the numbers of a column of points in brackets: numbers that are repeatedly alone on a line."""
    alone = {
        place: int(line.number)
        for place, line in enumerate(lines)
        if not line.text and line.number.isdigit() and 0 < int(line.number) <= _MOST
    }
    values = [*alone.values()]
    counts_on = sum(after == one + 1 for one, after in pairwise(values))
    if len(values) < _FEWEST_ALONE or 2 * counts_on >= len(values):
        return [*lines]
    return [
        replace(line, number="", text=f"[{alone[place]}]") if place in alone else line
        for place, line in enumerate(lines)
    ]


def _with_points_behind(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Move points before consecutive numbers, as in "2p 1 Find x.", to the end of the text."""
    found = [*paragraphs]
    starts = [(part, match) for part in found if not part.number and (match := _FIRST.match(part.rich.text))]
    numbers = [int(match["number"]) for _, match in starts]
    if len(numbers) < _FEWEST or any(after != one + 1 for one, after in pairwise(numbers)):
        return found
    for part, match in starts:
        points = f" ({match['points']})"
        rest = part.rich[match.end() :]
        part.number = f"{match['number']}."
        part.rich = rest + Rich(points, bytes(len(points)))
    return found


def _asks(paragraph: Paragraph) -> bool:
    """Return whether a question or part without explicitly worded points begins here."""
    number, rest = take_mark(paragraph.rich.text)
    mark = read_mark(paragraph.number or (number if rest else ""))
    kinds = ("digits", "word", "levels", "lower", "roman")
    return (
        mark is not None
        and mark.kind in kinds
        and (not POINTS.search(paragraph.rich.text) or _SLASH.search(paragraph.rich.text) is not None)
    )
