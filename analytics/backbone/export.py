"""Export a torch encoder to a folder that the web process can run without torch.

The folder contains `model.onnx`, `tokenizer.json`, and the manifest of an artifact. The graph takes token ids
and a mask. It returns unit vectors (pooling and normalisation are in the graph), or the states of all tokens
for capabilities that need them.
"""

from __future__ import annotations

import logging
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize
from transformers import PreTrainedTokenizerFast

from analytics.artifacts import Manifest, artifact_read, artifact_write
from analytics.backbone.adapters import ADAPTER_CONFIG_NAME, load_adapter
from analytics.backbone.backbone import Backbone, pooled_vectors, save_head
from analytics.backbone.bert import load_backbone, no_progress_bars
from analytics.backbone.sources import (
    ADAPTER_FOLDER,
    ADAPTER_NAME,
    BACKBONE_FOLDER,
    DEFAULT_BACKBONE,
    HEAD_NAME,
    PACKAGED,
    SERVED_TOKENS,
    adapter_metadata,
)
from analytics.inference.encode import MODEL_NAME, TOKENIZER_NAME
from analytics.inference.onnx import onnxruntime

Batch = tuple[Tensor, Tensor]
"""Token ids and mask, both (texts, tokens)."""

_INPUTS = ["input_ids", "attention_mask"]
_OPSET = 18
_TOLERANCE = 1e-4


def write_graph(
    module: torch.nn.Module, path: Path, *, output: str, max_tokens: int, batch: Batch, others: Sequence[Batch]
) -> None:
    """Write a module as an ONNX file.

    The graph is traced, which takes a sixth of the time of PyTorch's newer exporter (3 instead of 20 CPU seconds
    for the default encoder) and runs just as fast. Tracing may bake batch-dependent values in as constants, so
    the graph's output is compared with the module's on batches of other sizes. If they differ, or tracing fails,
    the newer exporter is used: decision 53.

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


_SHORT, _LONGER = "a + b = 12", "find the area of a circle"


class _UnitVectors(torch.nn.Module):
    """Map ids and mask to unit vectors (texts, dimension)."""

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        self.model = backbone.model
        self.head = None if backbone.head is None else backbone.head.frozen_copy(torch.device("cpu"))

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return normalize(pooled_vectors(self.model, self.head, input_ids, attention_mask), dim=1)


class _TokenStates(torch.nn.Module):
    """Map ids and mask to states of the last layer (texts, tokens, dimension)."""

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        self.model = backbone.model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        states: torch.Tensor = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        return states


_GRAPHS: dict[str, Callable[[Backbone], torch.nn.Module]] = {"vectors": _UnitVectors, "states": _TokenStates}


def export_onnx(
    backbone: Backbone,
    folder: Path,
    *,
    output: Literal["vectors", "states"] = "vectors",
    license_note: str = "",
    about: Manifest | None = None,
    write_more: Callable[[Path], None] | None = None,
) -> Manifest:
    """Write the artifact of a backbone; `analytics.inference.encode.load_encoder` loads one that returns vectors.

    Args:
        backbone: the encoder; it is exported on the CPU in float32.
        folder: the artifact's folder, written atomically.
        output: what the graph returns.
        license_note: terms under which the weights may be used.
        about: manifest with the details of its training; its `extra` is extended.
        write_more: writes more files into the folder, e.g. the weights for torch.

    Raises:
        ArtifactError: the folder cannot be written.
    """
    about = about or Manifest(capability="encoder", name=backbone.name, license_note=license_note)
    manifest = replace(
        about,
        extra=about.extra
        | {
            "kind": "onnx",
            "output": output,
            "dimension": backbone.dimension,
            "max_tokens": backbone.max_tokens,
            "pooling": "mean",
            "unknown_id": backbone.unknown_id,
            "pad_id": backbone.pad_id,
            "backbone": backbone.name,
            "backbone_sha256": backbone.weights_hash,
        },
    )

    def write_files(aside: Path) -> None:
        _export_graph(backbone, aside / MODEL_NAME, output)
        backbone.tokenizer.save(str(aside / TOKENIZER_NAME))
        if write_more is not None:
            write_more(aside)

    return artifact_write(folder, manifest, write_files)


def export_trained(
    backbone: Backbone,
    folder: Path,
    about: Manifest,
    *,
    output: Literal["vectors", "states"] = "vectors",
    write_more: Callable[[Path], None] | None = None,
) -> Manifest:
    """Write the artifact of a trained encoder: the graph for serving, the weights for torch, and the adapter.

    Args:
        backbone: the encoder, with its adapter merged.
        folder: the artifact's folder, written atomically.
        about: manifest with the details of its training.
        output: what the served encoder returns.
        write_more: writes the capability's own files into the folder.

    Raises:
        ArtifactError: the folder cannot be written.
    """
    served = for_serving(backbone)

    def write_all(aside: Path) -> None:
        save_backbone(served, aside / BACKBONE_FOLDER)
        if served.adapter:
            adapter = aside / ADAPTER_FOLDER
            adapter.mkdir()
            for name, content in served.adapter.items():
                (adapter / name).write_bytes(content)
            save_head(served, adapter)
        if write_more is not None:
            write_more(aside)

    return export_onnx(served, folder, output=output, about=about, write_more=write_all)


def for_serving(backbone: Backbone) -> Backbone:
    """Return the same backbone with the longer text limit used in serving."""
    limit = min(SERVED_TOKENS, getattr(backbone.model.config, "max_position_embeddings", SERVED_TOKENS))
    backbone.tokenizer.enable_truncation(limit)
    return replace(backbone, max_tokens=limit)


def export_encoder(output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
    """Load a backbone and write its encoder artifact.

    Args:
        output: the artifact's folder.
        backbone: packaged name, local folder or hub id; empty for the default.
        adapter: a starter's folder, whose adapter is merged into the weights and whose manifest is kept.

    Raises:
        BackboneError: the backbone or the adapter cannot be loaded.
        ArtifactError: the adapter's folder is damaged, or the output cannot be written.
    """
    if adapter is not None:
        return export_starter(output, adapter, backbone=backbone)
    loaded = load_backbone(backbone or DEFAULT_BACKBONE, device="cpu")
    packaged = PACKAGED.get(loaded.name)
    return export_onnx(loaded, output, license_note=packaged.license_note if packaged else "")


def export_starter(
    output: Path, starter: Path, *, backbone: str = "", returns: Literal["vectors", "states"] = "vectors"
) -> Manifest:
    """Merge a starter's adapter into its backbone and write the artifact of the starter's capability.

    The artifact includes the adapter, so that training can continue from it.

    Args:
        output: the artifact's folder.
        starter: the starter's folder; its manifest and other files are kept.
        backbone: packaged name, local folder or hub id; by default the packaged one that its adapter names.
        returns: what the served encoder returns.

    Raises:
        BackboneError: the backbone or the adapter cannot be loaded.
        ArtifactError: the starter's folder is damaged, or the output cannot be written.
    """
    about = artifact_read(starter)
    named = adapter_metadata(starter).get("backbone", "")
    loaded = load_backbone(backbone or (named if named in PACKAGED else DEFAULT_BACKBONE), device="cpu")
    load_adapter(loaded, starter)

    def write_more(folder: Path) -> None:
        save_backbone(loaded, folder / BACKBONE_FOLDER)
        (folder / ADAPTER_FOLDER).mkdir()
        for name in about.files:
            is_adapter = name in (ADAPTER_NAME, ADAPTER_CONFIG_NAME, HEAD_NAME)
            shutil.copyfile(starter / name, (folder / ADAPTER_FOLDER if is_adapter else folder) / name)

    return export_onnx(loaded, output, output=returns, about=replace(about, files={}), write_more=write_more)


def _export_graph(backbone: Backbone, path: Path, output: str) -> None:
    device, was_training = backbone.device, backbone.model.training
    module = _GRAPHS[output](backbone).eval().cpu()
    try:
        write_graph(
            module,
            path,
            output=output,
            max_tokens=backbone.max_tokens,
            batch=_batch(backbone, _SHORT, _LONGER),
            others=[_batch(backbone, _SHORT), _batch(backbone, _LONGER, _SHORT, 9 * _LONGER)],
        )
    finally:
        backbone.model.train(was_training).to(device)


def _batch(backbone: Backbone, *texts: str) -> tuple[torch.Tensor, torch.Tensor]:
    ids, mask = backbone.batch(texts)
    return ids.cpu(), mask.cpu()


def save_backbone(backbone: Backbone, folder: Path) -> None:
    """Save an encoder as a folder that `load_backbone` and transformers can load."""
    folder.mkdir(parents=True, exist_ok=True)
    with no_progress_bars():
        backbone.model.save_pretrained(folder)
    save_head(backbone, folder)
    special = {
        f"{name}_token": token
        for name in ("pad", "unk", "cls", "sep", "mask")
        for token in (f"[{name.upper()}]", f"<{name}>")
        if backbone.tokenizer.token_to_id(token) is not None
    }
    PreTrainedTokenizerFast(tokenizer_object=backbone.tokenizer, **special).save_pretrained(folder)
