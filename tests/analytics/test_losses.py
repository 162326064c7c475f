"""Losses against naive loops, hand-worked numbers and PyTorch's own."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn.functional import cosine_similarity, cross_entropy, normalize

from analytics.losses import (
    LEFT_OUT,
    HierarchicalContrastLoss,
    InfoNCELoss,
    MultipleNegativesRankingLoss,
    RINCELoss,
    TripletLoss,
)

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


@pytest.mark.parametrize(("batch", "negatives"), [(1, 1), (4, 9), (7, 32)])
def test_it_equals_cross_entropy_over_positive_and_negatives(batch, negatives):
    torch.manual_seed(batch)
    queries, keys = normalize(torch.randn(batch, 5), dim=1), normalize(torch.randn(batch, 5), dim=1)
    others = normalize(torch.randn(negatives, 5), dim=1)
    logits = torch.cat([(queries * keys).sum(1, keepdim=True), queries @ others.T], dim=1) / 0.05
    expected = cross_entropy(logits, torch.zeros(batch, dtype=torch.long))
    torch.testing.assert_close(InfoNCELoss(0.05)(queries, keys, others), expected)


def test_a_negative_left_out_does_not_count():
    queries = keys = torch.tensor([[1.0, 0.0]])
    others = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    loss = InfoNCELoss(1.0)
    left_out = torch.tensor([[False, True]])
    assert loss(queries, keys, others, left_out) == loss(queries, keys, others[:1])


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="temperature"):
        InfoNCELoss(0)
    with pytest.raises(ValueError, match="differ in shape"):
        InfoNCELoss()(torch.zeros(2, 3), torch.zeros(1, 3), torch.zeros(4, 3))


@pytest.mark.parametrize(("batch", "margin"), [(1, 0.0), (3, 0.5), (7, 2.0)])
def test_it_equals_a_naive_loop(batch, margin):
    torch.manual_seed(batch)
    rows = [torch.randn(batch, 5) for _ in range(3)]
    total = 0.0
    for anchor, positive, negative in zip(*(tensor.tolist() for tensor in rows), strict=True):
        near, far = (1 - cosine(anchor, example) for example in (positive, negative))
        total += max(0.0, margin - far + near)
    assert TripletLoss(margin)(*rows).item() == pytest.approx(total / batch, abs=1e-5)


def test_a_triplet_that_keeps_the_margin_gives_no_gradient():
    anchors = torch.tensor([[1.0, 0.0], [1.0, 0.0]], requires_grad=True)
    positives = torch.tensor([[1.0, 0.1], [1.0, 0.5]])
    negatives = torch.tensor([[-1.0, 0.0], [1.0, 0.4]])
    TripletLoss(0.5)(anchors, positives, negatives).backward()
    assert anchors.grad[0].abs().sum() == 0
    assert anchors.grad[1].abs().sum() > 0


@pytest.mark.parametrize("margin", [-0.1, 2.1])
def test_a_margin_that_no_distance_has_is_refused(margin):
    with pytest.raises(ValueError, match="margin"):
        TripletLoss(margin)


def test_shapes_that_differ_are_refused():
    with pytest.raises(ValueError, match="differ in shape"):
        TripletLoss()(torch.zeros(2, 3), torch.zeros(2, 3), torch.zeros(1, 3))


def cosine(left: list[float], right: list[float]) -> float:
    product = sum(x * y for x, y in zip(left, right, strict=True))
    return product / math.hypot(*left) / math.hypot(*right)


@pytest.mark.parametrize(("batch", "others"), [(2, 2), (5, 5), (2, 7)])
def test_multiple_negatives_equals_a_naive_loop(batch, others):
    torch.manual_seed(batch)
    anchors, positives, negatives = (torch.randn(rows, 4) for rows in (batch, batch, others))
    total = 0.0
    for row in range(batch):
        exponents = [
            math.exp(20 * cosine_similarity(anchors[row], candidate, dim=0).item())
            for candidate in (*positives, *negatives)
        ]
        total -= math.log(exponents[row] / sum(exponents))
    loss = MultipleNegativesRankingLoss()(anchors, positives, negatives)
    assert loss.item() == pytest.approx(total / batch, rel=1e-4)


def test_another_paraphrase_of_the_same_question_is_no_negative():
    torch.manual_seed(0)
    anchors, positives, negatives = (torch.randn(2, 4) for _ in range(3))
    same = torch.ones(2, 2, dtype=torch.bool)
    loss = MultipleNegativesRankingLoss()
    cosines = [
        [20 * cosine_similarity(anchors[row], candidate, dim=0).item() for candidate in (positives[row], *negatives)]
        for row in range(2)
    ]
    expected = sum(math.log(sum(map(math.exp, row))) - row[0] for row in cosines) / 2
    assert loss(anchors, positives, negatives, same).item() == pytest.approx(expected, rel=1e-4)


def test_multiple_negatives_refuses_wrong_arguments():
    with pytest.raises(ValueError, match="scale"):
        MultipleNegativesRankingLoss(0)
    with pytest.raises(ValueError, match="do not fit together"):
        MultipleNegativesRankingLoss()(torch.zeros(2, 3), torch.zeros(2, 3), torch.zeros(1, 4))
    with pytest.raises(ValueError, match="do not fit together"):
        MultipleNegativesRankingLoss()(torch.zeros(2, 3), torch.zeros(1, 3), torch.zeros(2, 3))


def naive_levels(similarities: torch.Tensor, ranks: torch.Tensor, levels: int, temperature: float) -> float:
    """The formula as it stands, one level, anchor and positive at a time, in double precision."""
    total = 0.0
    for bound in range(1, levels + 1):
        of_anchors = []
        for row, row_ranks in zip(similarities.double().tolist(), ranks.tolist(), strict=True):
            there = [(h, r) for h, r in zip(row, row_ranks, strict=True) if 1 <= r <= levels + 1]
            positives = [h for h, r in there if r <= bound]
            if not positives or len(positives) == len(there):
                continue
            below = math.log(sum(math.exp(h / temperature) for h, _ in there))
            of_anchors.append(-sum(h / temperature - below for h in positives) / len(positives))
        total += sum(of_anchors) / len(of_anchors) if of_anchors else 0.0
    return total / levels


@pytest.mark.parametrize(("anchors", "candidates", "levels"), [(1, 2, 1), (4, 9, 3), (16, 16, 2)])
def test_contrast_of_levels_equals_the_naive_loop(anchors, candidates, levels):
    generator = torch.Generator().manual_seed(anchors * 100 + candidates)
    similarities = torch.rand(anchors, candidates, generator=generator) * 2 - 1
    ranks = torch.randint(-1, levels + 2, (anchors, candidates), generator=generator)
    expected = naive_levels(similarities, ranks, levels, 0.1)
    assert HierarchicalContrastLoss(levels)(similarities, ranks).item() == pytest.approx(expected, abs=1e-4)


def test_pairs_left_out_change_no_contrast_of_levels():
    similarities, ranks = torch.tensor([[0.5, 0.2, -0.3, 0.99]]), torch.tensor([[1, 2, 3, LEFT_OUT]])
    loss = HierarchicalContrastLoss(2)
    assert loss(similarities, ranks) == loss(similarities[:, :3], ranks[:, :3])


@pytest.mark.parametrize("rank", [1, 3, LEFT_OUT])
def test_an_anchor_with_nothing_to_be_told_from_adds_nothing_and_has_no_gradient(rank):
    similarities = torch.rand(2, 3, requires_grad=True)
    value = HierarchicalContrastLoss(2)(similarities, torch.full((2, 3), rank))
    assert value.item() == 0.0
    value.backward()
    assert not similarities.grad.any()


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(ValueError, match="must be positive"):
        HierarchicalContrastLoss(0)
    with pytest.raises(ValueError, match="must be positive"):
        HierarchicalContrastLoss(1, temperature=0.0)
    with pytest.raises(ValueError, match="one shape"):
        HierarchicalContrastLoss(1)(torch.zeros(2, 3), torch.ones(3, 2))
