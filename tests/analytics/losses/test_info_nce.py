"""InfoNCE against PyTorch's cross-entropy."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy, normalize

from analytics.losses.info_nce import InfoNCELoss


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
