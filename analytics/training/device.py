"""Choose the device to compute on and the number format of bulk inference there, and seed random generators.

Decision 4: bfloat16 if the device has instructions for it. Elsewhere it is emulated and slower than float32;
float16, which older GPUs have, overflows in training without loss scaling.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np
import torch

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
            raise ConfigurationError([f"device is {preference}, but this machine has {cards} GPUs, cuda:0 the first"])
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
                "the GPU ran out of memory; close what else uses it and start again, which resumes from the last"
                " checkpoint, or begin anew with a smaller batch_size or max_tokens"
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
