"""The difficulties that probes learn: published ones, and what responses say where that tells more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from questionbank.bank.difficulty_selectors import Z_95, answered_difficulty
from questionbank.formats.scales import SCALES, scale_percent, scale_value
from questionbank.models import Question
from questionbank.responses.figures import guess_chances
from questionbank.responses.statistics_services import options_of

_FEWEST_BOTH = 50  # questions with a published difficulty and responses, from which responses are learned from

FIELDS = ("difficulty", "difficulty_scale", "combined", "facility", "responses")
"""What is read of a question."""


@dataclass(frozen=True)
class DifficultyLabels:
    """The difficulties of questions, in their order.

    Attributes:
        published: on the scale; None without one.
        learned: the same with responses where they tell more.
        errors: standard errors of those learned, 0 where published; None if no responses are used.
        scale: the most frequent scale of the published difficulties; empty without any.
        answered: what responses say (`answered_shares`); None without any.
    """

    published: list[float | None]
    learned: list[float | None]
    errors: np.ndarray | None
    scale: str
    answered: list[Mapping[str, float] | None]


def difficulty_labels(rows: Sequence[Question]) -> DifficultyLabels:
    """Return what probes learn of questions; published difficulties on any other scale are left out."""
    scales = Counter(row.difficulty_scale for row in rows if row.difficulty is not None)
    scale = scales.most_common(1)[0][0] if scales else ""
    published = [row.difficulty if row.difficulty_scale == scale else None for row in rows]
    answered = answered_shares(rows)
    learned, errors = with_responses(published, answered, scale)
    return DifficultyLabels(published, learned, errors, scale, answered)


def answered_shares(rows: Sequence[Question]) -> list[Mapping[str, float] | None]:
    """Return the share of wrong answers without lucky guesses, in per cent; None for a question without responses.

    A text does not say whether options are offered, and a probe that learned shares with guesses would make the prior
    of a difficulty too easy, where the model of the responses counts guessing again.

    Returns:
        ``{"percent", "low", "high", "responses"}`` of each question, with the 95 % interval.
    """
    figures = [answered_difficulty(row) for row in rows]
    ids = [row.pk for row, figure in zip(rows, figures, strict=True) if figure is not None]
    chances = dict(zip(ids, guess_chances(np.array(ids, dtype=np.int64), options_of(ids)).tolist(), strict=True))
    shares: list[Mapping[str, float] | None] = []
    for row, figure in zip(rows, figures, strict=True):
        if figure is None or figure.low is None or figure.high is None:
            shares.append(None)
            continue
        known = 1 - chances[row.pk]
        percent, low, high = (min(value / known, 100.0) for value in (figure.percent, figure.low, figure.high))
        responses = row.combined["responses"] if row.combined else row.responses
        shares.append({"percent": percent, "low": low, "high": high, "responses": responses})
    return shares


def with_responses(
    published: Sequence[float | None], answered: Sequence[Mapping[str, float] | None], scale: str
) -> tuple[list[float | None], np.ndarray | None]:
    """Return difficulties to learn from, with their standard errors; without errors if no responses are used.

    What a share of wrong answers means on the scale of the published difficulties is learned from the questions that
    have both. A question's responses are used if they tell its difficulty more exactly than the published ones follow
    from responses.

    Args:
        published: on the scale, in the order of the questions.
        answered: what responses say of each (`answered_shares`).
        scale: name of the scale.
    """
    pairs = enumerate(zip(published, answered, strict=True))
    rows = [(place, value, answers) for place, (value, answers) in pairs if answers]
    both = [(scale_percent(value, scale), answers["percent"]) for _place, value, answers in rows if value is not None]
    if scale not in SCALES or len(both) < _FEWEST_BOTH:
        return list(published), None
    truth, shares = np.array(both, dtype=float).T
    if np.ptp(shares) == 0:
        return list(published), None
    slope, intercept = np.polyfit(shares, truth, 1)
    spread = float(np.std(truth - slope * shares - intercept))
    difficulties, errors = list(published), np.zeros(len(published))
    width = abs((scale_value(100, scale) or 0) - (scale_value(0, scale) or 0)) / 100
    for place, value, answers in rows:
        error = abs(slope) * (answers["high"] - answers["low"]) / 2 / Z_95
        if value is None or error < spread:
            percent = float(np.clip(slope * answers["percent"] + intercept, 0, 100))
            difficulties[place], errors[place] = scale_value(percent, scale), error * width
    return difficulties, errors
