"""Multiple negatives ranking against a naive loop."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn.functional import cosine_similarity

from analytics.losses.multiple_negatives import MultipleNegativesRankingLoss


@pytest.mark.parametrize(("batch", "others"), [(2, 2), (5, 5), (2, 7)])
def test_it_equals_a_naive_loop(batch, others):
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


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="scale"):
        MultipleNegativesRankingLoss(0)
    with pytest.raises(ValueError, match="do not fit together"):
        MultipleNegativesRankingLoss()(torch.zeros(2, 3), torch.zeros(2, 3), torch.zeros(1, 4))
    with pytest.raises(ValueError, match="do not fit together"):
        MultipleNegativesRankingLoss()(torch.zeros(2, 3), torch.zeros(1, 3), torch.zeros(2, 3))
