"""Difficulty by ridge regression, in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analytics.splits import grouped_folds

RIDGE_PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
_FOLDS = 5
_LEAST_UNEXPLAINED = 0.1  # of the squared residuals, however large the errors


@dataclass(frozen=True)
class DifficultyProbe:
    """`value = features @ weights + intercept`."""

    weights: np.ndarray
    intercept: float

    def values(self, features: np.ndarray) -> np.ndarray:
        """Return the values (questions,)."""
        estimates: np.ndarray = features @ self.weights + self.intercept
        return estimates


def difficulty_probe(
    features: np.ndarray, truth: np.ndarray, *, penalty: float, weights: np.ndarray | None = None
) -> DifficultyProbe:
    """Fit on (questions, features): least squares plus penalty times the squared weights, intercept unpenalised.

    Args:
        weights: how much each question counts, (questions,); by default all count 1.
    """
    return _Ridge(features, truth, weights).probe(penalty)


def information(errors: np.ndarray, residuals: np.ndarray) -> np.ndarray:
    """Return how much each question tells about what texts say, as a share of one whose difficulty is known exactly.

    Args:
        errors: standard error of each difficulty.
        residuals: what the texts leave unexplained, as fitted without weights.

    >>> information(np.array([0.0, 1.0]), np.array([1.0, -np.sqrt(2)])).round(2).tolist()
    [1.0, 0.5]
    """
    unexplained = max(float(np.mean(residuals**2 - errors**2)), _LEAST_UNEXPLAINED * float(np.mean(residuals**2)))
    shares: np.ndarray = unexplained / (unexplained + errors**2)
    return shares


def choose_ridge_penalty(
    features: np.ndarray, truth: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> float:
    """Return the member of `RIDGE_PENALTIES` with the lowest squared error under grouped cross-validation."""
    fold = grouped_folds(groups, _FOLDS, rng)
    errors = np.zeros(len(RIDGE_PENALTIES))
    for number in np.unique(fold):
        held = fold == number
        if held.all():
            continue
        ridge = _Ridge(features[~held], truth[~held])
        for index, penalty in enumerate(RIDGE_PENALTIES):
            errors[index] += ((ridge.probe(penalty).values(features[held]) - truth[held]) ** 2).sum()
    return RIDGE_PENALTIES[int(np.argmin(errors))]


class _Ridge:
    """Ridge regression for many penalties from one eigendecomposition, of the smaller Gram matrix."""

    def __init__(self, features: np.ndarray, truth: np.ndarray, weights: np.ndarray | None = None) -> None:
        wide = features.astype(np.float64)
        self.centre, self.mean = np.average(wide, axis=0, weights=weights), float(np.average(truth, weights=weights))
        wide, target = wide - self.centre, truth - self.mean
        if weights is not None:
            wide, target = wide * np.sqrt(weights)[:, None], target * np.sqrt(weights)
        few = len(wide) < wide.shape[1]
        self.eigenvalues, vectors = np.linalg.eigh(wide @ wide.T if few else wide.T @ wide)
        # With few questions w = X^T (X X^T + penalty)^-1 y, else w = (X^T X + penalty)^-1 X^T y.
        self.back = wide.T @ vectors if few else vectors
        self.projected = vectors.T @ target if few else vectors.T @ (wide.T @ target)

    def probe(self, penalty: float) -> DifficultyProbe:
        weights = self.back @ (self.projected / (np.maximum(self.eigenvalues, 0) + penalty))
        return DifficultyProbe(weights, self.mean - float(self.centre @ weights))
