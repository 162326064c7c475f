"""Seed all random generators of a run."""

from __future__ import annotations

import random

import numpy as np
import torch


def seed_everything(seed: int) -> np.random.Generator:
    """Seed Python, NumPy's global state and torch; return a separate generator for new code."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # libraries we depend on still draw from it
    torch.manual_seed(seed)
    return np.random.default_rng(seed)
