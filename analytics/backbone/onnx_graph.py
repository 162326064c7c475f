"""The ONNX graph of a module that takes token ids and a mask.

The graph is traced, which takes a sixth of the time of PyTorch's newer exporter (3 instead of 20 CPU seconds
for the default encoder) and runs just as fast. Tracing may bake batch-dependent values in as constants, so
the graph's output is compared with the module's on batches of other sizes. If they differ, or tracing fails,
the newer exporter is used: decision 53.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from analytics.onnx_runtime import onnxruntime

Batch = tuple[Tensor, Tensor]
"""Token ids and mask, both (texts, tokens)."""

_INPUTS = ["input_ids", "attention_mask"]
_OPSET = 18
_TOLERANCE = 1e-4


def write_graph(
    module: torch.nn.Module, path: Path, *, output: str, max_tokens: int, batch: Batch, others: Sequence[Batch]
) -> None:
    """Write a module as an ONNX file.

    Args:
        module: takes ids and mask; in evaluation mode, on the CPU.
        path: path of the file.
        output: name of the graph's output.
        max_tokens: maximum length of a text.
        batch: the example batch for exporting. It needs two texts of different length: sizes of 1 would be
            treated as constants.
        others: batches of other sizes, on which a traced graph is checked.
    """
    with torch.inference_mode(False), torch.no_grad(), _quiet_exporter():
        try:
            _trace(module, path, output, batch)
            if _is_exact(module, path, others):
                return
        except Exception:  # noqa: BLE001  # of any kind: if the exporter below fails too, it reports why
            path.unlink(missing_ok=True)
        _export(module, path, output, batch, max_tokens)


def _trace(module: torch.nn.Module, path: Path, output: str, batch: Batch) -> None:
    sizes = {0: "batch", 1: "tokens"}
    torch.onnx.export(
        module,
        batch,
        str(path),
        dynamo=False,
        opset_version=_OPSET,
        input_names=_INPUTS,
        output_names=[output],
        dynamic_axes={**dict.fromkeys(_INPUTS, sizes), output: sizes if output == "states" else {0: "batch"}},
    )


def _export(module: torch.nn.Module, path: Path, output: str, batch: Batch, max_tokens: int) -> None:
    sizes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens", max=max_tokens)}
    torch.onnx.export(
        module,
        batch,
        str(path),
        dynamo=True,
        external_data=False,
        input_names=_INPUTS,
        output_names=[output],
        dynamic_shapes=dict.fromkeys(_INPUTS, sizes),
        verbose=False,
    )


def _is_exact(module: torch.nn.Module, path: Path, batches: Sequence[Batch]) -> bool:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return all(
        np.allclose(
            session.run(None, {"input_ids": ids.numpy(), "attention_mask": mask.numpy()})[0],
            module(ids, mask).numpy(),
            atol=_TOLERANCE,
        )
        for ids, mask in batches
    )


@contextmanager
def _quiet_exporter() -> Iterator[None]:
    """Suppress, in this block, the exporter's warnings about its own deprecations and packages that we do not use."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnx_ir", "onnxscript")]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
