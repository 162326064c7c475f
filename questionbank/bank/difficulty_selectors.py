"""Everything known about a question's difficulty; each figure comes with its interval and its basis.

All values are in per cent (0 easy, 100 hard). A question's page shows them side by side; `counted_difficulty` decides
which of them counts everywhere else (decision 160).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Protocol

from questionbank.core.wording import counted
from questionbank.formats.scales import scale_percent
from questionbank.models import Question

Z_95 = 1.959964  # quantile of the normal distribution for 95 %
COMBINED = "Combined"
OBSERVED = "Observed"
UNCERTAIN = 34.0  # points: an interval that extends this far from its figure is uninformative


CLEAR_STEP = 5.0  # points by which two published difficulties must differ for one to be harder


@dataclass(frozen=True, slots=True)
class DifficultyFigure:
    """One figure in per cent; `low` and `high` are None if there is no interval.

    Attributes:
        middle: ends of the interval that contains half of such questions; None if unknown.
    """

    label: str
    percent: float
    basis: str
    low: float | None = None
    high: float | None = None
    is_estimate: bool = False
    middle: tuple[float, float] | None = None

    @property
    def measures(self) -> str:
        """What the figure is a percentage of: wrong answers if pupils answered, otherwise a position on a scale."""
        return "of answers wrong" if self.label in (COMBINED, OBSERVED) else "of the way from easy to hard"

    @property
    def is_uncertain(self) -> bool:
        low, high = self.middle or (self.low, self.high)
        if low is None or high is None:
            return False
        return max(self.percent - low, high - self.percent) >= UNCERTAIN


def wilson_interval(share: float, responses: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share observed in `responses` trials.

    >>> low, high = wilson_interval(0.5, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    z2 = Z_95**2
    centre = (share + z2 / (2 * responses)) / (1 + z2 / responses)
    spread = Z_95 / (1 + z2 / responses) * sqrt(share * (1 - share) / responses + z2 / (4 * responses**2))
    return max(0.0, centre - spread), min(1.0, centre + spread)


class Graded(Protocol):
    """A question of the bank or of a file, with its published difficulty and facility."""

    @property
    def difficulty(self) -> float | None: ...

    @property
    def difficulty_scale(self) -> str: ...

    @property
    def facility(self) -> float | None: ...

    @property
    def responses(self) -> int: ...


def combined_difficulty(combined: Mapping[str, Any] | None) -> DifficultyFigure | None:
    """Return the share of wrong answers that pupils' responses and the text say together (`Question.combined`)."""
    if not combined:
        return None
    return DifficultyFigure(
        label=COMBINED,
        percent=combined["percent"],
        basis=f"from {counted(combined['responses'], 'response', 'responses')} and the text",
        low=combined["low"],
        high=combined["high"],
    )


def counted_difficulty(question: Question) -> DifficultyFigure | None:
    """Return the difficulty that counts: the first known one whose interval says something.

    Responses and text together come first, then what was observed elsewhere, then what a source published.
    """
    figures = (combined_difficulty(question.combined), observed_difficulty(question), published_difficulty(question))
    return next((figure for figure in figures if figure is not None and not figure.is_uncertain), None)


def counted_percent(question: Graded, combined: Mapping[str, Any] | None = None) -> float | None:
    """Return the percentage of `counted_difficulty`, which is stored as `Question.difficulty_percent`."""
    figures = (combined_difficulty(combined), observed_difficulty(question))
    certain = (figure.percent for figure in figures if figure is not None and not figure.is_uncertain)
    return next(certain, scale_percent(question.difficulty, question.difficulty_scale))


def observed_difficulty(question: Graded) -> DifficultyFigure | None:
    """Return the share of wrong answers among students' responses, with Wilson's interval."""
    if question.facility is None or not question.responses:
        return None
    low, high = wilson_interval(1 - question.facility, question.responses)
    responses = counted(question.responses, "response", "responses")
    basis = f"from {responses}: {100 * question.facility:.0f}% answered correctly"
    return DifficultyFigure(
        label=OBSERVED, percent=100 * (1 - question.facility), basis=basis, low=100 * low, high=100 * high
    )


def published_difficulty(question: Question) -> DifficultyFigure | None:
    """Return the difficulty from the source, mapped to per cent; sources state no interval.

    A paraphrase has its original's difficulty, so it is marked as an estimate.
    """
    percent = scale_percent(question.difficulty, question.difficulty_scale)
    if question.difficulty is None or percent is None:
        return None
    if question.difficulty_scale == "facility":
        basis = "from its source"
    else:
        basis = f"from its source: {f'{question.difficulty:g}'} on the scale {question.difficulty_scale}"
    if question.paraphrase_of_id is None:
        return DifficultyFigure(label="Published", percent=percent, basis=basis)
    return DifficultyFigure(
        label="From the original", percent=percent, basis=f"for the original's wording, {basis}", is_estimate=True
    )


def is_known(question: Question) -> bool:
    """Return whether responses or a source show how difficult a question is."""
    return bool(answered_difficulty(question) or published_difficulty(question))


def answered_difficulty(question: Question) -> DifficultyFigure | None:
    """Return what responses say, in this bank or elsewhere; None without any."""
    return combined_difficulty(question.combined) or observed_difficulty(question)


def difficulty_step(question: Question, other: Question) -> tuple[float, str] | None:
    """Return by how many points out of 100 `other` is harder (negative: easier), and the reason.

    None if no comparable figures show a difference. Shares of wrong answers are compared if both are known, and differ
    if their intervals do not overlap; otherwise published ones on the same scale are compared. Estimates are not: the
    order of two texts is more certain than two estimates (`questionbank.similar.kinship`).
    """
    figure, other_figure, basis = answered_difficulty(question), answered_difficulty(other), "observed"
    if figure and other_figure:
        low, high = (max(figure.low or 0, other_figure.low or 0), min(figure.high or 100, other_figure.high or 100))
        is_clear = low > high
    else:
        figure, other_figure, basis = published_difficulty(question), published_difficulty(other), "published"
        if not figure or not other_figure or question.difficulty_scale != other.difficulty_scale:
            return None
        is_clear = abs(other_figure.percent - figure.percent) >= CLEAR_STEP
    sentence = f"Difficulty {other_figure.percent:.0f}% instead of {figure.percent:.0f}% ({basis})."
    return (other_figure.percent - figure.percent, sentence) if is_clear else None
