"""Dropout and attention that are cheaper than PyTorch's for CPU training (decision 55).

PyTorch draws a float for every element that may be dropped, and its fused attention is slow in the backward
pass in bfloat16. Recomputing activations in the backward pass (gradient checkpointing) would happen outside
`cpu_training`, with different masks; nothing here does so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

_LEVELS = 256  # of a random byte
_LONGEST = 512  # tokens: for longer texts the attention matrix uses too much memory to be worth it


def cpu_training(device: torch.device) -> AbstractContextManager[object]:
    """Return a context in which CPU training uses `fast_dropout` and unfused attention; a no-op on other devices."""
    return _CpuTraining() if device.type == "cpu" else nullcontext()


def fast_dropout(values: Tensor, p: float) -> Tensor:
    """Set elements to zero with a probability of `p`, rounded to 1/256, and scale the others to keep the mean.

    It draws one random byte per element from torch's generator, so seeds and checkpoints cover it.

    Args:
        values: tensor of any shape.
        p: probability in [0, 1].
    """
    dropped = round(p * _LEVELS)
    if dropped == 0:
        return values
    if dropped == _LEVELS:
        return values * 0
    count = values.numel()
    words = torch.empty(-(-count // 8), dtype=torch.int64).random_(-(2**63), None)
    kept = words.view(torch.uint8)[:count].view(values.shape) >= dropped
    return values * kept.to(values.dtype).mul_(_LEVELS / (_LEVELS - dropped))


class _CpuTraining(TorchFunctionMode):
    """Overrides two PyTorch functions for all callers."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],  # PyTorch's signature
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        keywords = dict(kwargs or {})
        if func is functional.dropout:
            return _dropout(*args, **keywords)
        if func is functional.scaled_dot_product_attention:
            return _attention(*args, **keywords)
        return func(*args, **keywords)


def _dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    if not training:
        return input
    if inplace or not input.is_floating_point():
        return functional.dropout(input, p, training, inplace)
    return fast_dropout(input, p)


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    *causal: bool,
    **options: Any,
) -> Tensor:
    """Compute PyTorch's attention as two products and a softmax, from three (..., tokens, width) tensors to one.

    Args:
        query, key, value, attn_mask, dropout_p: as in PyTorch.
        causal: PyTorch's `is_causal`, if given positionally.
        options: PyTorch's other options; if any but `scale` is set, PyTorch's own attention is used.
    """
    has_more = any(causal) or any(options[name] for name in options if name != "scale")
    if has_more or not query.requires_grad or key.shape[-2] > _LONGEST:
        return functional.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, *causal, **options)
    scale = options.get("scale")
    scores = (query * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)) @ key.transpose(-2, -1)
    if attn_mask is not None:
        is_kept = attn_mask.dtype == torch.bool
        scores = scores.masked_fill(~attn_mask, -torch.inf) if is_kept else scores + attn_mask
    return fast_dropout(scores.softmax(-1), dropout_p) @ value
