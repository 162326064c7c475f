from __future__ import annotations

import random

import numpy as np
import torch

from analytics.training.seeding import seed_everything


def draw():
    return random.random(), float(np.random.rand()), float(torch.rand(1))


def test_everything_repeats_after_the_same_seed():
    generator = seed_everything(7)
    first = (*draw(), generator.random())
    generator = seed_everything(7)
    assert (*draw(), generator.random()) == first
    generator = seed_everything(8)
    assert (*draw(), generator.random()) != first
