"""The scorer that a new installation begins with: an adapter on the default backbone, a pair reader, and the verdict.

`python -m analytics.paraphrase.starter MODEL` copies them from a trained scorer artifact into the package; the manifest
says how it was trained and what was measured. `python -m analytics.paraphrase.starter --pair-reader FILE` puts another
pair reader into it; ``python -m tests.bench.verdict`` then prints the weights that the verdict should have.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analytics.artifacts import Manifest, artifact_amend, artifact_read
from analytics.paraphrase.cross_encoder.reading import WEIGHTS_NAME
from analytics.starters import copy_adapter, starter_main

STARTER_FOLDER = Path(__file__).parent / "starter"
LARGEST = 18_000_000  # bytes: adapter and pair reader


def write_starter(
    model: Path, folder: Path = STARTER_FOLDER, *, name: str = "Kindred starter scorer"
) -> Manifest:
    """Make the adapter of a scorer artifact the starter.

    Raises:
        ArtifactError: the model is no scorer with an adapter, or it is too large.
    """
    return copy_adapter(model, folder, capability="paraphrase", name=name, largest=LARGEST)


def write_pair_reader(weights: Path, folder: Path = STARTER_FOLDER, *, about: str = "") -> Manifest:
    """Put a pair reader into the starter.

    Args:
        weights: its file: `analytics.paraphrase.cross_encoder.weights`.
        folder: the starter.
        about: how it was trained.

    Raises:
        ArtifactError: the folder cannot be read or written.
    """
    manifest = artifact_read(folder)
    manifest = replace(manifest, extra=manifest.extra | ({"pair_reader": about} if about else {}))

    def copy(aside: Path) -> None:
        shutil.copyfile(weights, aside / WEIGHTS_NAME)

    return artifact_amend(folder, manifest, copy)


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit code."""
    if arguments[:1] == ["--pair-reader"]:
        return starter_main("analytics.paraphrase.starter --pair-reader", write_pair_reader, arguments[1:])
    return starter_main("analytics.paraphrase.starter", write_starter, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
