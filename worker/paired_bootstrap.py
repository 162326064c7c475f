"""The difference of two models' figures, with its interval by a paired bootstrap over the questions of a suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["mean_interval", "metric_entry", "paired_difference"]

Floats = npt.NDArray[np.float64]

RESAMPLES = 1_000


def paired_difference(
    questions: Sequence[int], columns: Sequence[Sequence[float]], kind: str, rng: np.random.Generator
) -> dict[str, float]:
    """Return a figure of the candidate and the champion, and the 95 % interval of their difference.

    Args:
        questions: id of each row; rows of one question are drawn together.
        columns: (candidate, champion) for ``"mean"``; (candidate, champion, truth) for ``"pearson"``.
        kind: ``"mean"`` of the column, or ``"pearson"`` correlation with the truth.
        rng: draws the questions, the same ones for both models.

    Returns:
        ``{"candidate", "champion", "difference", "low", "high"}``.
    """
    places, weights = _draws(questions, rng)
    table = np.asarray(columns, dtype=np.float64)
    figures = [
        _weighted_mean(table[model], places, weights)
        if kind == "mean"
        else _weighted_pearson(table[model], table[2], places, weights)
        for model in (0, 1)
    ]
    difference = figures[0] - figures[1]
    low, high = np.quantile(difference[1:], [0.025, 0.975])
    return {
        "candidate": float(figures[0][0]),
        "champion": float(figures[1][0]),
        "difference": float(difference[0]),
        "low": float(low),
        "high": float(high),
    }


def mean_interval(
    questions: Sequence[int], values: Sequence[float], rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return the mean of a column and its 95 % bootstrap interval: mean, low, high.

    Args:
        questions: id of each row; rows of one question are drawn together.
        values: of each row.
        rng: draws the questions.
    """
    places, weights = _draws(questions, rng)
    means = _weighted_mean(np.asarray(values, dtype=np.float64), places, weights)
    low, high = np.quantile(means[1:], [0.025, 0.975])
    return float(means[0]), float(low), float(high)


def _draws(questions: Sequence[int], rng: np.random.Generator) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return the place of each row's question, and how often each question is drawn: the first time once each."""
    names, places = np.unique(np.asarray(questions), return_inverse=True)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
    return places, np.concatenate((np.ones((1, len(names))), drawn)).astype(np.float64)


def metric_entry(
    name: str, label: str, figures: Mapping[str, float], *, questions: int, higher_is_better: bool = True
) -> dict[str, Any]:
    """Return a line of a comparison, as `questionbank.selectors.models.models` reads it.

    Args:
        name: what the gate calls the metric.
        label: what people read.
        figures: as `paired_difference` returns them; rounded to four digits.
        questions: number of questions that it was measured on.
        higher_is_better: False for an error.

    Returns:
        The above; ``worse`` is true where the whole interval of the difference speaks against the candidate.
    """
    return {
        "name": name,
        "label": label,
        "higher_is_better": higher_is_better,
        "questions": questions,
        **{key: round(value, 4) for key, value in figures.items()},
        "worse": figures["high"] < 0 if higher_is_better else figures["low"] > 0,
    }


def _weighted_mean(values: Floats, places: npt.NDArray[np.intp], weights: Floats) -> Floats:
    sums, counts = np.bincount(places, values), np.bincount(places)
    means: Floats = weights @ sums / (weights @ counts)
    return means


def _weighted_pearson(values: Floats, truth: Floats, places: npt.NDArray[np.intp], weights: Floats) -> Floats:
    def total(column: Floats) -> Floats:
        result: Floats = weights @ np.bincount(places, column)
        return result

    count = total(np.ones_like(values))
    mean, mean_truth = total(values) / count, total(truth) / count
    covariance = total(values * truth) / count - mean * mean_truth
    spread = total(values**2) / count - mean**2
    spread_truth = total(truth**2) / count - mean_truth**2
    scale = np.sqrt(np.maximum(spread, 0) * np.maximum(spread_truth, 0))
    return np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 1e-12)
