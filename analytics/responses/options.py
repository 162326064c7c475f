"""How people of different ability answered one question, and what stands out about it.

A person's ability is their score on the other questions, or an estimate that doesn't use this question.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from analytics.responses.table import Floats, Indices

BLANK = -1
"""The choice of a person who reached the question and left it out."""

_FEWEST = 20  # people, for anything but a suspected key
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

    People of equal ability are in the same third, so that the thirds may differ in size.
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
