"""The key encoder follows the query encoder."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from analytics.encoder.pretraining import MomentumEncoder


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
