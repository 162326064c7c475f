"""Matching questions: the items on each side, and the pairs that the answer gives."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence, Set

from analytics.question_content import MatchingPair
from questionbank.papers.keys import row_cells
from questionbank.papers.marks import GAP, read_mark, take_mark
from questionbank.papers.phrases import MATCHING, SECTION

PAIRED = re.compile(
    r"(\d{1,2}|[ivx]{1,4}(?=\s*[-–—→=:.)])|[A-Za-z](?=\s*[-–—→=:.)]))\s*[-–—→=:.)]*>?\s*[(]?"
    r"([A-Za-z]|(?<=[-–—→=:.) ])\d{1,2})(?![A-Za-z0-9])"
)
"""A pair in an answer: "1-B"."""
_NAMED = re.compile(r"\W*(?P<left>.{1,60}?)\s*(?:[-–—→:]>?|[.)]\s)\s*[(]?(?P<right>[A-Za-z]|\d{1,2})[)]?\.?")
_SIDES = re.compile(rf"\||\t|{GAP}|\s(?=[(]?[A-Za-z][.)]\s)|\s(?=[A-H]\s\S+$)|(?<=\s[A-H])\s(?=\S+$)")
_LABEL = re.compile(r"[(]?([A-Za-z]|\d{1,2}|[ivx]{1,4})[.)]?")
_DRAWN = re.compile(r"_{2,}|[●•○]")


_HALVES = [
    re.compile(
        r"(?:\|\s*)?[_\s]*(?:[(]?(?:\d{1,2}|[ivx]{1,4})[.)])?\s*(?:\S.{0,80}?)?\s*(?:[|\t]|\s)\s*"
        rf"[{letter}{letter.lower()}](?:[.)]|\s*[|\t]|\s)\s*[^|]{{1,90}}\|?"
    )
    for letter in "ABCDEFGHIJKL"
]
_FEWEST_ROWS = 3
_WRITTEN = re.compile(r"(?m)^\|?\s*(?P<blank>_+\s*(?P<letter>[A-Ha-h])\s*_+)\s*(?:(?P<number>\d{1,2})[.)])?")


def matching_rows(texts: Sequence[str]) -> list[range]:
    """Return the ranges of rows to match below a line that asks to match: "1. radius   A. half of the diameter".

    A range includes the line itself and the column headings below it.
    """
    found = []
    for place, text in enumerate(texts):
        if not MATCHING.search(text) or row_cells(text) is not None:
            continue
        for start in range(place + 1, min(place + 4, len(texts))):
            end, is_table = start, row_cells(texts[start]) is not None
            while (
                end < len(texts) and (row_cells(texts[end]) is not None) == is_table and _half(texts[end], end - start)
            ):
                end += 1
            if end - start >= _FEWEST_ROWS:
                is_below_heading = SECTION.fullmatch(text.strip("* ")) is not None and place + 1 < start
                found.append(range(place + is_below_heading, end))
                break
    return found


def _half(text: str, count: int) -> bool:
    """Return whether a text has two sides, with the next letter on the right one."""
    return count < len(_HALVES) and _HALVES[count].fullmatch(text) is not None


def named_pairs(answer: str) -> list[tuple[str, str]]:
    """Return the pairs of left and right side in an answer, by labels or by the left side's text.

    >>> named_pairs("1-B, 2-A"), named_pairs("median – B, altitude – A"), named_pairs("x = 4")
    ([('1', 'B'), ('2', 'A')], [('median', 'B'), ('altitude', 'A')], [])
    """
    found = [(match[1], match[2]) for match in PAIRED.finditer(answer)]
    items = [_NAMED.fullmatch(item.strip()) for item in re.split(r"[,;·\n]", answer) if item.strip()]
    if len(items) > 1 and all(items):
        found = [(item["left"].strip("() "), item["right"]) for item in items if item]
    return found if len(found) > 1 else []


def pairs_of(stem: str, answer: str) -> tuple[str, tuple[MatchingPair, ...]]:
    """Return the stem and the matching pairs, if the answer gives them."""
    named = [(_key(left), right.lower()) for left, right in named_pairs(answer)]
    left, right, rest = _named_sides(stem, dict(named), {other for _, other in named})
    if not any(one in left for one, _ in named):  # unnumbered rows are named by their position
        left = dict(zip(map(str, range(1, len(left) + 1)), dict.fromkeys(left.values()), strict=False))
    pairs = [MatchingPair(left[one], right[other]) for one, other in named if one in left and other in right]
    if not named or len(pairs) < len(named) or not rest:
        return stem, ()
    used = {pair.right for pair in pairs}
    spare = (MatchingPair("", text) for text in right.values() if text not in used)
    headless = [line for line in rest if row_cells(line) is None and "|" not in line]
    return "\n".join(headless or rest), (*pairs, *spare)


def _named_sides(
    stem: str, lefts: Container[str], rights: Set[str]
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Return the texts of both sides by name, the left ones also by text, and the lines without sides.

    Args:
        lefts: names of left sides in the answer.
        rights: names of right sides in the answer.
    """
    left: dict[str, str] = {}
    right: dict[str, str] = {}
    rest = []
    of_right = rights | {*"abcdefghijkl"}
    for line in stem.split("\n"):
        sides = [*_sides(line)]
        has_letter = any(label in rights for label, _ in sides)
        named_here = [side for side in sides if side[0] or has_letter or _key(side[1]) in lefts]
        if not named_here:
            rest.append(line)
        for label, text in named_here:
            if label in of_right and label not in lefts:
                right[label] = text
            else:
                left[label or _key(text)] = text
                left[_key(text)] = text
    return left, right, rest


def take_letters(stem: str) -> tuple[str, str]:
    r"""Remove answer letters written before the rows of a matching question, and return them as pairs.

    >>> take_letters("Match.\n| _B_ cube | A. 4 faces |\n| _A_ tetrahedron | B. 6 faces |")[1]
    '1-B, 2-A'
    """
    rows = [*_WRITTEN.finditer(stem)]
    if len(rows) < 2:  # a single one is a gap
        return stem, ""
    said = ", ".join(f"{row['number'] or place}-{row['letter']}" for place, row in enumerate(rows, start=1))
    return _WRITTEN.sub(lambda row: row[0].replace(row["blank"], ""), stem), said


def _key(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum()) or text.lower()


def _sides(line: str) -> Iterator[tuple[str, str]]:
    """Yield the label (may be empty) and text of each item on a line."""
    pieces = [piece.strip() for piece in _SIDES.split(_DRAWN.sub(" ", line)) if piece.strip()]
    place = 0
    while place < len(pieces):
        bare = _LABEL.fullmatch(pieces[place])
        if bare and place + 1 < len(pieces):
            yield bare[1].lower(), pieces[place + 1]
            place += 2
            continue
        number, text = take_mark(pieces[place])
        mark = read_mark(number)
        yield (mark.label.lower(), text) if mark is not None and text else ("", pieces[place])
        place += 1
