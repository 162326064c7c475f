"""The solver that a new installation begins with: adapter, decoder and confidence on the default backbone.

`python -m analytics.solver.starter MODEL` copies them from a trained artifact into the package; the manifest says how
it was trained and what was measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

from analytics.artifacts import Manifest
from analytics.starters import copy_adapter, starter_main

__all__ = ["LARGEST_SOLVER", "STARTER_FOLDER", "write_starter"]

STARTER_FOLDER = Path(__file__).parent / "starter"
LARGEST_SOLVER = 16_000_000  # bytes: the decoder alone has 7.7 million of them


def write_starter(
    model: Path, folder: Path = STARTER_FOLDER, *, name: str = "Kindred starter solver"
) -> Manifest:
    """Make the adapter and the decoder of a solver's artifact the starter.

    Raises:
        ArtifactError: the model is no solver with an adapter, or it is too large.
    """
    return copy_adapter(model, folder, capability="solver", name=name, largest=LARGEST_SOLVER)


if __name__ == "__main__":
    sys.exit(starter_main("analytics.solver.starter", write_starter, sys.argv[1:]))
