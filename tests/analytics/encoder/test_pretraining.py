"""Contrastive pre-training on a tiny encoder: it learns, and resumes exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.pretraining import MemoryQueue, MomentumEncoder, PretrainingTask
from analytics.errors import Cancelled, ConfigurationError, DataError
from analytics.losses import LEFT_OUT
from analytics.training.context import TrainingContext
from analytics.training.device import seed_everything
from analytics.training.loop import train_loop
from analytics.training.stages import LoopSettings, Step
from tests.analytics.history import History
from tests.tiny_backbone import tiny_backbone

CPU = torch.device("cpu")
QUESTIONS = [
    ("What is 2 + 3?", ("Number", "Addition", "Small")),
    ("Add 4 and 5.", ("Number", "Addition", "Small")),
    ("What is 6 - 1?", ("Number", "Subtraction", "Small")),
    ("Take 2 from 9.", ("Number", "Subtraction", "Small")),
    ("Find the area of a square of side 3.", ("Geometry", "Area", "Square")),
    ("A square has side 5. Find its area.", ("Geometry", "Area", "Square")),
    ("Find the area of a circle of radius 2.", ("Geometry", "Area", "Circle")),
    ("A circle has radius 7. Find its area.", ("Geometry", "Area", "Circle")),
]
EXAMPLES = [EncoderExample(text, (path,), "test") for text, path in QUESTIONS]
TINY = {"batch_size": 4, "queue_size": 4, "projection": 16, "momentum": 0.9, "freeze_embeddings": False}


def task(**settings) -> PretrainingTask:
    seed_everything(0)
    return PretrainingTask(tiny_backbone(), EXAMPLES, EncoderConfig(**{**TINY, **settings}))


def loop(epochs: int = 30) -> LoopSettings:
    return LoopSettings(epochs=epochs, learning_rate=3e-3, report_every=2)


def test_it_draws_questions_of_one_concept_together():
    """Over three seeds: on eight questions, how far they come depends on the seed."""
    closer = []
    for seed in range(3):
        trained, history = task(seed=seed), History()
        train_loop(trained, loop(100), device=CPU, context=TrainingContext(callbacks=(history,)))
        losses = [value for _step, value in history.series("loss")]
        assert np.mean(losses[-5:]) < 0.85 * np.mean(losses[2:7])
        trained.query_encoder.eval()
        with torch.no_grad():
            vectors = trained.query_encoder(*trained.backbone.batch([text for text, _path in QUESTIONS]))
        cosines = (vectors @ vectors.T).numpy()
        same = np.mean([cosines[row, row + 1] for row in range(0, 8, 2)])
        closer.append(same - cosines[:4, 4:].mean())
    assert np.mean(closer) > 0.3


def test_without_a_projector_the_representations_themselves_are_contrasted():
    plain = task(projection=0)
    assert not list(plain.query_encoder.projector.parameters())
    assert plain.queue.filled()[0].shape[1] == plain.backbone.dimension
    losses = plain.losses(next(iter(plain.batches(0))), Step(0, 1))
    assert torch.isfinite(losses["loss"])


def test_ranks_hold_the_augmented_question_the_distances_and_leave_its_own_keys_out():
    ranks = task()._ranks(torch.tensor([0, 4]), torch.tensor([0, 1, 2, 4, 5, 6]))
    assert ranks.tolist() == [[0, LEFT_OUT, 1, 3, 4, 4, 4], [0, 4, 4, 4, LEFT_OUT, 1, 2]]


@pytest.mark.parametrize(
    ("ranking", "expected"), [("finest", [0, LEFT_OUT, 1, 4, 4]), ("none", [0, LEFT_OUT, 4, 4, 4])]
)
def test_the_baselines_are_other_rankings(ranking, expected):
    assert task(ranking=ranking)._ranks(torch.tensor([0]), torch.tensor([0, 1, 2, 4])).tolist() == [expected]


def test_the_queue_is_at_most_half_the_questions():
    assert task(queue_size=1600).queue.size == 4


def test_the_loss_terms_add_up_and_the_keys_enter_the_queue():
    pretraining = task()
    batch = next(iter(pretraining.batches(0)))
    losses = pretraining.losses(batch, Step(0, 1))
    terms = [losses[f"loss_rank_{rank}"] for rank in range(4)]
    torch.testing.assert_close(losses["loss"], torch.stack(terms).sum())
    assert sorted(pretraining.queue.filled()[1].tolist()) == sorted(batch[0].tolist())


def test_augmentation_is_drawn_anew_each_epoch_and_again_for_the_same_epoch():
    pretraining = task()
    texts = {
        epoch: sorted(text for _rows, _texts, new in pretraining.batches(epoch) for text in new) for epoch in (0, 1)
    }
    again = sorted(text for _rows, _texts, new in pretraining.batches(0) for text in new)
    assert texts[0] == again != texts[1]


def test_stopped_and_resumed_is_bit_equal_to_uninterrupted(tmp_path: Path):
    whole = task()
    train_loop(whole, loop(4), device=CPU)
    first, calls = task(), iter(range(1, 99))
    with pytest.raises(Cancelled):
        train_loop(
            first, loop(4), device=CPU, context=TrainingContext(checkpoints=tmp_path, cancel=lambda: next(calls) == 3)
        )
    second = task()
    train_loop(second, loop(4), device=CPU, context=TrainingContext(checkpoints=tmp_path))
    for name, module in whole.modules().items():
        resumed_state = second.modules()[name].state_dict()
        for key, tensor in module.state_dict().items():
            assert torch.equal(tensor, resumed_state[key]), f"{name}.{key}"


def test_too_few_questions_and_no_concepts_are_clear_errors():
    backbone = tiny_backbone()
    with pytest.raises(DataError, match="at least 8 questions, there are 2"):
        PretrainingTask(backbone, EXAMPLES[:2], EncoderConfig(**TINY))
    with pytest.raises(DataError, match="No question has a concept"):
        PretrainingTask(backbone, [EncoderExample("a")] * 8, EncoderConfig(**TINY))


def test_the_configuration_reports_every_problem_at_once():
    with pytest.raises(ConfigurationError) as caught:
        EncoderConfig(momentum=2.0, ranking="random", batch_size=1)
    assert len(caught.value.problems) == 3
    with pytest.raises(ConfigurationError, match="5 positive numbers for 3 levels"):
        EncoderConfig(temperatures="0.1, 0.2")
    assert EncoderConfig().rank_temperatures() == (0.1, 0.1, 0.225, 0.35, 0.6)


def test_an_update_moves_by_one_minus_momentum():
    """key = 0.9 * 1 + 0.1 * 3 = 1.2"""
    query = nn.Linear(1, 1, bias=False)
    query.weight.data.fill_(1.0)
    key = MomentumEncoder(query, momentum=0.9)
    query.weight.data.fill_(3.0)
    key.update(query)
    assert key.encoder.weight.item() == pytest.approx(1.2)


def test_gradients_reach_the_query_encoder_only():
    query = nn.Linear(2, 2)
    key = MomentumEncoder(query)
    (query(torch.ones(1, 2)) * key(torch.ones(1, 2))).sum().backward()
    assert query.weight.grad is not None
    assert all(parameter.grad is None for parameter in key.parameters())


def test_momentum_outside_0_to_1_is_refused():
    with pytest.raises(ValueError, match="momentum"):
        MomentumEncoder(nn.Linear(1, 1), momentum=1.5)


@given(size=st.integers(1, 9), batches=st.lists(st.integers(0, 20), max_size=8))
def test_it_holds_the_newest_keys_whatever_the_batch_sizes(size, batches):
    queue, sent = MemoryQueue(size, 2), []
    for count in batches:
        labels = torch.arange(len(sent), len(sent) + count)
        queue.enqueue(torch.stack([labels.float(), -labels.float()], dim=1), labels)
        sent.extend(labels.tolist())
    keys, labels = queue.filled()
    assert sorted(labels.tolist()) == sent[-size:]
    assert keys[:, 0].tolist() == labels.float().tolist()


def test_it_is_saved_with_the_model():
    queue = MemoryQueue(4, 2)
    queue.enqueue(torch.ones(3, 2), torch.tensor([5, 6, 7]))
    again = MemoryQueue(4, 2)
    again.load_state_dict(queue.state_dict())
    again.enqueue(torch.zeros(2, 2), torch.tensor([8, 9]))
    assert sorted(again.filled()[1].tolist()) == [6, 7, 8, 9]


def test_no_gradient_flows_into_it():
    queue, keys = MemoryQueue(2, 2), torch.ones(1, 2, requires_grad=True)
    queue.enqueue(keys, torch.tensor([0]))
    assert not queue.filled()[0].requires_grad


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        MemoryQueue(2, 3).enqueue(torch.ones(1, 2), torch.tensor([0]))
    with pytest.raises(ValueError, match="at least 1"):
        MemoryQueue(0, 3)
