"""The encoder and the probes that a new installation begins with."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import analytics
from analytics.artifacts import artifact_read
from analytics.backbone.adapters import load_adapter
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.catalog import ENCODER, PROBES
from analytics.encoder.train import precision_at_k
from analytics.inference.heads import load_heads
from analytics.splits import is_held_out
from questionbank.demo.bank import demo_questions

[STARTER] = [row.path for row in PROBES.starters]
ENCODER_STARTER, _CHINESE_STARTER = ENCODER.starters


@pytest.fixture(scope="module")
def starter():
    return load_heads(STARTER)


def test_it_is_small_and_says_what_it_was_trained_on(starter):
    assert sum(path.stat().st_size for path in STARTER.iterdir()) < 300_000
    manifest = starter.manifest
    assert (starter.encoder, starter.dimension) == (artifact_read(ENCODER_STARTER.path).name, 384)
    assert (manifest.extra["hierarchy"], manifest.extra["difficulty_scale"]) == ("Kindred demo", "1-5")
    assert manifest.extra["command"].startswith("python -m analytics train probes --data kindred-demo.jsonl")


def test_it_learned_which_of_two_questions_is_harder(starter):
    order = starter.manifest.metrics["order"]
    assert starter.order is not None
    assert order["apart_accuracy"] > 0.85
    assert order["sure_accuracy"] > 0.9


@pytest.fixture(scope="module")
def starter_backbone():
    backbone = load_backbone(device="cpu")
    load_adapter(backbone, ENCODER_STARTER.path)
    return backbone


def test_the_encoder_is_small_and_says_how_it_was_made():
    assert sum(path.stat().st_size for path in ENCODER_STARTER.path.iterdir()) < ENCODER_STARTER.largest
    manifest = artifact_read(ENCODER_STARTER.path)
    assert manifest.capability == "encoder"
    assert manifest.extra["command"].startswith("python -m analytics train encoder --data starter-data")
    assert set(manifest.extra["hierarchies"]) == {"kindred-demo", "math", "tal_scq_en", "theoremqa"}


def test_it_brings_questions_of_one_concept_nearer_than_the_plain_one(starter_backbone, default_backbone):
    """On questions of the demo bank that it was not trained on."""
    bank = demo_questions()
    held = [record for record in bank if is_held_out(record.text)][::2]
    others = [record for record in bank if not is_held_out(record.text)][::8]

    def precision(backbone) -> float:
        vectors = encode_bulk(backbone, [record.text for record in (*held, *others)])
        figures = precision_at_k(
            vectors[: len(held)], vectors[len(held) :],
            [record.concepts for record in held], [record.concepts for record in others], levels=2,
        )  # fmt: skip
        return figures[2]

    assert precision(starter_backbone) > precision(default_backbone) + 0.05


def test_it_knows_the_concepts_of_the_demo_bank(starter, starter_backbone):
    """Every path of the bank is one of its own, and it finds most of them again."""
    bank = demo_questions()[:600]
    known = set(starter.concepts.paths)
    assert {path for record in bank for path in record.concepts} <= known
    sample = bank[::8]
    vectors = encode_bulk(starter_backbone, [record.text for record in sample])
    predictions = starter.predict(vectors, texts=[record.text for record in sample])
    right = [one.concepts[0].path in record.concepts for one, record in zip(predictions, sample, strict=True)]
    assert np.mean(right) > 0.85
    assert all(1 <= one.difficulty.value <= 5 for one in predictions)


LEARNED_FROM = {
    "solver/starter": ("MAWPS", "ParaMAWPS", "GSM8K", "MathQA", "demo bank", "synthetic"),
    "analogy/starter": ("MAWPS", "ParaMAWPS", "GSM8K", "MathQA", "demo bank", "synthetic"),
    "paraphrase/starter": ("GSM8K", "MAWPS", "demo bank", "stories"),
    "encoder/starter": ("TAL-SCQ5K", "MATH", "TheoremQA", "demo bank"),
    "solver/starter_chinese": ("Math23K", "UnbiasedMWP"),
    "analogy/starter_chinese": ("Math23K", "UnbiasedMWP"),
}


@pytest.mark.parametrize(("folder", "sets"), LEARNED_FROM.items(), ids=LEARNED_FROM)
def test_the_licence_note_names_every_set_that_a_starter_learned_from(folder, sets):
    note = artifact_read(Path(analytics.__file__).parent / folder).license_note
    assert [name for name in sets if not re.search(rf"\b{name}\b", note)] == []
    assert "backbone: " in note
