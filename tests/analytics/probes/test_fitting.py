from __future__ import annotations

import numpy as np
import pytest
import torch

from analytics.concept_paths import PathTree
from analytics.errors import Cancelled
from analytics.probes import fitting as module
from analytics.probes.fitting import (
    Fit,
    choose_penalty,
    choose_ridge_penalty,
    choose_temperature,
    concept_probe,
    conformal_radius,
    difficulty_probe,
    information,
    negative_log_likelihood,
)


@pytest.fixture(scope="module")
def labelled(world):
    labels = [[path[1:] for path in own] for own in world.paths]
    tree = PathTree.of(path for own in labels for path in own)
    return world.vectors, tree.targets(labels), tree


def test_separable_concepts_are_learned(labelled):
    vectors, targets, tree = labelled
    probe = concept_probe(vectors[:300], targets[:300], tree, penalty=3.0)
    right = probe.logits(vectors[300:]).argmax(axis=1) == targets[300:].argmax(axis=1)
    assert right.mean() > 0.85


def test_without_sharing_it_is_multinomial_logistic_regression(labelled):
    """Against gradient descent on the textbook loss, inputs scaled as the probe scales them."""
    vectors, targets, tree = labelled
    inputs = torch.from_numpy((vectors - vectors.mean(0)) / np.sqrt(((vectors - vectors.mean(0)) ** 2).mean()))
    wanted = torch.from_numpy(targets)
    weights = torch.zeros(len(tree.paths), inputs.shape[1], requires_grad=True)
    bias = torch.zeros(len(tree.paths), requires_grad=True)
    optimiser = torch.optim.Adam([weights, bias], lr=0.05)
    for _ in range(600):
        optimiser.zero_grad()
        loss = -(torch.log_softmax(inputs @ weights.T + bias, 1) * wanted).sum() + 15 * weights.square().sum()
        loss.backward()
        optimiser.step()
    expected = torch.softmax(inputs @ weights.T + bias, 1).detach().numpy()
    logits = concept_probe(vectors, targets, tree, penalty=30.0, fit=Fit(0.0, iterations=200)).logits(vectors)
    powers = np.exp(logits)
    np.testing.assert_allclose(powers / powers.sum(1, keepdims=True), expected, atol=2e-3)


def test_sharing_lets_a_rare_path_learn_from_its_siblings():
    """One example of A/rare, far from A's centre: sharing moves its probability near that centre up."""
    rng = np.random.default_rng(0)
    centre = {"A": rng.normal(size=16), "B": rng.normal(size=16)}
    labels = [("A", "common")] * 30 + [("B", "common")] * 30 + [("A", "rare")]
    points = [centre[path[0]] + 0.3 * rng.normal(size=16) for path in labels[:-1]] + [rng.normal(size=16)]
    vectors = np.array(points, dtype=np.float32)
    tree = PathTree.of([*labels, ("B", "rare")])
    targets = tree.targets([[path] for path in labels])
    rare = tree.paths.index(("A", "rare"))
    logits = [
        concept_probe(vectors, targets, tree, penalty=10.0, fit=Fit(sharing)).logits(
            centre["A"][None].astype(np.float32)
        )[0]
        for sharing in (0.0, 1.0)
    ]
    without, with_ = (scores[rare] - scores[tree.paths.index(("B", "common"))] for scores in logits)
    assert with_ > without + 0.5


def test_chunks_of_a_step_change_nothing(labelled, monkeypatch):
    vectors, targets, tree = labelled
    whole = concept_probe(vectors, targets, tree, penalty=10.0).logits(vectors)
    monkeypatch.setattr(module, "_MOST_LOGITS", 50 * len(tree.paths))
    np.testing.assert_allclose(concept_probe(vectors, targets, tree, penalty=10.0).logits(vectors), whole, atol=0.02)


def test_noise_asks_for_a_stronger_penalty_than_a_clear_signal(labelled):
    vectors, targets, tree = labelled
    validation = np.arange(len(vectors)) % 4 == 0
    clear = choose_penalty(vectors, targets, validation, tree)
    shuffled = targets[np.random.default_rng(0).permutation(len(targets))]
    assert choose_penalty(vectors, shuffled, validation, tree) > clear


def test_a_single_path_is_certain():
    tree = PathTree.of([("Only",)])
    probe = concept_probe(np.eye(4, dtype=np.float32), tree.targets([[("Only",)]] * 4), tree, penalty=1.0)
    assert np.isfinite(probe.logits(np.eye(4, dtype=np.float32))).all()


def test_the_choice_stops_when_asked(labelled):
    vectors, targets, tree = labelled
    with pytest.raises(Cancelled):
        choose_penalty(vectors, targets, np.arange(len(vectors)) < 100, tree, cancel=lambda: True)


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
