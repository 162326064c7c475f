"""Bootstrap intervals: how a figure might vary on other questions of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

RESAMPLES = 2_000
_RESAMPLES_OF_COLUMNS = 1_000

Array = npt.NDArray[np.float64]


def resample_counts(size: int, *, resamples: int = RESAMPLES, seed: int = 0) -> Iterator[npt.NDArray[np.int64]]:
    """Yield, per resample, how often each of `size` items is drawn when `size` items are drawn with replacement."""
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        yield np.bincount(rng.integers(size, size=size), minlength=size)


def middle(values: Array) -> tuple[float, float]:
    """Return the bounds of the middle 95 %, ignoring NaN."""
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


def paired_interval(
    statistic: Callable[..., float],
    candidate: Sequence[Array],
    baseline: Sequence[Array],
    *,
    questions: npt.NDArray[np.int64] | None = None,
) -> tuple[float, float, float]:
    """Return the difference of a statistic between two models on the same questions, with its 95 % bootstrap interval.

    Args:
        statistic: computed from the arrays of one model.
        candidate: arrays over questions, as the statistic takes them.
        baseline: the other model's arrays, in the same order.
        questions: question number of each row; rows of one question, from several seeds, are drawn together. By
            default each row is a question.

    Returns:
        Difference candidate - baseline, low, high.
    """
    numbers = np.arange(len(candidate[0])) if questions is None else questions
    names, places = np.unique(numbers, return_inverse=True)
    differences = np.empty(RESAMPLES)
    for index, drawn in enumerate(resample_counts(len(names))):
        rows = np.repeat(np.arange(len(numbers)), drawn[places])
        differences[index] = statistic(*(part[rows] for part in candidate)) - statistic(
            *(part[rows] for part in baseline)
        )
    return (statistic(*candidate) - statistic(*baseline), *middle(differences))


def paired_difference(
    questions: Sequence[int], columns: Sequence[Sequence[float]], kind: str, rng: np.random.Generator
) -> dict[str, float]:
    """Return a figure of the candidate and of the champion, and the 95 % interval of their difference.

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
    low, high = middle(difference[1:])
    return {
        "candidate": float(figures[0][0]),
        "champion": float(figures[1][0]),
        "difference": float(difference[0]),
        "low": low,
        "high": high,
    }


def mean_interval(
    questions: Sequence[int], values: Sequence[float], rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return the mean of a column and its 95 % bootstrap interval: mean, low, high.

    Args:
        questions: id of each row; rows of one question are drawn together.
        values: value of each row.
        rng: draws the questions.
    """
    places, weights = _draws(questions, rng)
    means = _weighted_mean(np.asarray(values, dtype=np.float64), places, weights)
    return (float(means[0]), *middle(means[1:]))


def _draws(questions: Sequence[int], rng: np.random.Generator) -> tuple[npt.NDArray[np.intp], Array]:
    """Return each row's question index, and each question's count per draw; the first draw takes each question once."""
    names, places = np.unique(np.asarray(questions), return_inverse=True)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=_RESAMPLES_OF_COLUMNS)
    return places, np.concatenate((np.ones((1, len(names))), drawn)).astype(np.float64)


def _weighted_mean(values: Array, places: npt.NDArray[np.intp], weights: Array) -> Array:
    sums, counts = np.bincount(places, values), np.bincount(places)
    means: Array = weights @ sums / (weights @ counts)
    return means


def _weighted_pearson(values: Array, truth: Array, places: npt.NDArray[np.intp], weights: Array) -> Array:
    def total(column: Array) -> Array:
        result: Array = weights @ np.bincount(places, column)
        return result

    count = total(np.ones_like(values))
    mean, mean_truth = total(values) / count, total(truth) / count
    covariance = total(values * truth) / count - mean * mean_truth
    spread = total(values**2) / count - mean**2
    spread_truth = total(truth**2) / count - mean_truth**2
    scale = np.sqrt(np.maximum(spread, 0) * np.maximum(spread_truth, 0))
    return np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 1e-12)
