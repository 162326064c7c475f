"""Calibration: temperature scaling for probabilities, split conformal prediction for intervals.

Temperature scaling: Guo et al., "On Calibration of Modern Neural Networks" (2017). Split conformal
prediction: Vovk et al. (2005); Lei et al., "Distribution-Free Predictive Inference for Regression" (2018).
"""

from __future__ import annotations

import math

import numpy as np


def negative_log_likelihood(logits: np.ndarray, targets: np.ndarray, temperature: float = 1.0) -> float:
    """Return the mean cross-entropy of softmax(logits / temperature) against target weights, over rows with targets.

    Args:
        logits: (questions, paths).
        targets: (questions, paths), rows summing to 1, or to 0 if no path is known.
        temperature: divides the logits.
    """
    scaled = logits.astype(np.float64) / temperature
    top = scaled.max(axis=1, keepdims=True)
    normaliser = top[:, 0] + np.log(np.exp(scaled - top).sum(axis=1))
    weight = targets.sum(axis=1)
    loss = normaliser * weight - (scaled * targets).sum(axis=1)
    return float(loss.sum() / max(weight.sum(), 1e-12))


def choose_temperature(logits: np.ndarray, targets: np.ndarray) -> float:
    """Return the temperature from 0.3 to 3 with the lowest log-loss, by golden-section search on its logarithm.

    The likelihood has a single optimum in 1 / temperature, so the search cannot end in a local one.
    """
    ratio = (math.sqrt(5) - 1) / 2
    left, right = math.log(0.3), math.log(3.0)
    while right - left > 0.01:
        first, second = right - ratio * (right - left), left + ratio * (right - left)
        if negative_log_likelihood(logits, targets, math.exp(first)) < negative_log_likelihood(
            logits, targets, math.exp(second)
        ):
            right = second
        else:
            left = first
    return math.exp((left + right) / 2)


def conformal_radius(residuals: np.ndarray, coverage: float, widest: float) -> float:
    """Return the radius around an estimate that contains the true value with at least probability `coverage`.

    It is the ceil((n + 1) coverage)-th smallest absolute residual of n calibration questions, or `widest` if
    there are too few to guarantee the coverage.

    >>> conformal_radius(np.array([0.1, -0.4, 0.2, 0.3]), 0.6, widest=5.0)
    0.3
    """
    rank = math.ceil((len(residuals) + 1) * coverage)
    if rank > len(residuals):
        return widest
    return float(np.sort(np.abs(residuals))[rank - 1])
