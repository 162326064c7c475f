"""A pair reader travels as low-rank changes, is exported, and points at the words that changed."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from analytics.artifacts import file_sha256
from analytics.backbone.backbone import padded_batch
from analytics.errors import BackboneError
from analytics.paraphrase.cross_encoder import PairReader, load_pair_reader, served_pair_reader, write_pair_graph
from analytics.paraphrase.findings.pair import Finding
from analytics.paraphrase.pair_reading import (
    PAIR_TOKENS,
    WEIGHTS_NAME,
    PairReading,
    load_served_pair_reader,
    with_changed_words,
)
from analytics.paraphrase.train import STARTER_FOLDER
from tests.tiny_backbone import tiny_backbone

ORIGINAL, PARAPHRASE = "Ben is taller than Ida.", "Ben is shorter than Ida."
CHANGED = "encoder.layer.0.attention.self.query.weight"
PAIR = ("ab more c", "ab down c")


def tiny(**more):
    return tiny_backbone(max_tokens=PAIR_TOKENS, dimension=32, **more)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A head, and a change of rank 2 of one matrix, for the tiny encoder."""
    torch.manual_seed(1)
    backbone = tiny()
    state = PairReader(backbone.model, backbone.dimension, 0).state_dict()
    head = {name: torch.randn(value.shape) for name, value in state.items() if "transformer" not in name}
    change = {
        f"{CHANGED}.A": torch.randn(2, state[f"transformer.{CHANGED}"].shape[1]),
        f"{CHANGED}.B": torch.randn(state[f"transformer.{CHANGED}"].shape[0], 2),
    }
    path = tmp_path_factory.mktemp("reader") / "reader.safetensors"
    save_file(head | change, path, metadata={"format": "pt", "backbone_sha256": backbone.weights_hash})
    return path


@pytest.fixture(scope="module")
def reader(weights, tmp_path_factory):
    """The same, exported."""
    folder, backbone = tmp_path_factory.mktemp("served"), tiny()
    backbone.tokenizer.save(str(folder / "tokenizer.json"))
    write_pair_graph(load_pair_reader(weights, backbone), backbone, folder)
    return load_served_pair_reader(folder, file_sha256(folder / "pairs.onnx"), 0)


def test_the_low_rank_change_is_added_to_the_encoders_weights(weights):
    before, after = tiny().model.state_dict(), load_pair_reader(weights, tiny()).state_dict()
    tensors = load_file(weights)
    change = tensors[f"{CHANGED}.B"] @ tensors[f"{CHANGED}.A"]
    torch.testing.assert_close(after[f"transformer.{CHANGED}"], before[CHANGED] + change)
    assert all(torch.equal(after[name], value) for name, value in tensors.items() if name in after)


def test_what_is_exported_says_the_same_as_the_weights(weights, reader):
    backbone = tiny()
    whole = load_pair_reader(weights, backbone)
    with torch.inference_mode():
        odds = [
            whole(*padded_batch([backbone.tokenizer.encode(*pair).ids], backbone.pad_id)) for pair in (PAIR, PAIR[::-1])
        ]
    (reading,) = reader.read([PAIR])
    assert reading.log_odds == pytest.approx(sum(float(valid) for valid, _words in odds) / 2, abs=1e-4)


def test_both_orders_say_the_same(reader):
    (there,), (back,) = reader.read([PAIR]), reader.read([PAIR[::-1]])
    assert there.log_odds == pytest.approx(back.log_odds, abs=1e-4)
    assert there.original == back.paraphrase


def test_of_a_pair_that_is_too_long_nothing_is_said(reader):
    long, short = reader.read([("a b " * 200, "a"), ("a", "b")])
    assert long is None
    assert short is not None


@pytest.mark.skipif(not (STARTER_FOLDER / WEIGHTS_NAME).is_file(), reason="no pair reader is shipped")
def test_the_one_that_is_shipped_tells_a_changed_word_and_points_at_it(tmp_path):
    shipped = served_pair_reader(STARTER_FOLDER / WEIGHTS_NAME, tmp_path)
    original = "Ben is 8 cm taller than Ida. Ida is 140 cm tall. How tall is Ben?"
    retold = "Ida is 140 cm tall, and Ben is 8 cm taller than Ida. How tall is Ben?"
    changed = retold.replace("taller", "shorter")
    whole, broken = shipped.read([(original, retold), (original, changed)])
    assert whole.log_odds > broken.log_odds + 1
    assert [changed[start:end] for start, end in broken.paraphrase] == ["shorter"]


def test_weights_for_another_encoder_are_refused(weights):
    with pytest.raises(BackboneError, match="trained on other weights"):
        load_pair_reader(weights, tiny(seed=9))


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "reader").write_text(json.dumps({}))
    with pytest.raises(BackboneError, match="cannot be read"):
        load_pair_reader(tmp_path / "reader", tiny_backbone())


@pytest.mark.parametrize(
    ("reading", "sentences"),
    [
        (None, []),
        (PairReading(2.0, ((7, 13),), ((7, 14),)), []),
        (PairReading(-2.0, ((7, 13),), ((7, 14),)), ["“taller” became “shorter”."]),
        (PairReading(-2.0, ((7, 13),)), ["The paraphrase does not say “taller” in the same sense."]),
        (PairReading(-2.0, ((0, 3),), ((0, 3),)), []),
        (PairReading(-2.0, ((0, 3), (4, 6), (7, 13), (14, 18))), []),
    ],
)
def test_changed_words_are_said_of_invalid_pairs_only(reading, sentences):
    found = with_changed_words([], reading, ORIGINAL, PARAPHRASE)
    assert [finding.sentence for finding in found] == sentences


def test_what_a_rule_has_said_is_not_said_again():
    rule = Finding("comparison", "changed", "turned round", original=(7, 13), paraphrase=(7, 14))
    reading = PairReading(-2.0, ((7, 13),), ((7, 14),))
    assert with_changed_words([rule], reading, ORIGINAL, PARAPHRASE) == (rule,)
