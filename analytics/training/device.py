"""Choose the device and the number formats, seed random generators, and make training on a CPU cheaper.

Decision 4: bfloat16 if the device has instructions for it. Elsewhere it is emulated and slower than float32;
float16, which older GPUs have, overflows in training without loss scaling.

Decision 55: in training, PyTorch draws a float for every element that may be dropped, and its fused attention
is slow in the backward pass in bfloat16; `cpu_training` replaces both. Recomputing activations in the backward
pass (gradient checkpointing) would happen outside `cpu_training`, with different masks; nothing here does so.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from analytics.errors import ConfigurationError

# Multiplications per step. Below it, synchronising threads costs more than they compute: on two busy cores a
# step of 10,000 took thirty times as long with two threads as with one.
_WORTH_THREADS = 50_000_000


def pick_device(preference: str = "auto") -> torch.device:
    """Return the device to compute on: `preference`, or for ``"auto"`` a GPU if there is one.

    Raises:
        ConfigurationError: torch does not know the device, or it is a GPU that is missing or whose driver is
            too old.
    """
    if preference == "auto":
        return _prepared(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    try:
        device = torch.device(preference)
    except RuntimeError:
        raise ConfigurationError([f"device must be auto, cpu or cuda, not {preference!r}"]) from None
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise ConfigurationError([_why_no_gpu()])
        if device.index is not None and device.index >= (cards := torch.cuda.device_count()):
            raise ConfigurationError(
                [f"device is {preference}, but this machine has {cards} GPUs, starting with cuda:0"]
            )
    return _prepared(device)


def _prepared(device: torch.device) -> torch.device:
    """Enable TF32 for a GPU's remaining float32 products, as its own training recipes do; leave a CPU unchanged."""
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    return device


def _why_no_gpu() -> str:
    """Return why PyTorch finds no GPU, and what to change; the commands are in docs/gpu.md."""
    if torch.version.cuda is None:
        return "device is cuda, but the installed PyTorch has no CUDA; install one that has, as docs/gpu.md says"
    try:
        torch.cuda.init()
    except (RuntimeError, AssertionError) as error:
        if "too old" in str(error):
            return (
                f"device is cuda, but the NVIDIA driver is too old for CUDA {torch.version.cuda}; update the driver, or"
                " install a PyTorch for an older CUDA, as docs/gpu.md says"
            )
    return "device is cuda, but there is no GPU here; choose device=cpu, or see that nvidia-smi lists one"


@contextmanager
def explained_memory_errors() -> Iterator[None]:
    """Turn a GPU's out-of-memory error into a sentence that says what to change.

    Raises:
        ConfigurationError: the block ran out of the GPU's memory.
    """
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise ConfigurationError(
            [
                "the GPU ran out of memory; close other programs that use it and start again, which resumes from the"
                " last checkpoint, or start a new run with a smaller batch_size or max_tokens"
            ]
        ) from error


def sent(values: np.ndarray | torch.Tensor, device: torch.device) -> torch.Tensor:
    """Return values on a device, copied asynchronously after its earlier work.

    Without pinned memory, a copy to a GPU waits until all earlier work is done.
    """
    tensor = torch.from_numpy(values) if isinstance(values, np.ndarray) else values
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def inference_dtype(device: torch.device) -> torch.dtype:
    """Return the number format to encode and train in: bfloat16 if `device` has it (cosine of 0.9999 to float32)."""
    if device.type == "cuda":
        has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if has_bfloat16 else torch.float32
    if device.type == "cpu":
        has: dict[str, object] = getattr(
            torch.cpu, "get_capabilities", dict
        )()  # older versions of torch do not report it
        return torch.bfloat16 if has.get("avx512_bf16") or has.get("amx_bf16") else torch.float32
    return torch.float32


def autocast(device: torch.device, dtype: torch.dtype) -> AbstractContextManager[object]:
    """Return mixed precision on `device`; it does nothing for float32."""
    if dtype == torch.float32:
        return nullcontext()
    return torch.autocast(device.type, dtype=dtype)


@contextmanager
def threads_for(multiplications: int) -> Iterator[None]:
    """Use one thread inside for steps too small to parallelise, else as many as torch is set to."""
    before = torch.get_num_threads()
    if multiplications < _WORTH_THREADS and before > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if torch.get_num_threads() != before:
            torch.set_num_threads(before)


def seed_everything(seed: int) -> np.random.Generator:
    """Seed Python, NumPy's global state and torch; return a separate generator for new code."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # libraries we depend on still draw from it
    torch.manual_seed(seed)
    return np.random.default_rng(seed)


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
