"""Weights between the start and the end of a training."""

from __future__ import annotations

import pytest
import torch

from analytics.backbone.adapters import add_adapters, merge_adapters
from analytics.paraphrase.train import SHARES, interpolate_weights, starting_weights
from tests.tiny_backbone import tiny_backbone


def test_the_best_judged_share_of_the_way_is_taken():
    model = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(2.0)
    start = starting_weights(model)
    with torch.no_grad():
        model.weight.fill_(4.0)
    tried = []

    def judge() -> float:
        tried.append(model.weight.item())
        return -abs(model.weight.item() - 3.3)

    assert interpolate_weights(model, start, judge) == 0.6
    assert model.weight.item() == pytest.approx(3.2)
    assert tried == pytest.approx([2 + 2 * share for share in SHARES])


def test_of_equals_the_trained_weights_are_kept():
    model = torch.nn.Linear(2, 2)
    start = starting_weights(model)
    with torch.no_grad():
        model.weight.add_(1.0)
    trained = model.weight.clone()
    assert interpolate_weights(model, start, lambda: 0.5) == 1.0
    assert torch.equal(model.weight, trained)


def test_of_an_adapter_the_product_goes_that_share_of_the_way():
    plain, adapted = tiny_backbone(), tiny_backbone()
    torch.manual_seed(0)
    add_adapters(adapted, rank=2)
    start = starting_weights(adapted.model)
    assert start
    with torch.no_grad():
        for name, weight in adapted.model.named_parameters():
            if "lora_" in name:
                weight.normal_()
    name = "encoder.layer.0.attention.self.query.weight"
    first = plain.model.state_dict()[name]
    whole = tiny_backbone()
    torch.manual_seed(0)
    add_adapters(whole, rank=2)
    whole.model.load_state_dict(adapted.model.state_dict())
    merge_adapters(whole)
    assert interpolate_weights(adapted.model, start, lambda: 1.0, shares=(0.5,)) == 0.5
    merge_adapters(adapted)
    expected = first + 0.5 * (whole.model.state_dict()[name] - first)
    torch.testing.assert_close(adapted.model.state_dict()[name], expected)
