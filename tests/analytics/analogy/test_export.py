"""A starter's adapter and head become an artifact that serves without PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analytics.analogy.examples import AnalogyConfig, read_graphs
from analytics.analogy.retriever import load_retriever
from analytics.analogy.train import encode_problems, fit_retriever, train_retriever
from analytics.backbone.export import save_backbone
from analytics.catalog import ANALOGY
from analytics.errors import ArtifactError
from analytics.question_files import Problems
from analytics.records import ProblemRecord
from tests.tiny_backbone import tiny_backbone
from worker.starters import copy_adapter

PROBLEMS = [
    ProblemRecord("1", "Tom has 3 pens and 4 cups.", equation="3+4"),
    ProblemRecord("2", "A shop sold 8 cars, then 2.", equation="8+2"),
    ProblemRecord("3", "Ann had 9 pies and ate 5.", equation="9-5"),
    ProblemRecord("4", "Of 7 birds 6 flew away.", equation="7-6"),
]
TEXTS = ["He had 12 nuts and lost 5 of them.", "Pack 6 hats into 3 boxes.", "no number"]


@pytest.fixture
def starter(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """A starter's folder of a tiny retriever with a head of two layers, and its vectors of `TEXTS` by PyTorch."""
    save_backbone(tiny_backbone(), tmp_path / "bert")
    config = AnalogyConfig(
        backbone=str(tmp_path / "bert"), slot_text=True, adapter_rank=4, batch_size=2, max_steps=6, measured=0,
        learning_rate=1e-2, mixed_precision=False, device="cpu",
    )  # fmt: skip
    train_retriever(Problems(learned=tuple(PROBLEMS)), config, tmp_path / "model")
    copy_adapter(tmp_path / "model", tmp_path / "starter", capability="analogy", name="The starter")
    backbone, _result = fit_retriever(read_graphs(PROBLEMS)[0], config)
    return tmp_path / "starter", encode_problems(backbone, TEXTS, config)


def test_backbone_adapter_and_head_become_a_retriever_that_reads_slots(starter, tmp_path):
    folder, expected = starter
    manifest = ANALOGY.export(tmp_path / "served", backbone=str(tmp_path / "bert"), adapter=folder)
    assert (manifest.capability, manifest.name) == ("analogy", "The starter")
    retriever = load_retriever(tmp_path / "served")
    assert retriever.slots
    vectors = retriever.encode(TEXTS)
    # encode_bulk computes in bfloat16 where the processor has it, and the adapter is kept in half precision
    np.testing.assert_allclose(vectors, expected, atol=2e-2)
    other_numbers = [TEXTS[0].replace("12", "70").replace("5", "31")]
    np.testing.assert_allclose(retriever.encode(other_numbers)[0], vectors[0], atol=1e-6)


def test_a_folder_without_a_starter_is_refused(tmp_path):
    with pytest.raises(ArtifactError):
        ANALOGY.export(tmp_path / "served", adapter=tmp_path / "nothing")
