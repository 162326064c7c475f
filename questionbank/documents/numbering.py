"""Which marks number a paper's questions: told by how far each series counts, and by what stands within another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from questionbank.documents.marks import Mark
from questionbank.documents.paper import Line

_COUNTS = ("word", "digits", "levels")
_FEWEST_BARE = 3  # numbers without a sign behind them, such as "3 Work out", that must count on


@dataclass(frozen=True, slots=True)
class Numbering:
    """Where the questions of a paper begin, by their numbers."""

    questions: frozenset[int] = frozenset()
    series: frozenset[str] = field(default=frozenset())

    @property
    def is_numbered(self) -> bool:
        """Whether the paper numbers its questions."""
        return bool(self.questions)

    def is_question(self, place: int) -> bool:
        """Return whether a question begins on a line."""
        return place in self.questions


def numbering(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Numbering:
    """Return where the questions of a paper begin."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, mark in enumerate(marks):
        if mark is not None and mark.kind in _COUNTS and mark.series != "digits○" and mark.value:
            places[mark.series].append(place)
    if len(bare := places.get("digits-", [])) and _longest(bare, marks) < _FEWEST_BARE:
        del places["digits-"]
    outer = _outermost(places, marks)
    if not outer:
        return Numbering()
    questions = {*places[outer]}
    inner = {series: found for series, found in places.items() if series != outer}
    if outer == "word":
        for series, found in inner.items():
            if _have_options(found, marks) and not _have_options(places[outer], marks):
                # "Exercise 1: choose the right answer", above numbered questions: a heading
                questions -= {place for place in places[outer] if any(place < item for item in found)}
                questions |= {*found}
                outer = series
                break
    questions |= _same_level(outer, {*questions}, inner, lines, marks)
    return Numbering(frozenset(questions), frozenset({outer}))


def _outermost(places: Mapping[str, list[int]], marks: Sequence[Mark | None]) -> str:
    """Return the series that numbers the questions: the first one, unless another counts on across it."""
    if "word" in places:
        return "word"
    candidates = sorted(places, key=lambda series: places[series][0])
    best = ""
    for series in candidates:
        if not best or (_longest(places[series], marks) > _longest(places[best], marks) and _counts_across(
            places[series], places[best], marks
        )):
            best = series
    return best


def _longest(found: Sequence[int], marks: Sequence[Mark | None]) -> int:
    """Return how far a series counts on by one."""
    longest = length = 1
    for before, after in pairwise(found):
        length = length + 1 if _value(marks, after) == _value(marks, before) + 1 else 1
        longest = max(longest, length)
    return longest


def _counts_across(inner: Sequence[int], outer: Sequence[int], marks: Sequence[Mark | None]) -> bool:
    """Return whether a series goes on counting where the other one has a mark in between, or stands alone."""
    across = sum(
        any(before < mark < after for mark in outer) and _value(marks, after) == _value(marks, before) + 1
        for before, after in pairwise(inner)
    )
    restarts = sum(
        any(before < mark < after for mark in outer) and _value(marks, after) == 1
        for before, after in pairwise(inner)
    )
    return across > restarts or (len(outer) < 3 and restarts == 0)


def _value(marks: Sequence[Mark | None], place: int) -> int:
    mark = marks[place]
    return mark.value if mark is not None else 0


def _have_options(found: Sequence[int], marks: Sequence[Mark | None]) -> bool:
    """Return whether options in letters follow at least a third of these marks directly."""
    count = 0
    for place in found:
        following = next((mark for mark in marks[place + 1 : place + 6] if mark is not None), None)
        count += following is not None and following.kind == "upper" and following.value == 1
    return count * 3 >= len(found)


def _same_level(
    outer: str,
    questions: set[int],
    inner: Mapping[str, list[int]],
    lines: Sequence[Line],
    marks: Sequence[Mark | None],
) -> set[int]:
    """Return marks of another series that number questions too: "7)" between "6." and "8.", or a section with "1)"."""
    found: set[int] = set()
    ordered = sorted(questions)
    for series, places in inner.items():
        if series == "digits()" or series.startswith("levels"):
            continue
        for place in places:
            before = [question for question in ordered if question < place]
            last = _value(marks, before[-1]) if before else 0
            following = next((question for question in ordered if question > place), None)
            goes_on = _value(marks, place) == last + 1 and (
                following is None or _value(marks, following) > _value(marks, place)
            )
            is_item = any(before and before[-1] < item < place for item in places)
            if goes_on and last and not is_item and lines[place].level <= lines[before[-1]].level:
                found.add(place)
    return found
