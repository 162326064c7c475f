"""Decide whether numbered items within a question are options or parts, and which options are right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from questionbank.papers import phrases, point_phrases, truth_phrases
from questionbank.papers.directions import asks
from questionbank.papers.marks import Mark
from questionbank.papers.paper import Line, Role
from questionbank.papers.points import without_points

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
        or point_phrases.POINTS.search(text)
        or point_phrases.BARE_POINTS.search(text)
        or phrases.BLANK.search(text)
        or truth_phrases.offers_truth(text)
    )


@dataclass(frozen=True, slots=True)
class Items:
    """The runs of a paper; `settle` assigns roles to their lines.

    Attributes:
        key: by a question's line: positive if its answer is a letter, negative if its parts have answers.
        headings: heading by a question's line.
    """

    lines: Sequence[Line]
    marks: Sequence[Mark | None]
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
        if any(map(self._flagged, run.places)) or 0 < sum(line.is_marked for line in lines) < len(lines):
            leaning += 2
        leaning -= 3 * sum(_is_task(line.text) for line in lines) / len(lines)
        leaning += self.key.get(run.question, 0.0) * (run.series != "box")
        if run.series == "bullet" and len(lines) == 1 and self._flagged(run.places[0]):
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

    def _flagged(self, place: int) -> bool:
        mark = self.marks[place]
        text = self.lines[place].text
        is_said = phrases.RIGHT_BEHIND.search(text) or phrases.RIGHT_BEFORE.match(text)
        return (mark is not None and mark.is_flagged) or is_said is not None

    def _mark_right(self, run: Run) -> None:
        flagged = [place for place in run.places if self._flagged(place)]
        marked = [place for place in run.places if self.lines[place].is_marked]
        stem = " ".join(line.text for line in self.lines[run.question : run.places[0]])
        are_several = len(marked) < len(run.places) and phrases.SEVERAL_RIGHT.search(stem)
        is_usual = len(marked) * 2 <= len(run.places) or len(marked) == 1
        right = flagged or (marked if is_usual or are_several else [])
        for place in range(run.places[0], run.places[-1]):
            if self.roles[place] is Role.BELOW:
                self.roles[place] = Role.MORE
        for place in run.places:
            self.roles[place] = Role.RIGHT_OPTION if place in right else Role.OPTION
