"""The solvers that a new installation begins with, one a language: adapter, decoder and confidence.

`python -m analytics.solver.starter MODEL` copies them from a trained artifact into the package, by the language that it
learned; the manifest says how it was trained and what was measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

from analytics.artifacts import Manifest, artifact_read
from analytics.errors import ArtifactError
from analytics.languages import primary_language
from analytics.starters import copy_adapter, starter_main

STARTER_FOLDER = Path(__file__).parent / "starter"
STARTERS = {
    "en": (STARTER_FOLDER, "Kindred starter solver"),
    "zh": (Path(__file__).parent / "starter_chinese", "Kindred starter solver for Chinese"),
}
"""Folder and name by language."""

LARGEST_SOLVER = 16_000_000  # bytes: the decoder alone has 7.7 million of them


def write_starter(model: Path, folder: Path | None = None) -> Manifest:
    """Make the adapter and the decoder of a solver's artifact the starter of its language.

    Args:
        model: artifact folder of a solver that was trained with ``adapter_rank``.
        folder: where it is written; by default where the program looks for it.

    Raises:
        ArtifactError: the model is no solver with an adapter, it is too large, or there is no starter for its language.
    """
    language = primary_language(next(iter(artifact_read(model).extra.get("languages", ())), "en"))
    if language not in STARTERS:
        raise ArtifactError(f"There is no starter for the language {language!r} of {model}.")
    default_folder, name = STARTERS[language]
    return copy_adapter(
        model, folder or default_folder, capability="solver", name=name, largest=LARGEST_SOLVER
    )


if __name__ == "__main__":
    sys.exit(starter_main("analytics.solver.starter", write_starter, sys.argv[1:]))
