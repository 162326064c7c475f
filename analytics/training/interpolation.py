"""Weights between those that a training began with and those that it ended with.

Wortsman et al. (CVPR 2022), "Robust fine-tuning of zero-shot models": what is trained on made-up examples forgets
something of what the pretrained weights knew; on the straight line between both there are weights that rank better
than either end, also on data of another kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
"""Shares of the way that are tried; of equals the first is taken."""

_NOT_SCALED = ".lora_A."  # of an adapter's two factors one is scaled, so that their product is


def starting_weights(model: nn.Module) -> dict[str, Tensor]:
    """Return copies of the weights that a training will change; take them before it begins."""
    return {
        name: weight.detach().clone()
        for name, weight in model.named_parameters()
        if weight.requires_grad and _NOT_SCALED not in name
    }


@torch.no_grad()
def interpolate_weights(
    model: nn.Module,
    start: dict[str, Tensor],
    judge: Callable[[], float],
    shares: Sequence[float] = SHARES,
) -> float:
    """Give a trained model the weights on the way from its start that are judged best.

    Args:
        model: trained; its weights are changed in place.
        start: `starting_weights` of it.
        judge: called with each of the weights in the model; more is better.
        shares: of the way from start (0) to end (1).

    Returns:
        The share that was taken.
    """
    weights = dict(model.named_parameters())
    end = {name: weights[name].detach().clone() for name in start}

    def go(share: float) -> None:
        for name, first in start.items():
            weights[name].copy_(torch.lerp(first, end[name], share))

    figures = []
    for share in shares:
        go(share)
        figures.append(judge())
    best = max(range(len(shares)), key=lambda place: figures[place])
    go(shares[best])
    return shares[best]
