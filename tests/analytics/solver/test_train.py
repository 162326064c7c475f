"""Training a solver from files to an artifact, in one stage and in two."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from analytics.artifacts import Manifest, artifact_read
from analytics.backbone.adapters import load_adapter
from analytics.backbone.bert import load_backbone
from analytics.catalog import SOLVER
from analytics.errors import ConfigurationError, DataError
from analytics.expression.evaluate import answers_agree
from analytics.question_files import Problems, read_problems
from analytics.records import ProblemRecord
from analytics.solver.confidence import Confidence, load_confidence, save_confidence
from analytics.solver.config import SolverConfig
from analytics.solver.model import save_solver, solver_extra
from analytics.solver.served import load_solver
from analytics.solver.targets import solver_examples
from analytics.solver.train import fit_solver, train_solver
from analytics.training.context import FileOptions, TrainingContext
from tests.analytics.solver.small_problems import examples, problems, trained_twice, weights
from tests.analytics.solver.small_problems import small_config as config
from tests.tiny_backbone import tiny_backbone


@pytest.fixture(scope="module")
def backbone_folder(tiny_folder):
    return tiny_folder(128)


def test_training_on_eight_problems_solves_them_and_the_artifact_serves_it(backbone_folder, tmp_path):
    settings = config(
        backbone_folder,
        batch_size=8,
        epochs=100,
        dropout=0.0,
        schedule="constant",
        learning_rate=6e-3,
        decoder_learning_rate=6e-3,
    )
    manifest = train_solver(Problems(tuple(problems()), (), tuple(problems())), settings, tmp_path / "model")
    assert manifest.metrics["test"]["answer_accuracy"] >= 0.75
    assert manifest.metrics["test"]["problems"] == 8
    assert manifest.metrics["steps"] == 100
    loaded = load_solver(tmp_path / "model")
    right = [
        answers_agree(solutions[0].value, float(problem.answer))
        for problem, solutions in zip(problems(), loaded.solve(problems()), strict=True)
    ]
    assert np.mean(right) == manifest.metrics["test"]["answer_accuracy"]
    assert manifest.extra["constants"] == list(loaded.vocabulary.constants)


@pytest.mark.parametrize(("stop_after", "adapter_rank"), [(3, 0), (6, 0), (2, 2), (6, 2)])
def test_pattern_contrast_in_two_stages_resumes_exactly_in_either(backbone_folder, tmp_path, stop_after, adapter_rank):
    settings = config(backbone_folder, contrast="pattern", contrast_steps=3, max_steps=4, adapter_rank=adapter_rank)
    result, history = trained_twice(settings, tmp_path, stop_after=stop_after)
    assert result.step == 7
    assert {report.steps for report in history.reports} == {7}  # those of the second stage from the start
    assert {"loss_equation", "loss_contrast", "loss_equations"} <= set(history.reports[0].metrics) | set(
        history.reports[-1].metrics
    )
    learned = [*examples(), *examples()]
    with pytest.raises(DataError, match="other settings or other data"):
        fit_solver(learned, replace(settings, margin=0.1), context=TrainingContext(checkpoints=tmp_path))


def test_who_looks_at_a_solver_in_the_middle_of_its_training_changes_nothing(backbone_folder):
    settings = config(backbone_folder, epochs=10, dropout=0.5)
    seen: dict[int, list] = {}

    def look(model, report):
        seen[report.step] = [model.sample_states(examples()).numpy() for _time in range(2)]
        model.solve(problems())

    watched, _result = fit_solver(examples(), settings, observer=look)
    alone, _result = fit_solver(examples(), settings)
    expected = weights(alone)
    assert all(torch.equal(expected[name], tensor) for name, tensor in weights(watched).items())
    assert list(seen) == [10, 20]
    for first, again in seen.values():
        np.testing.assert_array_equal(first, again)  # without dropout
    assert np.abs(seen[10][0] - seen[20][0]).max() > 1e-3


def test_a_frozen_encoder_keeps_its_weights_and_the_decoder_learns(backbone_folder):
    model, _result = fit_solver(examples(), config(backbone_folder, freeze_encoder=True))
    before = tiny_backbone(max_tokens=128).model.state_dict()
    assert all(torch.equal(before[name], tensor) for name, tensor in model.backbone.model.state_dict().items())
    assert model.solve(problems())[0]


def test_adapters_learn_instead_of_the_encoders_weights_and_are_kept_beside_the_merged_ones(backbone_folder, tmp_path):
    settings = config(backbone_folder, adapter_rank=2)
    model, _result = fit_solver(examples(), settings)
    assert not any("lora" in name for name in weights(model))
    before = load_backbone(backbone_folder, max_tokens=128, device="cpu")
    trained = model.backbone.model.state_dict()
    changed = {name for name, tensor in before.model.state_dict().items() if not torch.equal(trained[name], tensor)}
    assert changed
    assert all(name.endswith("weight") and trained[name].dim() == 2 for name in changed)
    save_solver(model, tmp_path / "model", Manifest("solver", "tiny", extra=solver_extra(model)))
    load_adapter(before, tmp_path / "model" / "adapter")
    for name, tensor in before.model.state_dict().items():
        assert torch.allclose(trained[name], tensor, atol=2e-3), name  # the adapter is kept in half precision
    assert before.weights_hash != backbone_hash(backbone_folder)


def backbone_hash(folder: str) -> str:
    return load_backbone(folder, device="cpu").weights_hash


def test_a_training_can_begin_with_a_solver_and_keeps_its_constants(backbone_folder, tmp_path):
    model, _result = fit_solver(examples(), config(backbone_folder))
    save_solver(model, tmp_path / "model", Manifest("solver", "tiny", extra=solver_extra(model)))
    without_pi = [example for example in examples() if "3.14" not in example.tokens]
    settings = config(str(tmp_path / "model"), max_steps=1, learning_rate=1e-8, decoder_learning_rate=1e-8)
    further, _result = fit_solver(without_pi, settings)
    assert set(further.vocabulary.constants) == set(model.vocabulary.constants)
    before, after = model.solve(problems()), further.solve(problems())
    assert [[solution.tokens for solution in own] for own in before] == [
        [solution.tokens for solution in own] for own in after
    ]


def test_a_training_that_begins_with_a_solver_goes_on_reading_numbers_as_it_does(
    backbone_folder, tmp_path, monkeypatch
):
    train_solver(
        Problems(tuple(problems())), config(backbone_folder, max_steps=1, mask_numbers=False), tmp_path / "model"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    further = train_solver(Problems(tuple(problems())), config("~/model", max_steps=1), tmp_path / "further")
    assert further.config["mask_numbers"] is further.extra["mask_numbers"] is False
    assert further.extra["constants"] == artifact_read(tmp_path / "model").extra["constants"]
    plain = train_solver(Problems(tuple(problems())), config(backbone_folder, max_steps=1), tmp_path / "plain")
    assert plain.extra["mask_numbers"] is True


def test_a_training_that_begins_with_a_solver_keeps_its_confidence_where_none_can_be_fitted(backbone_folder, tmp_path):
    first, further = tmp_path / "first", tmp_path / "further"
    train_solver(Problems(tuple(problems())), config(backbone_folder, max_steps=1), first)
    assert load_confidence(first) is None
    confidence = Confidence((0.5, 1.25, -0.125), 0.75)
    save_confidence(confidence, first)
    train_solver(Problems(tuple(problems())), config(str(first), max_steps=1), further)
    assert load_confidence(further) == confidence


def test_a_frozen_encoder_has_no_adapters():
    with pytest.raises(ConfigurationError, match="a frozen encoder learns no adapters"):
        SolverConfig(freeze_encoder=True, adapter_rank=4)


def test_files_are_learned_from_validated_with_or_tested_with_by_name_and_fold(tmp_path):
    rows = [
        {"text": problem.text, "equation": problem.equation, "answer": problem.answer, "fold": number % 2}
        for number, problem in enumerate(problems())
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "dev.jsonl").write_text(json.dumps(rows[0]))
    (tmp_path / "test.jsonl").write_text(json.dumps(rows[1] | {"language": "zh"}))
    found = read_problems(tmp_path)
    assert [len(part) for part in (found.learned, found.validation, found.test)] == [8, 1, 1]
    folded = read_problems(tmp_path / "train.jsonl", fold=1)
    assert [problem.fold for problem in folded.learned] == [0] * 4
    assert [problem.fold for problem in folded.test] == [1] * 4
    assert len(read_problems(tmp_path, language="en").test) == 0
    with pytest.raises(DataError, match="no problem to learn from"):
        read_problems(tmp_path, language="fr")
    with pytest.raises(DataError, match="no file of problems"):
        read_problems(tmp_path / "nowhere.jsonl")
    (tmp_path / "train.jsonl").write_text(json.dumps(rows[0]) + "\n" + json.dumps({"text": "1", "equation": 3}))
    with pytest.raises(DataError, match=r"train\.jsonl, line 2: the equation is not a string"):
        read_problems(tmp_path)


def test_training_from_files_leaves_no_checkpoint_and_says_how_to_repeat_it(backbone_folder, tmp_path):
    rows = [{"text": problem.text, "equation": problem.equation} for problem in problems()]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    lines: list[str] = []
    manifest = SOLVER.train(
        tmp_path / "data.jsonl",
        tmp_path / "model",
        config(backbone_folder, epochs=1),
        context=TrainingContext(say=lines.append),
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.jsonl", "model"]
    assert "--set epochs=1" in manifest.extra["command"]
    assert lines[0].startswith("8 problems to learn from")
    with pytest.raises(DataError, match="learns no concepts"):
        SOLVER.train(tmp_path / "data.jsonl", tmp_path / "again", config(backbone_folder), FileOptions(hierarchy="h"))


def test_too_few_problems_are_refused(backbone_folder, tmp_path):
    with pytest.raises(DataError, match="at least 16 problems"):
        fit_solver(examples(), config(backbone_folder, batch_size=16))
    without = Problems(tuple(replace(problem, equation="") for problem in problems()))
    with pytest.raises(DataError, match="No problem has an equation"):
        train_solver(without, config(backbone_folder), tmp_path / "model")
    few = examples()[:4]
    with pytest.raises(DataError, match="at least 4 triples"):
        fit_solver(few, config(backbone_folder, contrast="pattern"))


def test_an_encoder_that_does_not_know_the_language_is_refused(backbone_folder):
    chinese = [
        ProblemRecord(str(number), f"小明有{number}支铅笔，又买了4支，一共有多少支？", "zh", f"{number}+4")
        for number in range(10, 20)
    ]
    with pytest.raises(DataError, match=r"does not know .* choose another backbone, such as multilingual-e5"):
        fit_solver(solver_examples(chinese), config(backbone_folder))
