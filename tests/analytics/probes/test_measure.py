from __future__ import annotations

import numpy as np
import pytest

from analytics.inference.heads import ConceptHead, DifficultyHead, ProbeHeads
from analytics.probes.data import ProbeData
from analytics.probes.measure import measure_probes

PATHS = (("A", "x"), ("A", "y"), ("B", "z"))


@pytest.fixture
def heads():
    """A vector names its path: the three unit vectors stand for the three paths; difficulty is the first entry."""
    return ProbeHeads(
        encoder="by hand",
        dimension=3,
        concepts=ConceptHead(PATHS, (), 4 * np.eye(3, dtype=np.float32), np.zeros(3, dtype=np.float32)),
        difficulty_of_vector=DifficultyHead(
            np.array([2.0, 1.0, 0.0], dtype=np.float32), np.zeros(0), np.zeros(0), 1.0, 0.5, "1-5", 1.0, 5.0, 0.9
        ),
    )


def data(rows, paths, difficulties):
    return ProbeData.of(np.eye(3)[rows], paths, difficulties)


def test_levels_and_paths_by_hand(heads):
    """Predictions A/x, A/y, B/z, A/x. Paths: right, wrong (A/x), right by its second path, unknown (C)."""
    test = data([0, 1, 2, 0], [[PATHS[0]], [PATHS[0]], [("A", "y"), PATHS[2]], [("C",)]], [None] * 4)
    train = data([0, 0, 2], [[PATHS[0]], [PATHS[1]], [PATHS[2]]], [None] * 3)
    concepts = measure_probes(heads, test, train)["concepts"]
    assert concepts["path_accuracy"] == 0.5
    assert concepts["path_top5_accuracy"] == 0.75
    first, second = concepts["levels"]["1"], concepts["levels"]["2"]
    assert (first["questions"], first["accuracy"]) == (4, 0.75)
    assert first["majority_accuracy"] == 0.75  # A, in three of four
    assert (second["questions"], second["accuracy"]) == (3, pytest.approx(2 / 3))


def test_difficulty_and_its_baselines_by_hand(heads):
    """Predictions 3, 2, 1 for truths 3, 2, 2: MAE 1/3. The interval of 1 +- 0.5 misses 2."""
    test = data([0, 1, 2], [[PATHS[0]], [PATHS[1]], [("A", "new")]], [3, 2, 2])
    train = data([0, 1, 2, 2], [[PATHS[0]], [PATHS[1]], [PATHS[2]], []], [4, 1, 2, 2])
    difficulty = measure_probes(heads, test, train)["difficulty"]
    assert difficulty["mae"] == pytest.approx(1 / 3)
    assert difficulty["doa"] == 1
    assert difficulty["coverage"] == pytest.approx(2 / 3)
    assert difficulty["interval_width"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert difficulty["median_mae"] == pytest.approx(1 / 3)
    # true concepts: A/x 4, A/y 1, and for A/new the mean of A: 2.5
    assert difficulty["true_concept_mae"] == pytest.approx((1 + 1 + 0.5) / 3)


def test_nothing_labelled_measures_nothing(heads):
    empty = data([0], [[]], [None])
    assert measure_probes(heads, empty, empty) == {"questions": 1, "training_questions": 1}
