"""The starter: adapter and head of a trained retriever, copied from its artifact into the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from analytics.analogy.retriever import load_datastore
from analytics.artifacts import Manifest, artifact_read, artifact_write
from analytics.backbone.sources import ADAPTER_FOLDER, ADAPTER_NAME
from analytics.catalog import ANALOGY
from analytics.errors import ArtifactError
from worker.starters import copy_starter, main

STARTER, CHINESE = ANALOGY.starters


def write_model(folder: Path, *, adapter: bool = True, weights: int = 10) -> Path:
    """An artifact with the files that `train_retriever` writes, without a model in them."""

    def write(aside: Path) -> None:
        (aside / "model.onnx").write_bytes(b"graph")
        (aside / "tokenizer.json").write_text("{}")
        (aside / "backbone").mkdir()
        (aside / "backbone" / "model.safetensors").write_bytes(b"weights")
        if adapter:
            (aside / ADAPTER_FOLDER).mkdir()
            (aside / ADAPTER_FOLDER / "adapter_config.json").write_text("{}")
            (aside / ADAPTER_FOLDER / "metric.safetensors").write_bytes(b"head")
            tensors = {"lora": np.zeros(weights, dtype=np.float16)}
            save_file(tensors, aside / ADAPTER_FOLDER / ADAPTER_NAME, metadata={"backbone": "tiny"})

    extra = {"slot_text": True, "dimension": 32, "command": "python -m analytics train analogy"}
    artifact_write(folder, Manifest("analogy", "trained", data_hash="d", extra=extra), write)
    return folder


def test_it_holds_adapter_and_head_and_what_the_model_says_of_itself(tmp_path):
    written = copy_starter("retriever", write_model(tmp_path / "model"), tmp_path / "starter")
    assert set(written.files) == {"adapter_config.json", "adapter_model.safetensors", "metric.safetensors"}
    assert (written.capability, written.name) == ("analogy", "Kindred starter retriever")
    assert (written.extra["slot_text"], written.data_hash) == (True, "d")
    assert "dimension" not in written.extra  # the export says it


def test_a_retriever_without_an_adapter_or_with_a_large_one_is_no_starter(tmp_path):
    with pytest.raises(ArtifactError, match="not an adapter-trained analogy model"):
        copy_starter("retriever", write_model(tmp_path / "plain", adapter=False), tmp_path / "starter")
    with pytest.raises(ArtifactError, match="a starter may have 18,000,000"):
        copy_starter("retriever", write_model(tmp_path / "large", weights=9_500_000), tmp_path / "starter")


def test_the_command_writes_it_or_says_why_not(tmp_path, capsys):
    command = ["retriever", "--output", str(tmp_path / "starter"), "--model"]
    assert main([*command, str(tmp_path / "nowhere")]) == 1
    assert "nowhere" in capsys.readouterr().err
    assert main([*command, str(write_model(tmp_path / "model"))]) == 0
    assert "Kindred starter retriever" in capsys.readouterr().out


def test_the_chinese_one_is_chosen_by_what_it_keeps():
    kept = load_datastore(CHINESE.path)
    assert kept is not None
    assert kept.languages == ("zh",)
    assert artifact_read(CHINESE.path).name == "Kindred starter retriever for Chinese"
    assert sum(path.stat().st_size for path in CHINESE.path.iterdir()) < CHINESE.largest


def test_the_programs_own_is_small_and_says_how_it_was_made():
    manifest = artifact_read(STARTER.path)
    assert sum(path.stat().st_size for path in STARTER.path.iterdir()) < STARTER.largest
    assert (manifest.capability, manifest.name) == ("analogy", "Kindred starter retriever")
    assert manifest.extra["slot_text"] is True
    assert manifest.extra["command"].startswith("python -m analytics train analogy --data more")
