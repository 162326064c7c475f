"""The encoder that a new installation begins with: a low-rank adapter on the default backbone.

`python -m analytics.encoder.starter MODEL` copies the adapter of a trained encoder artifact into the package; the
manifest says how it was trained and what was measured.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analytics.artifacts import Manifest, artifact_read, artifact_write
from analytics.errors import AnalyticsError, ArtifactError

__all__ = ["LARGEST", "STARTER_FOLDER", "write_starter"]

STARTER_FOLDER = Path(__file__).parent / "starter"
LARGEST = 8_000_000  # bytes: it travels with every clone


def write_starter(model: Path, folder: Path = STARTER_FOLDER, *, name: str = "Kindred starter") -> Manifest:
    """Make the adapter of an encoder artifact the starter.

    Args:
        model: artifact folder of an encoder that was trained with ``adapter_rank``.
        folder: where the starter stands.
        name: of the starter; installed encoders show it.

    Raises:
        ArtifactError: the model has no adapter, or it is too large.
    """
    manifest = artifact_read(model)
    files = sorted((model / "adapter").glob("*")) if (model / "adapter").is_dir() else []
    if manifest.capability != "encoder" or not files:
        raise ArtifactError(f"{model} is no encoder with an adapter; train one with --set adapter_rank=64.")
    size = sum(file.stat().st_size for file in files)
    if size > LARGEST:
        raise ArtifactError(f"The adapter has {size:,} bytes; a starter may have {LARGEST:,}.")

    def write_files(aside: Path) -> None:
        for file in files:
            shutil.copyfile(file, aside / file.name)

    kept = ("backbone", "max_tokens", "questions", "questions_held_out", "hierarchies", "device", "command")
    extra = {key: manifest.extra[key] for key in kept if key in manifest.extra}
    return artifact_write(
        folder, replace(manifest, name=name, extra={"kind": "adapter"} | extra, files={}), write_files
    )


def main(arguments: Sequence[str]) -> int:
    """Copy the adapter of the model folder given."""
    if len(arguments) != 1:
        sys.stderr.write("Usage: python -m analytics.encoder.starter MODEL_FOLDER\n")
        return 2
    try:
        manifest = write_starter(Path(arguments[0]))
    except AnalyticsError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{manifest.name}: {', '.join(manifest.files)} written to {STARTER_FOLDER}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
