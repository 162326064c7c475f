"""The last layer: what it learns, what it is built upon, where it is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from analytics.backbone.backbone import Head, set_head
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.backbone.export import save_backbone
from analytics.backbone.sources import HEAD_NAME
from analytics.encoder import metric_layer
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.metric_layer import MetricTask, metric_stage
from analytics.encoder.train import fit_encoder, precision_at_k
from analytics.errors import BackboneError, Cancelled, ConfigurationError, DataError
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext
from analytics.training.loop import train_loop, train_stages
from analytics.training.stages import LoopSettings, Step
from tests.analytics.history import History
from tests.tiny_backbone import tiny_backbone


def noisy_vectors(rows: int = 240, dimension: int = 32):
    """Unit vectors in which two of many directions know the concept, and the others are louder."""
    rng = np.random.default_rng(0)
    concepts = rng.integers(0, 4, rows)
    vectors = rng.normal(size=(rows, dimension))
    for bit in range(2):
        vectors[:, bit] = 0.5 * np.where(concepts >> bit & 1, 1, -1) + 0.1 * rng.normal(size=rows)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    paths = [(("Half", str(concept >> 1)), ("Quarter", str(concept))) for concept in concepts]
    return vectors.astype(np.float32), [(("Root", half[1], quarter[1]),) for half, quarter in paths]


def fitted(vectors, paths, **settings) -> np.ndarray:
    examples = [EncoderExample(f"question {row}", question_paths, "test") for row, question_paths in enumerate(paths)]
    task = MetricTask(tiny_backbone(), vectors, examples, EncoderConfig(seed=0))
    loop = LoopSettings(epochs=60, learning_rate=1e-2, weight_decay=0.0, evaluate_every=1000)
    train_loop(task, loop, device=torch.device("cpu"), **settings)
    return task.layer.weight.detach().numpy()


def precision(vectors, paths) -> float:
    return precision_at_k(vectors[:60], vectors[60:], paths[:60], paths[60:], levels=3)[3]


def test_neighbours_of_questions_it_never_saw_share_their_concept_more_often():
    vectors, paths = noisy_vectors()
    learned = vectors @ fitted(vectors[60:], paths[60:]).T
    learned /= np.linalg.norm(learned, axis=1, keepdims=True)
    before, after = precision(vectors, paths), precision(learned.astype(np.float32), paths)
    assert before < 0.4
    assert after > before + 0.15


def test_it_begins_as_no_change_and_questions_of_other_hierarchies_say_nothing():
    vectors, paths = noisy_vectors(12)
    names = ["one" if row < 8 else f"hierarchy {row}" for row in range(12)]
    examples = [
        EncoderExample(f"{row}", question_paths, name)
        for row, (question_paths, name) in enumerate(zip(paths, names, strict=True))
    ]
    task = MetricTask(tiny_backbone(), vectors, examples, EncoderConfig(seed=0))
    assert torch.equal(task.layer.weight, torch.eye(32))
    loss = task.losses(np.array([8, 9, 10, 11]), Step(0, 1))["loss"]
    loss.backward()
    assert loss.item() == 0.0
    assert not task.layer.weight.grad.any()


def texts(count: int = 40) -> list[EncoderExample]:
    return [
        EncoderExample(f"find the {'area' if row % 2 else 'sum'} of {row}", ((f"kind {row % 2}",),), "test")
        for row in range(count)
    ]


def matrix(backbone) -> torch.Tensor:
    return backbone.head.tensors()["metric"]


def config(**settings) -> EncoderConfig:
    return EncoderConfig(objective="last-layer", metric_steps=5, device="cpu", **settings)


def fit_metric_layer(backbone, examples, settings, context=DEFAULT_CONTEXT) -> None:
    stage = metric_stage(backbone, examples, settings, context)
    train_stages([stage], device=backbone.device, context=context)


def test_a_layer_that_is_there_is_built_upon():
    backbone = tiny_backbone()
    before = torch.diag(torch.linspace(0.5, 2, 32))
    set_head(backbone, Head.linear(before))
    fit_metric_layer(backbone, texts(), config())
    change = matrix(backbone) @ torch.linalg.inv(before)
    assert 0 < (change - torch.eye(32)).abs().max() < 0.1  # five small steps from where it was


def test_untagged_questions_are_not_used_and_two_tagged_ones_are_needed():
    untagged = [EncoderExample("what is this?", (), "test")] * 5
    plain_backbone, mixed_backbone = tiny_backbone(), tiny_backbone()
    fit_metric_layer(plain_backbone, texts(), config())
    fit_metric_layer(mixed_backbone, [*texts(), *untagged], config())
    assert torch.equal(matrix(plain_backbone), matrix(mixed_backbone))
    alike = [replace(example, paths=(("kind 0",),)) for example in texts(5)]
    all_different = [replace(example, paths=((f"kind {row}",),)) for row, example in enumerate(texts(5))]
    apart = [replace(example, hierarchy=f"{row}") for row, example in enumerate(texts(6))]
    for learned in (untagged, texts(2), alike, all_different, apart):
        with pytest.raises(DataError, match="needs questions that share a concept"):
            fit_metric_layer(tiny_backbone(), learned, config())
        nowhere = EncoderConfig(backbone="./nowhere", ranking="none", metric_steps=5)
        with pytest.raises(DataError, match="needs questions that share"):  # before anything is loaded
            fit_encoder(learned, nowhere)
    fit_metric_layer(tiny_backbone(), texts(3), config())


def test_it_reads_as_much_of_a_long_text_as_is_served_and_training_goes_on_cutting():
    short, long = tiny_backbone(), tiny_backbone()
    for backbone in (short, long):
        backbone.max_tokens = 8
        backbone.tokenizer.enable_truncation(8)
    ends = [f"one two three four {row % 2} or {row}" for row in range(40)]
    examples = [EncoderExample(end, ((f"kind {row % 2}",),), "test") for row, end in enumerate(ends)]
    cut = [EncoderExample(example.text[:6], example.paths, "test") for example in examples]
    fit_metric_layer(short, cut, config())
    fit_metric_layer(long, examples, config())
    assert not torch.equal(matrix(short), matrix(long))
    assert max(len(encoding.ids) for encoding in long.tokenizer.encode_batch_fast(ends)) == 8


def test_a_cancelled_fit_leaves_the_encoder_as_it_was():
    backbone = tiny_backbone()
    calls = iter([False, False, True])
    with pytest.raises(Cancelled):
        fit_metric_layer(backbone, texts(), config(), TrainingContext(cancel=lambda: next(calls, True)))
    assert backbone.head is None


def test_an_interrupted_fit_does_not_encode_its_questions_again(tmp_path, monkeypatch):
    monkeypatch.setattr(metric_layer, "PART", 10)
    encoded, told = [], []

    def encode(backbone, texts, **options):
        if len(encoded) == 2:
            encoded.append(0)
            raise Cancelled("The worker died.")
        encoded.append(len(texts))
        return encode_bulk(backbone, texts, **options)

    monkeypatch.setattr(metric_layer, "encode_bulk", encode)
    with pytest.raises(Cancelled):
        fit_metric_layer(tiny_backbone(), texts(), config(), context=TrainingContext(checkpoints=tmp_path))
    resumed, whole = tiny_backbone(), tiny_backbone()
    context = TrainingContext(checkpoints=tmp_path, progress=lambda *call: told.append(call[:2]))
    fit_metric_layer(resumed, texts(), config(), context=context)
    assert encoded == [10, 10, 0, 10, 10]
    assert told[-1] == (40, 40)
    assert told == sorted(told)
    fit_metric_layer(whole, texts(), config())
    assert torch.equal(matrix(resumed), matrix(whole))


def test_it_is_kept_beside_the_weights_and_damage_is_one_clear_sentence(tmp_path):
    backbone = tiny_backbone()
    plain = backbone.weights_hash
    fit_metric_layer(backbone, texts(), config())
    save_backbone(backbone, tmp_path / "bert")
    again = load_backbone(str(tmp_path / "bert"), device="cpu")
    some = [example.text for example in texts(4)]
    np.testing.assert_array_equal(
        encode_bulk(again, some, dtype=torch.float32), encode_bulk(backbone, some, dtype=torch.float32)
    )
    assert again.weights_hash == backbone.weights_hash != plain
    (tmp_path / "bert" / HEAD_NAME).write_bytes(b"half a file")
    with pytest.raises(BackboneError, match=r"last layer in .* cannot be read"):
        load_backbone(str(tmp_path / "bert"), device="cpu")
    with pytest.raises(BackboneError, match="does not fit"):
        set_head(backbone, Head.linear(torch.eye(8)))


def test_steps_go_on_counting_behind_those_of_the_transformer(tmp_path):
    save_backbone(tiny_backbone(), tmp_path / "bert")
    settings = {"batch_size": 8, "projection": 16, "queue_size": 16, "max_steps": 3, "learning_rate": 1e-3}
    history = History()
    backbone, result = fit_encoder(
        texts(),
        EncoderConfig(
            backbone=str(tmp_path / "bert"), metric_steps=12, mixed_precision=False, device="cpu", **settings
        ),
        held_out=texts(10),
        context=TrainingContext(callbacks=(history,)),
    )
    assert backbone.head is not None
    assert result.step == 15
    assert [report.step for report in history.reports] == [3, 13, 15]
    assert history.last("loss_last_layer") is not None
    assert result.best["held_out_precision_at_10"] == history.reports[-1].metrics["held_out_precision_at_10"]


def test_the_last_layer_alone_needs_steps_and_has_no_adapter():
    with pytest.raises(ConfigurationError, match="metric_steps must be above 0"):
        EncoderConfig(objective="last-layer")
    with pytest.raises(ConfigurationError, match="adapter_rank must be 0 for the objective last-layer"):
        config(adapter_rank=4)
