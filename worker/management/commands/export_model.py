"""Copy a registered model into a folder, to train on or to take elsewhere."""

from __future__ import annotations

import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from analytics.artifacts import artifact_read, artifact_write
from questionbank.management.base import BankCommand
from questionbank.selectors.registry.artifacts import artifact_folder
from questionbank.selectors.registry.models import model_get


class Command(BankCommand):
    """The folder is written whole or not at all; `import_model` takes it."""

    help = "Write a registered model's folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("model", type=int, help="id of a model")
        parser.add_argument("folder", type=Path, help="new, empty, or a model folder that is replaced")

    def handle(self, *args: Any, model: int, folder: Path, **options: Any) -> None:
        artifact = model_get(artifact_id=model)
        source = artifact_folder(artifact)
        manifest = artifact_read(source)

        def copy(aside: Path) -> None:
            for name in manifest.files:
                target = aside / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / name, target)

        artifact_write(folder, manifest, copy)
        self.stdout.write(f"{artifact.name} was written to {folder}.")
