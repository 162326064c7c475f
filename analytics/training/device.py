"""Which device computes, and in which number format bulk inference runs there.

Decision 4: bfloat16 where the device has instructions for it. Elsewhere it is emulated and slower than float32;
float16, which an older GPU has, overflows in training without a scaled loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch

from analytics.errors import ConfigurationError

__all__ = ["autocast", "inference_dtype", "pick_device", "threads_for"]

# Multiplications in one step. Below it, threads that wait for one another cost more than they compute:
# on two busy cores a step of 10,000 took thirty times as long with two threads as with one.
_WORTH_THREADS = 50_000_000


def pick_device(preference: str = "auto") -> torch.device:
    """Return the device to compute on: `preference`, or for ``"auto"`` a GPU where there is one.

    Raises:
        ConfigurationError: torch knows no such device, or it is a GPU and there is none.
    """
    if preference == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(preference)
    except RuntimeError:
        raise ConfigurationError([f"device must be auto, cpu or cuda, not {preference!r}"]) from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigurationError(["device is cuda, but there is no GPU here"])
    return device


def inference_dtype(device: torch.device) -> torch.dtype:
    """Return the number format to encode and train in: bfloat16 where `device` has it (cosine of 0.9999 to float32)."""
    if device.type == "cuda":
        has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if has_bfloat16 else torch.float32
    if device.type == "cpu":
        has: dict[str, object] = getattr(
            torch.cpu, "get_capabilities", dict
        )()  # older versions of torch do not say
        return torch.bfloat16 if has.get("avx512_bf16") or has.get("amx_bf16") else torch.float32
    return torch.float32


def autocast(device: torch.device, dtype: torch.dtype) -> AbstractContextManager[object]:
    """Return mixed precision on `device`; it does nothing for float32."""
    if dtype == torch.float32:
        return nullcontext()
    return torch.autocast(device.type, dtype=dtype)


@contextmanager
def threads_for(multiplications: int) -> Iterator[None]:
    """Use one thread inside for steps too small to share out, else as many as torch is set to."""
    before = torch.get_num_threads()
    if multiplications < _WORTH_THREADS and before > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if torch.get_num_threads() != before:
            torch.set_num_threads(before)
