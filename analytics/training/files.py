"""Setup shared by all training runs on files: the requested encoder, the checkpoint, the command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from analytics.configuration import training_command
from analytics.training.checkpoint import checkpoints_beside
from analytics.training.context import FileOptions, TrainingContext, progress_lines

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
