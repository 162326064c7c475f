from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from analytics.backbone.bert import RecurrentEncoder, encode_bulk, load_backbone, recurrent_backbone, side_by_side
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


@pytest.fixture
def encoder() -> RecurrentEncoder:
    torch.manual_seed(0)
    return RecurrentEncoder(20, width=6, embedding=4).eval()


def states(encoder: RecurrentEncoder, ids: list[list[int]], mask: list[list[int]]) -> torch.Tensor:
    return encoder(input_ids=torch.tensor(ids), attention_mask=torch.tensor(mask)).last_hidden_state


def test_padding_changes_no_state_and_has_none(encoder):
    alone = states(encoder, [[3, 4, 5]], [[1, 1, 1]])
    padded = states(encoder, [[3, 4, 5, 0, 0], [6, 7, 8, 9, 1]], [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    assert alone.shape == (1, 3, 6)
    torch.testing.assert_close(padded[0, :3], alone[0])
    assert not padded[0, 3:].any()


def test_each_state_depends_on_the_tokens_before_and_behind_it(encoder):
    before, changed_first, changed_last = (
        states(encoder, [ids], [[1, 1, 1]])[0, 1] for ids in ([3, 4, 5], [9, 4, 5], [3, 4, 9])
    )
    assert not torch.allclose(before, changed_first)
    assert not torch.allclose(before, changed_last)


def test_states_are_the_sum_of_both_directions(encoder):
    ids = torch.tensor([[3, 4, 5]])
    both = encoder.gru(encoder.embeddings(ids))[0]
    torch.testing.assert_close(states(encoder, [[3, 4, 5]], [[1, 1, 1]]), both[..., :6] + both[..., 6:])


def test_the_backbone_reads_the_default_encoders_tokens():
    torch.manual_seed(1)
    backbone = recurrent_backbone(max_tokens=8, device="cpu", width=16)
    ids, mask = backbone.batch(["Two and two", "A much longer text than eight tokens may ever be"])
    assert backbone.token_states(ids, mask).shape == (2, 8, 16)
    assert backbone.unknown_share(["Two pens"]) == 0
    assert {parameter.device.type for parameter in backbone.model.parameters()} == {"cpu"}


CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_results_come_in_the_order_of_the_items_whoever_is_done_first() -> None:
    def slow_first(item: int) -> tuple[int, str]:
        time.sleep(0.05 if item == 0 else 0)
        return item, threading.current_thread().name

    with side_by_side(slow_first, range(6), CPU) as results:
        pairs = list(results)

    assert [item for item, _ in pairs] == list(range(6))
    assert len({name for _, name in pairs}) == 2


def test_each_stream_has_its_share_of_the_threads_and_gives_it_back() -> None:
    with side_by_side(lambda _item: torch.get_num_threads(), range(4), CPU) as results:
        assert list(results) == [1] * 4
    assert torch.get_num_threads() == 2


def test_what_is_left_is_dropped_when_the_context_ends() -> None:
    begun: list[int] = []

    def compute(item: int) -> int:
        begun.append(item)
        time.sleep(0.01)
        return item

    with side_by_side(compute, range(500), CPU) as results:
        assert next(results) == 0
    assert len(begun) < 500


def test_an_error_reaches_the_caller_and_the_next_one_can_compute() -> None:
    def fail(item: int) -> int:
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"), side_by_side(fail, range(3), CPU) as results:
        list(results)
    with side_by_side(str, range(3), CPU) as again:
        assert list(again) == ["0", "1", "2"]
    assert torch.get_num_threads() == 2


def test_whoever_comes_while_another_computes_does_it_in_turn() -> None:
    with side_by_side(str, range(3), CPU), side_by_side(_thread, range(3), CPU) as results:
        assert set(results) == {threading.current_thread().name}


@pytest.mark.parametrize("device", [torch.device("cuda"), CPU])
def test_a_gpu_and_a_single_item_are_computed_in_the_callers_thread(device: torch.device) -> None:
    items = range(3) if device.type == "cuda" else range(1)
    with side_by_side(_thread, items, device) as results:
        assert set(results) == {threading.current_thread().name}


def _thread(_item: int) -> str:
    return threading.current_thread().name
