"""Fitting the verdict: logistic regression by scikit-learn. Not for the web process.

Both labels have equal weight, features are standardised, and the penalty is on the squares of their weights.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from analytics.errors import DataError
from analytics.paraphrase.scoring.verdict import (
    COLUMNS,
    FEATURES,
    SPEAK_FOR,
    UNCAPPED,
    UNSTRETCHED,
    Verdict,
    weighed,
)

Array = npt.NDArray[np.float64]

_SIGNS = np.array([1.0 if name in SPEAK_FOR else -1.0 for name in FEATURES])
_ROUNDS = 200
_RIDGE = 0.05


def fit_boundary(cosines: Sequence[float], labels: Sequence[int]) -> float:
    """Return the cosine at which both labels are equally probable, both with equal weight.

    Raises:
        DataError: as `fit_verdict`.
    """
    weights, bias = _regress(np.asarray(cosines, dtype=np.float64)[:, None], labels, penalty=1.0)
    if weights[0] <= 0:
        return UNSTRETCHED  # the cosine says nothing
    return float(np.clip(-bias / weights[0], 0.0, 0.99))


def fit_verdict(
    features: Sequence[Sequence[float]],
    labels: Sequence[int],
    *,
    penalty: float = 1.0,
    boundary: float = UNSTRETCHED,
    sources: Sequence[str] = (),
    score_cap: float = UNCAPPED,
) -> Verdict:
    """Fit the verdict.

    A feature whose weight would have the wrong sign is left out: score and reading may only speak for a paraphrase,
    findings and lost words only against it.

    Args:
        features: one row per pair, as `verdict_features` gives it.
        labels: 1 valid, 0 not.
        penalty: on the squares of the weights of standardised features.
        boundary: with which the scores among the features were stretched.
        sources: which set each pair is of, if all sets are to weigh the same.
        score_cap: of the verdict.

    Raises:
        DataError: one of the labels is missing, or a feature is no finite number.
    """
    rows = _rows(features, score_cap)
    used = np.arange(len(FEATURES))
    while True:
        fitted, bias = _regress(rows[:, used], labels, penalty, sources)
        fits = fitted * _SIGNS[used] >= 0
        if fits.all():
            break
        used = used[fits]
    weights = np.zeros(len(FEATURES))
    weights[used] = fitted
    return Verdict(tuple(weights.tolist()), bias, len(rows), boundary, score_cap=score_cap)


def fit_beside(
    features: Sequence[Sequence[float]],
    labels: Sequence[int],
    fixed: Mapping[str, float],
    *,
    boundary: float,
    score_cap: float,
    sources: Sequence[str],
) -> Verdict:
    """Fit the other weights of a verdict where some are given: on pairs that cannot tell what those are worth.

    Args:
        features: one row per pair, as `verdict_features` gives it.
        labels: 1 valid, 0 not.
        fixed: features with their weights.
        boundary, score_cap: of the verdict.
        sources: which set each pair is of; all weigh the same.

    Raises:
        DataError: one of the labels is missing, or a feature is no finite number.
    """
    rows, truth = _rows(features, score_cap), np.asarray(labels)
    _check(rows, truth)
    shares = _shares(truth, sources)
    signs = 2 * truth - 1
    free = [column for column, name in enumerate(FEATURES) if name not in fixed]
    weights = np.array([fixed.get(name, 0.0) for name in FEATURES])

    def loss(values: Array) -> float:
        weights[free] = values[:-1]
        margins = signs * (rows @ weights + values[-1])
        return float(shares @ np.logaddexp(0, -margins) + _RIDGE * values[:-1] @ values[:-1])

    values = minimize(loss, np.zeros(len(free) + 1)).x
    weights[free] = values[:-1]
    return Verdict(tuple(weights.tolist()), float(values[-1]), len(rows), boundary, score_cap=score_cap)


def calibrate_bias(
    verdict: Verdict, features: Sequence[Sequence[float]], labels: Sequence[int], sources: Sequence[str]
) -> Verdict:
    """Set the bias so that on other pairs as many valid pairs are refused as invalid pairs are accepted, in shares.

    Operators' pairs are not people's: a verdict that divides the former evenly need not divide the latter. Every
    source of pairs counts the same, however many pairs it has.

    Args:
        verdict: its weights stay as they are.
        features: one row per pair, as `verdict_features` gives it.
        labels: 1 valid, 0 not.
        sources: which set a pair is of.

    Raises:
        DataError: there are no pairs, or a source lacks one of the labels.
    """
    logits = _rows(features, verdict.score_cap) @ np.array(verdict.weights)
    truth, names = np.asarray(labels, dtype=int), np.asarray(sources)
    if not len(truth):
        raise DataError("The verdict needs pairs to set its bias on.")
    thresholds = np.unique(logits)
    excess = np.zeros(len(thresholds))
    for name in np.unique(names):
        valid = np.sort(logits[(names == name) & (truth == 1)])
        invalid = np.sort(logits[(names == name) & (truth == 0)])
        if not len(valid) or not len(invalid):
            raise DataError(f"The pairs of {name} do not hold both labels.")
        refused = np.searchsorted(valid, thresholds) / len(valid)
        accepted = 1 - np.searchsorted(invalid, thresholds) / len(invalid)
        excess += refused - accepted
    at = int(np.searchsorted(excess, 0.0))  # it rises with the threshold
    lower, upper = thresholds[max(at - 1, 0)], thresholds[min(at, len(thresholds) - 1)]
    return replace(verdict, bias=-float(lower + upper) / 2)


def _rows(features: Sequence[Sequence[float]], score_cap: float) -> Array:
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(COLUMNS):
        raise DataError("The verdict needs pairs with all features.")
    return weighed(rows, score_cap=score_cap)


def _regress(
    rows: Array, labels: Sequence[int], penalty: float, sources: Sequence[str] = ()
) -> tuple[Array, float]:
    """Return weights and bias of a logistic regression; each label of each source weighs the same."""
    truth = np.asarray(labels)
    _check(rows, truth)
    scaler = StandardScaler().fit(rows)
    model = LogisticRegression(C=1 / penalty, solver="newton-cholesky", tol=1e-10, max_iter=_ROUNDS)
    with warnings.catch_warnings():
        # Near the optimum its line search may give up, and another solver takes over.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(scaler.transform(rows), truth, sample_weight=_shares(truth, sources))
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def _check(rows: Array, truth: npt.NDArray[np.int_]) -> None:
    if set(truth.tolist()) != {0, 1} or len(rows) != len(truth):
        raise DataError("The verdict needs pairs of both labels.")
    if not np.isfinite(rows).all():
        raise DataError("The verdict needs finite features.")


def _shares(truth: npt.NDArray[np.int_], sources: Sequence[str]) -> Array:
    """Return the weight of each pair: each label of each source counts the same."""
    cells = list(zip(sources or [""] * len(truth), truth.tolist(), strict=True))
    counts = Counter(cells)
    return np.array([len(cells) / len(counts) / counts[cell] for cell in cells])
