from __future__ import annotations

import logging
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from analytics.artifacts import Manifest, artifact_read, artifact_write
from analytics.backbone import export
from analytics.backbone.adapters import add_adapters, finish_adapters, save_adapter
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.backbone.export import export_encoder, export_onnx, save_backbone, write_graph
from analytics.errors import ArtifactError
from analytics.inference.encode import load_encoder
from tests.tiny_backbone import tiny_backbone
from worker.starters import copy_adapter

TEXTS = ["What is 3 + 4?", "x", "Find the area of a circle with radius 5 and explain each step.", "x " * 300]


def test_the_exported_tiny_encoder_equals_torch(tiny, tiny_export):
    expected = encode_bulk(tiny, TEXTS, dtype=torch.float32)
    np.testing.assert_allclose(load_encoder(tiny_export).encode(TEXTS), expected, atol=1e-4)


def test_the_exported_default_encoder_equals_torch(default_backbone, default_export):
    encoder = load_encoder(default_export)
    expected = encode_bulk(default_backbone, TEXTS, dtype=torch.float32)
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, atol=1e-4)
    for row, text in enumerate(TEXTS):  # a batch of one, of any length
        np.testing.assert_allclose(encoder.encode([text])[0], expected[row], atol=1e-4)


class _CountsTexts(torch.nn.Module):
    """Adds the number of texts, which a trace takes for a constant."""

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return (input_ids * attention_mask).sum(dim=1, keepdim=True).float() + len(input_ids)


def test_what_cannot_be_traced_exactly_is_exported_all_the_same(tmp_path, monkeypatch):
    def batch(texts: int, tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.arange(texts * tokens).reshape(texts, tokens), torch.ones(texts, tokens, dtype=torch.int64)

    exported: list[Path] = []
    monkeypatch.setattr(export, "_export", lambda module, path, *_rest: exported.append(path))
    path = tmp_path / "graph.onnx"
    for others in ([batch(2, 4)], [batch(2, 4), batch(3, 4)]):
        write_graph(_CountsTexts().eval(), path, output="vectors", max_tokens=64, batch=batch(2, 5), others=others)
    assert exported == [path]  # two texts are what it was traced with, three are not
    write_graph(torch.nn.Linear(2, 2), path, output="vectors", max_tokens=64, batch=batch(2, 5), others=[])
    assert exported == [path, path]  # it takes no mask


def test_the_newer_exporter_computes_the_same(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "_is_exact", lambda *_anything: False)
    export_onnx(tiny, tmp_path / "encoder")
    expected = encode_bulk(tiny, TEXTS, dtype=torch.float32)
    np.testing.assert_allclose(load_encoder(tmp_path / "encoder").encode(TEXTS), expected, atol=1e-4)


def test_a_trace_of_the_tiny_encoder_is_exact(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "_export", None)  # it is not needed
    for output in ("vectors", "states"):
        export_onnx(tiny, tmp_path / output, output=output)


def test_the_manifest_says_what_is_needed_to_encode(tiny, tiny_export):
    manifest = artifact_read(tiny_export)
    assert manifest.capability == "encoder"
    assert manifest.extra == {
        "kind": "onnx",
        "output": "vectors",
        "dimension": 32,
        "max_tokens": 64,
        "pooling": "mean",
        "unknown_id": 1,
        "pad_id": 0,
        "backbone": tiny.name,
        "backbone_sha256": tiny.weights_hash,
    }


def test_exporting_is_silent_and_leaves_warnings_and_loggers_as_they_were(tiny, tmp_path, caplog):
    level, filters = logging.getLogger("torch.onnx").level, list(warnings.filters)
    export_onnx(tiny, tmp_path / "encoder")
    assert logging.getLogger("torch.onnx").level == level
    assert list(warnings.filters) == filters
    assert [record for record in caplog.records if record.levelno >= logging.INFO] == []


def test_an_encoder_is_not_exported_over_something_else(tiny, tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("mine")
    monkeypatch.setattr("analytics.backbone.export.load_backbone", lambda name, device: tiny)
    with pytest.raises(ArtifactError, match="is not a model folder"):
        export_encoder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_starter_s_adapter_is_merged_and_its_story_kept(tmp_path):
    tiny = tiny_backbone()
    save_backbone(tiny, tmp_path / "bert")
    learner = load_backbone(str(tmp_path / "bert"), device="cpu")
    before = encode_bulk(learner, TEXTS, dtype=torch.float32)
    add_adapters(learner, rank=2)
    with torch.no_grad():
        for name, weights in learner.model.named_parameters():
            if "lora_B" in name:
                weights.normal_(std=0.1)
    expected = encode_bulk(learner, TEXTS, dtype=torch.float32)
    model = tmp_path / "model"
    artifact_write(
        model,
        Manifest(capability="encoder", name="trained", metrics={"loss": 1.5}, extra={"questions": 7}),
        lambda folder: save_adapter(learner, folder / "adapter"),
    )
    copy_adapter(model, tmp_path / "starter", capability="encoder", name="The starter")
    manifest = export_encoder(tmp_path / "encoder", backbone=str(tmp_path / "bert"), adapter=tmp_path / "starter")
    assert (manifest.name, manifest.metrics, manifest.extra["questions"]) == ("The starter", {"loss": 1.5}, 7)
    served = load_encoder(tmp_path / "encoder").encode(TEXTS)
    np.testing.assert_allclose(served, expected, atol=2e-3)  # the adapter is kept in half precision
    assert np.abs(served - before).max() > 0.05
    bulk = load_backbone(str(tmp_path / "encoder"), device="cpu")  # an artifact's folder is a backbone's too
    assert bulk.name == "The starter"
    np.testing.assert_allclose(encode_bulk(bulk, TEXTS, dtype=torch.float32), served, atol=1e-4)


def test_an_adapter_for_other_weights_than_the_installed_ones_becomes_no_starter(tmp_path):
    learner = replace(tiny_backbone(), name="all-MiniLM-L6-v2")  # as one that was adapted before is called
    add_adapters(learner, rank=2)
    artifact_write(
        tmp_path / "model",
        Manifest(capability="encoder", name="trained twice"),
        lambda folder: save_adapter(learner, folder / "adapter"),
    )
    with pytest.raises(ArtifactError, match="other weights than the installed all-MiniLM-L6-v2"):
        copy_adapter(tmp_path / "model", tmp_path / "starter", capability="encoder", name="The starter")
    assert not (tmp_path / "starter").exists()


def test_an_adapter_that_does_not_lead_to_the_model_s_weights_becomes_no_starter(tmp_path):
    learner = load_backbone(device="cpu")
    add_adapters(learner, rank=2)
    with torch.no_grad():
        for name, weights in learner.model.named_parameters():
            if "lora_B" in name:
                weights.normal_(std=0.1)  # a new adapter changes nothing
    finish_adapters(learner)

    def save(name: str) -> Path:
        def write_files(folder: Path) -> None:
            (folder / "adapter").mkdir()
            for file_name, content in learner.adapter.items():
                (folder / "adapter" / file_name).write_bytes(content)
            save_backbone(learner, folder / "backbone")

        artifact_write(tmp_path / name, Manifest(capability="encoder", name=name), write_files)
        return tmp_path / name

    copy_adapter(save("trained"), tmp_path / "starter", capability="encoder", name="The starter")
    with torch.no_grad():
        learner.model.encoder.layer[0].output.dense.weight.mul_(2)  # what its adapter does not know of
    with pytest.raises(ArtifactError, match="does not reproduce"):
        copy_adapter(save("changed"), tmp_path / "other", capability="encoder", name="The starter")
    assert not (tmp_path / "other").exists()


def test_only_an_encoder_with_an_adapter_becomes_a_starter(tmp_path, tiny_export):
    with pytest.raises(ArtifactError, match="not an adapter-trained encoder model"):
        copy_adapter(tiny_export, tmp_path / "starter", capability="encoder", name="The starter")
