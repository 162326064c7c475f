"""Pattern-CL's triples and what their contrast compares; Textual-CL's joint loss, and training with it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from analytics.errors import ConfigurationError, DataError
from analytics.expression.keys import structure_key
from analytics.expression.tree import parse_expression
from analytics.losses import TripletLoss
from analytics.question_files import Problems
from analytics.records import ProblemRecord
from analytics.solver.config import SolverConfig
from analytics.solver.reversing import candidate_pool
from analytics.solver.solving_task import (
    PatternTask,
    PatternTriple,
    TextualTask,
    mine_triples,
    ramp,
    subtree_structures,
)
from analytics.solver.targets import solver_example, solver_examples
from analytics.solver.textual_pairs import TextualTriple, mine_textual_triples
from analytics.solver.train import fit_solver, measure_solver, train_solver
from analytics.training.stages import Step
from tests.analytics.solver.small_problems import examples, problems, small_config, tiny_solver, trained_twice


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


@pytest.fixture(scope="module")
def backbone_folder(tiny_folder):
    return tiny_folder(128)


def config(backbone: str, **settings) -> SolverConfig:
    return small_config(backbone, **{"contrast": "textual", **settings})


def task(**settings) -> TextualTask:
    model = tiny_solver()
    pool = candidate_pool(examples(), "qr")
    triples = mine_textual_triples(pool, anchors=8)
    return TextualTask(model, pool, 8, triples, config("", **settings))


def cosine(first: torch.Tensor, second: torch.Tensor) -> float:
    return float(torch.nn.functional.cosine_similarity(first, second, dim=0))


def test_the_loss_is_that_of_the_paper_by_hand():
    """Two anchors: each its own positive's share of the sum over both positives and both negatives, tau 0.5."""
    own = task(temperature=0.5, textual_weight=0.3)
    own.triples = {0: TextualTriple(0, 5, 1), 2: TextualTriple(2, 7, 3)}
    batch = torch.tensor([0, 2]).numpy()
    found = own.losses(batch, Step(0, 1))
    with torch.no_grad():
        cls = [own._summaries([row])[0] for row in range(8)]
        expected = 0.0
        for anchor, positive in ((0, 5), (2, 7)):
            scores = {row: cosine(cls[anchor], cls[row]) / 0.5 for row in (5, 7, 1, 3)}
            total = sum(torch.tensor(score).exp() for score in scores.values())
            expected -= float((torch.tensor(scores[positive]).exp() / total).log()) / 2
        decoded = own.decoded([0, 2])
    assert found["loss_contrast"].item() == pytest.approx(expected, rel=1e-4)
    summed = -float(decoded.log_probabilities.sum()) / 2  # L_solver, a sum over nodes
    nodes = len(decoded.log_probabilities) / 2
    assert found["loss"].item() * nodes == pytest.approx(summed + 0.3 * expected, rel=1e-4)


def test_the_contrast_reaches_the_encoder_and_not_the_decoder():
    own = task()
    own.losses(torch.arange(4).numpy(), Step(0, 1))["loss_contrast"].backward()
    assert any(
        parameter.grad is not None and parameter.grad.abs().max() > 0
        for parameter in own.model.backbone.model.parameters()
    )
    assert all(parameter.grad is None for parameter in own.model.decoder.parameters())


def test_a_problem_without_a_triple_only_learns_its_equation():
    own = task()
    own.triples = {0: own.triples[0]}
    losses = own.losses(torch.tensor([1, 2]).numpy(), Step(0, 1))
    assert losses["loss"] == losses["loss_equation"]
    assert losses["loss_contrast"] == 0
    with pytest.raises(DataError, match="different equations"):
        TextualTask(own.model, examples(), 8, [], config(""))


@pytest.mark.parametrize("contrast", ["textual", "both"])
def test_training_on_eight_problems_solves_them(backbone_folder, contrast):
    settings = config(
        backbone_folder, contrast=contrast, batch_size=8, epochs=300, max_steps=100, dropout=0.0,
        schedule="constant", learning_rate=6e-3, decoder_learning_rate=6e-3, contrast_epochs=4, pool="train",
    )  # fmt: skip
    learned = [*examples(), *examples()] if contrast == "both" else examples()
    model, _result = fit_solver(learned, settings)
    assert measure_solver(model, problems(), settings).answer_accuracy >= 0.75


@pytest.mark.parametrize(("contrast", "stop_after"), [("textual", 3), ("both", 2), ("both", 5)])
def test_stopped_and_resumed_equals_uninterrupted(backbone_folder, tmp_path, contrast, stop_after):
    settings = config(
        backbone_folder, contrast=contrast, contrast_steps=3, max_steps=4, text_strategy="encoder", pool="qr"
    )
    result, history = trained_twice(settings, tmp_path, stop_after=stop_after)
    assert result.step == (7 if contrast == "both" else 4)
    assert "loss_contrast" in history.reports[-1].metrics


def test_problems_made_by_machine_may_be_learned_to_be_solved_too(backbone_folder, tmp_path):
    own = [
        *problems(),
        ProblemRecord("r", "Ann has 70 pens. She buys 20 pens. How many pens does she have?", "en", "70+20"),
    ]
    made = len(candidate_pool(solver_examples(own, most_tokens=45), "roda+qr"))
    settings = config(backbone_folder, augment="roda+qr", epochs=1, contrast="none")
    manifest = train_solver(Problems(tuple(own)), settings, tmp_path / "model")
    assert manifest.extra["problems"] == made > 9


def test_a_frozen_encoder_cannot_learn_the_contrast():
    with pytest.raises(ConfigurationError, match="freeze_encoder must be off"):
        SolverConfig(contrast="textual", freeze_encoder=True)
    assert SolverConfig(contrast="pattern", freeze_encoder=True).freeze_encoder


def test_an_anchor_that_is_its_own_positive_differs_by_dropout():
    own = task()
    own.model.backbone.model.train()
    first, second = own._summaries([0, 0])
    assert not torch.equal(first, second)
    assert solver_example(problems()[0]).tokens == own.examples[0].tokens
