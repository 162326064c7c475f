"""Fit of an item response model: S-X2 (Orlando and Thissen 2000) and local dependence, Q3 (Yen 1984)."""

from __future__ import annotations

from dataclasses import dataclass

import mpmath
import numpy as np

from analytics.errors import DataError
from analytics.responses.item_response import ItemResponseModel
from analytics.responses.table import Floats, Indices, Responses

_NODES = np.linspace(-5, 5, 41)
_LEAST_EXPECTED = 1.0  # right and wrong answers in a cell; smaller cells are merged with the next
_PARAMETERS = 2  # slope and location


@dataclass(frozen=True)
class ItemFit:
    """S-X2 of each question, (questions,).

    Attributes:
        statistic: S-X2, which follows a chi-squared distribution if the model fits.
        freedom: degrees of freedom; 0 if there are too few cells to tell.
        p: probability of a statistic at least as large if the model fits; NaN without degrees of freedom.
    """

    statistic: Floats
    freedom: Indices
    p: Floats


def score_distribution(probabilities: Floats) -> Floats:
    """Return the distribution of the number of right answers at each ability (Lord and Wingersky 1984).

    Args:
        probabilities: of a right answer, (questions, abilities).

    Returns:
        (questions + 1, abilities), each column with the sum 1.
    """
    distribution = np.ones((1, probabilities.shape[1]))
    for probability in probabilities:
        more = np.zeros((len(distribution) + 1, distribution.shape[1]))
        more[:-1] = distribution * (1 - probability)
        more[1:] += distribution * probability
        distribution = more
    return distribution


def item_fit(responses: Responses, model: ItemResponseModel) -> ItemFit:
    """Return S-X2 over the people who answered every question right or wrong.

    Raises:
        DataError: nobody did, or there are fewer than three questions.
    """
    right = _complete_rows(responses)
    questions = right.shape[1]
    totals = right.sum(axis=1).astype(int)
    curves = model.probability(_NODES).T
    weights = np.exp(-(_NODES**2) / 2)
    weights /= weights.sum()
    whole = score_distribution(curves) @ weights
    statistic, freedom, p = np.zeros(questions), np.zeros(questions, dtype=np.int64), np.full(questions, np.nan)
    sizes = np.bincount(totals, minlength=questions + 1)[1:questions]
    for question in range(questions):
        others = score_distribution(np.delete(curves, question, axis=0))
        with_right = (others[: questions - 1] * curves[question]) @ weights
        expected = sizes * with_right / whole[1:questions]
        observed = np.bincount(totals, right[:, question], questions + 1)[1:questions]
        cells = _merged(np.stack([sizes, observed, expected]))
        if cells.shape[1]:
            size, seen, wanted = cells
            statistic[question] = np.sum((seen - wanted) ** 2 * size / (wanted * (size - wanted)))
        freedom[question] = max(cells.shape[1] - _PARAMETERS, 0)
        if freedom[question]:
            half = float(statistic[question]) / 2
            p[question] = float(mpmath.gammainc(int(freedom[question]) / 2, half, regularized=True))
    return ItemFit(statistic, freedom, p)


def _merged(cells: Floats) -> Floats:
    """Return (people, right, expected right) by cell, merged until each expects a right and a wrong answer."""
    merged: list[Floats] = []
    for column in cells.T:
        if merged and not _is_large(merged[-1]):
            merged[-1] = merged[-1] + column
        else:
            merged.append(column)
    if len(merged) > 1 and not _is_large(merged[-1]):
        last = merged.pop()
        merged[-1] = merged[-1] + last
    return np.array([cell for cell in merged if _is_large(cell)]).reshape(-1, 3).T


def _is_large(cell: Floats) -> bool:
    people, _right, expected = cell
    return bool(min(expected, people - expected) >= _LEAST_EXPECTED)


def local_dependence(responses: Responses, model: ItemResponseModel) -> Floats:
    """Return Q3, the correlations of what the abilities leave unexplained, (questions, questions).

    Two questions far above the mean of all pairs (by .2, Christensen, Makransky and Horton 2017) share something
    besides the ability, for example a text, or one gives away the other.

    Returns:
        NaN on the diagonal and for pairs with fewer than three people in common.
    """
    residual = np.full((responses.people, responses.questions), np.nan)
    expected = model.probability(model.ability)
    residual[responses.person, responses.question] = responses.score - expected[responses.person, responses.question]
    has = ~np.isnan(residual)
    filled, counts = np.where(has, residual, 0.0), has.astype(float)
    people = counts.T @ counts
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = filled.T @ counts / people  # of the row's question over the people of both
        square = (filled**2).T @ counts / people - mean**2
        correlation = (filled.T @ filled / people - mean * mean.T) / np.sqrt(square * square.T)
    correlation[people < 3] = np.nan
    np.fill_diagonal(correlation, np.nan)
    return correlation


def _complete_rows(responses: Responses) -> Floats:
    table = np.full((responses.people, responses.questions), np.nan)
    table[responses.person, responses.question] = responses.score
    complete = table[np.isin(table, (0, 1)).all(axis=1)]
    if not len(complete) or responses.questions < 3:
        raise DataError("Fit needs people who answered all of at least three questions, right or wrong.")
    return complete
