from __future__ import annotations

import numpy as np
import pytest

from analytics.probes.fitting import choose_ridge_penalty, difficulty_probe, information


@pytest.mark.parametrize("width", [6, 50, 80])
def test_it_solves_the_ridge_equations(width):
    rng = np.random.default_rng(0)
    features, truth = rng.normal(size=(50, width)), rng.normal(size=50) + 3
    probe = difficulty_probe(features, truth, penalty=7.0)
    centred = features - features.mean(0)
    expected = np.linalg.solve(centred.T @ centred + 7 * np.eye(width), centred.T @ (truth - truth.mean()))
    np.testing.assert_allclose(probe.weights, expected)
    np.testing.assert_allclose(probe.values(features).mean(), truth.mean())


def test_a_question_that_counts_twice_is_like_two():
    rng = np.random.default_rng(0)
    features, truth = rng.normal(size=(30, 8)), rng.normal(size=30)
    weighted = difficulty_probe(features, truth, penalty=3.0, weights=np.repeat([2.0, 1.0], 15))
    doubled = difficulty_probe(
        np.concatenate([features, features[:15]]), np.concatenate([truth, truth[:15]]), penalty=3.0
    )
    np.testing.assert_allclose(weighted.weights, doubled.weights)
    assert weighted.intercept == pytest.approx(doubled.intercept)


def test_weighting_by_information_learns_more_from_difficulties_of_unequal_error():
    rng = np.random.default_rng(0)
    gains = []
    for _draw in range(5):
        features, weights = rng.normal(size=(400, 40)), rng.normal(size=40) / 4
        errors = np.where(np.arange(400) % 2, 0.1, 4.0)
        truth = features @ weights
        noisy = truth + rng.normal(size=400) * errors
        plain = difficulty_probe(features, noisy, penalty=10.0)
        told = information(errors, noisy - plain.values(features))
        better = difficulty_probe(features, noisy, penalty=10.0, weights=told)
        gains.append(np.abs(plain.values(features) - truth).mean() - np.abs(better.values(features) - truth).mean())
    assert min(gains) > 0.2


def test_noise_chooses_a_strong_penalty_and_a_signal_a_weak_one():
    rng = np.random.default_rng(0)
    features, groups = rng.normal(size=(200, 20)), np.arange(200)
    signal = features @ rng.normal(size=20)
    weak = choose_ridge_penalty(features, signal, groups, np.random.default_rng(1))
    strong = choose_ridge_penalty(features, rng.normal(size=200), groups, np.random.default_rng(1))
    assert weak <= 10 < 100 < strong


def test_copies_in_one_group_do_not_leak_into_the_choice():
    """Every question stands there five times; as groups of their own, the copies would favour memorising."""
    rng = np.random.default_rng(0)
    features = np.repeat(rng.normal(size=(40, 30)), 5, axis=0)
    truth = np.repeat(rng.normal(size=40), 5)
    kept, split = np.repeat(np.arange(40), 5), np.arange(200)
    together = choose_ridge_penalty(features, truth, kept, np.random.default_rng(1))
    apart = choose_ridge_penalty(features, truth, split, np.random.default_rng(1))
    assert together > apart
