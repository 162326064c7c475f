"""Find the marks that number a paper's questions, from how far each series counts and how the series nest."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby

from questionbank.papers.marks import Mark
from questionbank.papers.paper import Line
from questionbank.papers.phrases import FORMULAS, INSTRUCTIONS, KEY_TITLE, SECTION, TASK, is_stimulus

_COUNTS = ("word", "digits", "levels")
_SEEN = 60  # how many earlier numbers to consider as predecessors
_ROW = re.compile(r"\|[\s_]*\d{1,3}[.)]\s")  # "| ___ 11. radius | A. half of the diameter |"
_MOST = 7  # maximum number of numbered options or parts of a question, plus one
_SHORT = 60  # characters of a numbered option


@dataclass(frozen=True)
class Numbering:
    """Where the questions of a paper begin, by their numbers.

    Attributes:
        headings: numbered lines that are headings: "Exercise 1: choose the right answer".
    """

    questions: frozenset[int] = frozenset()
    headings: frozenset[int] = frozenset()

    @property
    def is_numbered(self) -> bool:
        """Whether the paper numbers its questions."""
        return bool(self.questions)

    def is_question(self, place: int) -> bool:
        """Return whether a question begins on a line."""
        return place in self.questions

    def next_question(self, place: int) -> int:
        """Return the first line at or after a place where a question begins; -1 if there is none."""
        at = bisect_left(self._in_order, place)
        return self._in_order[at] if at < len(self._in_order) else -1

    @cached_property
    def _in_order(self) -> list[int]:
        return sorted(self.questions)


def numbered_rules(lines: Sequence[Line], marks: Sequence[Mark | None]) -> frozenset[int]:
    """Return a paper's numbered rules: they follow their title, and the numbering restarts after them."""
    marks = [None if _may_be_points(mark, line) else mark for mark, line in zip(marks, lines, strict=True)]
    for title, line in enumerate(lines):
        mark = marks[title]
        if mark is not None and mark.kind in _COUNTS and line.text and not INSTRUCTIONS.fullmatch(line.text):
            return frozenset()
        if not INSTRUCTIONS.fullmatch(line.text):
            continue
        end, counted = title + 1, 0
        while end < len(lines) and not lines[end].heading:
            mark = marks[end]
            if mark is not None and mark.kind == "digits":
                if mark.value != counted + 1 or mark.series == "digits-":
                    break
                counted += 1
            elif (
                mark.kind in ("word", "levels", "han")
                if mark is not None
                else SECTION.fullmatch(lines[end].text) or is_stimulus(lines[end].text)
            ):
                break
            end += 1
        restarts = any(mark is not None and mark.kind in _COUNTS and mark.value == 1 for mark in marks[end:])
        return frozenset(range(title, end)) if counted and restarts else frozenset()
    return frozenset()


def formulas(lines: Sequence[Line]) -> frozenset[int]:
    """Return the lines of a paper's formula list, from its title to the first line that asks something."""
    found: set[int] = set()
    for title, line in enumerate(lines):
        if FORMULAS.fullmatch(line.text) and not line.number:
            end = title + 1
            while end < len(lines) and not _ends_formulas(lines[end]):
                end += 1
            found |= {*range(title, end)}
    return frozenset(found)


def _may_be_points(mark: Mark | None, line: Line) -> bool:
    return mark is not None and mark.series == "digits()" and not line.text


def _ends_formulas(line: Line) -> bool:
    text = line.text
    is_title = line.heading or SECTION.fullmatch(f"{line.number} {text}".strip()) or KEY_TITLE.fullmatch(text)
    return bool(is_title or TASK.match(text) or text.endswith(("?", "？"))) or not re.search(r"[=$|]|!\[|\d", text)


def numbering(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Numbering:
    """Return where a paper's questions begin if they are numbered consecutively, with any signs: "1.", "Q2", "[3]".

    Each number has a weight, lower if it is bare or in brackets; the consecutive numbers with the greatest total weight
    are chosen.
    """
    above = _headings_above(lines)
    rows = [*accumulate((_ROW.match(line.text) is not None for line in lines), initial=0)]
    states: list[tuple[int, float, int]] = []  # place, score, state before
    for place, mark, weight in _weighed(lines, marks):
        best, before = -0.3 * (mark.value - 1), -1
        for number in range(len(states) - 1, max(-1, len(states) - _SEEN), -1):
            earlier, score, _ = states[number]
            cost = _step(marks[earlier], mark, above[place] > above[earlier + 1], rows[place] - rows[earlier])
            cost += 0.5 * max(0, lines[place].level - lines[earlier].level)
            if score - cost > best:
                best, before = score - cost, number
        states.append((place, best + weight, before))
    chain = []
    number = max(range(len(states)), key=lambda number: states[number][1], default=-1)
    while number >= 0:
        place, _, number = states[number]
        chain.append(place)
    return Numbering(frozenset(chain))


def _weighed(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Iterator[tuple[int, Mark, float]]:
    """Yield the marks that may number questions, with their place and weight."""
    inner = _numbered_options(lines, marks)
    parts = _numbered_parts(lines, marks)
    outer, last = "", 0
    for place, mark in enumerate(marks):
        if mark is None or mark.kind not in _COUNTS or not mark.value or mark.series in ("digits○", inner):
            continue
        if place in parts:
            continue
        line = lines[place]
        if mark.kind == "levels" and outer and mark.label.startswith(outer):
            continue  # "4.1" below "4. A cube has edges of 5 cm.": a part
        if mark.kind == "digits":
            outer = f"{mark.label}." if line.text else ""
        if not line.text and mark.value == last and _goes_on(place, lines):
            continue  # "1" of "1(a)" below "1. A cube has edges of 5 cm."
        last = mark.value
        is_bare = mark.series in ("digits()", "digits-")
        if is_above_others(place, marks) or (is_bare and not line.text and not _goes_on(place, lines)):
            continue  # "4.2" above "4.2.1"; points: "(2)"
        is_item = mark.series == "digits()" and any(_counts_with(mark, one) for one in _beside(place, marks))
        yield place, mark, 0.2 if is_item else 0.6 if is_bare else 1.0


def is_above_others(place: int, marks: Sequence[Mark | None]) -> bool:
    """Return whether a mark's questions follow below it: "4.2" above "4.2.1", "Exercise 4" above "4.1"."""
    mark = marks[place]
    following = next((below for below in marks[place + 1 :] if below is not None), None)
    return (
        mark is not None
        and following is not None
        and mark.kind in ("levels", "word")
        and following.kind == "levels"
        and following.label.startswith(f"{mark.label}.")
    )


def _numbered_options(lines: Sequence[Line], marks: Sequence[Mark | None]) -> str:
    """Return the series that numbers short lines below most questions, restarting each time: "1. 7 × 8 =", "1) 54"."""
    numbered = [(mark, lines[place].text) for place, mark in enumerate(marks) if mark and mark.kind == "digits"]
    outer = numbered[0][0].series if numbered else ""
    for series in {mark.series for mark, _ in numbered} - {outer}:
        below = [
            [text for _, text in group]
            for one, group in groupby(numbered, lambda pair: pair[0].series)
            if one == series
        ]
        count = sum(mark.series == outer for mark, _ in numbered)
        are_short = all(len(text) <= _SHORT for texts in below for text in texts)
        if (
            are_short
            and len(below) > 1
            and 3 * len(below) >= 2 * count
            and all(1 < len(texts) < _MOST for texts in below)
        ):
            return series
    return ""


def _numbered_parts(lines: Sequence[Line], marks: Sequence[Mark | None]) -> frozenset[int]:
    """Return the bracketed numbers that count parts: from 1, between a number and its successor."""
    found: set[int] = set()
    outer: Mark | None = None
    below: list[int] = []
    for place, mark in enumerate(marks):
        if mark is None or mark.kind not in ("digits", "word"):
            continue
        if mark.series != "digits()":
            if outer is not None and (mark.series, mark.value) == (outer.series, outer.value + 1):
                found.update(below)
            outer, below = mark, []
        elif lines[place].text:  # otherwise points: "(2)"
            outer = outer if mark.value == len(below) + 1 else None
            below.append(place)
    return frozenset(found.union(below) if found and outer is not None else found)


def numbering_below_words(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Numbering:
    """Return where the questions begin if marks with a word are headings: "Exercise 1: choose the right answer"."""
    words = {place: mark.value for place, mark in enumerate(marks) if mark is not None and mark.series == "word"}
    below = [None if place in words else mark for place, mark in enumerate(marks)]
    found = numbering([replace(line, heading=6) if place in words else line for place, line in enumerate(lines)], below)
    ends = [*sorted(words)[1:], len(lines)] if words else []
    alone = {  # heading no question, so questions themselves: "Exercise 3" after two with inner numbers
        word
        for word, end in zip(sorted(words), ends, strict=True)
        if not any(word < place < end for place in found.questions)
    }
    heads = frozenset(words) - alone
    named = {words[place] for place in heads}
    if (
        not heads or len(found.questions) <= len(heads) or len(named) < len({words[place] for place in alone} - named)
    ):  # numbers within a single exercise of several are its parts
        return Numbering(found.questions)
    return Numbering(found.questions | alone, heads)


def _beside(place: int, marks: Sequence[Mark | None]) -> Sequence[Mark | None]:
    return (*marks[max(0, place - 1) : place], *marks[place + 1 : place + 2])


def _counts_with(mark: Mark, other: Mark | None) -> bool:
    return other is not None and other.series == mark.series and abs(other.value - mark.value) == 1


def _goes_on(place: int, lines: Sequence[Line]) -> bool:
    """Return whether a line with only a number continues with a part: "1 (a) Find x."."""
    return place + 1 < len(lines) and lines[place + 1].is_joined and bool(lines[place + 1].number)


def _step(before: Mark | None, mark: Mark, is_parted: bool, rows: int) -> float:
    """Return the cost of one number following another as the next question's.

    Args:
        is_parted: whether a heading separates them.
        rows: number of numbered table rows between them.
    """
    if before is None:
        return 0.0
    other = 0.0 if before.series == mark.series else 0.3
    if before.kind == "levels" and (mark.kind != "levels" or len(before.series) > len(mark.series)):
        levels = _levels(mark)  # "1.2" after "1.1.3", "Exercise 4" after "3.4"
        is_next = levels == [*_levels(before)[: len(levels) - 1], _levels(before)[len(levels) - 1] + 1]
        return 0.3 if is_next else 9.0
    if before.kind == mark.kind == "levels" and _levels(before)[:-1] < _levels(mark)[:-1]:
        return 0.3 + 0.7 * (mark.value - 1)  # "2.2.1" after "2.1.3"
    if before.kind == "word" and mark.kind == "levels" and _levels(mark) == [before.value, 1]:
        return 0.3
    if mark.value > before.value:
        return other + min(0.7 * max(mark.value - before.value - 1 - rows, 0), 4.0)
    if mark.value == before.value and mark.kind == before.kind and mark.series != "digits()":
        return other + 0.8  # printed twice
    return other + (0.5 if is_parted else 3.0) if mark.value == 1 else 9.0


def _levels(mark: Mark) -> list[int]:
    return [*map(int, mark.label.split("."))] if mark.kind == "levels" else [mark.value]


def _headings_above(lines: Sequence[Line]) -> list[int]:
    """Return the number of headings above each line."""
    are_headings = (
        bool(
            line.heading
            or (line.is_marked and not line.number)
            or SECTION.fullmatch(f"{line.number} {line.text}".replace("*", "").strip())
        )
        for line in lines
    )
    return [*accumulate(are_headings, initial=0)]
