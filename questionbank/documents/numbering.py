"""Which marks number a paper's questions: told by how far each series counts, and by what stands within another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from questionbank.documents.marks import Mark
from questionbank.documents.paper import Line
from questionbank.documents.phrases import INSTRUCTIONS, SECTION, is_stimulus

_COUNTS = ("word", "digits", "levels")
_SEEN = 60  # earlier numbers that one may follow
_ROW = re.compile(r"\|[\s_]*\d{1,3}[.)]\s")  # "| ___ 11. radius | A. half of the diameter |"
_FEWEST_BARE = 3  # numbers without a sign behind them, such as "3 Work out", that must count on


@dataclass(frozen=True, slots=True)
class Numbering:
    """Where the questions of a paper begin, by their numbers.

    Attributes:
        headings: numbered lines that stand above questions: "Exercise 1: choose the right answer".
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


def numbered_rules(lines: Sequence[Line], marks: Sequence[Mark | None]) -> frozenset[int]:
    """Return the numbered rules of a paper: they stand below their title, and the questions count anew behind them."""
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


def numbering(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Numbering:
    """Return where the questions of a paper begin if they run on whatever signs their numbers have: "1.", "Q2", "[3]".

    Each number has a weight, less where it is bare or in brackets; those are taken that run on with the greatest sum.
    """
    above = _headings_above(lines)
    rows = [*accumulate((_ROW.match(line.text) is not None for line in lines), initial=0)]
    states: list[tuple[int, float, int]] = []  # place, score, state before
    values = {}
    for place, mark in enumerate(marks):
        if mark is None or mark.kind not in _COUNTS or not mark.value or mark.series == "digits○":
            continue
        line = lines[place]
        if not line.text and mark.series in ("digits()", "digits-") and not _goes_on(place, lines):
            continue  # points: "(2)"
        values[place] = mark.value
        weight = 0.6 if mark.series in ("digits()", "digits-") else 1.0
        if mark.series == "digits()" and any(_counts_with(mark, beside) for beside in _beside(place, marks)):
            weight = 0.2  # an option or a part
        best, before = -0.3 * (mark.value - 1), -1
        for number in range(len(states) - 1, max(-1, len(states) - _SEEN), -1):
            earlier, score, _ = states[number]
            cost = _step(marks[earlier], mark, above[place] > above[earlier + 1], rows[place] - rows[earlier])
            cost += 0.5 * max(0, line.level - lines[earlier].level)
            if score - cost > best:
                best, before = score - cost, number
        states.append((place, best + weight, before))
    chain = []
    number = max(range(len(states)), key=lambda number: states[number][1], default=-1)
    while number >= 0:
        place, _, number = states[number]
        chain.append(place)
    return Numbering(frozenset(chain))


def numbering_below_words(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Numbering:
    """Return where the questions begin if what has a word is a heading: "Exercise 1: choose the right answer"."""
    words = {
        place: mark.value for place, mark in enumerate(marks) if mark is not None and mark.series == "word"
    }
    below = [None if place in words else mark for place, mark in enumerate(marks)]
    found = numbering(
        [replace(line, heading=6) if place in words else line for place, line in enumerate(lines)], below
    )
    ends = [*sorted(words)[1:], len(lines)] if words else []
    alone = {  # which head no question, so that they are one: "Exercise 3" behind two that are numbered within
        word
        for word, end in zip(sorted(words), ends, strict=True)
        if not any(word < place < end for place in found.questions)
    }
    heads = frozenset(words) - alone
    named = {words[place] for place in heads}
    if (
        not heads
        or len(found.questions) <= len(heads)
        or len(named) < len({words[place] for place in alone} - named)
    ):  # what is numbered in one exercise of several are its parts
        return Numbering(found.questions)
    return Numbering(found.questions | alone, heads)


def _beside(place: int, marks: Sequence[Mark | None]) -> Sequence[Mark | None]:
    return (*marks[max(0, place - 1) : place], *marks[place + 1 : place + 2])


def _counts_with(mark: Mark, other: Mark | None) -> bool:
    return other is not None and other.series == mark.series and abs(other.value - mark.value) == 1


def _goes_on(place: int, lines: Sequence[Line]) -> bool:
    """Return whether the line of a number alone goes on with a part: "1 (a) Find x."."""
    return place + 1 < len(lines) and lines[place + 1].is_joined and bool(lines[place + 1].number)


def _step(before: Mark | None, mark: Mark, is_parted: bool, rows: int) -> float:
    """Return what speaks against one number following another as that of the next question.

    Args:
        is_parted: a heading stands between them.
        rows: of tables between them that have numbers of their own.
    """
    if before is None:
        return 0.0
    other = 0.0 if before.series == mark.series else 0.3
    if mark.value > before.value:
        return other + min(0.7 * max(mark.value - before.value - 1 - rows, 0), 4.0)
    if mark.value == before.value and mark.kind == before.kind and mark.series != "digits()":
        return other + 0.8  # printed twice
    return other + (0.5 if is_parted else 3.0) if mark.value == 1 else 9.0


def _headings_above(lines: Sequence[Line]) -> list[int]:
    """Return for each line how many headings stand above it."""
    are_headings = (
        bool(
            line.heading
            or (line.is_marked and not line.number)
            or SECTION.fullmatch(f"{line.number} {line.text}".replace("*", "").strip())
        )
        for line in lines
    )
    return [*accumulate(are_headings, initial=0)]
