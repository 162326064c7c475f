"""Solving without PyTorch: the same numbers and trees as with it, and honest answers to bad input."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from analytics.artifacts import Manifest
from analytics.backbone.export import export_onnx
from analytics.errors import ArtifactError
from analytics.records import ProblemRecord
from analytics.solver.beam import ArrayDecoder
from analytics.solver.model import save_solver, solver_extra
from analytics.solver.served import DECODER_NAME, load_solver
from analytics.solver.solution import ProblemSolver
from analytics.solver.targets import solver_example
from tests.analytics.solver.small_problems import problems, tiny_solver
from tests.tiny_backbone import tiny_backbone


def random_problems(count: int) -> list[ProblemRecord]:
    rng = random.Random(7)
    words = ["pens", "are", "sold", "for", "and", "each", "25 %", "half of", "2/3", "dozen"]
    texts = []
    for _problem in range(count):
        parts = rng.choices(words, k=rng.randint(1, 12)) + [str(rng.randint(1, 99))] * rng.randint(1, 3)
        rng.shuffle(parts)
        texts.append(" ".join(parts))
    return [ProblemRecord(str(row), f"What is {text}?") for row, text in enumerate(texts)]


@pytest.fixture(scope="module")
def model():
    solver = tiny_solver()
    solver.decoder.standardize(solver.sample_states([solver_example(record) for record in random_problems(9)]))
    return solver


@pytest.fixture(scope="module")
def folder(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("solver") / "model"
    extra = solver_extra(model, most_tokens=15) | {"languages": ["en"]}
    save_solver(model, folder, Manifest("solver", "tiny", extra=extra))
    return folder


@pytest.fixture(scope="module")
def served(folder):
    return load_solver(folder)


def array_decoder(model, folder) -> ArrayDecoder:
    return ArrayDecoder(load_file(folder / DECODER_NAME), len(model.vocabulary.constants))


def test_a_language_is_known_by_its_code_without_script_and_region(model, tmp_path):
    extra = solver_extra(model, most_tokens=15) | {"languages": ["zh-Hans"]}
    save_solver(model, tmp_path / "model", Manifest("solver", "tiny", extra=extra))
    solver = load_solver(tmp_path / "model")
    assert solver.unsolvable_reason(ProblemRecord("1", "7 + 2 = ?", "zh-CN")) == ""
    assert "problems in English" in solver.unsolvable_reason(ProblemRecord("1", "7 + 2 = ?", "en"))


def test_states_are_read_centered_and_scaled(model):
    states = model.sample_states([solver_example(record) for record in random_problems(9)])
    read = (states - model.decoder.state_center) * model.decoder.state_scale
    assert float(read.mean(dim=0).abs().max()) < 0.01
    assert float(read.std(dim=0).mean()) == pytest.approx(0.4, abs=0.01)


def test_a_decoder_that_knows_no_centering_reads_states_as_they_are(model, folder):
    weights = load_file(folder / DECODER_NAME)
    arrays = model.reader.arrays(model.reader.read([solver_example(record) for record in problems()]))
    states = np.random.default_rng(0).normal(size=(*arrays.ids.shape, len(weights["state_center"])))
    older = ArrayDecoder({name: value for name, value in weights.items() if "state" not in name}, 1)
    neutral = weights | {"state_center": weights["state_center"] * 0, "state_scale": np.ones(1)}
    expected = ArrayDecoder(neutral, 1).scorer(states.astype(np.float32), arrays)
    np.testing.assert_allclose(older.scorer(states.astype(np.float32), arrays).states, expected.states)


@torch.no_grad()
def test_every_part_of_the_decoder_gives_the_numbers_of_pytorch(model, folder):
    read = model.reader.read([solver_example(record) for record in random_problems(20)])
    batch, decoder = model.batch(read), model.decoder
    states = model.states(batch)
    memory = model.memory(states, batch)
    arrays = array_decoder(model, folder).scorer(states.numpy(), model.reader.arrays(read))
    np.testing.assert_array_equal(memory.leaf_mask, arrays.leaf_mask)
    np.testing.assert_allclose(memory.leaves, arrays.leaves, atol=1e-4)
    rng = np.random.default_rng(0)
    rows, width = rng.integers(20, size=50), decoder.project.out_features
    first, second = rng.normal(size=(2, 50, width)).astype(np.float32)
    is_right, operators = rng.random(50) < 0.5, rng.integers(5, size=50)
    left, right = torch.from_numpy(first), torch.from_numpy(second)
    goals = decoder.goal(left, right, torch.from_numpy(is_right))
    scores, contexts = decoder.score(goals, memory, torch.from_numpy(rows))
    labels = torch.from_numpy(operators)
    expected = (goals, scores, contexts, *decoder.split(goals, contexts, labels), decoder.merged(labels, left, right))
    own = (
        arrays.goal(first, second, is_right),
        *arrays.score(goals.numpy(), rows),
        *arrays.split(goals.numpy(), contexts.numpy(), operators),
        arrays.merged(operators, first, second),
    )
    for value, array in zip(expected, own, strict=True):
        np.testing.assert_allclose(value, array, atol=1e-4)


def test_a_served_solver_solves_as_the_model_in_pytorch_does(model, served):
    records = [*problems(), *random_problems(40)]
    solver: ProblemSolver = served
    decoded = model.solve(records, most_tokens=15)
    for trees, own in zip(decoded, solver.solve(records), strict=True):
        assert trees
        assert [solution.tokens for solution in trees] == [solution.tokens for solution in own]
        for solution, other in zip(trees, own, strict=True):
            assert solution.probability == pytest.approx(other.probability, abs=1e-4)
            assert (solution.value, solution.exact) == (other.value, other.exact)


def test_solutions_do_not_depend_on_the_batch_or_on_a_known_equation(served):
    records = [*problems(), *random_problems(40)]
    together = served.solve(records, beam=5)
    for record, solutions in zip(records, together, strict=True):
        [alone] = served.solve([ProblemRecord("x", record.text)], beam=5)
        assert [solution.tokens for solution in alone] == [solution.tokens for solution in solutions]


def test_trees_that_take_another_of_two_equal_numbers_are_one_solution(served):
    [solutions] = served.solve([ProblemRecord("1", "How many are 5 cats and 5 dogs?")], beam=10)
    assert len({solution.equation for solution in solutions}) == len(solutions)
    assert sum(solution.probability for solution in solutions) <= 1


@pytest.mark.parametrize(
    ("text", "language", "part"),
    [
        ("", "en", "no text"),
        ("How many pens does Ann have?", "en", "no number"),
        ("How many are " + "7 pens and " * 60 + "?", "en", "more than 50 numbers"),
        ("How many are 7 pens? " + "And so on. " * 2000, "en", "characters"),
        ("How many are 7 pens? " + "And so on. " * 60, "en", "longer than"),
        ("Ann has 7 pens. Ben gives her 2 pens.", "en", "does not ask a question"),
        ("It was -3 degrees and is 11 degrees warmer now. How warm is it?", "en", "negative number"),
        ("Anne a 5 pommes et en mange 2.", "fr", "not learned from problems in this language"),
        ("Ann has 7 pens. She buys 2 more", "en", "does not ask a question"),
        ("5", "en", "does not ask a question"),
        ("У Ани 7 ручек, она купила ещё 2. Сколько у неё ручек?", "en", "in this language"),
        ("小明有5个苹果，吃了2个，还剩多少个？", "en", "problems in Chinese"),
        ("What is " + "9" * 9000 + "?", "en", "no number"),
        ("What is " + "9" * 80 + "?", "en", "too many digits"),
    ],
)
def test_what_cannot_be_solved_gets_no_solution_and_a_reason(served, text, language, part, no_hang):
    record = ProblemRecord("1", text, language)
    good = ProblemRecord("2", "How many are 7 red pens and 2 blue pens?")
    bad_solutions, good_solutions = served.solve([record, good])
    assert bad_solutions == []
    assert good_solutions
    assert part in served.unsolvable_reason(record)
    assert served.unsolvable_reason(good) == ""


def test_latex_is_tried(served):
    record = ProblemRecord("1", r"Take $\frac{1}{2}$ of $30$ pens, $\sqrt{4$ and }{")
    assert served.unsolvable_reason(record) == ""
    assert served.solve([record])[0]


def test_other_folders_are_refused(folder, tmp_path):
    export_onnx(tiny_backbone(), tmp_path / "encoder")
    with pytest.raises(ArtifactError, match="for encoder, not for solving"):
        load_solver(tmp_path / "encoder")
    weights = load_file(folder / DECODER_NAME)
    del weights["leaf_score.weight"]
    with pytest.raises(ArtifactError, match="no weights 'leaf_score"):
        ArrayDecoder(weights, 1)
