"""Parameter groups for the optimiser."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import nn


def decay_groups(parameters: Iterable[nn.Parameter]) -> list[dict[str, Any]]:
    """Split parameters into matrices, with weight decay, and biases and layer norms without, as BERT was trained.

    A parameter that two modules share is listed once; frozen parameters are left out.
    """
    trained = [
        parameter for parameter in {id(each): each for each in parameters}.values() if parameter.requires_grad
    ]
    return [
        {"params": [parameter for parameter in trained if parameter.dim() > 1]},
        {"params": [parameter for parameter in trained if parameter.dim() <= 1], "weight_decay": 0.0},
    ]
