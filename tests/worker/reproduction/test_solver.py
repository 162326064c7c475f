"""Running arms of the solver's tables, stopping them, and the tables of what was run."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from analytics.errors import Cancelled, DataError
from analytics.solver.config import SolverConfig
from tests.analytics.solver.small_problems import problems
from tests.public_sets import write_set
from tests.worker.stopping import reproductions_stopped_at_once
from worker.reproduction import solver as solver_runs
from worker.reproduction.runs import PROBLEM_SETS as SETS
from worker.reproduction.runs import Arm, part_names, part_problems
from worker.reproduction.solver import SolverPlan as Plan
from worker.reproduction.solver import reproduce_solver, solver_paper_tables
from worker.reproduction.solver_figures import representation_tables
from worker.reproduction.solver_tables import ARMS, RECALLING, RECURRENT, solver_tables

TINY = {
    "batch_size": 4, "epochs": 1, "contrast_epochs": 1, "measured": 0, "device": "cpu", "mixed_precision": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name in ("asdiv_a", "mawps"):
        rows = [
            {"id": f"{fold}-{problem.id}", "text": f"{problem.text} Day {fold}.", "equation": problem.equation,
             "fold": fold}
            for fold in range(2) for problem in problems()
        ]  # fmt: skip
        write_set(folder, f"{name}/cv", rows)
    for part in ("train", "dev", "test"):
        rows = [
            {"text": problem.text, "equation": problem.equation} for problem in problems()[: 4 if part == "test" else 8]
        ]
        write_set(folder, f"math23k/{part}", rows)
    return folder


@pytest.fixture(scope="module")
def config(tiny_folder):
    return SolverConfig(backbone=tiny_folder(128), **TINY)


def test_arms_are_run_once_and_the_tables_say_what_was_not(data, config, tmp_path):
    said: list[str] = []
    arms = ["retrieve-tfidf", "none", "pattern", "textual-train"]
    plan = Plan(arms=arms, seeds=[1], trained_on=["asdiv_a/fold-0"], config=config)
    folders = reproduce_solver(data, tmp_path, plan, say=said.append)
    assert [str(folder.relative_to(tmp_path)) for folder in folders] == [f"asdiv_a/fold-0/{arm}/seed-1" for arm in arms]
    figures = json.loads((folders[2] / "figures.json").read_text())
    assert figures["settings"]["config"]["contrast"] == "pattern"
    assert figures["sets"]["test"]["problems"] == 8
    assert sorted(path.name for path in folders[2].iterdir()) == [
        "figures.json", "outcomes.npz", "prototypes.svg",
    ]  # fmt: skip
    assert "representations.npz" in {path.name for path in folders[1].iterdir()}
    reproduce_solver(data, tmp_path, plan, say=said.append)
    assert sum("kept from before" in line for line in said) == 4
    tables = solver_tables(tmp_path)
    assert tables.count("(fold 0)") >= 4
    first = next(line for line in tables.splitlines() if line.startswith("| retrieve and apply, TF-IDF"))
    assert "not run" in first
    assert "| 87.5 [" in first  # seven of eight find their twin of the other day
    assert "| multilingual, with | not run | - | not run | 83.9 (70.9) | not run | 76.3 (74.2) |" in tables
    assert "| both contrasts | not run | not run | not run | not run |" in tables
    with pytest.raises(DataError, match="other settings"):
        reproduce_solver(data, tmp_path, Plan(["none"], [1], ["asdiv_a/fold-0"], questions=4, config=config))


def test_the_representation_of_a_trained_encoder_is_measured_and_shown(config, tmp_path):
    rows = [
        {"text": f"{problem.text} It is {time}.", "equation": problem.equation, "fold": fold}
        for fold, times in enumerate((("morning", "noon"), ("evening", "night")))
        for time, own in zip(times, (problems(), problems()[:5]), strict=True)
        for problem in own
    ]
    write_set(tmp_path, "asdiv_a/cv", rows)
    plan = Plan(["retrieve-tfidf", "none"], [1], ["asdiv_a/fold-0"], config=config)
    _floor, run = reproduce_solver(tmp_path, tmp_path / "runs", plan)
    measured = json.loads((run / "figures.json").read_text())["sets"]["representation"]
    layers = len(measured["clustering"]["test_by_layer"])
    assert layers == len(measured["pairs"]["same_prototype"]["cosine_by_layer"]) > 1
    assert measured["pairs"]["same_prototype"]["pairs"] == 5
    with np.load(run / "outcomes.npz") as stored:
        cosines = stored["test/centre_cosine"]
    assert np.isnan(cosines).tolist() == [False] * 5 + [True] * 3 + [False] * 5
    ElementTree.fromstring((run / "prototypes.svg").read_text())
    tables = representation_tables(tmp_path / "runs")
    assert tables.count("| ASDiv-A, no contrast (fold 0) |") == 2
    assert tables.count("| ASDiv-A, no contrast (fold 0), 5 pairs: same prototype |") == 1
    assert "retrieve and apply" not in tables
    assert representation_tables(tmp_path / "none").count("not run") == 4


def test_published_figures_stand_beside_ours_and_models_that_we_lack_have_no_figure_of_ours(tmp_path):
    tables = solver_tables(tmp_path)
    lines = tables[tables.index("### Pattern-CL, Table 3") :].splitlines()
    columns = ("Math23K, answer (equation)", "published", "MathQA (adapted val), answer (equation)", "published")
    assert lines[2] == f"| | {' | '.join(columns)} |"
    assert lines[4:7] == [
        "| GroupAttention, published | - | 69.5 | - | 70.4 (63.3) |",
        "| GTS | not run | 75.6 | not run | 71.3 (68.9) |",
        "| Graph2Tree, published | - | 77.4 | - | 72.0 (70.0) |",
    ]
    assert "| Graph2Tree, published | - | 71.0 | - | 77.4 |" in tables  # Textual-CL, on ASDiv-A and Math23K
    assert tables.count("Published figures of MathQA are of its adapted test part") == 3


def test_a_contrast_is_held_against_as_many_steps_without_it(tmp_path):
    right = {"pattern": {0: [1, 1, 0, 0], 1: [1, 0, 0, 0]}, "alpha-0": {0: [1, 0, 0, 0], 1: [1, 1, 0, 0]}}
    for arm, seeds in right.items():
        for seed, answers in seeds.items():
            folder = tmp_path / "math23k" / arm / f"seed-{seed}"
            folder.mkdir(parents=True)
            (folder / "figures.json").write_text("{}")
            names = np.array(["", "", "", ""])
            np.savez(folder / "outcomes.npz", **{
                "test/problem": np.arange(4), "test/is_answer_right": np.array(answers, dtype=bool),
                "test/is_equation_right": np.zeros(4, dtype=bool), "test/id": names, "test/equation": names,
            })  # fmt: skip
    lines = solver_tables(tmp_path).splitlines()
    (line,) = [line for line in lines if line.startswith("| Pattern-CL less Pattern-CL's triples, alpha 0")]
    cell = line.split(" | ")[3]
    assert cell.startswith("+0.0 [")
    assert "(seeds +25.0, -25.0); +0.0 [+0.0, +0.0] (2 seeds)" in cell
    assert line.count("not run") == 3


def test_a_run_that_was_stopped_goes_on(data, config, tmp_path, monkeypatch):
    plan = Plan(arms=["none"], seeds=[1], trained_on=["asdiv_a/fold-0"], config=config)
    whole = reproduce_solver(data, tmp_path / "whole", plan)
    with reproductions_stopped_at_once(monkeypatch), pytest.raises(Cancelled):
        reproduce_solver(data, tmp_path / "stopped", plan)
    assert "not run" in solver_tables(tmp_path / "stopped").splitlines()[7]
    [folder] = reproduce_solver(data, tmp_path / "stopped", plan)
    figures = [json.loads((path / "figures.json").read_text())["sets"] for path in (whole[0], folder)]
    assert figures[0] == figures[1]


def test_no_problem_is_learned_from_or_validated_with_whose_text_is_tested(data):
    problems = part_problems(data, "math23k")
    assert (len(problems.learned), len(problems.validation), len(problems.test)) == (4, 4, 4)
    assert len(part_problems(data, "asdiv_a/fold-1").test) == 8
    assert len(part_problems(data, "asdiv_a/fold-1", most=3).learned) == 3


def test_sets_folds_and_arms_that_are_not_known_are_named(data, config, tmp_path):
    assert part_names("mawps") == [f"mawps/fold-{fold}" for fold in range(5)]
    assert part_names("math23k") == ["math23k"]
    for chosen in ("mawps/fold-5", "math23k/fold-0", "gsm8k"):
        with pytest.raises(DataError, match="There is no set"):
            part_names(chosen)
    with pytest.raises(DataError, match="There is no arm best"):
        reproduce_solver(data, tmp_path, Plan(["best"], [1], ["mawps"], config=config))


def test_an_arm_recalls_what_a_retriever_keeps_and_what_a_part_learns(data, config, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        solver_runs, "recalling", lambda solver, retriever, solved: asked.append((retriever, solved)) or solver
    )
    monkeypatch.setattr(solver_runs, "load_retriever", lambda folder: folder.name)
    plan = Plan([RECALLING], [1], ["asdiv_a/fold-0"], questions=4, config=config, retriever=tmp_path / "retriever")
    reproduce_solver(data, tmp_path / "runs", plan)
    ((retriever, solved),) = asked
    assert retriever == "retriever"
    assert len(solved) == 4
    assert not {problem.text for problem in solved} & {
        problem.text for problem in part_problems(data, "asdiv_a/fold-0").test
    }


def test_the_arm_with_a_gru_is_measured_without_an_artifact(data, config, tmp_path, monkeypatch):
    monkeypatch.setitem(ARMS, RECURRENT, Arm("GTS", {"batch_size": 4, "epochs": 1}))
    plan = Plan([RECURRENT], [1], ["asdiv_a/fold-0"], config=config)
    (run,) = reproduce_solver(data, tmp_path, plan)
    figures = json.loads((run / "figures.json").read_text())
    assert figures["sets"]["test"]["problems"] == 8
    assert figures["settings"]["arm"] == RECURRENT
    assert sorted(path.name for path in run.iterdir()) == ["figures.json", "outcomes.npz"]
    assert "| GTS |" in solver_tables(tmp_path)


def test_multilingual_arms_learn_from_both_sets_where_there_are_two(data, config, tmp_path, monkeypatch):
    learned: list[int] = []

    def train(problems, *_others, **_options):
        learned.append(len(problems.learned))
        raise Cancelled("enough")

    monkeypatch.setattr(solver_runs, "fit_problems", train)
    monkeypatch.setitem(SETS, "math23k", replace(SETS["math23k"], foreign="asdiv_a/fold-0"))
    plan = Plan(["multilingual-pattern"], [1], ["mawps", "math23k"], config=config)
    with pytest.raises(Cancelled):
        reproduce_solver(data, tmp_path, plan)
    own, foreign = (len(part_problems(data, part).learned) for part in ("math23k", "asdiv_a/fold-0"))
    assert learned == [own + foreign]
    settings = solver_runs._settings(plan, "math23k/multilingual-pattern", 1)
    assert settings["config"]["positives"] == "foreign"
    default = replace(plan, config=SolverConfig())
    assert (
        solver_runs._settings(default, "mathqa/multilingual-none", 1)["config"]["backbone"] == "multilingual-e5-small"
    )


def test_that_arm_needs_a_retriever(data, config, tmp_path):
    with pytest.raises(DataError, match="needs --retriever"):
        reproduce_solver(data, tmp_path, Plan([RECALLING], [1], ["asdiv_a/fold-0"], questions=4, config=config))


def test_every_arm_is_a_valid_configuration():
    for arm in ARMS.values():
        SolverConfig(**(arm.settings or {}))
    assert set(SETS) == {"asdiv_a", "mawps", "math23k", "mathqa"}


def test_the_command_returns_the_tables(data, config, tmp_path):
    options = {
        "data": data, "arms": ["retrieve-tfidf"], "seeds": None, "train_on": ["asdiv_a/fold-1"],
        "retriever": None, "questions": 0, "moments": 0,
        "skip_representation": False,
        "set": [f"backbone={config.backbone}", "device=cpu"],
    }  # fmt: skip
    tables = solver_paper_tables(tmp_path, options, lambda _line: None)
    assert "(fold 1)" in tables
