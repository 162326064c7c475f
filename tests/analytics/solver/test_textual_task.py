"""Textual-CL's joint loss, and training with it."""

from __future__ import annotations

import pytest
import torch

from analytics.errors import ConfigurationError, DataError
from analytics.problem_files import Problems
from analytics.records import ProblemRecord
from analytics.solver.config import SolverConfig
from analytics.solver.reversing import candidate_pool
from analytics.solver.solving_task import TextualTask
from analytics.solver.targets import solver_example, solver_examples
from analytics.solver.textual_pairs import TextualTriple, mine_textual_triples
from analytics.solver.train import fit_solver, measure_solver, train_solver
from analytics.training.stages import Step
from tests.analytics.solver.small_problems import examples, problems, small_config, tiny_solver, trained_twice


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
