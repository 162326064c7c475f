"""Fit of the two-parameter model: S-X2 (Orlando and Thissen 2000) and local dependence, Q3 (Yen 1984)."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from analytics.responses.item_response import ItemResponseModel
from analytics.responses.options import Flag, FlagCode
from analytics.responses.table import Floats, Indices, Responses

FEWEST_PEOPLE, FEWEST_QUESTIONS = 100, 5  # with fewer, neither figure says anything
MOST_QUESTIONS = 200  # of a test; both figures need tables of people or questions by questions
_NODES = np.linspace(-5, 5, 41)
_LEAST_EXPECTED = 1.0  # right and wrong answers in a cell; smaller cells are merged with the next
_PARAMETERS = 2  # slope and location
_FALSE_ALARMS = 0.05  # probability of any false flag in a test
_DEPENDENT = 0.2  # Q3 above the mean of all pairs (Christensen, Makransky and Horton 2017)


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


def can_tell_fit(responses: Responses) -> bool:
    """Return whether a test has enough people and questions to tell whether the model fits."""
    return responses.people >= FEWEST_PEOPLE and FEWEST_QUESTIONS <= responses.questions <= MOST_QUESTIONS


def fit_flags(responses: Responses, model: ItemResponseModel) -> list[list[Flag]]:
    """Return for each question of a test what does not suit the model.

    A flag of local dependence has the other question as its option. With 5 % probability a test that suits the model
    has a flag of either kind.
    """
    flags: list[list[Flag]] = [[] for _question in range(responses.questions)]
    fit = item_fit(responses, model)
    if fit is not None:
        for question in np.flatnonzero(fit.p < _FALSE_ALARMS / responses.questions):
            flags[question].append(Flag(FlagCode.MISFIT, float(fit.p[question])))
    dependence, people = local_dependence(responses, model)
    known = ~np.isnan(dependence)
    if not known.any():
        return flags
    excess = dependence - dependence[known].mean()
    sure = NormalDist().inv_cdf(1 - _FALSE_ALARMS / (known.sum() / 2))  # of all pairs
    evidence = np.arctanh(np.clip(excess, -0.999999, 0.999999)) * np.sqrt(np.maximum(people - 3, 0))
    is_dependent = known & (excess >= _DEPENDENT) & (evidence >= sure)
    for question in np.flatnonzero(is_dependent.any(axis=1)):
        other = int(np.argmax(np.where(is_dependent[question], excess[question], -1)))
        flags[question].append(Flag(FlagCode.DEPENDENT, float(dependence[question, other]), other))
    return flags


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


def item_fit(responses: Responses, model: ItemResponseModel) -> ItemFit | None:
    """Return S-X2 over the people who answered every question right or wrong; None if they are too few."""
    from scipy.special import chdtrc  # takes a fifth of a second to import, which pages need not wait for

    right = _complete_rows(responses)
    questions = right.shape[1]
    if len(right) < FEWEST_PEOPLE:
        return None
    totals = right.sum(axis=1).astype(int)
    curves = model.probability(_NODES).T
    weights = np.exp(-(((_NODES - model.group_mean[0]) / model.group_sd[0]) ** 2) / 2)
    weights /= weights.sum()
    whole = score_distribution(curves) @ weights
    statistic, freedom = np.zeros(questions), np.zeros(questions, dtype=np.int64)
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
    p = np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), statistic), np.nan)
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


def local_dependence(responses: Responses, model: ItemResponseModel) -> tuple[Floats, Floats]:
    """Return Q3, the correlations of what the abilities leave unexplained, and numbers of people of both questions.

    Two questions far above the mean of all pairs share something besides the ability, for example a text, or one gives
    away the other.

    Returns:
        Both (questions, questions); Q3 is NaN on the diagonal and for pairs with fewer than three people in common.
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
    return correlation, people


def _complete_rows(responses: Responses) -> Floats:
    table = np.full((responses.people, responses.questions), np.nan)
    table[responses.person, responses.question] = responses.score
    return np.asarray(table[np.isin(table, (0, 1)).all(axis=1)])
