"""A small world in which concepts and difficulty are linear in the vector, but for noise."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

LEAVES = [
    ("Number", "Fractions", "Adding"),
    ("Number", "Fractions", "Comparing"),
    ("Number", "Decimals"),
    ("Number",),
    ("Geometry", "Circles", "Area"),
    ("Geometry", "Circles", "Circumference"),
    ("Geometry", "Angles"),
]


def small_world(count: int = 420, *, noise: float = 0.5, seed: int = 0) -> SimpleNamespace:
    """Unit vectors round one centre a concept, paths of several depths, a difficulty on 1-5, and texts."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(len(LEAVES), 24))
    labels = rng.integers(len(LEAVES), size=count)
    vectors = centres[labels] + rng.normal(scale=noise, size=(count, 24)) * 2
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    hidden = rng.normal(size=24)
    steps = rng.integers(1, 5, size=count)
    raw = vectors @ hidden + 0.4 * steps
    difficulty = np.clip(np.round(3 + 1.2 * (raw - raw.mean()) / raw.std() + rng.normal(scale=0.4, size=count)), 1, 5)
    return SimpleNamespace(
        vectors=vectors.astype(np.float32),
        paths=[[("Mathematics", *LEAVES[label])] for label in labels],
        difficulties=difficulty.tolist(),
        texts=[f"Question {'abcdefgh'[i % 8] * (1 + i // 8)}. " + "Then go on. " * steps[i] for i in range(count)],
    )
