"""Text generators: any Hugging Face sequence-to-sequence or causal model, by folder or hub id.

Nothing is downloaded unless the caller names a hub id and allows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from huggingface_hub.constants import HF_HUB_OFFLINE
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from analytics.backbone.bert import no_progress_bars
from analytics.errors import BackboneError
from analytics.training.device import pick_device

GeneratorKind = Literal["sequence-to-sequence", "causal"]

_LOADERS: dict[GeneratorKind, Any] = {"sequence-to-sequence": AutoModelForSeq2SeqLM, "causal": AutoModelForCausalLM}


@dataclass(frozen=True, slots=True)
class Generator:
    """A text generation model with its tokenizer, in evaluation mode on its device.

    Attributes:
        name: the folder's name or the hub id.
    """

    name: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase


def load_generator(name_or_path: str, kind: GeneratorKind, *, device: str = "auto") -> Generator:
    """Load a model from a folder, or by its hub id if there is no such folder.

    Raises:
        BackboneError: the folder is missing or contains no such model, or the hub does not provide it.
    """
    folder = Path(name_or_path).expanduser()
    is_folder = folder.is_dir()
    if not is_folder and (folder.is_absolute() or name_or_path.startswith((".", "~"))):
        raise BackboneError(f"There is no folder {name_or_path} to load a {kind} model from.")
    location = str(folder) if is_folder else name_or_path
    try:
        with no_progress_bars():
            model = _LOADERS[kind].from_pretrained(location, local_files_only=is_folder)
        tokenizer = AutoTokenizer.from_pretrained(location, local_files_only=is_folder)
    except (OSError, ValueError, KeyError, ImportError) as error:
        hint = "" if is_folder or not HF_HUB_OFFLINE else " (HF_HUB_OFFLINE=0 lets it be downloaded)"
        raise BackboneError(f"{name_or_path} holds no {kind} model that can be loaded{hint}: {error}") from error
    place = pick_device(device)
    if place.type == "cpu" and model.dtype == torch.float16:
        model = model.float()  # CPUs are several times slower with half precision
    return Generator(folder.name if is_folder else name_or_path, model.to(place).eval(), tokenizer)
