"""Copy a registered model into a folder, to train on or to use elsewhere."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from analytics.artifacts import artifact_copy
from questionbank.management.base import BankCommand
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.registry.model_selectors import model_get


class Command(BankCommand):
    """The folder is written completely or not at all; `import_model` reads it."""

    help = "Write a registered model's folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("model", type=int, help="id of a model")
        parser.add_argument("folder", type=Path, help="new, empty, or a model folder that is replaced")

    def handle(self, *_args: Any, model: int, folder: Path, **_options: Any) -> None:
        artifact = model_get(artifact_id=model)
        artifact_copy(artifact_folder(artifact), folder)
        self.stdout.write(f"{artifact.name} was written to {folder}.")
