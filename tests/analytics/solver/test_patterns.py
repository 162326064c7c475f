"""Pattern-CL's triples: what is positive, what is negative, and what the contrast compares."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from analytics.expression.keys import structure_key
from analytics.expression.tree import parse_expression
from analytics.losses import TripletLoss
from analytics.records import ProblemRecord
from analytics.solver.config import SolverConfig
from analytics.solver.solving_task import PatternTask, PatternTriple, mine_triples, ramp, subtree_structures
from analytics.solver.targets import solver_examples
from analytics.training.stages import Step
from tests.analytics.solver.small_problems import examples, tiny_solver


def of(*equations: str):
    text = "Numbers 1 and 2 and 3 and 4"
    problems = [ProblemRecord(str(row), text, equation=equation) for row, equation in enumerate(equations)]
    return solver_examples(problems, most_tokens=45)


def test_every_operator_of_a_tree_has_a_place_and_a_structure():
    structures = subtree_structures(parse_expression("1*2+(3-4)/2"))
    assert structures == [(0, "+ * n n / - n n n"), (1, "* n n"), (4, "/ - n n n"), (5, "- n n")]


def test_a_positive_is_built_like_the_anchor_as_a_whole_or_in_a_part():
    learned = of("1-2", "(3-1)/2", "4-1", "1+2", "3*4")
    found = {(triple.anchor, triple.positive, triple.node) for triple in mine_triples(learned)}
    assert found >= {(0, 2, 0), (0, 1, 1), (2, 0, 0), (2, 1, 1)}
    for triple in mine_triples(learned):
        structures = dict(subtree_structures(learned[triple.positive].tree))
        assert structures[triple.node] == structure_key(learned[triple.anchor].tree)
        assert triple.positive != triple.anchor
    whole = mine_triples(learned, positives="same")
    assert {(triple.anchor, triple.positive) for triple in whole} == {(0, 2), (2, 0)}
    assert {triple.node for triple in whole} == {0}


def test_a_negative_has_as_many_nodes_and_other_operators():
    learned = of("1-2", "4-1", "1+2", "3*4", "1+2-3", "(1-2)+3", "1*2-3")
    negatives = {0: {2, 3}, 1: {2, 3}}
    for seed in range(10):
        for triple in mine_triples(learned, seed=seed):
            assert triple.negative in negatives.get(triple.anchor, range(7))
            # "1+2-3" and "1*2-3" are; "1+2-3" and "(1-2)+3" have the same operators
            assert {triple.anchor, triple.negative} != {4, 5}
    drawn = set()
    for seed in range(40):
        triples = mine_triples(learned, negatives="random", seed=seed)
        drawn |= {triple.negative for triple in triples if triple.anchor == 0}
    assert drawn == {2, 3, 4, 5, 6}


def test_foreign_positives_are_in_another_language_and_negatives_in_the_anchors():
    equations = ["1-2", "4-1", "1+2", "3*4", "(3-1)/2"]
    learned = [
        replace(example, problem=replace(example.problem, language=language))
        for language in ("en", "zh-Hans")
        for example in of(*equations)
    ]
    triples = mine_triples(learned, positives="foreign")
    assert {(triple.anchor, triple.positive, triple.node) for triple in triples} >= {(0, 5, 0), (0, 9, 1), (5, 4, 1)}
    for triple in triples:
        assert (triple.anchor < 5) == (triple.positive >= 5) == (triple.negative < 5)
    assert mine_triples(of(*equations), positives="foreign") == []


def test_problems_without_an_operator_a_positive_or_a_negative_have_no_triple():
    assert mine_triples(of("7", "1+2", "1*2")) == []
    assert mine_triples(of("1+2", "3+4")) == []


def test_a_problem_is_paired_with_at_most_so_many_and_alike_for_a_seed():
    learned = of(*["1+2"] * 9, "3-4")
    triples = mine_triples(learned, pairs_per_problem=3, seed=5)
    assert len(triples) == 27
    assert len({(triple.anchor, triple.positive) for triple in triples}) == 27
    assert mine_triples(learned, pairs_per_problem=3, seed=5) == triples
    assert mine_triples(learned, pairs_per_problem=3, seed=6) != triples


def test_the_contrast_compares_roots_with_the_matching_node():
    model, learned = tiny_solver(dropout=0.0), examples()
    by_equation = {example.problem.equation: row for row, example in enumerate(learned)}
    anchor, positive, negative = (by_equation[equation] for equation in ("4*6", "3*8+4", "12-5"))
    triples = [PatternTriple(anchor, positive, negative, node=1)]
    config = SolverConfig(batch_size=1, margin=0.3, contrast_weight=2.0, device="cpu")
    task = PatternTask(model, learned, triples, config)
    losses = task.losses(torch.tensor([0]).numpy(), Step(175, 1000))

    def goals(row: int):
        batch = model.batch(model.reader.read([learned[row]]))
        return model.decode(model.memory(model.states(batch), batch), [learned[row]]).goals

    expected = TripletLoss(0.3)(goals(anchor)[:1], goals(positive)[1:2], goals(negative)[:1])
    assert losses["loss_contrast"].item() == pytest.approx(expected.item(), abs=1e-5)
    assert losses["loss"].item() == pytest.approx(
        losses["loss_equation"].item() + 2.0 * 0.5 * losses["loss_contrast"].item(), abs=1e-5
    )


def test_the_weight_of_the_contrast_rises_between_two_shares_of_the_steps():
    assert [ramp(Step(number, 10), 0.2, 0.6) for number in range(10)] == [0, 0, 0, 0.25, 0.5, 0.75, 1, 1, 1, 1]
    assert ramp(Step(0, 10), 0.0, 0.0) == 1.0
    assert [ramp(Step(number, 10), 0.3, 0.3) for number in (0, 3)] == [0.0, 1.0]
