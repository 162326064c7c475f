"""Classical test theory: the figures of a test and of its questions, as Moodle's quiz statistics define them.

In these formulas x is a person's mark for a question, T the person's total, X = T - x the rest, C a covariance and V a
variance, both with n - 1. Only first attempts belong in the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analytics.responses.table import Floats, Indices, Responses

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
