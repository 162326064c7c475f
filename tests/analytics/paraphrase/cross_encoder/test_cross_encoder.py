"""A pair reader learns, travels as low-rank changes, is exported, and points at the words that changed."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file

from analytics.backbone.tiny import tiny_backbone
from analytics.errors import BackboneError, Cancelled
from analytics.paraphrase.cross_encoder.reading import PAIR_TOKENS, PairReading, load_served_pair_reader
from analytics.paraphrase.cross_encoder.training import ReaderSettings, token_pair, train_pair_reader
from analytics.paraphrase.cross_encoder.weights import load_pair_reader, write_pair_graph
from analytics.paraphrase.cross_encoder.word_findings import with_changed_words
from analytics.paraphrase.findings.finding import Finding
from analytics.training.context import TrainingContext

WORDS = ("more", "less", "up", "down", "odd", "even")


def rows() -> list[dict]:
    """Pairs of one word each: valid if it is the same, with a mark where it is not."""
    return [
        {"a": f"ab {word} c", "b": f"ab {other} c", "y": int(word == other)}
        | ({} if word == other else {"m": [[[3, 3 + len(word)]], [[3, 3 + len(other)]]]})
        for word in WORDS
        for other in (word, word, word, *(set(WORDS) - {word}))
    ]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reader")
    train_pair_reader(
        tiny_backbone(max_tokens=PAIR_TOKENS, dimension=32),
        rows(),
        folder / "reader.safetensors",
        ReaderSettings(steps=200, batch_size=16, learning_rate=3e-3, device="cpu"),
    )
    return folder / "reader.safetensors"


def served(weights, folder):
    backbone = tiny_backbone(max_tokens=PAIR_TOKENS, dimension=32)
    backbone.tokenizer.save(str(folder / "tokenizer.json"))
    write_pair_graph(load_pair_reader(weights, backbone), backbone, folder)
    return load_served_pair_reader(folder, str(weights), 0)


def test_it_overfits_is_exported_and_points_at_changed_words(trained, tmp_path):
    reader = served(trained, tmp_path)
    same, changed = reader.read([("ab more c", "ab more c"), ("ab more c", "ab down c")])
    assert same.log_odds > 0 > changed.log_odds
    assert (3, 7) in changed.original
    assert (3, 7) in changed.paraphrase


def test_both_orders_say_the_same(trained, tmp_path):
    reader = served(trained, tmp_path)
    (there,), (back,) = reader.read([("ab odd c", "ab even c")]), reader.read([("ab even c", "ab odd c")])
    assert there.log_odds == pytest.approx(back.log_odds, abs=1e-4)
    assert there.original == back.paraphrase


def test_of_a_pair_that_is_too_long_nothing_is_said(trained, tmp_path):
    long, short = served(trained, tmp_path).read([("a b " * 200, "a"), ("a", "b")])
    assert long is None
    assert short is not None


def test_training_goes_on_where_it_stopped(trained, tmp_path):
    settings = ReaderSettings(steps=1, batch_size=16, learning_rate=1e-9, device="cpu")
    backbone = tiny_backbone(max_tokens=PAIR_TOKENS, dimension=32)
    train_pair_reader(backbone, rows(), tmp_path / "further", settings, begin_with=trained)
    first, second = (
        load_pair_reader(path, tiny_backbone(max_tokens=PAIR_TOKENS, dimension=32)).state_dict()
        for path in (trained, tmp_path / "further")
    )
    for name, value in first.items():
        torch.testing.assert_close(value, second[name], atol=5e-3, rtol=0)


def test_a_stopped_training_ends_as_one_that_was_not_stopped(trained, tmp_path):
    settings = ReaderSettings(steps=4, batch_size=16, learning_rate=1e-3, device="cpu")

    def train(name, cancel=lambda: False):
        train_pair_reader(
            tiny_backbone(max_tokens=PAIR_TOKENS, dimension=32),
            rows(),
            tmp_path / name,
            settings,
            begin_with=trained,
            context=TrainingContext(checkpoints=tmp_path / f"{name}-checkpoint", cancel=cancel),
        )

    asked = iter([False, True])
    with pytest.raises(Cancelled):
        train("stopped", lambda: next(asked))
    train("stopped")
    train("whole")
    stopped, whole = load_file(tmp_path / "stopped"), load_file(tmp_path / "whole")
    assert stopped.keys() == whole.keys()
    assert all(torch.equal(value, whole[name]) for name, value in stopped.items())


def test_weights_for_another_encoder_are_refused(trained):
    with pytest.raises(BackboneError, match="trained on other weights"):
        load_pair_reader(trained, tiny_backbone(max_tokens=PAIR_TOKENS, dimension=32, seed=9))


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "reader").write_text(json.dumps({}))
    with pytest.raises(BackboneError, match="cannot be read"):
        load_pair_reader(tmp_path / "reader", tiny_backbone())


def test_marks_become_labels_of_tokens_and_unmarked_invalid_pairs_none():
    backbone = tiny_backbone(max_tokens=PAIR_TOKENS)
    backbone.tokenizer.no_truncation()
    marked = token_pair(backbone, {"a": "a up", "b": "a on", "y": 0, "m": [[[2, 4]], [[2, 4]]]})
    assert marked.words == (0, 0, 1, 1, 0, 0, 1, 1, 0)
    assert set(token_pair(backbone, {"a": "a", "b": "b", "y": 0}).words) == {-1}
    assert set(token_pair(backbone, {"a": "a", "b": "a", "y": 1}).words) == {0}
    assert token_pair(backbone, {"a": "a " * 300, "b": "b", "y": 1}) is None


ORIGINAL, PARAPHRASE = "Ben is taller than Ida.", "Ben is shorter than Ida."


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
