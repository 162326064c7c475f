"""Interpolation between the weights before and after a training run.

Wortsman et al. (CVPR 2022), "Robust fine-tuning of zero-shot models": training on synthetic examples forgets
some of what the pretrained weights knew; on the straight line between the two there are weights that rank
better than either end, even on data of another kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
"""Interpolation coefficients to try; on a tie the first is taken."""

_NOT_SCALED = ".lora_A."  # only one of an adapter's two factors is scaled, so that their product is


def starting_weights(model: nn.Module) -> dict[str, Tensor]:
    """Return copies of the weights that a training run will change; call it before training begins."""
    return {
        name: weight.detach().clone()
        for name, weight in model.named_parameters()
        if weight.requires_grad and _NOT_SCALED not in name
    }


@torch.no_grad()
def interpolate_weights(
    model: nn.Module, start: dict[str, Tensor], judge: Callable[[], float], shares: Sequence[float] = SHARES
) -> float:
    """Set a trained model to the best weights on the line from its starting weights.

    Args:
        model: trained; its weights are changed in place.
        start: its `starting_weights`.
        judge: called after each set of weights is loaded into the model; higher is better.
        shares: coefficients from start (0) to end (1).

    Returns:
        The chosen coefficient.
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
