"""The retriever that a new installation begins with: adapter and head on the default backbone, and its datastore.

`python -m analytics.analogy.starter MODEL` copies them from a trained artifact into the package; the manifest says how
it was trained and what was measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

from analytics.artifacts import Manifest
from analytics.starters import copy_adapter, starter_main

__all__ = ["LARGEST_RETRIEVER", "STARTER_FOLDER", "write_starter"]

STARTER_FOLDER = Path(__file__).parent / "starter"
LARGEST_RETRIEVER = 16_000_000  # bytes: the datastore has 8.7 million of them


def write_starter(
    model: Path, folder: Path = STARTER_FOLDER, *, name: str = "Kindred starter retriever"
) -> Manifest:
    """Make the adapter, the head and the datastore of a retriever's artifact the starter.

    Raises:
        ArtifactError: the model is no retriever with an adapter, or it is too large.
    """
    return copy_adapter(model, folder, capability="analogy", name=name, largest=LARGEST_RETRIEVER)


if __name__ == "__main__":
    sys.exit(starter_main("analytics.analogy.starter", write_starter, sys.argv[1:]))
