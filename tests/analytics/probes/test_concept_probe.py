from __future__ import annotations

import numpy as np
import pytest
import torch

from analytics.concept_paths import PathTree
from analytics.errors import Cancelled
from analytics.probes import fitting as module
from analytics.probes.fitting import Fit, choose_penalty, concept_probe


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
