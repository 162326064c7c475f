"""The tree decoder: batches change nothing, whole trees come out, and eight problems are learned."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from analytics.artifacts import Manifest, artifact_write
from analytics.errors import ArtifactError
from analytics.expression.evaluate import answers_agree
from analytics.expression.tree import from_prefix
from analytics.records import ProblemRecord
from analytics.solver.decoder import TreeBatch
from analytics.solver.model import SolverModel, save_solver, solver_extra
from analytics.solver.served import DECODER_NAME, load_solver
from analytics.solver.targets import OPERATORS, Vocabulary, solver_example
from tests.analytics.solver.small_problems import examples, problems, tiny_solver

CPU = torch.device("cpu")


def read(model: SolverModel, own):
    batch = model.batch(model.reader.read(own))
    return model.memory(model.states(batch), batch)


def test_a_batch_of_trees_says_who_is_above_whom():
    plus, times, leaf = 0, 2, len(OPERATORS)
    trees = TreeBatch.of([[[plus], [times], [leaf], [leaf + 1], [leaf + 2, leaf + 3]], [[leaf]]], leaf + 4, CPU)
    assert trees.problem.tolist() == [0, 0, 0, 0, 0, 1]
    assert [level.nodes.tolist() for level in trees.levels] == [[0, 5], [1, 4], [2, 3]]
    assert [level.problem.tolist() for level in trees.levels] == [[0, 1], [0, 0], [0, 0]]
    assert [level.seed.tolist() for level in trees.levels[1:]] == [[0, 1], [0, 1]]
    assert [level.is_right.tolist() for level in trees.levels] == [[False, False], [False, True], [False, True]]
    assert [level.left_sibling[1].item() for level in trees.levels[1:]] == [1, 2]
    assert [level.operators.tolist() for level in trees.levels] == [[0], [0], []]
    assert [level.labels.tolist() for level in trees.levels] == [[plus], [times], []]
    assert [height.nodes.tolist() for height in trees.heights] == [[1], [0]]
    assert [(height.left.item(), height.right.item()) for height in trees.heights] == [(2, 3), (1, 4)]
    assert trees.leaf[[2, 3, 4, 5]].tolist() == [0, 1, 2, 0]
    assert trees.by_level.tolist() == [0, 2, 4, 5, 3, 1]
    assert trees.allowed.sum(dim=1).tolist() == [1, 1, 1, 1, 2, 1]


@pytest.mark.parametrize("drop_states", [True, False])
def test_the_encoders_states_are_dropped_only_where_it_is_asked_for(drop_states):
    model, own = tiny_solver(dropout=0.5, drop_states=drop_states), examples()
    model.decoder.train()
    first, second = (read(model, own).states for _ in range(2))
    assert torch.equal(first, second) is not drop_states


def test_teacher_forcing_of_a_batch_equals_problem_by_problem():
    model, own = tiny_solver(), examples()
    together = model.decode(read(model, own), own)
    start = 0
    for example in own:
        alone = model.decode(read(model, [example]), [example])
        count = len(example.tokens)
        torch.testing.assert_close(
            together.log_probabilities[start : start + count], alone.log_probabilities, atol=1e-5, rtol=0
        )
        torch.testing.assert_close(together.goals[start : start + count], alone.goals, atol=1e-5, rtol=0)
        start += count


def test_beam_search_of_a_batch_equals_problem_by_problem():
    model, own = tiny_solver(), examples()
    together = model.search(own, beam=3, most_tokens=9)
    for example, trees in zip(own, together, strict=True):
        [alone] = model.search([example], beam=3, most_tokens=9)
        assert [tree.candidates for tree in trees] == [tree.candidates for tree in alone]
        assert [tree.log_probability for tree in trees] == pytest.approx(
            [tree.log_probability for tree in alone], abs=1e-5
        )


def test_beam_search_and_teacher_forcing_score_a_tree_alike():
    model, own = tiny_solver(), examples()
    for row, trees in enumerate(model.search(own, beam=3, most_tokens=7)):
        for tree in trees:
            alone = read(model, [own[row]])
            forced = TreeBatch.of([[[one] for one in tree.candidates]], len(OPERATORS) + alone.leaves.shape[1], CPU)
            total = model.decoder(alone, forced).log_probabilities.sum().item()
            assert tree.log_probability == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize("most_tokens", [1, 2, 3, 6, 15])
def test_only_whole_trees_within_the_length_come_out(most_tokens):
    model, own = tiny_solver(), examples()
    with torch.no_grad():
        model.decoder.operator_score.bias.fill_(5.0)  # it would rather write operators for ever
    found = model.search(own, beam=4, most_tokens=most_tokens)
    for example, trees in zip(own, found, strict=True):
        assert trees
        assert [tree.log_probability for tree in trees] == sorted(
            (tree.log_probability for tree in trees), reverse=True
        )
        for tree in trees:
            tokens = [model.vocabulary.token(candidate) for candidate in tree.candidates]
            assert 1 <= len(tokens) <= most_tokens
            from_prefix(tokens)
            slots = [int(token[1:]) for token in tokens if token.startswith("N")]
            assert all(slot < len(example.slots) for slot in slots)
    if most_tokens == 15:
        assert max(len(tree.candidates) for trees in found for tree in trees) == 15


def test_a_wide_beam_finds_the_likeliest_of_all_small_trees():
    model, own = tiny_solver(), examples()[:1]
    memory = read(model, own)
    count = len(OPERATORS) + memory.leaves.shape[1]
    leaves = [*range(len(OPERATORS), count)]
    every = [[leaf] for leaf in leaves] + [
        [operator, left, right] for operator in range(len(OPERATORS)) for left in leaves for right in leaves
    ]
    totals = []
    for tree in every:
        batch = TreeBatch.of([[[one] for one in tree]], count, CPU)
        totals.append(model.decoder(memory, batch).log_probabilities.sum().item())
    [found] = model.search(own, beam=len(every), most_tokens=3)
    assert len(found) == len(every)
    assert list(found[0].candidates) == every[totals.index(max(totals))]
    assert sum(torch.tensor([tree.log_probability for tree in found]).exp()) <= 1 + 1e-4


def test_a_problem_without_numbers_and_constants_gets_no_tree():
    model = tiny_solver()
    bare = SolverModel(model.backbone, Vocabulary(()))
    for module in bare.modules().values():
        module.eval()
    nothing, something = bare.solve(
        [ProblemRecord("1", "How many pens?"), ProblemRecord("2", "2 red pens. How many pens?")]
    )
    assert nothing == []
    assert something[0].value is not None


def test_a_repeated_number_may_be_copied_from_either_place():
    model = tiny_solver()
    repeated = solver_example(ProblemRecord("9", "5 cats and 5 dogs. How many?", equation="5+5"))
    memory = read(model, [repeated])
    decoded = model.decode(memory, [repeated])
    scores, _contexts = model.decoder.score(decoded.goals, memory, torch.zeros(3, dtype=torch.long))
    first = len(model.vocabulary.symbols)
    torch.testing.assert_close(
        decoded.log_probabilities[1].exp(), scores[1, first].exp() + scores[1, first + 1].exp(), atol=1e-6, rtol=0
    )


def write_nothing_of_use(folder: Path) -> None:
    (folder / "weights").write_bytes(b"1")


@pytest.fixture(scope="module")
def trained() -> SolverModel:
    model, own = tiny_solver(dropout=0.0), examples()
    read_problems = model.reader.read(own)
    parameters = [one for module in model.modules().values() for one in module.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=3e-3)
    for _step in range(120):
        batch = model.batch(read_problems)
        loss = -model.decode(model.memory(model.states(batch), batch), own).log_probabilities.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def test_eight_problems_are_learned(trained):
    for problem, solutions in zip(problems(), trained.solve(problems()), strict=True):
        assert answers_agree(solutions[0].value, float(problem.answer)), problem.text
        assert 0.5 < solutions[0].probability <= 1
        assert len(solutions) == 3


def test_saved_and_loaded_it_solves_alike(trained, tmp_path):
    about = Manifest(capability="solver", name="tiny", extra=solver_extra(trained))
    save_solver(trained, tmp_path / "model", about)
    loaded, expected = load_solver(tmp_path / "model"), trained.solve(problems())
    for solutions, own in zip(loaded.solve(problems()), expected, strict=True):
        assert [solution.tokens for solution in solutions] == [solution.tokens for solution in own]
    other = Manifest(capability="encoder", name="tiny")
    artifact_write(tmp_path / "encoder", other, write_nothing_of_use)
    with pytest.raises(ArtifactError, match="holds no exported encoder"):
        load_solver(tmp_path / "encoder")

    def damage(folder):
        (folder / DECODER_NAME).write_bytes(b"half a file")

    save_solver(trained, tmp_path / "damaged", about, write_more=damage)
    with pytest.raises(ArtifactError, match=r"decoder in .* cannot be read"):
        load_solver(tmp_path / "damaged")
