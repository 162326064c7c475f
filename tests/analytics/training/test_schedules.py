"""Learning-rate schedules by name."""

from __future__ import annotations

import pytest
from torch import nn

from analytics.errors import ConfigurationError
from analytics.training.stages import SCHEDULES, decay_groups, learning_rate_schedule


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


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_warms_up_linearly_to_the_full_rate_and_never_rises_again(name):
    factor = learning_rate_schedule(name, steps=50, warmup=10)
    assert [factor(step) for step in range(10)] == pytest.approx([(step + 1) / 10 for step in range(10)])
    after = [factor(step) for step in range(10, 51)]
    assert after[0] == 1.0
    assert after == sorted(after, reverse=True)
    assert min(after) >= 0


@pytest.mark.parametrize(("name", "half", "end"), [("linear", 0.5, 0.0), ("cosine", 0.5, 0.0), ("constant", 1.0, 1.0)])
def test_where_each_curve_is_in_the_middle_and_at_the_end(name, half, end):
    factor = learning_rate_schedule(name, steps=100)
    assert factor(50) == pytest.approx(half)
    assert factor(100) == pytest.approx(end)


def test_the_cosine_falls_slower_than_the_line_at_first_and_faster_later():
    line, cosine = (learning_rate_schedule(name, steps=100) for name in ("linear", "cosine"))
    assert cosine(25) == pytest.approx(0.8536, abs=1e-4)
    assert cosine(25) > line(25)
    assert cosine(75) < line(75)


def test_a_warm_up_may_fill_the_whole_stage():
    assert learning_rate_schedule("linear", steps=4, warmup=4)(3) == 1.0


def test_an_unknown_schedule_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(ConfigurationError, match="must be one of linear, cosine, constant, not 'step'"):
        learning_rate_schedule("step", 10)
