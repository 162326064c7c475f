from __future__ import annotations

import torch

from analytics.backbone.backbone import mean_pool


def test_padding_does_not_count():
    """Row 1: mean of (1, 5) and (3, 7) is (2, 6). Row 2 has one token."""
    states = torch.tensor([[[1.0, 5.0], [3.0, 7.0], [99.0, 99.0]], [[4.0, 4.0], [99.0, 99.0], [99.0, 99.0]]])
    mask = torch.tensor([[1, 1, 0], [1, 0, 0]])
    assert mean_pool(states, mask).tolist() == [[2.0, 6.0], [4.0, 4.0]]


def test_a_row_without_tokens_is_zero_and_not_nan():
    assert mean_pool(torch.ones(1, 2, 3), torch.zeros(1, 2)).tolist() == [[0.0, 0.0, 0.0]]


def test_gradients_reach_tokens_and_not_padding():
    states = torch.ones(1, 3, 2, requires_grad=True)
    mean_pool(states, torch.tensor([[1, 1, 0]])).sum().backward()
    assert states.grad.tolist() == [[[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]]]
