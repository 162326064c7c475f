r"""Simulated students, from a stated item-response model.

A student of ability ``theta`` answers item ``i`` correctly with probability (three-parameter logistic model; Birnbaum,
1968)

    P_i(theta) = c_i + (1 - c_i) / (1 + exp(-a_i (theta - b_i)))

* ``theta`` ~ N(0, 1) within a school year; one cohort of `COHORT_SIZE` students a year, and a question is put to the
  year for which it is written. Difficulty is therefore relative to that year.
* ``b_i = logit of the pattern + effort of the draw + effects of its features + N(0, 0.2)``; see `feature_effect`.
* ``a_i`` ~ log-normal with median 1 and sigma 0.25.
* ``c_i = 0.2`` for a choice question (a little below 1/4, because wrong options are made to attract), otherwise 0:
  the model is then the two-parameter one.

An item is answered by a random subset of 60 to 600 students of the cohort, and about one item in eight by nobody.
The teacher's band is where ``b_i + N(0, 0.3)`` falls among the cuts -1.2, -0.4, 0.4, 1.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

__all__ = [
    "COHORT_SIZE",
    "GUESSING",
    "ItemParameters",
    "draw_cohort",
    "draw_parameters",
    "feature_effect",
    "probability_correct",
    "simulate_responses",
    "teacher_band",
]

COHORT_SIZE = 1200
GUESSING = 0.2
FEWEST_RESPONSES, MOST_RESPONSES = 60, 600
UNANSWERED_SHARE = 0.12
ITEM_NOISE = 0.2
DISCRIMINATION_SIGMA = 0.25
RATER_NOISE = 0.3
BAND_CUTS = (-1.2, -0.4, 0.4, 1.2)

_NUMBER = re.compile(r"\d+")
_NEGATIVE = re.compile(r"(?:^|[=(,\s$])-(?:\d|\\frac)")  # a sign, not the minus of a difference


@dataclass(frozen=True, slots=True)
class ItemParameters:
    """The parameters of one item; the papers' symbols are b, a and c."""

    difficulty: float
    discrimination: float = 1.0
    guessing: float = 0.0


def probability_correct(ability: float, item: ItemParameters) -> float:
    """Return the probability that a student of this ability answers the item correctly.

    >>> round(probability_correct(0.0, ItemParameters(difficulty=0.0, guessing=0.2)), 6)
    0.6
    """
    logistic = 1 / (1 + math.exp(-item.discrimination * (ability - item.difficulty)))
    return item.guessing + (1 - item.guessing) * logistic


def feature_effect(text: str, answer: str, steps: Sequence[str]) -> float:
    """Return how much harder than its pattern an item is, in logits, by what can be read off it.

    0.2 for each digit of the longest number beyond two (at most three), 0.25 where the answer is negative, 0.25 where
    it is a fraction, 0.1 for each step of the worked solution beyond three (at most three).
    """
    digits = max((len(number) for number in _NUMBER.findall(text)), default=1)
    effect = 0.2 * min(max(digits - 2, 0), 3)
    effect += 0.25 * bool(_NEGATIVE.search(answer))
    effect += 0.25 * (r"\frac" in answer)
    return effect + 0.1 * min(max(len(steps) - 3, 0), 3)


def draw_parameters(difficulty: float, *, is_choice: bool, rng: Random) -> ItemParameters:
    """Draw the parameters of an item around its expected difficulty."""
    return ItemParameters(
        difficulty=difficulty + rng.normalvariate(0, ITEM_NOISE),
        discrimination=rng.lognormvariate(0, DISCRIMINATION_SIGMA),
        guessing=GUESSING if is_choice else 0.0,
    )


def teacher_band(difficulty: float, rng: Random) -> int:
    """Return the band 1 (easy) to 5 (hard) that a teacher would give, with a teacher's error."""
    seen = difficulty + rng.normalvariate(0, RATER_NOISE)
    return 1 + sum(seen > cut for cut in BAND_CUTS)


def draw_cohort(rng: Random) -> list[float]:
    """Draw the abilities of the students of one school year."""
    return [rng.normalvariate(0, 1) for _ in range(COHORT_SIZE)]


def simulate_responses(item: ItemParameters, cohort: Sequence[float], rng: Random) -> tuple[int, int]:
    """Return how many students answered the item and how many of them correctly; (0, 0) for an unused item."""
    if rng.random() < UNANSWERED_SHARE:
        return 0, 0
    students = rng.sample(cohort, rng.randint(FEWEST_RESPONSES, MOST_RESPONSES))
    return len(students), sum(rng.random() < probability_correct(ability, item) for ability in students)
