"""All strategies together."""

from __future__ import annotations

import random

import pytest

from analytics.encoder.augmentation import STRATEGIES, Augmenter
from analytics.encoder.config import EncoderConfig

TEXT = r"A circle has radius $r=3x$, and $x+y=12$. Find the area of the circle."


def test_the_same_generator_gives_the_same_question():
    augmenter = Augmenter()
    assert augmenter(TEXT, random.Random(1)) == augmenter(TEXT, random.Random(1))
    assert len({augmenter(TEXT, random.Random(seed)) for seed in range(50)}) > 20


@pytest.mark.parametrize(("probability", "share"), [(0.0, 0.0), (1.0, 1.0)])
def test_probability_0_changes_nothing_and_1_everything(probability, share):
    changed = [Augmenter(probability=probability)(TEXT, random.Random(seed)) != TEXT for seed in range(30)]
    assert sum(changed) / len(changed) == share


def test_each_strategy_is_drawn_with_its_probability():
    calls = []
    counted = [
        type(strategy)(strategy.name, strategy.group, lambda text, rng, name=strategy.name: calls.append(name))
        for strategy in STRATEGIES
    ]
    augmenter = Augmenter(counted, 0.3)
    for seed in range(2000):
        augmenter(TEXT, random.Random(seed))
    for strategy in STRATEGIES:
        assert calls.count(strategy.name) / 2000 == pytest.approx(0.3, abs=0.04)


def test_a_configuration_switches_groups_off():
    augmenter = Augmenter.from_config(EncoderConfig(augment_formulas=False, augment_structure=False))
    assert {strategy.group for strategy in augmenter.strategies} == {"words"}
