"""A slowly following copy of an encoder (MoCo, He et al. 2020, Eq. 2)."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn


class MomentumEncoder(nn.Module):
    """The key encoder: a copy of the query encoder whose weights follow as an exponential average.

    ``key = momentum * key + (1 - momentum) * query``; no gradient flows into it, and it runs in evaluation
    mode, without dropout, unless `train` is called on it.

    Args:
        query_encoder: what it follows; not registered as a submodule, so its weights are not saved twice.
        momentum: share of its own weights kept in an update.

    Raises:
        ValueError: momentum outside 0 .. 1.
    """

    def __init__(self, query_encoder: nn.Module, momentum: float = 0.999) -> None:
        super().__init__()
        if not 0 <= momentum <= 1:
            raise ValueError(f"momentum must lie in 0 .. 1, not {momentum}")
        self.momentum = momentum
        self.encoder = copy.deepcopy(query_encoder).requires_grad_(False)

    def forward(self, *args: Any, **options: Any) -> Any:
        """Return what the copy gives, without a gradient."""
        with torch.no_grad():
            return self.encoder(*args, **options)

    @torch.no_grad()
    def update(self, query_encoder: nn.Module) -> None:
        """Follow the query encoder by one step; buffers are copied."""
        for key_parameter, parameter in zip(
            self.encoder.parameters(), query_encoder.parameters(), strict=True
        ):
            key_parameter.lerp_(parameter.detach().to(key_parameter), 1 - self.momentum)
        for key_buffer, buffer in zip(self.encoder.buffers(), query_encoder.buffers(), strict=True):
            key_buffer.copy_(buffer)
