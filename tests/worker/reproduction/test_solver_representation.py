"""What an encoder makes of problems: states by layer, clustering by prototype, pairs that are alike in one way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.analytics.solver.small_problems import examples, tiny_solver
from worker.reproduction.solver_representation import centre_cosines, clustering_index, contrasting_pairs, layer_states


def test_states_of_layers_are_those_of_the_encoder_whatever_the_batch():
    model = tiny_solver()
    known = examples()
    together = layer_states(model, known)
    alone = layer_states(model, known[:1])
    assert together.first.shape == together.words.shape
    assert together.first.shape[1] == len(known)
    np.testing.assert_allclose(together.first[:, :1], alone.first, atol=1e-5)
    np.testing.assert_allclose(together.words[:, :1], alone.words, atol=1e-5)
    batch = model.batch(model.reader.read(known[:1]))
    states = model.states(batch)[0].detach().numpy()
    np.testing.assert_allclose(alone.first[-1, 0], states[0], atol=1e-5)
    np.testing.assert_allclose(alone.words[-1, 0], states[1:-1].mean(axis=0), atol=1e-5)


def test_problems_that_gather_by_prototype_have_the_higher_index():
    prototypes = ["N0+N1", "N0+N1", "N0*N1", "N0*N1", "N0-N1"]
    apart = np.array([[0, 0], [0, 0.1], [5, 5], [5, 5.1], [99, 99]], dtype=np.float32)
    mixed = apart[[0, 2, 1, 3, 4]]
    assert clustering_index(apart, prototypes) > 100 > clustering_index(mixed, prototypes)
    assert math.isnan(clustering_index(apart[:3], ["a", "a", "b"]))
    assert math.isnan(clustering_index(apart[:2], ["a", "b"]))


def test_a_problem_is_compared_with_the_mean_of_its_prototype():
    vectors = np.array([[1, 0], [0, 1], [3, 4], [1, 1]], dtype=np.float32)
    cosines = centre_cosines(vectors, ["a", "a", "b", "a"])
    assert cosines == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), math.nan, 1.0], nan_ok=True)


def test_pairs_are_alike_in_wording_or_in_prototype_but_not_in_both():
    wording = np.array([[1, 0, 0], [0.8, 0.6, 0], [0, 1, 0], [0, 0, 1], [0, 0.6, 0.8]], dtype=np.float32)
    prototypes = ["a", "b", "a", "b", "b"]
    similar, same = contrasting_pairs(wording, prototypes)
    assert similar.tolist() == [[0, 1], [2, 4]]  # (3, 4) are nearer, but of one prototype
    assert same.tolist() == [[1, 3], [0, 2]] or same.tolist() == [[0, 2], [1, 3]]
    assert contrasting_pairs(wording, prototypes, most=1)[0].tolist() == [[0, 1]]
    assert contrasting_pairs(wording[:1], prototypes[:1])[0].shape == (0, 2)
