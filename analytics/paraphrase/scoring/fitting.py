"""Fitting the verdict, and the boundary at which a score is one half. Not for the web process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from analytics.errors import DataError
from analytics.paraphrase.scoring.verdict import (
    FEATURES,
    SPEAK_AGAINST,
    SPEAK_FOR,
    UNSTRETCHED,
    Verdict,
)

Array = npt.NDArray[np.float64]

_PENALTY = 4.0  # on the squares of standardised weights, beside the loss of so many pairs
_HALF_CLOSE = 0.5


def fit_boundary(cosines: Sequence[float], labels: Sequence[int]) -> float:
    """Return the cosine at which both labels are equally probable, both with equal weight.

    Raises:
        DataError: as `fit_verdict`.
    """
    rows, truth = np.asarray(cosines, dtype=np.float64)[:, None], np.asarray(labels)
    _check(rows, truth)
    scale = float(rows.std()) or 1.0
    model = LogisticRegression(class_weight="balanced", tol=1e-10, max_iter=1_000)
    model.fit((rows - rows.mean()) / scale, truth)
    weight = float(model.coef_[0, 0]) / scale
    if weight <= 0:
        return UNSTRETCHED  # the cosine says nothing
    return float(np.clip(rows.mean() - model.intercept_[0] / weight, 0.0, 0.99))


def fit_verdict(
    features: Sequence[Sequence[float]],
    labels: Sequence[int],
    *,
    sources: Sequence[str] = (),
    prior: Verdict | None = None,
    boundary: float = UNSTRETCHED,
) -> Verdict:
    """Fit the verdict: logistic regression without a bias, in which no feature speaks for the wrong side.

    Args:
        features: one row per pair, as `verdict_features` gives it.
        labels: 1 valid, 0 not.
        sources: who wrote each pair. All then weigh the same, and among close texts as among others both labels do: an
            author's own way of making invalid pairs must not tell that a pair is invalid. Without sources each pair
            weighs the same, and how many are valid is learned too.
        prior: its weights are what the penalty draws to; without it, 0.
        boundary: of the verdict.

    Raises:
        DataError: one of the labels is missing, or a feature is no finite number.
    """
    rows, truth = np.asarray(features, dtype=np.float64), np.asarray(labels)
    if rows.ndim != 2 or rows.shape[1] != len(FEATURES):
        raise DataError("The verdict needs pairs with all features.")
    _check(rows, truth)
    shares = balanced_shares(rows, truth, sources) if sources else np.full(len(rows), 1 / len(rows))
    spread = rows.std(axis=0)
    spread[spread == 0] = 1.0
    middle = np.array(prior.weights) if prior else np.zeros(len(FEATURES))
    signs = 2 * truth - 1

    def loss(weights: Array) -> float:
        penalty = _PENALTY / len(rows) * float(np.square((weights - middle) * spread).sum())
        return float(shares @ np.logaddexp(0, -signs * (rows @ weights))) + penalty

    bounds = [(0 if name in SPEAK_FOR else None, 0 if name in SPEAK_AGAINST else None) for name in FEATURES]
    weights = minimize(loss, middle, bounds=bounds, method="L-BFGS-B").x
    return Verdict(tuple(weights.tolist()), len(rows), boundary)


def _check(rows: Array, truth: npt.NDArray[np.int_]) -> None:
    if set(truth.tolist()) != {0, 1} or len(rows) != len(truth):
        raise DataError("The verdict needs pairs of both labels.")
    if not np.isfinite(rows).all():
        raise DataError("The verdict needs finite features.")


def balanced_shares(rows: Array, truth: npt.NDArray[np.int_], sources: Sequence[str]) -> Array:
    """Return the weight of each pair: each source's alike, then each label's among close texts and among others."""
    names = np.asarray(sources)
    shares = np.array([1 / np.count_nonzero(names == name) for name in names])
    is_close = rows[:, FEATURES.index("close")] > _HALF_CLOSE
    for half in (is_close, ~is_close):
        whole = shares[half].sum()
        cells = [half & (truth == label) for label in (0, 1)]
        if all(cell.any() for cell in cells):
            for cell in cells:
                shares[cell] *= whole / 2 / shares[cell].sum()
    return shares / shares.sum()
