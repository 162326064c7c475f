"""The figures of single moments and single problems: how problems gather meanwhile, and what lies around a case."""

from __future__ import annotations

import json
from itertools import count
from xml.etree import ElementTree

import numpy as np
import pytest

from analytics.errors import Cancelled, DataError
from analytics.solver.config import SolverConfig
from analytics.training.context import TrainingContext
from tests.analytics.solver.small_problems import problems
from tests.public_sets import write_set
from worker.reproduction import runs as trained
from worker.reproduction.solver import SolverPlan as Plan
from worker.reproduction.solver import reproduce_solver
from worker.reproduction.solver_figures import PlacedProblems, case_table, draw_cases, representation_tables


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rows = [
        {"text": f"{problem.text} It is {time}.", "equation": problem.equation, "fold": fold}
        for fold, times in enumerate((("morning", "noon"), ("evening", "night")))
        for time in times
        for problem in problems()
    ]
    write_set(folder, "asdiv_a/cv", rows)
    return folder


@pytest.fixture(scope="module")
def plan(tiny_folder):
    config = SolverConfig(
        backbone=tiny_folder(128), batch_size=4, contrast_epochs=1, contrast_steps=20, epochs=10, learning_rate=1e-3,
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
    asked = Plan(["none"], plan.seeds, plan.trained_on, config=plan.config)
    (folder,) = reproduce_solver(data, tmp_path, asked)
    assert "moments" not in representations([folder])[0]
    assert not list(folder.glob("prototypes-*"))
    assert representation_tables(tmp_path).count("not run") == 1
    with pytest.raises(DataError, match="other settings"):
        reproduce_solver(data, tmp_path, plan)


def keep_run(output, arm: str, states, right: list[bool], written: list[str]) -> None:
    folder = output / "asdiv_a" / "fold-0" / arm / "seed-1"
    folder.mkdir(parents=True)
    (folder / "figures.json").write_text('{"sets": {}}')
    np.savez(
        folder / "outcomes.npz",
        **{
            "test/problem": np.arange(len(right)),
            "test/id": np.array([f"problem {number}" for number in range(len(right))]),
            "test/is_answer_right": np.array(right),
            "test/prototype": np.array(written),
        },
    )
    PlacedProblems(
        np.array(states, dtype=np.float32),
        np.array(["N0+N1", "N0*N1", "N0*N1", "N0+N1", "N0-N1"]),
        np.array([-1, -1, -1, 1, 2]),
    ).save(folder)


def test_what_the_contrast_puts_right_is_shown_between_its_own_equation_and_the_other(tmp_path):
    """The case is (1, 0). Before: its own at (0, 1), cosine 0; the other at (1, 0) and (0.6, 0.8), mean 0.8."""
    wrong = [True, False, False]
    keep_run(tmp_path, "none", [[0, 1], [2, 0], [0.6, 0.8], [1, 0], [1, 1]], wrong, ["", "N0*N1", "N1-N0"])
    keep_run(tmp_path, "textual", [[5, 0], [0, 1], [0, -1], [1, 0], [1, 1]], [True] * 3, ["", "N0+N1", "N0-N1"])
    table = case_table(tmp_path)
    cosines = "0.000, 0.800, -0.800 | 1.000, 0.000, +1.000"
    assert f"| ASDiv-A, fold 0, seed 1, problem 1 | `N0+N1` (1) | `N0*N1` (2) | {cosines} |" in table
    assert f"| ASDiv-A, mean of the 1 of 2 cases with both around them | | | {cosines} |" in table
    assert "problem 0" not in table  # right before
    assert "problem 2" not in table  # nothing lies around it
    draw_cases(tmp_path)
    for arm in ("none", "textual"):
        picture = (tmp_path / "asdiv_a" / "fold-0" / arm / "seed-1" / "case.svg").read_text()
        ElementTree.fromstring(picture)
        assert "without contrast, N0*N1 (2)" in picture
        assert "the case (1)" in picture


def test_without_both_arms_there_is_no_case(tmp_path):
    keep_run(tmp_path, "none", np.eye(5, 2), [False] * 3, ["N0*N1"] * 3)
    assert case_table(tmp_path).endswith("not run")
    draw_cases(tmp_path)
    assert not list(tmp_path.rglob("case.svg"))
