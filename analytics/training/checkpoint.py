"""A training run's state on disk: enough to resume as if it had never stopped.

It is one file, written to a temporary name and then renamed, so that a killed process leaves the previous
one. It contains the weights, the optimiser, the schedule, the position in the data, and the state of every
random generator. `file_training` is the setup shared by all training runs on files.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from analytics.atomic_file import written_aside
from analytics.configuration import training_command
from analytics.errors import ArtifactError
from analytics.training.context import FileOptions, TrainingContext, progress_lines
from analytics.training.distributed import is_main
from analytics.training.stages import TrainingResult

CHECKPOINT_NAME = "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class FinishedStage:
    """A finished stage, as stored in a checkpoint."""

    name: str
    planned: int  # steps
    result: TrainingResult
    modules: dict[str, dict[str, Tensor]]

    def state(self) -> dict[str, Any]:
        """Return the stage as plain values and tensors."""
        return {"name": self.name, "planned": self.planned, "result": asdict(self.result), "modules": self.modules}

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> FinishedStage:
        """Restore a stage from what `state` returned."""
        return cls(state["name"], state["planned"], TrainingResult(**state["result"]), state["modules"])


@contextmanager
def checkpoints_beside(output: Path) -> Iterator[Path]:
    """Yield the checkpoint folder of a training run that writes `output`; it is removed only on success."""
    folder = output.with_name(f".{output.name}.checkpoint")
    yield folder
    if is_main() and folder.is_dir():
        shutil.rmtree(folder)


def random_states() -> dict[str, Any]:
    """Return the state of Python's, NumPy's and torch's generators."""
    name, keys, position, has_gauss, cached = np.random.get_state()
    states: dict[str, Any] = {
        "python": random.getstate(),
        "numpy": (name, torch.from_numpy(np.asarray(keys).astype(np.int64)), position, has_gauss, cached),
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.get_rng_state_all()
    return states


def restore_random_states(states: dict[str, Any]) -> None:
    """Restore every generator to what `random_states` returned; GPUs that this machine lacks are skipped."""
    version, internal, gauss = states["python"]
    random.setstate((version, tuple(internal), gauss))
    name, keys, position, has_gauss, cached = states["numpy"]
    np.random.set_state((name, keys.numpy().astype(np.uint32), position, has_gauss, cached))
    torch.set_rng_state(states["torch"].cpu())
    if "cuda" in states and torch.cuda.is_available():
        for card, state in zip(range(torch.cuda.device_count()), states["cuda"], strict=False):
            torch.cuda.set_rng_state(state.cpu(), card)


def save_checkpoint(folder: Path, state: dict[str, Any]) -> Path:
    """Write `state` as the folder's checkpoint, atomically replacing an older one.

    Raises:
        ArtifactError: the folder cannot be written.
    """
    path = folder / CHECKPOINT_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with written_aside(path) as stream:
            torch.save(state, stream)
    except OSError as error:
        raise ArtifactError(f"The checkpoint {path} cannot be written: {error.strerror or error}.") from error
    return path


def load_checkpoint(folder: Path, *, device: torch.device | str = "cpu") -> dict[str, Any] | None:
    """Return the folder's checkpoint, or None if there is none.

    Only tensors and plain values are read: a checkpoint cannot run code.

    Raises:
        ArtifactError: the file is damaged.
    """
    path = folder / CHECKPOINT_NAME
    if not path.is_file():
        return None
    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:
        raise ArtifactError(f"The checkpoint {path} cannot be read; remove it to start over.") from error
    if not isinstance(state, dict):
        raise ArtifactError(f"{path} is not a checkpoint.")
    return state


def kept_or_made(path: Path, make: Callable[[], Any]) -> Any:
    """Return what a stopped training cached next to its checkpoint, or compute and cache it.

    Args:
        path: ends in ``.json.gz``.
        make: returns JSON-compatible values.

    Raises:
        ArtifactError: the file cannot be read.
    """
    if path.is_file():
        try:
            with gzip.open(path, "rt", encoding="utf-8") as stream:
                return json.load(stream)
        except (OSError, EOFError, ValueError) as error:
            raise ArtifactError(f"{path} cannot be read; remove it to start over.") from error
    made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_aside(path) as raw, gzip.open(raw, "wt", encoding="utf-8") as stream:
        json.dump(made, stream, ensure_ascii=False)
    return made


Config = TypeVar("Config")


@contextmanager
def file_training(
    capability: str, data: Path, output: Path, config: Config, files: FileOptions, context: TrainingContext
) -> Iterator[tuple[Config, TrainingContext]]:
    """Yield the configuration and the context of a training run on files.

    A checkpoint is stored next to the output until the block ends; after an error it stays, and the same
    command resumes from it.

    Args:
        capability: the capability's word.
        data: file or folder with the training data.
        output: the model's folder.
        config: dataclass with a `backbone`, which `files` may replace.
        files: options from the command line.
        context: receives each report as a line.
    """
    if files.backbone:
        changed: Any = replace(config, backbone=files.backbone)  # type: ignore[type-var]  # a dataclass
        config = changed
    options = {"--language": files.language, "--hierarchy": files.hierarchy}
    with checkpoints_beside(output) as checkpoints:
        yield (
            config,
            replace(
                context,
                command=training_command(capability, data.name, config, options),
                checkpoints=checkpoints,
                callbacks=(*context.callbacks, progress_lines(context.say)),
            ),
        )
