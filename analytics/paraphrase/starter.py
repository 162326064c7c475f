"""The scorer that a new installation begins with: a low-rank adapter on the default backbone, and its verdict.

`python -m analytics.paraphrase.starter MODEL` copies them from a trained scorer artifact into the package; the manifest
says how it was trained and what was measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

from analytics.artifacts import Manifest
from analytics.starters import copy_adapter, starter_main

STARTER_FOLDER = Path(__file__).parent / "starter"


def write_starter(
    model: Path, folder: Path = STARTER_FOLDER, *, name: str = "Kindred starter scorer"
) -> Manifest:
    """Make the adapter of a scorer artifact the starter.

    Raises:
        ArtifactError: the model is no scorer with an adapter, or it is too large.
    """
    return copy_adapter(model, folder, capability="paraphrase", name=name)


if __name__ == "__main__":
    sys.exit(starter_main("analytics.paraphrase.starter", write_starter, sys.argv[1:]))
