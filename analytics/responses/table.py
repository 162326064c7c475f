"""Responses of people to questions, one row per response, and the figures of classical test theory.

The figures of a test and of its questions are as Moodle's quiz statistics define them. In these formulas x is a
person's mark for a question, T the person's total, X = T - x the rest, C a covariance and V a variance, both with n -
1. Only first attempts belong in the data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Responses:
    """Scored responses, at most one per person and question.

    Attributes:
        person: index of the person, (responses,).
        question: index of the question, (responses,).
        score: share of the maximum mark, from 0 to 1, (responses,).
        max_marks: maximum mark of each question, (questions,).
        group: index of each person's group (a class, a year), (people,); by default all are in group 0.

    Raises:
        DataError: shapes differ, an index or a score is out of range, or a person answered a question twice.
    """

    person: Indices
    question: Indices
    score: Floats
    max_marks: Floats
    group: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if not self.person.shape == self.question.shape == self.score.shape or self.person.ndim != 1:
            raise DataError("A response has one person, one question and one score.")
        if not len(self.person):
            raise DataError("There are no responses.")
        if min(self.person.min(), self.question.min()) < 0 or self.question.max() >= self.questions:
            raise DataError("A response names a person or a question that does not exist.")
        if not np.all((self.score >= 0) & (self.score <= 1)):
            raise DataError("A score is a share of the maximum mark: from 0 to 1.")
        if not np.all(self.max_marks > 0):
            raise DataError("The maximum mark of a question is above 0.")
        if len(self.group) and (len(self.group) <= self.person.max() or self.group.min() < 0):
            raise DataError("Each person is in one group.")
        if len(np.unique(self.person * self.questions + self.question)) < len(self.person):
            raise DataError("A person has two responses to the same question.")

    @property
    def questions(self) -> int:
        """Number of questions."""
        return len(self.max_marks)

    @cached_property
    def people(self) -> int:
        """Number of people."""
        return max(int(self.person.max()) + 1, len(self.group))

    @property
    def groups(self) -> Indices:
        """Index of each person's group, (people,)."""
        return self.group if len(self.group) else np.zeros(self.people, dtype=np.int64)

    @property
    def marks(self) -> Floats:
        """Mark of each response, (responses,)."""
        return np.asarray(self.score * self.max_marks[self.question])

    @cached_property
    def totals(self) -> Floats:
        """Total of each person's marks, (people,)."""
        return np.asarray(np.bincount(self.person, self.marks, self.people), dtype=float)

    @cached_property
    def rows_by_question(self) -> list[Indices]:
        """Indices of each question's responses, one array per question."""
        order = np.argsort(self.question, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.question, minlength=self.questions))[:-1])


Unreached = Literal["zero", "left out"]
"""Treatment of a question that a person did not reach: 0 marks, or the person does not count for this question."""


@dataclass(frozen=True)
class QuestionFigures:
    """Figures of each question, (questions,); NaN where one is undefined.

    Attributes:
        people: number of people who count.
        facility: mean(x) / maximum mark, from 0 (nobody) to 1 (everybody).
        facility_sd: SD(x) / maximum mark.
        intended_weight: the maximum mark's share of all maximum marks.
        effective_weight: sqrt(C(x, T)), as a share of the sum over all questions with C(x, T) >= 0.
        discrimination: C(x, X) / sqrt(V(x) V(X)), from -1 to 1.
        efficiency: C(x, X) / the largest covariance that the same marks and rests could have.
    """

    people: Indices
    facility: Floats
    facility_sd: Floats
    intended_weight: Floats
    effective_weight: Floats
    discrimination: Floats
    efficiency: Floats


@dataclass(frozen=True)
class TotalFigures:
    """Figures of the totals of a test; NaN where one is undefined.

    Attributes:
        people: number of people who count.
        mean: mean total, in marks.
        median: median total, in marks.
        sd: standard deviation (n - 1), in marks.
        skewness: k3 / k2^(3/2), from k-statistics.
        kurtosis: k4 / k2^2, from k-statistics; 0 for a normal distribution.
        consistency: Cronbach's alpha, K / (K - 1) (1 - sum V(x) / V(T)).
        error_ratio: sqrt(1 - consistency), the share of the SD that is error.
        standard_error: error_ratio * SD, in marks.
    """

    people: int
    mean: float
    median: float
    sd: float
    skewness: float
    kurtosis: float
    consistency: float
    error_ratio: float
    standard_error: float


@np.errstate(divide="ignore", invalid="ignore")
def question_figures(responses: Responses, unreached: Unreached = "zero") -> QuestionFigures:
    """Return the figures of each question of one test."""
    question, marks, questions = responses.question, responses.marks, responses.questions
    totals = responses.totals - responses.totals.mean()
    reached = totals[responses.person]

    def sums(weights: Floats) -> Floats:
        return np.asarray(np.bincount(question, weights, questions), dtype=float)

    if unreached == "zero":
        people = np.full(questions, responses.people)
        sum_total, sum_total_squared = np.full(questions, totals.sum()), np.full(questions, totals @ totals)
    else:
        people = np.bincount(question, minlength=questions)
        sum_total, sum_total_squared = sums(reached), sums(reached**2)
    sum_mark = sums(marks)
    mark_variance = (sums(marks**2) - sum_mark**2 / people) / (people - 1)
    total_variance = (sum_total_squared - sum_total**2 / people) / (people - 1)
    with_total = (sums(marks * reached) - sum_mark * sum_total / people) / (people - 1)
    rest_variance = total_variance + mark_variance - 2 * with_total
    with_rest = with_total - mark_variance
    # A variance of nothing but rounding errors is 0.
    has_spread = (mark_variance > 1e-12) & (rest_variance > 1e-12)
    weights = np.sqrt(np.where(with_total >= 0, with_total, np.nan))
    return QuestionFigures(
        people=people,
        facility=sum_mark / people / responses.max_marks,
        facility_sd=np.sqrt(np.maximum(mark_variance, 0)) / responses.max_marks,
        intended_weight=responses.max_marks / responses.max_marks.sum(),
        effective_weight=weights / np.nansum(weights),
        discrimination=np.where(has_spread, with_rest / np.sqrt(mark_variance * rest_variance), np.nan),
        efficiency=np.where(has_spread, with_rest / _largest_covariances(responses, unreached), np.nan),
    )


def _largest_covariances(responses: Responses, unreached: Unreached) -> Floats:
    """Return C(x, X) of each question with both sorted by themselves, (questions,)."""
    marks, totals = responses.marks, responses.totals
    largest = np.full(responses.questions, np.nan)
    for question, rows in enumerate(responses.rows_by_question):
        people, mark = responses.person[rows], marks[rows]
        if unreached == "zero":
            rest, all_marks = totals.copy(), np.zeros(len(totals))
            rest[people] -= mark
            all_marks[people] = mark
        else:
            rest, all_marks = totals[people] - mark, mark
        if len(rest) > 1:
            centred = np.sort(rest) - rest.mean()
            largest[question] = np.sort(all_marks) @ centred / (len(rest) - 1)
    return largest


@np.errstate(divide="ignore", invalid="ignore")
def total_figures(responses: Responses, unreached: Unreached = "zero") -> TotalFigures:
    """Return the figures of a test's totals.

    Args:
        unreached: with "left out", only people who reached every question count.
    """
    keeps = np.ones(responses.people, dtype=bool)
    if unreached == "left out":
        keeps = np.bincount(responses.person, minlength=responses.people) == responses.questions
    totals, kept = responses.totals[keeps], keeps[responses.person]
    n = np.float64(len(totals))
    if not n:
        return TotalFigures(0, *[float("nan")] * 8)
    mean = totals.mean()
    m2, m3, m4 = (np.mean((totals - mean) ** power) for power in (2, 3, 4))
    k2 = n * m2 / (n - 1)
    k3 = n**2 * m3 / ((n - 1) * (n - 2))
    k4 = n**2 * ((n + 1) * m4 - 3 * (n - 1) * m2**2) / ((n - 1) * (n - 2) * (n - 3))
    question, marks = responses.question[kept], responses.marks[kept]
    sums = np.bincount(question, marks, responses.questions)
    variances = (np.bincount(question, marks**2, responses.questions) - sums**2 / n) / (n - 1)
    k = np.float64(responses.questions)
    consistency = k / (k - 1) * (1 - variances.sum() / k2) if k2 > 1e-12 else np.float64("nan")
    error_ratio = np.sqrt(1 - consistency)
    return TotalFigures(
        people=len(totals),
        mean=float(mean),
        median=float(np.median(totals)),
        sd=float(np.sqrt(k2)),
        skewness=float(k3 / k2**1.5),
        kurtosis=float(k4 / k2**2),
        consistency=float(consistency),
        error_ratio=float(error_ratio),
        standard_error=float(error_ratio * np.sqrt(k2)),
    )


def random_guess_score(weights: Floats) -> float:
    """Return the expected score of a random choice: the mean weight of the options; 0 without options."""
    return float(np.mean(weights)) if len(weights) else 0.0
