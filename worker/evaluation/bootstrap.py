"""Bootstrap intervals: what a figure might have been on other questions of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["RESAMPLES", "middle", "paired_interval", "resample_counts"]

RESAMPLES = 2_000

Array = npt.NDArray[np.float64]


def resample_counts(
    size: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> Iterator[npt.NDArray[np.int64]]:
    """Yield how often each of `size` things is drawn when as many are drawn with replacement, once a resample."""
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        yield np.bincount(rng.integers(size, size=size), minlength=size)


def middle(values: Array) -> tuple[float, float]:
    """Return the bounds of the middle 95 %; values that are no number are left out."""
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


def paired_interval(
    statistic: Callable[..., float],
    candidate: Sequence[Array],
    baseline: Sequence[Array],
    *,
    questions: npt.NDArray[np.int64] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float, float]:
    """Difference of a statistic between two models on the same questions, with its 95 % bootstrap interval.

    Args:
        statistic: of the arrays of one model.
        candidate: arrays over questions, as the statistic takes them.
        baseline: those of the other model, in the same order.
        questions: number of each row's question; rows of one question, of several seeds, are drawn together. By
            default each row is a question.
        resamples: draws of questions, with replacement.
        seed: of the draws.

    Returns:
        Difference candidate - baseline, low, high.
    """
    numbers = np.arange(len(candidate[0])) if questions is None else questions
    names, places = np.unique(numbers, return_inverse=True)
    differences = np.empty(resamples)
    for index, drawn in enumerate(resample_counts(len(names), resamples=resamples, seed=seed)):
        rows = np.repeat(np.arange(len(numbers)), drawn[places])
        differences[index] = statistic(*(part[rows] for part in candidate)) - statistic(
            *(part[rows] for part in baseline)
        )
    return (statistic(*candidate) - statistic(*baseline), *middle(differences))
