"""Which marks number a paper's questions: told by how far each series counts, and by what stands within another."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from questionbank.documents.marks import Mark
from questionbank.documents.paper import Line
from questionbank.documents.phrases import INSTRUCTIONS, MATCHING, SECTION, is_answer_space, is_stimulus

_COUNTS = ("word", "digits", "levels")
_SEEN = 60  # earlier numbers that one may follow
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
    """Return where the questions of a paper begin."""
    return _Series(lines, marks).numbering()


def chained(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Numbering:
    """Return where the questions of a paper begin if they run on whatever signs their numbers have: "1.", "Q2", "[3]".

    Each number has a weight, less where it is bare or in brackets; those are taken that run on with the greatest sum.
    """
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
            cost = _step(marks[earlier], mark, _any_heading(lines, earlier, place))
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


def _beside(place: int, marks: Sequence[Mark | None]) -> Sequence[Mark | None]:
    return (*marks[max(0, place - 1) : place], *marks[place + 1 : place + 2])


def _counts_with(mark: Mark, other: Mark | None) -> bool:
    return other is not None and other.series == mark.series and abs(other.value - mark.value) == 1


def _goes_on(place: int, lines: Sequence[Line]) -> bool:
    """Return whether the line of a number alone goes on with a part: "1 (a) Find x."."""
    return place + 1 < len(lines) and lines[place + 1].is_joined and bool(lines[place + 1].number)


def _step(before: Mark | None, mark: Mark, is_parted: bool) -> float:
    """Return what speaks against one number following another as that of the next question."""
    if before is None:
        return 0.0
    other = 0.0 if before.series == mark.series else 0.3
    if mark.value > before.value:
        return other + min(0.7 * (mark.value - before.value - 1), 4.0)
    return other + (0.5 if is_parted else 3.0) if mark.value == 1 else 9.0


def _any_heading(lines: Sequence[Line], start: int, end: int) -> bool:
    """Return whether a heading stands between two lines."""
    return any(
        line.heading or SECTION.fullmatch(f"{line.number} {line.text}".strip()) for line in lines[start + 1 : end]
    )


def _depth(series: str) -> int:
    """Return how deep the list of a series stands."""
    return int(series.partition("/")[2] or 0)


class _Series:
    """The places of each series of marks that can number questions."""

    def __init__(self, lines: Sequence[Line], marks: Sequence[Mark | None]) -> None:
        self._lines = lines
        self._marks = marks
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, mark in enumerate(marks):
            is_space = bool(lines[place].text) and is_answer_space(lines[place].text)  # "3) ______"
            if (
                mark is not None
                and mark.kind in _COUNTS
                and mark.series != "digits○"
                and mark.value
                and not is_space
            ):
                depth = lines[place].level if mark.kind == "digits" else 0  # of a list within a list
                self._places[f"{mark.series}/{depth}" if depth > 1 else mark.series].append(place)
        for places in self._places.values():
            behind = [*places[1:], -1]
            places[:] = [
                place
                for place, after in zip(places, behind, strict=True)
                if not self._announces(place, after)
            ]
        if bare := self._places.pop("digits-", []):
            bare = self._counting(bare)
            if len(bare) >= _FEWEST_BARE:
                self._places["digits-"] = bare

    def numbering(self) -> Numbering:
        outer = self._outermost()
        if not outer:
            return Numbering()
        if outer == "word":
            return self._by_words()
        questions = {*self._without_lists(self._places[outer])}
        questions |= self._same_level(questions, [series for series in self._places if series != outer])
        return Numbering(frozenset(questions))

    def _announces(self, place: int, following: int) -> bool:
        """Return whether a numbered line announces the question with its number: "3. Answer questions 3 and 4."."""
        is_same = following > place and self._value(place) == self._value(following)
        return is_same and is_stimulus(self._lines[place].text)

    def _by_words(self) -> Numbering:
        """Return the numbering of a paper with "Exercise 1": the word's, or that of numbers with options below it."""
        words = self._places["word"]
        questions, headings = {*words}, set()
        for place, end in zip(words, [*words[1:], len(self._lines)], strict=True):
            for series, places in self._places.items():
                inside = [other for other in places if place < other < end]
                if (
                    series != "word"
                    and inside
                    and self._have_options(inside)
                    and not self._has_options(place)
                ):
                    questions = (questions - {place}) | {*inside}
                    headings.add(place)
        return Numbering(frozenset(questions), frozenset(headings))

    def _value(self, place: int) -> int:
        mark = self._marks[place]
        return mark.value if mark is not None else 0

    def _counting(self, places: Sequence[int]) -> list[int]:
        """Return the places that count on from one another: 1, 2, 3, perhaps with one missing."""
        kept: list[int] = []
        for place in places:
            if self._value(place) in (
                (1, 2) if not kept else (self._value(kept[-1]) + 1, self._value(kept[-1]) + 2)
            ):
                kept.append(place)
        return kept

    def _outermost(self) -> str:
        """Return the series that numbers the questions: the first one, unless another counts on across it."""
        if "word" in self._places:
            return "word"
        best = ""
        for series in sorted(self._places, key=lambda series: (_depth(series), self._places[series][0])):
            places = self._places[series]
            if not best:
                best = series
            elif _depth(series) > _depth(best):
                break
            elif self._longest(places) > self._longest(self._places[best]) and self._counts_across(
                places, best
            ):
                best = series
        return best

    def _longest(self, places: Sequence[int]) -> int:
        """Return how far a series counts on by one."""
        longest = length = 1
        for before, after in pairwise(places):
            length = length + 1 if self._value(after) == self._value(before) + 1 else 1
            longest = max(longest, length)
        return longest

    def _counts_across(self, inner: Sequence[int], outer: str) -> bool:
        """Return whether a series goes on counting where the other one has a mark in between, or stands alone."""
        others = self._places[outer]
        parted = [
            self._value(after) - self._value(before)
            for before, after in pairwise(inner)
            if any(before < other < after for other in others)
        ]
        restarts = sum(step < 1 for step in parted)
        return parted.count(1) > restarts or (len(others) < 3 and restarts == 0)

    def _without_lists(self, places: Sequence[int]) -> list[int]:
        """Return places without lists that count anew within a question: 3, (1, 2, 3), 4."""
        kept: list[int] = []
        place = 0
        while place < len(places):
            end = place + 1
            while end < len(places) and self._value(places[end]) == self._value(places[end - 1]) + 1:
                end += 1
            if kept and self._value(places[place]) == 1 and self._is_list(kept[-1], places, place, end):
                place = end
                continue
            kept.append(places[place])
            place += 1
        return kept

    def _is_list(self, question: int, places: Sequence[int], start: int, end: int) -> bool:
        between = self._lines[question + 1 : places[start]]
        if any(line.heading or SECTION.fullmatch(f"{line.number} {line.text}".strip()) for line in between):
            return False
        resumes = end < len(places) and self._value(places[end]) == self._value(question) + 1
        return resumes or MATCHING.search(self._lines[question].text) is not None

    def _has_options(self, place: int) -> bool:
        following = next((mark for mark in self._marks[place + 1 : place + 6] if mark is not None), None)
        return following is not None and following.kind in ("upper", "box") and following.value <= 1

    def _have_options(self, places: Sequence[int]) -> bool:
        """Return whether options follow at least a third of these marks directly."""
        return 3 * sum(map(self._has_options, places)) >= len(places)

    def _same_level(self, questions: set[int], others: Sequence[str]) -> set[int]:
        """Return marks of other series that number questions too, such as "7)" between "6." and "8."."""
        found: set[int] = set()
        ordered = sorted(questions)
        for series in others:
            if series == "digits()" or series.startswith("levels"):
                continue
            places: Sequence[int] = self._places[series]
            for place in places:
                at = bisect_left(ordered, place)
                before, following = ordered[:at][-1:], next(iter(ordered[at : at + 1]), None)
                if not before or self._value(place) != self._value(before[-1]) + 1:
                    continue
                fits = following is None or self._value(following) > self._value(place)
                is_item = any(before[-1] < item < place for item in places)
                if fits and not is_item and self._lines[place].level <= self._lines[before[-1]].level:
                    found.add(place)
        return found
