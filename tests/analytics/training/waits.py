"""Counts where the host would wait for a GPU: reads of a tensor's values, and results whose size depends on them.

What transformers itself asks is not counted: it reads once a forward pass whether a mask hides anything.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

READS = ("__bool__", "__float__", "__index__", "__int__", "cpu", "item", "numpy", "tolist")
PASSED_ON = ("__torch_function__", "_dropout", "_attention")  # functions that only call what they are given
SIZED_BY_VALUES = {
    "aten::_local_scalar_dense",
    "aten::masked_select",
    "aten::nonzero",
    "aten::_unique2",
    "aten::unique_consecutive",
}


class _SizedByValues(TorchDispatchMode):
    def __init__(self, waits: list[str]) -> None:
        super().__init__()
        self.waits = waits

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = function.name().split(".")[0]
        masks = name == "aten::index" and any(
            index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1]
        )
        if name in SIZED_BY_VALUES or masks:
            _note(self.waits, name)
        return function(*args, **(kwargs or {}))


@contextmanager
def counted_waits() -> Iterator[list[str]]:
    """Yield a list that grows by a line for each wait inside: what waits, and the line of ours that asks for it."""
    waits: list[str] = []
    before = {name: getattr(torch.Tensor, name) for name in READS}

    def counting(name: str) -> Any:
        def read(*args: Any, **options: Any) -> Any:
            _note(waits, name)
            return before[name](*args, **options)

        return read

    for name in READS:
        setattr(torch.Tensor, name, counting(name))
    try:
        with _SizedByValues(waits):
            yield waits
    finally:
        for name, method in before.items():
            setattr(torch.Tensor, name, method)


def _note(waits: list[str], name: str) -> None:
    frames = [frame for frame in traceback.extract_stack() if "/tests/" not in frame.filename]
    asking = [frame for frame in frames if "/analytics/" in frame.filename or "/transformers/" in frame.filename]
    asking = [frame for frame in asking if frame.name not in PASSED_ON]
    if not asking or "/transformers/" not in asking[-1].filename:
        waits.append(f"{name} in {asking[-1].filename}:{asking[-1].lineno}" if asking else f"{name} in a test")
