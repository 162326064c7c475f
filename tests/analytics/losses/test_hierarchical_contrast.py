"""Contrast at every level against a naive loop."""

from __future__ import annotations

import math

import pytest
import torch

from analytics.losses import HierarchicalContrastLoss

LEFT_OUT = -1


def naive(similarities: torch.Tensor, ranks: torch.Tensor, levels: int, temperature: float) -> float:
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
def test_it_equals_the_naive_loop(anchors, candidates, levels):
    generator = torch.Generator().manual_seed(anchors * 100 + candidates)
    similarities = torch.rand(anchors, candidates, generator=generator) * 2 - 1
    ranks = torch.randint(-1, levels + 2, (anchors, candidates), generator=generator)
    expected = naive(similarities, ranks, levels, 0.1)
    assert HierarchicalContrastLoss(levels)(similarities, ranks).item() == pytest.approx(expected, abs=1e-4)


def test_pairs_left_out_change_nothing():
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
