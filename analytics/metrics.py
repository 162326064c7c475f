"""Measures of accuracy, agreement, correlation and calibration. NumPy only.

QuesCo evaluates concept prediction with accuracy and F1, and difficulty estimation with MAE, RMSE, Pearson
correlation and degree of agreement (its section on evaluation tasks).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from analytics.errors import DataError


def accuracy(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> float:
    """Return the share of equal entries; 0 if there are no entries."""
    return sum(a == b for a, b in zip(truth, predicted, strict=True)) / len(truth) if truth else 0.0


def macro_f1(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> float:
    """Return the mean F1 over all classes that occur in the truth or in the predictions.

    >>> round(macro_f1(["a", "a", "b"], ["a", "b", "b"]), 4)
    0.6667
    """
    scores = []
    for label in {*truth, *predicted}:
        hits = sum(a == label and b == label for a, b in zip(truth, predicted, strict=True))
        mentions = sum(a == label for a in truth) + sum(b == label for b in predicted)
        scores.append(2 * hits / mentions)
    return float(np.mean(scores)) if scores else 0.0


def cohen_kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the agreement of two annotators beyond chance; 1 if both always give the same single label.

    >>> round(cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0]), 3)
    0.5

    Raises:
        DataError: lengths differ, or there is nothing to compare.
    """
    if len(first) != len(second) or not first:
        raise DataError("Two annotators must have labelled the same items, and at least one.")
    labels = {*first, *second}
    expected = sum(first.count(label) * second.count(label) for label in labels) / len(first) ** 2
    return 1.0 if expected == 1 else (accuracy(first, second) - expected) / (1 - expected)


def mae(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean absolute error."""
    return float(np.mean(np.abs(truth - predicted)))


def rmse(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((truth - predicted) ** 2)))


def pearson(truth: np.ndarray, predicted: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Return the Pearson correlation; 0 if one side is constant.

    Args:
        truth, predicted: (rows,).
        weights: weight of each row; 1 by default.
    """
    count = np.ones(len(truth)) if weights is None else weights
    total = count.sum()
    left, right = truth - (count @ truth) / total, predicted - (count @ predicted) / total
    scale = np.sqrt((count @ left**2) * (count @ right**2))
    return float((count * left) @ right / scale) if scale > 1e-12 else 0.0


def spearman(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the Pearson correlation of the ranks, equal values sharing their mean rank."""
    return pearson(_ranks(truth), _ranks(predicted))


def doa(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the degree of agreement: of all pairs with truth_i > truth_j the share with prediction_i > prediction_j.

    Pairs of equal truth are left out; equal predictions count as wrong. 0 if there is no such pair.

    >>> doa(np.array([1, 2, 2, 3]), np.array([0.1, 0.3, 0.1, 0.2]))
    0.6
    """
    truth, predicted = np.asarray(truth, dtype=float), np.asarray(predicted, dtype=float)
    agreeing = pairs = 0
    easier = np.zeros(0)
    for value in np.unique(truth):
        harder = predicted[truth == value]
        pairs += len(harder) * len(easier)
        agreeing += int(np.searchsorted(easier, harder, side="left").sum())
        easier = np.sort(np.concatenate((easier, harder)))
    return agreeing / pairs if pairs else 0.0


def interval_coverage(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Return the share of true values that lie in their interval, ends included."""
    return float(np.mean((truth >= low) & (truth <= high)))


def mean_interval_width(low: np.ndarray, high: np.ndarray) -> float:
    """Return the mean length of the intervals."""
    return float(np.mean(high - low))


def expected_calibration_error(
    confidence: np.ndarray, correct: np.ndarray, bins: int = 15, weights: np.ndarray | None = None
) -> float:
    """Return the mean gap between confidence and accuracy over bins of equal width, weighted by bin size.

    With `weights`, each row counts with its weight.

    Guo et al., "On Calibration of Modern Neural Networks" (2017), Eq. 3.

    >>> round(expected_calibration_error(np.array([0.85, 0.85, 0.25]), np.array([True, False, False]), bins=10), 4)
    0.3167
    """
    if not len(confidence):
        return 0.0
    places = np.minimum((confidence * bins).astype(int), bins - 1)
    shares = np.ones(len(confidence)) if weights is None else weights
    gap = np.abs(
        np.bincount(places, weights=shares * confidence, minlength=bins)
        - np.bincount(places, weights=shares * correct.astype(float), minlength=bins)
    )
    return float(gap.sum() / shares.sum())


def _ranks(values: np.ndarray) -> np.ndarray:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[places]


def rounded(figures: Any) -> Any:
    """Return arbitrarily nested figures rounded to four places, for a manifest or a report."""
    if isinstance(figures, list):
        return [rounded(figure) for figure in figures]
    if isinstance(figures, dict):
        return {name: rounded(value) for name, value in figures.items()}
    return round(figures, 4) if isinstance(figures, float) else figures
