"""RINCE against worked numbers and a naive loop."""

from __future__ import annotations

import math

import pytest
import torch

from analytics.losses.rince import LEFT_OUT, RINCELoss

PAPER = (0.1, 0.1, 0.225, 0.35, 0.6)


def naive(similarities: torch.Tensor, ranks: torch.Tensor, temperatures: tuple[float, ...]) -> float:
    """Eq. 4 as it stands, one anchor, rank and candidate at a time, in double precision."""
    total = 0.0
    for row, row_ranks in zip(similarities.double().tolist(), ranks.tolist(), strict=True):
        for rank in range(len(temperatures) - 1):
            numerator = sum(math.exp(h / temperatures[rank]) for h, r in zip(row, row_ranks, strict=True) if r == rank)
            denominator = sum(math.exp(h / temperatures[r]) for h, r in zip(row, row_ranks, strict=True) if r >= rank)
            if numerator:
                total -= math.log(numerator / denominator)
    return total / len(similarities)


def test_worked_numbers():
    """One anchor, ranks 0, 1, 2 with temperatures 0.5, 1, 1 and h = 0.5, 0.2, -0.3.

    l_0 = -log(e^1 / (e^1 + e^0.2 + e^-0.3)) = log(1 + e^-0.8 + e^-1.3) = log(1.72186) = 0.54341
    l_1 = -log(e^0.2 / (e^0.2 + e^-0.3)) = log(1 + e^-0.5) = 0.47408
    """
    terms = RINCELoss((0.5, 1.0, 1.0)).by_rank(torch.tensor([[0.5, 0.2, -0.3]]), torch.tensor([[0, 1, 2]]))
    torch.testing.assert_close(terms, torch.tensor([[0.54341, 0.47408]]), atol=1e-5, rtol=0)


@pytest.mark.parametrize(("anchors", "candidates"), [(1, 1), (3, 7), (5, 64), (8, 33)])
def test_it_equals_the_naive_loop(anchors, candidates):
    generator = torch.Generator().manual_seed(anchors * 100 + candidates)
    similarities = torch.rand(anchors, candidates, generator=generator) * 2 - 1
    ranks = torch.randint(-1, 5, (anchors, candidates), generator=generator)
    expected = naive(similarities, ranks, PAPER)
    assert RINCELoss(PAPER)(similarities, ranks).item() == pytest.approx(expected, abs=1e-4)


def test_the_denominator_uses_the_temperature_of_each_candidates_own_rank():
    similarities, ranks = torch.tensor([[0.9, 0.8]]), torch.tensor([[0, 2]])
    sharp, soft = RINCELoss((0.1, 0.1, 0.1)), RINCELoss((0.1, 0.1, 0.6))
    assert soft(similarities, ranks) < sharp(similarities, ranks)


def test_pairs_left_out_change_nothing():
    similarities, ranks = torch.tensor([[0.5, 0.2, -0.3, 0.99]]), torch.tensor([[0, 1, 2, LEFT_OUT]])
    loss = RINCELoss((0.5, 1.0, 1.0))
    assert loss(similarities, ranks) == loss(similarities[:, :3], ranks[:, :3])


def test_a_rank_without_candidates_adds_nothing_and_gives_no_gradient_of_nan():
    similarities = torch.tensor([[0.5, -0.3]], requires_grad=True)
    terms = RINCELoss(PAPER).by_rank(similarities, torch.tensor([[0, 4]]))
    assert terms[0, 1:].tolist() == [0.0, 0.0, 0.0]
    terms.sum().backward()
    assert torch.isfinite(similarities.grad).all()
    assert similarities.grad[0, 0] < 0 < similarities.grad[0, 1]


def test_a_rank_without_farther_candidates_adds_exactly_nothing():
    similarities = torch.tensor([[0.3, 0.7, 0.2], [0.9, 0.1, 0.4]], requires_grad=True)
    terms = RINCELoss((0.1, 0.1, 0.6)).by_rank(similarities, torch.tensor([[0, 1, 1], [0, LEFT_OUT, LEFT_OUT]]))
    assert terms[1].tolist() == [0, 0]
    assert terms[0, 1] == 0
    terms.sum().backward()
    assert similarities.grad[1].tolist() == [0, 0, 0]
    assert similarities.grad[0, 0] < 0


def test_the_last_rank_is_only_ever_a_negative():
    similarities = torch.tensor([[0.3, 0.7]], requires_grad=True)
    loss = RINCELoss((0.1, 0.2, 0.3))(similarities, torch.tensor([[2, 2]]))
    assert loss.item() == 0.0


def test_it_is_stable_in_half_precision():
    similarities = torch.tensor([[1.0, -1.0, 1.0, 0.5]], dtype=torch.bfloat16)
    ranks = torch.tensor([[0, 1, 4, 2]])
    loss = RINCELoss(PAPER)(similarities, ranks)
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(naive(similarities.float(), ranks, PAPER), abs=1e-4)


def test_wrong_shapes_and_temperatures_are_refused():
    loss = RINCELoss((0.1, 0.2))
    with pytest.raises(ValueError, match="one shape"):
        loss(torch.zeros(2, 3), torch.zeros(2, 4, dtype=torch.long))
    with pytest.raises(ValueError, match="positive temperature"):
        RINCELoss((0.1, 0.0))


def test_one_temperature_gives_the_published_code_s_terms():
    loss = RINCELoss((0.5, 0.25, 1.0), one_temperature=True)
    similarities, ranks = torch.tensor([[0.5, 0.2, -0.3, 0.9]]), torch.tensor([[0, 1, 2, LEFT_OUT]])
    first = -math.log(math.exp(1.0) / (math.exp(1.0) + math.exp(0.4) + math.exp(-0.6)))
    second = -math.log(math.exp(0.8) / (math.exp(0.8) + math.exp(-1.2)))
    assert loss.by_rank(similarities, ranks)[0].tolist() == pytest.approx([first, second], abs=1e-5)
    absent = loss.by_rank(similarities, torch.tensor([[0, 2, 2, LEFT_OUT]]))[0]
    assert absent[1] == 0


def shift_gradient(loss: RINCELoss) -> float:
    """How the loss changes when all cosines rise together, which says nothing about who is near whom."""
    generator = torch.Generator().manual_seed(0)
    similarities = (torch.rand(8, 200, generator=generator) * 0.6).requires_grad_()
    ranks = torch.randint(0, 5, (8, 200), generator=generator)
    loss(similarities, ranks).backward()
    return float(similarities.grad.sum())


def test_raising_all_cosines_lowers_the_loss_of_eq_4_and_not_that_of_one_temperature():
    """Eq. 4 has the farther ranks' higher temperatures in the denominators of the nearer ranks (decision 57)."""
    assert shift_gradient(RINCELoss(PAPER)) < -2
    assert abs(shift_gradient(RINCELoss(PAPER, one_temperature=True))) < 1e-4
