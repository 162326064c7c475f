"""The probes that a new installation begins with, trained on the demo bank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import analytics
from analytics.backbone.bert import encode_bulk
from analytics.backbone.sources import DEFAULT_BACKBONE
from analytics.inference.heads import load_heads

STARTER = Path(analytics.__file__).parent / "probes" / "starter"


@pytest.fixture(scope="module")
def starter():
    return load_heads(STARTER)


def test_it_is_small_and_says_what_it_was_trained_on(starter):
    assert sum(path.stat().st_size for path in STARTER.iterdir()) < 300_000
    manifest = starter.manifest
    assert (starter.encoder, starter.dimension) == (DEFAULT_BACKBONE, 384)
    assert (manifest.extra["hierarchy"], manifest.extra["difficulty_scale"]) == ("Kindred demo", "1-5")
    assert manifest.extra["command"].startswith("python -m analytics train probes --data kindred-demo.jsonl")


def test_it_knows_the_concepts_of_the_demo_bank(starter, default_backbone):
    """Every path of the bank is one of its own, and it finds most of them again."""
    from questionbank.demo.bank import generate_bank

    bank = generate_bank(size=600)
    known = set(starter.concepts.paths)
    assert {path for record in bank for path in record.concepts} <= known
    sample = bank[::8]
    vectors = encode_bulk(default_backbone, [record.text for record in sample])
    predictions = starter.predict(vectors, texts=[record.text for record in sample])
    right = [one.concepts[0].path in record.concepts for one, record in zip(predictions, sample, strict=True)]
    assert np.mean(right) > 0.85
    assert all(1 <= one.difficulty.value <= 5 for one in predictions)
