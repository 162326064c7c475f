"""Starter models for new installations: low-rank adapters on packaged backbones, small enough for the repository.

The encoder's starter also has a last layer. Each capability names its starters in its class, `python -m
worker.starters` makes them, and `python -m analytics export` merges backbone and adapter.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from analytics.artifacts import Manifest, artifact_read, artifact_write
from analytics.backbone.sources import ADAPTER_FOLDER, BACKBONE_FOLDER, PACKAGED, adapter_metadata
from analytics.errors import ArtifactError, BackboneError
from analytics.inference.encode import MODEL_NAME, TOKENIZER_NAME

LARGEST = 8_000_000  # bytes, as it is part of every clone

_PROBE_TEXTS = ("Ann had 24 pens and gave 6 of them to Tom. How many are left?", "Factorise $x^2 - 9$.")
_MOST_DIFFERENCE = 0.02  # per entry of a unit vector; half precision alone causes .0003

_SAID_BY_THE_EXPORT = {"kind", "output", "dimension", "pooling", "unknown_id", "pad_id", "backbone_sha256"}


def copy_adapter(model: Path, folder: Path, *, capability: str, name: str, largest: int | None = None) -> Manifest:
    """Copy the parts of a trained artifact other than its backbone: its adapter and its capability's own files.

    Args:
        model: artifact folder of a model that was trained with ``adapter_rank``.
        folder: the starter's folder.
        capability: the capability that the model must have.
        name: the starter's display name.
        largest: maximum size in bytes; `LARGEST` by default.

    Raises:
        ArtifactError: the model has no adapter, or its adapter is for weights other than the packaged ones,
            does not reproduce the model's weights, or is too large.
    """
    manifest = artifact_read(model)
    adapter = [file for file in manifest.files if file.startswith(f"{ADAPTER_FOLDER}/")]
    if manifest.capability != capability or not adapter:
        raise ArtifactError(
            f"{model} is not an adapter-trained {capability} model; train one with --set adapter_rank=64."
        )
    capability_files = [
        file
        for file in manifest.files
        if "/" not in file and file != TOKENIZER_NAME and not file.endswith(Path(MODEL_NAME).suffix)
    ]
    size = sum((model / file).stat().st_size for file in (*adapter, *capability_files))
    if size > (largest := largest or LARGEST):
        raise ArtifactError(f"The adapter has {size:,} bytes; a starter may have {largest:,}.")

    if packaged := _packaged_base(model / ADAPTER_FOLDER):
        _check_rebuilt(model, packaged)

    def write_files(aside: Path) -> None:
        for file in (*adapter, *capability_files):
            shutil.copyfile(model / file, aside / Path(file).name)

    extra = {key: value for key, value in manifest.extra.items() if key not in _SAID_BY_THE_EXPORT}
    return artifact_write(
        folder, replace(manifest, name=name, extra={"kind": "adapter"} | extra, files={}), write_files
    )


def _packaged_base(adapter: Path) -> str:
    """Return the name of the packaged encoder that the adapter was trained on; empty for other encoders.

    Raises:
        ArtifactError: only the encoder's name matches, as for a further-trained encoder, or the adapter
            cannot be read.
    """
    try:
        about = adapter_metadata(adapter)
    except BackboneError as error:
        raise ArtifactError(str(error)) from error
    name = about.get("backbone", "")
    if name not in PACKAGED:
        return ""
    if about.get("backbone_sha256") != PACKAGED[name].sha256:
        raise ArtifactError(
            f"The adapter was trained on other weights than the installed {name}: on an encoder that had an adapter or"
            " a last layer already. A starter must fit the plain one."
        )
    return name


def _check_rebuilt(model: Path, packaged: str) -> None:
    """Reject an adapter with which the packaged encoder does not reproduce the evaluated model.

    Raises:
        ArtifactError: the two encode a text differently, or the model's weights are missing.
    """
    if not (model / BACKBONE_FOLDER).is_dir():
        raise ArtifactError(f"{model} lacks the weights to compare with, the folder {BACKBONE_FOLDER}.")
    import torch

    from analytics.backbone.adapters import load_adapter
    from analytics.backbone.bert import encode_bulk, load_backbone

    rebuilt = load_backbone(packaged, device="cpu")
    load_adapter(rebuilt, model / ADAPTER_FOLDER)
    trained = load_backbone(str(model), device="cpu")
    rebuilt.head = trained.head = None
    vectors = [encode_bulk(backbone, _PROBE_TEXTS, dtype=torch.float32) for backbone in (rebuilt, trained)]
    difference = float(abs(vectors[0] - vectors[1]).max())
    if difference > _MOST_DIFFERENCE:
        raise ArtifactError(
            f"The adapter does not reproduce {model}: vectors differ by {difference:.3f}. The checkpoint that its"
            " training was resumed from may belong to another training."
        )
