"""From one state a token to one vector a text."""

from __future__ import annotations

import torch
from torch import nn


def mean_pool(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the mean of the token states where the mask is 1; padding does not count.

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


def token_states(
    transformer: nn.Module, input_ids: torch.Tensor, attention_mask: torch.Tensor
) -> torch.Tensor:
    """Return the states of a Hugging Face encoder's last layer, (batch, tokens, hidden), from ids and mask alike.

    On a GPU the mask is given as transformers would make it: else it reads back whether the mask hides anything, and
    waits for everything that was computed before.
    """
    mask = attention_mask
    if mask.is_cuda and getattr(transformer.config, "_attn_implementation", "") == "sdpa":
        mask = mask[:, None, None].bool().expand(-1, 1, mask.shape[1], -1)
    states: torch.Tensor = transformer(input_ids=input_ids, attention_mask=mask).last_hidden_state
    return states


def pooled_vectors(
    transformer: nn.Module,
    head: nn.Module | None,
    input_ids: torch.Tensor,
    attention_mask: torch.Tensor,
) -> torch.Tensor:
    """Return what an encoder makes of token ids: the mean state, through the head if there is one.

    Args:
        transformer: a Hugging Face encoder.
        head: (batch, dimension) to the same (`analytics.backbone.head`), or None.
        input_ids: (batch, tokens).
        attention_mask: (batch, tokens).

    Returns:
        (batch, dimension) float32, with gradients, not normalised.
    """
    states = token_states(transformer, input_ids, attention_mask)
    pooled = mean_pool(states.float(), attention_mask)
    if head is None:
        return pooled
    vectors: torch.Tensor
    if torch.is_autocast_enabled(pooled.device.type):  # small products, not worth half precision
        with torch.autocast(pooled.device.type, enabled=False):
            vectors = head(pooled)
    else:
        vectors = head(pooled)
    return vectors
