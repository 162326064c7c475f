"""The layout in which sentence-transformers stores an encoder: a list of modules, each with a folder. Torch-free.

Ours is its transformer, mean pooling, the layers of the head as ``Dense`` modules, and normalisation.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from analytics.backbone.sources import BACKBONE_FOLDER, HEAD_NAME

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
    """Return the ``Dense`` modules of a stored head (`analytics.backbone.head`), each with its activation."""
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
