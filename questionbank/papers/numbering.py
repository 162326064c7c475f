"""Find the marks that number a paper's questions, and decide whether the others number options or parts.

The questions' numbers are found from how far each series counts and how the series nest. Whether runs of other
marks within a question are options or parts is told by their text, the text above them, and the rest of the paper.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, groupby

from questionbank.papers import phrases
from questionbank.papers.marks import COUNTING_KINDS, NO_MARK, Mark
from questionbank.papers.paper_lines import Line, Role
from questionbank.papers.phrases import SECTION
from questionbank.papers.points import BARE_POINTS, POINTS, without_points
from questionbank.papers.tasks import asks, offers_truth

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


def numbering(lines: Sequence[Line], marks: Sequence[Mark]) -> Numbering:
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


def _weighed(lines: Sequence[Line], marks: Sequence[Mark]) -> Iterator[tuple[int, Mark, float]]:
    """Yield the marks that may number questions, with their place and weight."""
    inner = _numbered_options(lines, marks)
    parts = _numbered_parts(lines, marks)
    outer, last = "", 0
    for place, mark in enumerate(marks):
        if mark.kind not in COUNTING_KINDS or not mark.value or mark.series in ("digits○", inner):
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
        is_item = mark.series == "digits()" and any(
            one.series == mark.series and abs(one.value - mark.value) == 1 for one in _beside(place, marks)
        )
        yield place, mark, 0.2 if is_item else 0.6 if is_bare else 1.0


def is_above_others(place: int, marks: Sequence[Mark]) -> bool:
    """Return whether a mark's questions follow below it: "4.2" above "4.2.1", "Exercise 4" above "4.1"."""
    mark = marks[place]
    if mark.kind not in ("levels", "word"):
        return False
    following = next((below for below in marks[place + 1 :] if below), NO_MARK)
    return following.kind == "levels" and following.label.startswith(f"{mark.label}.")


def _numbered_options(lines: Sequence[Line], marks: Sequence[Mark]) -> str:
    """Return the series that numbers short lines below most questions, restarting each time: "1. 7 × 8 =", "1) 54"."""
    numbered = [(mark, lines[place].text) for place, mark in enumerate(marks) if mark.kind == "digits"]
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


def _numbered_parts(lines: Sequence[Line], marks: Sequence[Mark]) -> frozenset[int]:
    """Return the bracketed numbers that count parts: from 1, between a question's number and the next."""
    found: set[int] = set()
    outer = NO_MARK
    below: list[int] = []
    for place, mark in enumerate(marks):
        if mark.kind not in ("digits", "word"):
            continue
        if mark.series != "digits()":
            if (mark.series, mark.value) == (outer.series, outer.value + 1):
                found.update(below)
            outer, below = mark, []
        elif lines[place].text:  # otherwise points: "(2)"
            outer = outer if mark.value == len(below) + 1 else NO_MARK
            below.append(place)
    return frozenset(found.union(below) if found and outer else found)


def numbering_below_words(lines: Sequence[Line], marks: Sequence[Mark]) -> Numbering:
    """Return where the questions begin if marks with a word are headings: "Exercise 1: choose the right answer"."""
    words = {place: mark.value for place, mark in enumerate(marks) if mark.series == "word"}
    below = [NO_MARK if place in words else mark for place, mark in enumerate(marks)]
    found = numbering([replace(line, heading=6) if place in words else line for place, line in enumerate(lines)], below)
    ends = [*sorted(words)[1:], len(lines)] if words else []
    alone = {  # they head no question, so they are questions: "Exercise 3" after two with inner numbers
        word
        for word, end in zip(sorted(words), ends, strict=True)
        if not any(word < place < end for place in found.questions)
    }
    heads = frozenset(words) - alone
    named = {words[place] for place in heads}
    if (
        not heads or len(found.questions) <= len(heads) or len(named) < len({words[place] for place in alone} - named)
    ):  # if only one of several exercises has inner numbers, these are its parts
        return Numbering(found.questions)
    return Numbering(found.questions | alone, heads)


def _beside(place: int, marks: Sequence[Mark]) -> Sequence[Mark]:
    return (*marks[max(0, place - 1) : place], *marks[place + 1 : place + 2])


def _goes_on(place: int, lines: Sequence[Line]) -> bool:
    """Return whether a line with only a number continues with a part: "1 (a) Find x."."""
    return place + 1 < len(lines) and lines[place + 1].is_joined and bool(lines[place + 1].number)


def _step(before: Mark, mark: Mark, is_parted: bool, rows: int) -> float:
    """Return the cost of taking one number to be that of the next question after another.

    Args:
        is_parted: whether a heading separates them.
        rows: number of numbered table rows between them.
    """
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


# -- options and parts -------------------------------------------------------------------------------------------------


_SHORT_OPTION = 120


@dataclass(slots=True, eq=False)
class Run:
    """Consecutively numbered items of one question: a), b), c)."""

    question: int
    series: str
    places: list[int] = field(default_factory=list)
    value: int = 0
    leaning: float = 0.0

    def continues(self, series: str, value: int) -> bool:
        """Return whether an item continues the run: letters may be skipped but not repeated."""
        return series == self.series and (value == 0 or self.value < value <= self.value + 3)


def _lies_within(inner: Run, outer: Run) -> bool:
    """Return whether a run's items lie between those of another run, like the tick boxes of each part."""
    return (
        len(outer.places) > 1
        and any(outer.places[0] < place < outer.places[-1] for place in inner.places if inner is not outer)
        and inner.series.startswith(("box", "upper"))
    )


def _series_leaning(run: Run) -> float:
    """Return how much a run's numbering looks like options."""
    if run.series.startswith("upper") or run.series == "box":
        return 2.0
    if run.series.startswith("Roman"):
        return -2.0
    if run.series == "bullet":
        return 0.5 if len(run.places) > 2 else -0.5
    return -1.0 if run.series.startswith(("roman", "digits")) else 0.0


def _stem_leaning(stem: str) -> float:
    """Return how much the text above a run looks like a question with options."""
    leaning = 1.0 if phrases.OFFERS_CHOICE.search(stem) or "____" in stem else 0.0
    has_own_data = any(sign.isdigit() or sign == "$" for sign in stem)
    if phrases.ORDER_TO_EACH.match(stem) and not has_own_data and len(stem) < _SHORT_OPTION:
        leaning -= 2
    elif stem.endswith(("?", "？")) or has_own_data:
        leaning += 0.5
    return leaning if stem else leaning - 1


def _length_leaning(lines: Sequence[Line]) -> float:
    """Return how much the items' count and lengths look like options."""
    leaning = 0.5 if len(lines) in (4, 5) else -1.5 if len(lines) == 1 else 0.0
    return leaning - any(len(line.text) > _SHORT_OPTION for line in lines)


def _is_task(text: str) -> bool:
    """Return whether an item asks something, as parts do."""
    return bool(
        phrases.TASK.match(text)
        or text.endswith(("?", "？", "="))
        or POINTS.search(text)
        or BARE_POINTS.search(text)
        or phrases.BLANK.search(text)
        or offers_truth(text)
    )


@dataclass(frozen=True, slots=True)
class Items:
    """The runs of a paper; `settle` assigns roles to their lines.

    Attributes:
        key: by a question's line: positive if its answer is a letter, negative if its parts have answers.
        headings: heading by a question's line.
    """

    lines: Sequence[Line]
    marks: Sequence[Mark]
    roles: list[Role]
    runs: Sequence[Run]
    key: Mapping[int, float]
    headings: Mapping[int, str]

    def settle(self) -> None:
        """Decide for each run whether its items are options or parts, and which options are right."""
        by_question: dict[int, list[Run]] = defaultdict(list)
        for run in self.runs:
            by_question[run.question].append(run)
        votes: Counter[str] = Counter()
        for run in self.runs:
            run.leaning = self._leaning(run)
            votes[run.series] += (run.leaning > 0) - (run.leaning < 0)
        for runs in by_question.values():
            self._settle(runs, votes)

    def _settle(self, runs: Sequence[Run], votes: Counter[str]) -> None:
        around = [run for run in runs if any(_lies_within(other, run) for other in runs)]
        options = [run for run in runs if run not in around and self._are_options(run, votes)]
        if lettered := [run for run in options if run.series.startswith("upper") and len(run.places) > 1]:
            options = lettered  # the others are statements that the options refer to: "I and III"
        parts = [run for run in runs if run not in options]
        for run in parts:
            is_nested = any(other.series != run.series and other.places[0] < run.places[0] for other in parts)
            is_statement = (
                not is_nested and bool(options) and run.places[-1] < options[0].places[0] and len(options) == 1
            )
            for place in run.places:
                self.roles[place] = Role.MORE if is_nested or is_statement or run.series == "bullet" else Role.PART
        for run in options:
            self._mark_right(run)

    def _leaning(self, run: Run) -> float:
        """Return how much a run looks like options (above 0) or like parts (below 0)."""
        lines = [self.lines[place] for place in run.places]
        above = self.lines[run.question : run.places[0]]
        stem = " ".join(without_points(line.text, may_begin=True)[0] for line in above).strip()
        leaning = _series_leaning(run)
        if any(map(self._is_flagged, run.places)) or 0 < sum(line.is_marked for line in lines) < len(lines):
            leaning += 2
        leaning -= 3 * sum(_is_task(line.text) for line in lines) / len(lines)
        leaning += self.key.get(run.question, 0.0) * (run.series != "box")
        if run.series == "bullet" and len(lines) == 1 and self._is_flagged(run.places[0]):
            leaning += 2  # a short answer, as text2qti writes it
        if run.series == "bullet" and self._are_given(run, stem):
            leaning -= 3
        if phrases.CHOICE_SECTION.search(self.headings.get(run.question, "")):
            leaning += 1.5
        return leaning + _stem_leaning(stem) + _length_leaning(lines)

    def _are_given(self, run: Run, stem: str) -> bool:
        """Return whether a list states what is given: the text above it asks nothing, but a line below it does."""
        behind = run.places[-1] + 1
        end = behind
        while end < len(self.roles) and self.roles[end] is Role.MORE:
            end += 1
        below = "\n".join(line.text for line in self.lines[behind:end])
        return asks(below) and not asks(stem)

    def _are_options(self, run: Run, votes: Counter[str]) -> bool:
        if abs(run.leaning) >= 2 or not votes[run.series]:
            return run.leaning > 0
        return votes[run.series] > 0

    def _is_flagged(self, place: int) -> bool:
        return is_flagged(self.lines[place], self.marks[place])

    def _mark_right(self, run: Run) -> None:
        right = right_options(self.lines, self.marks, run.question, run.places)
        for place in range(run.places[0], run.places[-1]):
            if self.roles[place] is Role.BELOW:
                self.roles[place] = Role.MORE
        for place in run.places:
            self.roles[place] = Role.RIGHT_OPTION if place in right else Role.OPTION


def is_flagged(line: Line, mark: Mark) -> bool:
    """Return whether a line's mark, or a word before or behind its text, says that it is the right option."""
    is_said = phrases.RIGHT_BEHIND.search(line.text) or phrases.RIGHT_BEFORE.match(line.text)
    return mark.is_flagged or is_said is not None


def right_options(lines: Sequence[Line], marks: Sequence[Mark], question: int, options: Sequence[int]) -> Sequence[int]:
    """Return the options of a question that the document marks as right: ticked, starred or set in another style."""
    flagged = [place for place in options if is_flagged(lines[place], marks[place])]
    marked = [place for place in options if lines[place].is_marked]
    stem = " ".join(line.text for line in lines[question : options[0]])
    are_several = len(marked) < len(options) and phrases.SEVERAL_RIGHT.search(stem)
    is_usual = len(marked) * 2 <= len(options) or len(marked) == 1
    return flagged or (marked if is_usual or are_several else [])
