"""Parameter groups for the optimiser, and learning-rate schedules by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from torch import nn

from analytics.errors import ConfigurationError


def decay_groups(parameters: Iterable[nn.Parameter]) -> list[dict[str, Any]]:
    """Split parameters into matrices, with weight decay, and biases and layer norms, without, as for BERT.

    A parameter that two modules share is listed once; frozen parameters are left out.
    """
    trained = [parameter for parameter in {id(each): each for each in parameters}.values() if parameter.requires_grad]
    return [
        {"params": [parameter for parameter in trained if parameter.dim() > 1]},
        {"params": [parameter for parameter in trained if parameter.dim() <= 1], "weight_decay": 0.0},
    ]


def _constant(_step: int, _steps: int) -> float:
    return 1.0


def _linear(step: int, steps: int) -> float:
    return max(0.0, (steps - step) / max(1, steps))


def _cosine(step: int, steps: int) -> float:
    return 0.5 * (1 + math.cos(math.pi * min(1.0, step / max(1, steps))))


SCHEDULES: dict[str, Callable[[int, int], float]] = {"linear": _linear, "cosine": _cosine, "constant": _constant}
"""Maps a name to the factor after warm-up, from the steps since warm-up and the total after it."""


def learning_rate_schedule(name: str, steps: int, warmup: int = 0) -> Callable[[int], float]:
    """Return the factor on the learning rate as a function of the step, counted from 0.

    >>> factor = learning_rate_schedule("linear", steps=10, warmup=2)
    >>> [factor(step) for step in (0, 1, 2, 6, 10)]
    [0.5, 1.0, 1.0, 0.5, 0.0]

    Args:
        name: a key of `SCHEDULES`.
        steps: optimiser steps of the stage.
        warmup: number of these in which the rate rises linearly to its full value.

    Raises:
        ConfigurationError: there is no schedule of that name.
    """
    if name not in SCHEDULES:
        raise ConfigurationError([f"schedule must be one of {', '.join(SCHEDULES)}, not {name!r}"])
    curve = SCHEDULES[name]

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return curve(step - warmup, steps - warmup)

    return factor
