"""The scorer that a new installation begins with: an adapter on the default backbone, a pair reader, and the verdict.

`python -m analytics.paraphrase.starter MODEL` copies them from a trained scorer artifact into the package; the manifest
says how it was trained and what was measured.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from analytics.artifacts import Manifest
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


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit code."""
    return starter_main("analytics.paraphrase.starter", write_starter, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
