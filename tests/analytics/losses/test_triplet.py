"""The triplet loss against a naive loop."""

from __future__ import annotations

import math

import pytest
import torch

from analytics.losses.triplet import TripletLoss


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
