"""Parameter groups."""

from __future__ import annotations

from torch import nn

from analytics.training.optimisation import decay_groups


def test_biases_and_norms_are_not_decayed_and_frozen_or_repeated_parameters_left_out():
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    model[2].weight.requires_grad_(False)
    decayed, free = decay_groups([*model.parameters(), *model[0].parameters()])
    assert [id(parameter) for parameter in decayed["params"]] == [id(model[0].weight)]
    assert [id(parameter) for parameter in free["params"]] == [
        id(parameter) for parameter in (model[0].bias, model[1].weight, model[1].bias, model[2].bias)
    ]
    assert free["weight_decay"] == 0.0
    assert "weight_decay" not in decayed
