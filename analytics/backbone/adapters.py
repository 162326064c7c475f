"""Low-rank adapters: train a backbone through two thin matrices per layer, whose rank can be reduced later."""

from __future__ import annotations

import json
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from transformers import PreTrainedModel

from analytics.artifacts import artifact_amend, artifact_read
from analytics.backbone.backbone import Backbone, load_head, set_head, weights_sha256
from analytics.backbone.sources import ADAPTER_FOLDER, ADAPTER_NAME, HEAD_NAME, PACKAGED, adapter_metadata
from analytics.errors import ArtifactError, BackboneError, first_line

ADAPTER_CONFIG_NAME = "adapter_config.json"
_NOT_ADAPTED = r"(^|.*\.)pooler\..*"


def add_adapters(backbone: Backbone, rank: int) -> None:
    """Add an adapter to every linear layer of the transformer; from then on only adapters have gradients.

    The adapters are initialised to leave the output unchanged: B is zero, A is drawn from torch's generator.

    Args:
        backbone: its model is wrapped in place.
        rank: number of directions in which a layer's weights may change.

    Raises:
        ValueError: rank below 1.
        BackboneError: the backbone has adapters already.
    """
    from peft import LoraConfig

    if rank < 1:
        raise ValueError(f"rank must be at least 1, not {rank}")
    if _is_adapted(backbone):
        raise BackboneError(f"The encoder {backbone.name} has adapters already.")
    config = LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules="all-linear", exclude_modules=_NOT_ADAPTED, bias="none"
    )
    was_training = backbone.model.training
    backbone.model = _wrapped(backbone.model, config)
    backbone.model.train(was_training)


def nearest_factors(change: torch.Tensor, rank: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the two factors that best approximate a matrix (Eckart and Young, 1936), and its singular values.

    Args:
        change: (width out, width in).
        rank: maximum rank of the product.

    Returns:
        (rank, width in) and (width out, rank), and all singular values, largest first; in double precision.
        The rank is lower if the matrix has fewer rows or columns.
    """
    left, values, right = torch.linalg.svd(change.double(), full_matrices=False)
    root = values[:rank].sqrt()
    return root[:, None] * right[:rank], left[:, :rank] * root, values


def merge_adapters(backbone: Backbone) -> None:
    """Merge the adapters into the weights and remove them, leaving a plain transformer.

    Raises:
        BackboneError: the backbone has no adapters.
    """
    model = _adapted(backbone)
    was_training = model.training
    backbone.model = model.merge_and_unload().train(was_training).requires_grad_(True)
    backbone.weights_hash = weights_sha256(backbone.model, backbone.head)


def save_adapter(backbone: Backbone, folder: Path) -> None:
    """Write the adapters of a backbone, in half precision, with a configuration for peft.

    The weights' header names the backbone and its SHA-256: an adapter only works with the backbone it was
    trained on.

    Raises:
        BackboneError: the backbone has no adapters (merged ones no longer exist), or the folder cannot be
            written.
    """
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    model = _adapted(backbone)
    weights = {
        name: tensor.detach().to("cpu", torch.float16).contiguous()
        for name, tensor in get_peft_model_state_dict(model).items()
    }
    config = model.peft_config["default"]
    described = {
        "peft_type": "LORA",
        "base_model_name_or_path": backbone.name,
        "r": config.r,
        "lora_alpha": config.lora_alpha,
        "target_modules": sorted(config.target_modules),
        "exclude_modules": config.exclude_modules,
        "bias": config.bias,
        "inference_mode": True,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_file(
            weights,
            folder / ADAPTER_NAME,
            metadata={"format": "pt", "backbone": backbone.name, "backbone_sha256": backbone.weights_hash},
        )
        (folder / ADAPTER_CONFIG_NAME).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BackboneError(f"The adapter cannot be written to {folder}: {error.strerror or error}.") from error


def finish_adapters(backbone: Backbone) -> None:
    """Merge the adapters of a trained backbone, if it has any, and round its head to storage precision."""
    backbone.model.eval()
    backbone.adapter = {}
    if _is_adapted(backbone):
        with tempfile.TemporaryDirectory() as scratch:
            save_adapter(backbone, Path(scratch))
            backbone.adapter = {file.name: file.read_bytes() for file in Path(scratch).iterdir()}
        merge_adapters(backbone)
    backbone.weights_hash = weights_sha256(backbone.model, backbone.head)
    if backbone.head is not None:
        set_head(backbone, backbone.head)


def adapter_to_continue(encoder: Path, rank: int) -> tuple[str, Path] | None:
    """Return the packaged base and the folder of a trained model's adapter.

    None if the model has no adapter of this rank on a packaged encoder's original weights.

    Raises:
        BackboneError: the adapter is damaged.
    """
    folder = encoder / ADAPTER_FOLDER
    if not (folder / ADAPTER_CONFIG_NAME).is_file():
        return None
    try:
        described = json.loads((folder / ADAPTER_CONFIG_NAME).read_text(encoding="utf-8"))
    except ValueError as error:
        raise BackboneError(f"The adapter in {folder} cannot be read: {first_line(error)}") from error
    if not isinstance(described, dict):
        raise BackboneError(f"The adapter in {folder} cannot be read: its configuration is not an object.")
    base = str(described.get("base_model_name_or_path"))
    if base not in PACKAGED or described.get("r") != rank:
        return None
    if adapter_metadata(folder).get("backbone_sha256") != PACKAGED[base].sha256:
        return None
    return base, folder


def adapter_files(encoder: Path) -> dict[str, bytes]:
    """Return the adapter files in an encoder's folder, by name; empty if it has no adapter."""
    for folder in (encoder / ADAPTER_FOLDER, encoder):
        if (folder / ADAPTER_NAME).is_file():
            return {name: (folder / name).read_bytes() for name in (ADAPTER_NAME, ADAPTER_CONFIG_NAME)}
    return {}


def load_adapter(backbone: Backbone, folder: Path, *, merge: bool = True) -> None:
    """Apply the adapter that `save_adapter` wrote to the backbone that it was trained on.

    If the folder has a last layer, it is added after the pooling.

    Args:
        backbone: changed in place.
        folder: the adapter's folder.
        merge: merge it into the weights; otherwise it stays separate for further training.

    Raises:
        BackboneError: the folder contains no adapter, a damaged one, or one for another backbone; the
            backbone is left unchanged.
    """
    from peft import LoraConfig, set_peft_model_state_dict

    weights = _weights_for(backbone, folder)
    was_training = backbone.model.training
    try:
        config = LoraConfig.from_pretrained(str(folder))
        config.inference_mode, config.base_model_name_or_path = False, None
        model = _wrapped(backbone.model, config)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BackboneError(f"The adapter in {folder} cannot be read: {first_line(error)}") from error
    try:
        result: Any = set_peft_model_state_dict(model, weights)
        if result.unexpected_keys or any("lora_" in name for name in result.missing_keys):
            raise RuntimeError("its layers are not those of the encoder.")
    except (RuntimeError, KeyError) as error:
        backbone.model = model.unload().train(was_training).requires_grad_(True)
        raise BackboneError(f"The adapter in {folder} does not fit {backbone.name}: {first_line(error)}") from error
    backbone.model = model.train(was_training)
    if merge:
        merge_adapters(backbone)
    base_hash = backbone.weights_hash
    if (folder / HEAD_NAME).is_file():
        load_head(backbone, folder)
    if not merge:
        backbone.weights_hash = base_hash  # the base that the adapter names when it is saved again


def _weights_for(backbone: Backbone, folder: Path) -> dict[str, torch.Tensor]:
    """Return the weights of an adapter that was trained on the backbone."""
    if _is_adapted(backbone):
        raise BackboneError(f"The encoder {backbone.name} has adapters already.")
    for name in (ADAPTER_CONFIG_NAME, ADAPTER_NAME):
        if not (folder / name).is_file():
            raise BackboneError(f"{folder} holds no adapter: it has no {name}.")
    weights, metadata = read_weights(folder)
    if metadata.get("backbone_sha256", backbone.weights_hash) != backbone.weights_hash:
        raise BackboneError(
            f"The adapter in {folder} fits only the weights of {metadata.get('backbone')} that it was trained on;"
            f" this is {backbone.name}."
        )
    return weights


def _wrapped(model: PreTrainedModel, config: Any) -> Any:
    """Return a peft model around `model`, whose linear layers it replaces in place."""
    from peft import get_peft_model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft reads an attribute that transformers has renamed
        return get_peft_model(model, config)


def _is_adapted(backbone: Backbone) -> bool:
    return hasattr(backbone.model, "peft_config")


def _adapted(backbone: Backbone) -> Any:
    """Return the model with its adapters; typed loosely because peft is imported lazily."""
    if not _is_adapted(backbone):
        raise BackboneError(f"The encoder {backbone.name} has no adapters.")
    return backbone.model


def read_weights(folder: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the weights of an adapter's folder in single precision, and their header's metadata.

    Raises:
        BackboneError: they cannot be read.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(folder / ADAPTER_NAME, framework="pt") as file:
            weights = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118 - no mapping
            return weights, dict(file.metadata() or {})
    except (SafetensorError, OSError) as error:
        raise BackboneError(f"The adapter in {folder} cannot be read: {first_line(error)}") from error


def narrow_adapter(starter: Path, rank: int) -> float:
    """Reduce the rank of the adapter in a starter's folder.

    Args:
        starter: an artifact with an adapter.
        rank: the new rank; lower than before.

    Returns:
        The lost share of the squared weights of the adapter's product matrix.

    Raises:
        ArtifactError: the folder is not an artifact or cannot be written, or the rank is not lower than
            before.
        BackboneError: it contains no readable adapter.
    """
    manifest = artifact_read(starter)
    weights, metadata = read_weights(starter)
    described = json.loads((starter / ADAPTER_CONFIG_NAME).read_text(encoding="utf-8"))
    former = int(described["r"])
    if not 1 <= rank < former:
        raise ArtifactError(f"The adapter in {starter} has rank {former}; choose a lower rank, at least 1.")
    whole = lost = 0.0
    for name in [name for name in weights if "lora_A" in name]:
        partner = name.replace("lora_A", "lora_B")
        weights[name], weights[partner], values = nearest_factors(weights[partner] @ weights[name], rank)
        whole += float(values.square().sum())
        lost += float(values[rank:].square().sum())
    described |= {"r": rank, "lora_alpha": described["lora_alpha"] * rank / former}  # same scale

    def write(folder: Path) -> None:
        halved = {name: tensor.half().contiguous() for name, tensor in weights.items()}
        save_file(halved, folder / ADAPTER_NAME, metadata=metadata)
        (folder / ADAPTER_CONFIG_NAME).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")

    artifact_amend(starter, replace(manifest, extra={**manifest.extra, "adapter_rank": rank}), write)
    return lost / whole if whole else 0.0
