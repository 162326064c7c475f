from __future__ import annotations

import numpy as np
import pytest
import torch

from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.backbone.export import save_backbone
from analytics.errors import BackboneError, Cancelled
from analytics.inference.encode import batches_by_length
from tests.tiny_backbone import tiny_backbone

TEXTS = [
    "What is 3 + 4?",
    "A train travels 240 km in 3 hours. What is its average speed in kilometres per hour?",
    "x",
    "",
    "Solve $x^2 - 5x + 6 = 0$.",
    "Find the area of a circle with radius 5.",
]


def one_by_one(backbone, texts):
    rows = []
    with torch.inference_mode():
        for text in texts:
            vector = backbone.embed(*backbone.batch([text]))[0]
            rows.append((vector / vector.norm()).numpy())
    return np.stack(rows)


def test_bulk_vectors_equal_those_of_one_text_at_a_time_in_the_order_given(tiny):
    bulk = encode_bulk(tiny, TEXTS, batch_tokens=60, dtype=torch.float32)
    assert bulk.dtype == np.float32
    np.testing.assert_allclose(bulk, one_by_one(tiny, TEXTS), atol=1e-5)


def test_order_holds_across_windows(tiny, monkeypatch):
    whole = encode_bulk(tiny, TEXTS, dtype=torch.float32)
    monkeypatch.setattr("analytics.backbone.bert._WINDOW", 2)
    np.testing.assert_allclose(encode_bulk(tiny, TEXTS, dtype=torch.float32), whole, atol=1e-5)


def test_rows_have_length_one_in_the_fast_number_format_too(tiny):
    vectors = encode_bulk(tiny, TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = (vectors * one_by_one(tiny, TEXTS)).sum(axis=1)
    assert cosines.min() > 0.998


def test_progress_counts_texts_up_to_all_of_them(tiny):
    calls = []
    encode_bulk(tiny, TEXTS, batch_tokens=60, progress=lambda done, total: calls.append((done, total)))
    assert len(calls) > 1
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert calls[-1] == (len(TEXTS), len(TEXTS))


def test_a_cancelled_encoding_stops_between_batches(tiny):
    done = []
    with pytest.raises(Cancelled, match=r"after \d+ of 6 texts"):
        encode_bulk(
            tiny, TEXTS, batch_tokens=60,
            progress=lambda count, _: done.append(count), cancel=lambda: len(done) >= 2,
        )  # fmt: skip
    assert len(done) == 2


def test_no_texts_give_an_empty_table(tiny):
    assert encode_bulk(tiny, []).shape == (0, tiny.dimension)


def test_a_long_text_is_cut_at_the_limit(tiny):
    long = "1 " * 500
    assert tiny.batch([long])[0].shape == (1, tiny.max_tokens)
    np.testing.assert_allclose(encode_bulk(tiny, [long]), encode_bulk(tiny, [long + "and more"]), atol=1e-6)


def test_a_model_in_training_mode_is_left_so(tiny):
    tiny.model.train()
    try:
        first, second = encode_bulk(tiny, TEXTS), encode_bulk(tiny, TEXTS)
        assert tiny.model.training
    finally:
        tiny.model.eval()
    np.testing.assert_array_equal(first, second)  # no dropout


def test_batches_hold_every_text_once_within_the_budget():
    lengths = [5, 90, 3, 40, 40, 2, 7]
    batches = [batch.tolist() for batch in batches_by_length(lengths, tokens=80)]
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= 80 for batch in batches)
    assert batches[0] == [1]


def test_a_saved_folder_loads_with_the_same_vectors(tiny, tmp_path):
    save_backbone(tiny, tmp_path / "tiny-encoder")
    loaded = load_backbone(str(tmp_path / "tiny-encoder"), device="cpu")
    assert (loaded.name, loaded.dimension, loaded.max_tokens) == ("tiny-encoder", tiny.dimension, tiny.max_tokens)
    assert (loaded.pad_id, loaded.unknown_id) == (tiny.pad_id, tiny.unknown_id)
    np.testing.assert_array_equal(encode_bulk(loaded, TEXTS), encode_bulk(tiny, TEXTS))


def test_a_folder_with_broken_weights_is_a_backbone_error(tiny, tmp_path):
    save_backbone(tiny, tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(BackboneError, match="cannot be loaded"):
        load_backbone(str(tmp_path))


def test_the_tiny_encoder_is_the_same_for_the_same_seed_and_leaves_the_generator_alone():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second, reseeded_backbone = tiny_backbone(), tiny_backbone(), tiny_backbone(seed=1)
    assert torch.equal(torch.get_rng_state(), before)
    assert first.weights_hash == second.weights_hash != reseeded_backbone.weights_hash


def test_what_the_vocabulary_lacks_is_counted(tiny):
    assert tiny.unknown_share(["area of a circle"]) == 0
    assert tiny.unknown_share(["圆的面积"]) == 1


def test_the_default_encoder_knows_english_and_what_is_alike(default_backbone):
    vectors = encode_bulk(
        default_backbone,
        ["What is the area of a circle of radius 3?", "Find how large a disc with radius 8 is.", "Add 3 and 4."],
    )
    assert default_backbone.dimension == 384
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert default_backbone.unknown_share(["Solve $x^2 = 4$ for x."]) < 0.1
    assert default_backbone.unknown_share(["一个圆的半径是五厘米，它的面积是多少？"]) > 0.1


def test_texts_are_embedded_in_their_order_and_with_gradients_whatever_is_padded_together(tiny):
    texts = [f"{'many words ' * (number * 7 % 11)}number {number}" for number in range(70)]
    vectors = tiny.embed_texts(texts)
    assert vectors.requires_grad
    for row in (0, 1, 35, 69):
        torch.testing.assert_close(vectors[row], tiny.embed(*tiny.batch([texts[row]]))[0], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(tiny.embed_texts(texts[:3]), vectors[:3], atol=1e-5, rtol=1e-4)
