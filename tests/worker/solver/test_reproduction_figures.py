"""The figures of single moments of a training: how problems gather meanwhile."""

from __future__ import annotations

import gzip
import json
from itertools import count
from xml.etree import ElementTree

import pytest

from analytics.backbone.tiny import save_backbone, tiny_backbone
from analytics.errors import Cancelled, DataError
from analytics.solver.config import SolverConfig
from analytics.training.context import TrainingContext
from tests.analytics.solver.small_problems import problems
from worker.reproduction import trained
from worker.solver.reproduction.representation_tables import representation_tables
from worker.solver.reproduction.runs import Plan, reproduce_solver


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rows = [
        {"text": f"{problem.text} It is {time}.", "equation": problem.equation, "fold": fold}
        for fold, times in enumerate((("morning", "noon"), ("evening", "night")))
        for time in times
        for problem in problems()
    ]
    (folder / "asdiv_a").mkdir()
    (folder / "asdiv_a" / "cv.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return folder


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny") / "bert"
    save_backbone(tiny_backbone(max_tokens=128), folder)
    config = SolverConfig(
        backbone=str(folder), batch_size=4, contrast_epochs=1, contrast_steps=20, epochs=10, learning_rate=1e-3,
        measured=0, device="cpu", mixed_precision=False,
    )  # fmt: skip
    return Plan(["none", "pattern"], [1], ["asdiv_a/fold-0"], config=config, moments=3)


def representations(folders) -> list[dict]:
    return [json.loads((run / "figures.json").read_text())["sets"]["representation"] for run in folders]


def test_an_encoder_is_measured_at_evenly_spaced_moments_of_its_training(data, plan, tmp_path, monkeypatch):
    folders = reproduce_solver(data, tmp_path / "whole", plan)
    none, pattern = representations(folders)
    assert [found["step"] for found in none["moments"]] == [20, 30, 40]  # reports are ten steps apart
    assert [found["share"] for found in none["moments"]] == [0.3333, 0.6667, 1]
    assert none["moments"][-1]["index"] == none["clustering"]["test_by_layer"][-1]
    assert none["moments"][0]["index"] != none["moments"][-1]["index"]
    assert pattern["moments"][-1]["step"] > 40  # with the steps of the first stage
    assert len(pattern["moments"]) == 3
    for picture in ("prototypes-1-of-3.svg", "prototypes-2-of-3.svg", "prototypes.svg"):
        ElementTree.fromstring((folders[0] / picture).read_text())
    assert not (folders[0] / "checkpoint").exists()
    table = representation_tables(tmp_path / "whole").split("###")[2]
    assert "| | after 33% | after 67% | after 100% |" in table
    assert "| ASDiv-A, no contrast (fold 0) | " in table
    assert "% (step 20) |" in table

    calls = count(1)

    def stopping(**options):
        return TrainingContext(**options, cancel=lambda: next(calls) == 25)

    with monkeypatch.context() as patched:
        patched.setattr(trained, "TrainingContext", stopping)
        with pytest.raises(Cancelled):
            reproduce_solver(data, tmp_path / "stopped", plan)
    assert representations(reproduce_solver(data, tmp_path / "stopped", plan)) == [none, pattern]


def test_moments_are_measured_only_where_they_are_asked_for(data, plan, tmp_path):
    asked = Plan(["none"], plan.seeds, plan.sets, config=plan.config)
    (folder,) = reproduce_solver(data, tmp_path, asked)
    assert "moments" not in representations([folder])[0]
    assert not list(folder.glob("prototypes-*"))
    assert representation_tables(tmp_path).count("not run") == 1
    with pytest.raises(DataError, match="other settings"):
        reproduce_solver(data, tmp_path, plan)
