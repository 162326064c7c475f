"""From one state a token to one vector a text."""

from __future__ import annotations

import torch

__all__ = ["mean_pool"]


def mean_pool(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean of the token states where the mask is 1; padding does not count.

    QuesCo's published code averages over padding too in pre-training and without it in evaluation; here
    it is without padding everywhere, so that a vector does not depend on what else is in the batch.

    Args:
        states: (batch, tokens, hidden).
        mask: (batch, tokens), 1 for a token and 0 for padding.

    Returns:
        (batch, hidden); zeros for a row without tokens.

    >>> states = torch.tensor([[[2.0], [4.0], [9.0]]])
    >>> mean_pool(states, torch.tensor([[1, 1, 0]]))
    tensor([[3.]])
    """
    weights = mask.unsqueeze(-1).to(states.dtype)  # (batch, tokens, 1)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)
