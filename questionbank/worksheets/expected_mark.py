"""The mark that a student can expect on a worksheet, from what is known about the difficulty of its questions.

A question of difficulty d per cent is answered by 100 - d of 100 students, so its points p give p (1 - d / 100) on
average. The interval is for one such student: whether each question is answered right (variance p² d (1 - d)), and
how surely its difficulty is known. Observed difficulties err each on its own, so their variances add up; estimates
are one model's, whose errors may all go the same way, so their standard deviations do. Published difficulties come
without an interval and are taken as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from statistics import NormalDist

COVERAGE = 0.9
"""Share of students whose mark lies in the interval, if they are like those that the difficulties come from."""


class Basis(StrEnum):
    """Where a difficulty comes from."""

    OBSERVED = "observed"
    PUBLISHED = "published"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True)
class KnownDifficulty:
    """A difficulty in per cent.

    Attributes:
        deviation: standard deviation of the figure, in points of 100; 0 where no interval is known.
    """

    percent: float
    basis: Basis
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class ExpectedMark:
    """The expected mark in points, with its interval.

    Attributes:
        points: the most that the questions of known difficulty give.
        unknown: number of questions of which no difficulty is known; they are left out.
    """

    mark: float
    low: float
    high: float
    points: float
    bases: Mapping[Basis, int]
    unknown: int = 0

    @property
    def known(self) -> int:
        return sum(self.bases.values())


def deviation_of(low: float, high: float, coverage: float) -> float:
    """Return the standard deviation of a normal distribution whose middle `coverage` lies between two bounds.

    >>> round(deviation_of(-1.959964, 1.959964, 0.95), 4)
    1.0
    """
    return (high - low) / 2 / NormalDist().inv_cdf(0.5 + coverage / 2)


def expected_mark(questions: Iterable[tuple[float, KnownDifficulty | None]]) -> ExpectedMark | None:
    """Return the mark to expect; None where nothing is known of any question.

    Args:
        questions: the points of each and its difficulty.

    >>> half = KnownDifficulty(50.0, Basis.OBSERVED)
    >>> found = expected_mark([(4.0, half), (4.0, half), (1.0, None)])
    >>> found.mark, round(found.low, 2), found.points, found.unknown
    (4.0, 0.0, 8.0, 1)
    """
    mark = points = chance = independent = common = 0.0
    bases: Counter[Basis] = Counter()
    unknown = 0
    for worth, difficulty in questions:
        if difficulty is None:
            unknown += 1
            continue
        wrong = min(1.0, max(0.0, difficulty.percent / 100))
        mark += worth * (1 - wrong)
        points += worth
        chance += worth**2 * wrong * (1 - wrong)
        if difficulty.basis == Basis.ESTIMATED:
            common += worth * difficulty.deviation / 100
        else:
            independent += (worth * difficulty.deviation / 100) ** 2
        bases[difficulty.basis] += 1
    if not bases:
        return None
    spread = NormalDist().inv_cdf(0.5 + COVERAGE / 2) * sqrt(chance + independent + common**2)
    low, high = max(0.0, mark - spread), min(points, mark + spread)
    return ExpectedMark(mark, low, high, points, dict(bases), unknown)
