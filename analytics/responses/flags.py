"""How people of different ability answered one question, and what stands out about it.

A person's ability is their score on the other questions, or an estimate that doesn't use this question. S-X2
(Orlando and Thissen 2000) tests whether a question fits the two-parameter model; Q3 (Yen 1984) measures local
dependence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from analytics.responses.item_response import ItemResponseModel
from analytics.responses.table import Floats, Indices, Responses

BLANK = -1
"""The choice of a person who reached the question and left it out."""

_FEWEST = 20  # minimum number of people for any flag but a suspected key
_FEWEST_CHOOSERS = 5  # of an option
_KEY_SURE = 1.0  # standard errors; a right key is far below 0
_SURE = 2.0  # standard errors
_LEFT_OUT = 0.1  # share
_TOO_EASY, _TOO_HARD = 0.95, 0.05  # facility


class FlagCode(StrEnum):
    """Kinds of flags."""

    CHECK_KEY = "check key"
    WEAKER_DID_BETTER = "weaker did better"
    NEVER_CHOSEN = "never chosen"
    LIKE_GUESSING = "like guessing"
    LEFT_OUT = "left out"
    TOO_EASY = "too easy"
    TOO_HARD = "too hard"
    MISFIT = "misfit"
    DEPENDENT = "dependent"


@dataclass(frozen=True)
class Flag:
    """Something that stands out about a question.

    Attributes:
        code: kind of flag.
        evidence: standard errors for a suspected key, p for a misfit, Q3 for dependence, a share otherwise.
        option: index of the option, or of the other question, that it is about; -1 if there is none.
    """

    code: FlagCode
    evidence: float
    option: int = -1


@dataclass(frozen=True)
class OptionFigures:
    """Choices of the weakest, middle and strongest third.

    Attributes:
        counts: number of people who chose an option, (3, options), weakest third first.
        left_out: number of people who left the question out, (3,).
        ability: mean ability of the people who chose an option, (options,); NaN if nobody did.
    """

    counts: npt.NDArray[np.int64]
    left_out: npt.NDArray[np.int64]
    ability: Floats


def ability_thirds(ability: Floats) -> Indices:
    """Return 0, 1 or 2 for each person, from the weakest to the strongest third, (people,).

    People of equal ability are in the same third, so the thirds may differ in size.
    """
    ordered = np.sort(ability)
    bounds = ordered[[len(ordered) // 3, len(ordered) * 2 // 3]]
    return np.searchsorted(bounds, ability, "right")


def option_figures(choice: Indices, ability: Floats, options: int) -> OptionFigures:
    """Return the choices by third of ability.

    Args:
        choice: index of the chosen option or `BLANK`, (people,).
        ability: (people,).
        options: number of options.
    """
    thirds = ability_thirds(ability)
    counts = np.zeros((3, options + 1), dtype=np.int64)
    np.add.at(counts, (thirds, choice), 1)  # BLANK is the last column
    sums = np.bincount(choice[choice >= 0], ability[choice >= 0], options)
    chosen = counts[:, :options].sum(axis=0)
    means = np.divide(sums, chosen, out=np.full(options, np.nan), where=chosen > 0)
    return OptionFigures(counts=counts[:, :options], left_out=counts[:, options], ability=means)


def option_flags(choice: Indices, ability: Floats, weights: Floats) -> list[Flag]:
    """Return what stands out about the options of a question, most important first.

    Args:
        choice: index of the chosen option or `BLANK`, (people,).
        ability: (people,).
        weights: share of the mark for each option, (options,).
    """
    flags = []
    evidence, rival = key_evidence(choice, ability, weights)
    if evidence >= _KEY_SURE:
        flags.append(Flag(FlagCode.CHECK_KEY, evidence, rival))
    people, score = len(choice), np.where(choice >= 0, weights[choice], 0.0)
    if people >= _FEWEST:
        guess, facility = float(weights.mean()), float(score.mean())
        error = float(score.std() / np.sqrt(people))
        if facility < _TOO_EASY and facility - _SURE * error <= guess:
            flags.append(Flag(FlagCode.LIKE_GUESSING, facility))
        chosen = np.bincount(choice[choice >= 0], minlength=len(weights))
        flags += [Flag(FlagCode.NEVER_CHOSEN, 0.0, int(option)) for option in np.flatnonzero(chosen == 0)]
    return flags + score_flags(score, ability, left_out=choice == BLANK, has_options=True)


def score_flags(
    score: Floats, ability: Floats, *, left_out: npt.NDArray[np.bool_], has_options: bool = False
) -> list[Flag]:
    """Return what stands out about the scores of a question.

    Args:
        score: from 0 to 1, (people,).
        ability: (people,).
        left_out: whether a person left the question out, (people,).
        has_options: do not report a suspected key; the check of the options does that.
    """
    flags = []
    people = len(score)
    if not has_options and (evidence := correlation_evidence(-score, ability)) >= _SURE:
        flags.append(Flag(FlagCode.WEAKER_DID_BETTER, evidence))
    if people < _FEWEST:
        return flags
    if (share := float(left_out.mean())) >= _LEFT_OUT:
        flags.append(Flag(FlagCode.LEFT_OUT, share))
    facility = float(score.mean())
    if facility >= _TOO_EASY:
        flags.append(Flag(FlagCode.TOO_EASY, facility))
    if facility <= _TOO_HARD:
        flags.append(Flag(FlagCode.TOO_HARD, facility))
    return flags


def key_evidence(choice: Indices, ability: Floats, weights: Floats) -> tuple[float, int]:
    """Return how strongly the data suggest that a wrong option is the key, and the index of that option.

    The choice is coded +1 for that option, -1 for the key and 0 for anything else, and correlated with ability; the
    result is Fisher's z in standard errors. It is well below 0 if the key is right, because abler people choose the
    key and weaker people the option.

    Returns:
        (-inf, -1) if fewer than five people chose any wrong option.
    """
    key = int(np.argmax(weights))
    best = (-np.inf, -1)
    for option in np.flatnonzero(weights < weights[key]):
        if np.sum(choice == option) >= _FEWEST_CHOOSERS:
            preference = (choice == option).astype(float) - (choice == key)
            best = max(best, (correlation_evidence(preference, ability), int(option)))
    return best


def correlation_evidence(values: Floats, ability: Floats) -> float:
    """Return the correlation of two variables as Fisher's z in standard errors; -inf if it is undefined."""
    if len(values) < _FEWEST_CHOOSERS or np.ptp(values) == 0 or np.ptp(ability) == 0:
        return -np.inf
    correlation = float(np.corrcoef(values, ability)[0, 1])
    return float(np.arctanh(np.clip(correlation, -0.999999, 0.999999)) * np.sqrt(len(values) - 3))


FEWEST_PEOPLE, FEWEST_QUESTIONS = 100, 5  # with fewer, neither figure says anything
MOST_QUESTIONS = 200  # in a test; both figures need a table of people by questions, or of questions by questions
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
    """Return, for each question of a test, flags for what does not fit the model.

    A flag of local dependence has the other question as its option. For each of the two kinds,
    a test that fits the model has a false flag with a probability of 5 %.
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
    sure = NormalDist().inv_cdf(1 - _FALSE_ALARMS / (known.sum() / 2))  # Bonferroni correction over all pairs
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
        (questions + 1, abilities), each column summing to 1.
    """
    distribution = np.ones((1, probabilities.shape[1]))
    for probability in probabilities:
        more = np.zeros((len(distribution) + 1, distribution.shape[1]))
        more[:-1] = distribution * (1 - probability)
        more[1:] += distribution * probability
        distribution = more
    return distribution


def item_fit(responses: Responses, model: ItemResponseModel) -> ItemFit | None:
    """Return S-X2 over the people who answered every question right or wrong; None if there are too few."""
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
    """Return Q3, the correlations of what the abilities leave unexplained, and how many answered both.

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
        mean = filled.T @ counts / people  # for the row's question, over the people who answered both
        square = (filled**2).T @ counts / people - mean**2
        correlation = (filled.T @ filled / people - mean * mean.T) / np.sqrt(square * square.T)
    correlation[people < 3] = np.nan
    np.fill_diagonal(correlation, np.nan)
    return correlation, people


def _complete_rows(responses: Responses) -> Floats:
    table = np.full((responses.people, responses.questions), np.nan)
    table[responses.person, responses.question] = responses.score
    return np.asarray(table[np.isin(table, (0, 1)).all(axis=1)])
