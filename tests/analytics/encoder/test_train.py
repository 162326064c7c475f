"""Training from questions to an artifact that serves, with a tiny encoder."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from analytics.artifacts import artifact_read, artifact_write
from analytics.backbone import export
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.backbone.export import export_encoder
from analytics.backbone.sources import ADAPTER_NAME
from analytics.catalog import ENCODER
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample, examples_hash, read_examples, split_held_out
from analytics.encoder.objectives import JointHeads
from analytics.encoder.train import mask_tokens, train_encoder
from analytics.errors import Cancelled, ConfigurationError, DataError
from analytics.inference.encode import load_encoder
from analytics.splits import is_held_out
from analytics.training.context import FileOptions, TrainingContext
from analytics.training.stages import length_grouped_batches
from tests.analytics.history import History
from worker.starters import copy_adapter

SHAPES = ("square", "circle", "kite", "cone", "cube", "prism", "rhombus", "hexagon")
VERBS = ("Find", "Give", "State", "Work out", "Compute", "Determine", "Write down", "Name")


def examples(count: int = 48) -> list[EncoderExample]:
    made = []
    for index in range(count):
        verb, shape = VERBS[index % 8], SHAPES[index // 8 % 8]
        area = index % 2 == 0
        what = "area" if area else "perimeter"
        made.append(
            EncoderExample(
                f"{verb} the {what} of a {shape} of side {index}.",
                (("Geometry", "Area" if area else "Length"),),
                "test",
                solution=f"Use the formula for the {what}.",
                difficulty=float(index % 3),
            )
        )
    return made


@pytest.fixture(scope="module")
def backbone_folder(tiny_folder):
    return tiny_folder(64)


def config(backbone: str, **settings) -> EncoderConfig:
    tiny = {"batch_size": 8, "projection": 16, "queue_size": 16, "epochs": 2, "learning_rate": 1e-3}
    return EncoderConfig(backbone=backbone, mixed_precision=False, device="cpu", **{**tiny, **settings})


def leave_graph_out(patch: pytest.MonkeyPatch) -> None:
    """Leave the export to ONNX out, which takes longer than these trainings."""
    patch.setattr(export, "_export_graph", lambda backbone, path, output: path.write_bytes(b"graph"))


def test_the_artifact_serves_what_bulk_encoding_computes(backbone_folder, tmp_path):
    manifest = train_encoder(examples(), config(backbone_folder), tmp_path / "model")
    texts = ["Find the area of a square.", "Name the perimeter of a kite of side 4."]
    served = load_encoder(tmp_path / "model")
    bulk = load_backbone(tmp_path / "model" / "backbone", device="cpu")
    np.testing.assert_allclose(served.encode(texts), encode_bulk(bulk, texts, dtype=torch.float32), atol=1e-4)
    before = encode_bulk(load_backbone(backbone_folder, device="cpu"), texts, dtype=torch.float32)
    assert np.abs(served.encode(texts) - before).max() > 1e-3
    assert artifact_read(tmp_path / "model").metrics == manifest.metrics
    assert manifest.metrics["steps"] == 2 * (manifest.extra["questions"] // 8)


def test_questions_of_the_fixed_part_are_measured_with_and_never_learned(backbone_folder, tmp_path):
    learned, held = split_held_out(examples())
    assert held
    assert not any(is_held_out(question.text) for question in learned)
    manifest = train_encoder(examples(), config(backbone_folder), tmp_path / "model")
    assert manifest.extra["questions"] == len(learned)
    assert manifest.extra["questions_held_out"] == len(held)
    assert manifest.data_hash == examples_hash(learned)
    figures = manifest.metrics["held_out"]
    assert 0 <= figures["held_out_precision_at_10_level_2"] <= figures["held_out_precision_at_10_level_1"] <= 1


@pytest.mark.parametrize(
    "settings",
    [
        {"objective": "masked-language"},
        {"ranking": "finest", "temperatures": "0.1,0.1,0.1,0.1,0.1"},
        {"ranking": "none"},
        {"concept_weight": 1.0, "difficulty_weight": 0.5, "solution_view": 0.5},
        {"adapter_rank": 2},
    ],
    ids=["dapt", "scl", "consert", "joint", "adapters"],
)
def test_every_way_of_training_changes_the_encoder(backbone_folder, tmp_path, settings):
    manifest = train_encoder(examples(), config(backbone_folder, epochs=1, **settings), tmp_path / "model")
    assert np.isfinite(manifest.metrics["loss"])
    before = load_backbone(backbone_folder, device="cpu")
    after = load_backbone(tmp_path / "model" / "backbone", device="cpu")
    texts = [example.text for example in examples()[:4]]
    assert np.abs(encode_bulk(after, texts) - encode_bulk(before, texts)).max() > 1e-4
    assert (tmp_path / "model" / "adapter").is_dir() == ("adapter_rank" in settings)


def test_questions_that_nothing_ranks_are_left_out_unless_their_difficulty_is_ordered(
    backbone_folder, tmp_path, monkeypatch
):
    leave_graph_out(monkeypatch)
    untagged = [
        replace(example, text=f"{example.text} Why?", paths=(), difficulty=example.difficulty or None)
        for example in examples()
    ]
    graded = sum(example.difficulty is not None for example in split_held_out(untagged)[0])
    assert 0 < graded < len(split_held_out(untagged)[0])
    tagged = len(split_held_out(examples())[0])
    both = {"augment_formulas": False, "epochs": 1}
    lines: list[str] = []

    def learned(**settings) -> int:
        output = tmp_path / f"model-{len(list(tmp_path.iterdir()))}"
        made = config(backbone_folder, **both, **settings)
        return train_encoder([*examples(), *untagged], made, output, TrainingContext(say=lines.append)).extra[
            "questions"
        ]

    assert learned() == tagged
    assert "left out: without a concept" in lines[1]
    assert learned(difficulty_weight=0.5) == tagged + graded
    assert learned(ranking="none") == tagged + len(split_held_out(untagged)[0])


def test_stopped_and_resumed_gives_the_same_model(backbone_folder, tmp_path):
    whole = train_encoder(examples(), config(backbone_folder), tmp_path / "whole")
    calls = iter([False, False, True])
    with pytest.raises(Cancelled):
        train_encoder(
            examples(),
            config(backbone_folder),
            tmp_path / "parts",
            TrainingContext(checkpoints=tmp_path / "checkpoint", cancel=lambda: next(calls, True)),
        )
    for questions, settings in ((examples(), {"learning_rate": 1e-4}), (examples()[::-1], {})):
        with pytest.raises(DataError, match="other settings or other data"):
            train_encoder(
                questions,
                config(backbone_folder, **settings),
                tmp_path / "parts",
                TrainingContext(checkpoints=tmp_path / "checkpoint"),
            )
    parts = train_encoder(
        examples(), config(backbone_folder), tmp_path / "parts", TrainingContext(checkpoints=tmp_path / "checkpoint")
    )
    assert parts.extra["backbone_sha256"] == whole.extra["backbone_sha256"]


@pytest.fixture(scope="module")
def in_two_stages(backbone_folder, tmp_path_factory):
    """The settings of a training of transformer and last layer, its manifest, and its adapter."""
    folder = tmp_path_factory.mktemp("whole") / "model"
    settings = config(backbone_folder, adapter_rank=2, metric_steps=6, checkpoint_every=1)
    with pytest.MonkeyPatch.context() as patch:
        leave_graph_out(patch)
        whole = train_encoder(examples(), settings, folder)
    assert whole.metrics["steps"] == 16
    return settings, whole, load_file(folder / "adapter" / ADAPTER_NAME)


@pytest.mark.parametrize("steps_before", [2, 14])
def test_a_training_of_transformer_and_last_layer_resumes_exactly_in_either(
    in_two_stages, monkeypatch, tmp_path, steps_before
):
    leave_graph_out(monkeypatch)
    settings, whole, adapter = in_two_stages
    history, checkpoints = History(), tmp_path / "checkpoint"
    calls = iter([False] * steps_before)
    in_training = {"yes": False}

    def cancel() -> bool:
        return in_training["yes"] and next(calls, True)

    def begin(_line: str) -> None:
        in_training["yes"] = True

    with pytest.raises(Cancelled):
        train_encoder(
            examples(), settings, tmp_path / "parts", TrainingContext(checkpoints=checkpoints, cancel=cancel, say=begin)
        )
    context = TrainingContext(checkpoints=checkpoints, callbacks=(history,))
    parts = train_encoder(examples(), settings, tmp_path / "parts", context)
    assert parts.extra["backbone_sha256"] == whole.extra["backbone_sha256"]
    resumed = load_file(tmp_path / "parts" / "adapter" / ADAPTER_NAME)
    assert all(torch.equal(resumed[name], weight) for name, weight in adapter.items())
    assert history.reports[0].step > min(steps_before, 10) - 1


def test_files_and_folders_of_files_are_read_and_leading_concepts_dropped(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        rows = [
            {"text": f"Question {letter} of {name}", "concepts": [["Root", "Point", letter]], "difficulty": 1}
            for letter in "abcdefgh"
        ]
        rows.append(rows[0])
        (tmp_path / name / "train.jsonl").write_text("\n".join(map(json.dumps, rows)))
        (tmp_path / name / "test.jsonl").write_text(json.dumps({"text": "kept apart"}))
    questions = read_examples(tmp_path)
    assert len(questions) == 16
    assert {question.hierarchy for question in questions} == {"first", "second"}
    assert questions[0].paths == (("a",),)
    with pytest.raises(DataError, match="in the language 'zh'"):
        read_examples(tmp_path, language="zh")


def test_training_from_files_leaves_no_checkpoint_behind(backbone_folder, tmp_path):
    rows = [{"text": example.text, "concepts": [list(path) for path in example.paths]} for example in examples()]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    lines: list[str] = []
    manifest = ENCODER.train(
        tmp_path / "q.jsonl",
        tmp_path / "model",
        config(backbone_folder, epochs=1),
        FileOptions(),
        TrainingContext(say=lines.append),
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "q.jsonl"]
    assert "--set epochs=1" in manifest.extra["command"]
    assert str(tmp_path) not in manifest.extra["command"].replace(backbone_folder, "")
    assert any(line.startswith("step ") for line in lines)


def test_batches_hold_every_question_once_and_questions_of_about_one_length():
    lengths = np.random.default_rng(0).integers(5, 100, size=1000)
    batches = list(length_grouped_batches(lengths, 10, np.random.default_rng(1)))
    assert sorted(np.concatenate(batches)) == list(range(1000))
    spread = np.mean([np.ptp(lengths[rows]) for rows in batches])
    assert spread < 0.3 * np.ptp(lengths)
    again = list(length_grouped_batches(lengths, 10, np.random.default_rng(2)))
    assert {tuple(sorted(rows)) for rows in batches}.isdisjoint({tuple(sorted(rows)) for rows in again})


def test_masking_hides_inner_tokens_only_and_asks_for_those():
    ids = torch.arange(4, 4004).reshape(100, 40)
    mask = torch.ones_like(ids)
    mask[0, 30:] = 0
    hidden, targets = mask_tokens(ids, mask, mask_id=3, vocabulary=1000, generator=torch.Generator().manual_seed(0))
    asked = targets != -100
    assert torch.equal(targets[asked], ids[asked])
    assert torch.equal(hidden[~asked], ids[~asked])
    assert not asked[:, 0].any()
    assert not asked[1:, 39].any()
    assert not asked[0, 29:].any()
    assert 0.7 < (hidden[asked] == 3).float().mean() < 0.9


def test_the_difficulty_term_falls_when_harder_questions_score_higher():
    made = examples(6)
    heads = JointHeads(made, hidden=4, levels=3)
    with torch.no_grad():
        heads.difficulty.weight.copy_(torch.tensor([[1.0, 0.0, 0.0, 0.0]]))
        heads.difficulty.bias.zero_()
    rows = np.arange(6)
    right = torch.tensor([[example.difficulty - 1, 1.0, 0.0, 0.0] for example in made])
    wrong = torch.tensor([[1 - example.difficulty, 1.0, 0.0, 0.0] for example in made])
    assert heads.losses(rows, right)["loss_difficulty"] < 0.1 < heads.losses(rows, wrong)["loss_difficulty"]


def test_adapters_and_masked_language_are_refused_together():
    with pytest.raises(ConfigurationError, match="adapter_rank must be 0"):
        EncoderConfig(objective="masked-language", adapter_rank=4)


def test_the_last_layer_alone_leaves_the_transformer_and_serves_what_bulk_encoding_computes(backbone_folder, tmp_path):
    settings = {"objective": "last-layer", "metric_steps": 20}
    manifest = train_encoder(examples(), config(backbone_folder, **settings), tmp_path / "model")
    texts = [example.text for example in examples()[:4]]
    before = load_backbone(backbone_folder, device="cpu")
    after = load_backbone(tmp_path / "model" / "backbone", device="cpu")
    for name, tensor in before.model.state_dict().items():
        assert torch.equal(tensor, after.model.state_dict()[name]), name
    bulk = encode_bulk(after, texts, dtype=torch.float32)
    assert np.abs(bulk - encode_bulk(before, texts, dtype=torch.float32)).max() > 1e-3
    np.testing.assert_allclose(load_encoder(tmp_path / "model").encode(texts), bulk, atol=1e-4)
    assert manifest.metrics["steps"] == 20
    assert manifest.metrics["held_out"]["held_out_precision_at_10_level_2"] > 0
    assert manifest.extra["backbone_sha256"] == after.weights_hash != before.weights_hash


def test_a_last_layer_behind_a_starter_makes_a_starter_again(backbone_folder, tmp_path):
    manifest = train_encoder(
        examples(),
        config(backbone_folder, epochs=1, adapter_rank=2),
        tmp_path / "first",
        TrainingContext(command="as said"),
    )
    copy_adapter(tmp_path / "first", tmp_path / "starter", capability="encoder", name="First starter")
    described = artifact_read(tmp_path / "starter")
    artifact_write(  # a tiny backbone is no installed package's: its folder is its name
        tmp_path / "named",
        replace(described, extra=dict(described.extra) | {"backbone": backbone_folder}),
        lambda folder: [shutil.copyfile(tmp_path / "starter" / name, folder / name) for name in described.files],
    )
    settings = config(str(tmp_path / "named"), objective="last-layer", metric_steps=20)
    second = train_encoder(examples(), settings, tmp_path / "second")
    assert second.extra["begun_with"]["command"] == "as said"
    assert second.extra["begun_with"]["data_hash"] == manifest.data_hash == second.data_hash
    copy_adapter(tmp_path / "second", tmp_path / "again", capability="encoder", name="Second starter")
    export_encoder(tmp_path / "installed", backbone=backbone_folder, adapter=tmp_path / "again")
    texts = [example.text for example in examples()[:4]]
    trained, installed = load_encoder(tmp_path / "second"), load_encoder(tmp_path / "installed")
    np.testing.assert_allclose(installed.encode(texts), trained.encode(texts), atol=2e-3)
    assert np.abs(trained.encode(texts) - load_encoder(tmp_path / "first").encode(texts)).max() > 5e-3
