from __future__ import annotations

import numpy as np
import pytest

from analytics.probes.fitting import choose_temperature, conformal_radius, negative_log_likelihood


def test_the_likelihood_by_hand():
    """Softmax of (ln 3, 0) is (3/4, 1/4): a target on the first costs ln(4/3); a row without target, nothing."""
    logits = np.array([[np.log(3), 0.0], [5.0, -5.0]])
    targets = np.array([[1.0, 0.0], [0.0, 0.0]])
    assert negative_log_likelihood(logits, targets) == pytest.approx(np.log(4 / 3))
    assert negative_log_likelihood(np.array([[1e4, 0.0]]), np.array([[0.0, 1.0]])) == pytest.approx(1e4)


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_the_temperature_undoes_over_and_underconfidence(factor):
    rng = np.random.default_rng(0)
    logits = rng.normal(scale=2, size=(4000, 5))
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = (probabilities.cumsum(axis=1) > rng.random((4000, 1))).argmax(axis=1)
    assert choose_temperature(logits * factor, np.eye(5)[labels]) == pytest.approx(factor, rel=0.1)


def test_the_radius_is_the_conformal_quantile():
    """n = 9, coverage 0.9: rank ceil(10 * 0.9) = 9, the largest; 0.8: rank 8."""
    residuals = np.arange(1, 10) / 10 * np.array([1, -1] * 4 + [1])
    assert conformal_radius(residuals, 0.9, 5.0) == pytest.approx(0.9)
    assert conformal_radius(residuals, 0.8, 5.0) == pytest.approx(0.8)


def test_too_few_questions_give_the_widest_interval():
    assert conformal_radius(np.array([0.1] * 8), 0.9, 4.0) == 4.0
    assert conformal_radius(np.zeros(0), 0.9, 4.0) == 4.0


def test_intervals_cover_fresh_residuals_as_promised():
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(300):
        radius = conformal_radius(rng.standard_t(3, size=60), 0.9, 99.0)
        covered.append((np.abs(rng.standard_t(3, size=200)) <= radius).mean())
    assert np.mean(covered) == pytest.approx(0.9, abs=0.015)
