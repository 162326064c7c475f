"""The encoder that a new installation begins with: a low-rank adapter on the default backbone, and a last layer.

`python -m analytics.encoder.starter MODEL` copies the adapter and the last layer of a trained encoder artifact into the
package; the manifest says how it was trained and what was measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

from analytics.artifacts import Manifest
from analytics.starters import copy_adapter, starter_main

STARTER_FOLDER = Path(__file__).parent / "starter"


def write_starter(model: Path, folder: Path = STARTER_FOLDER, *, name: str = "Kindred starter") -> Manifest:
    """Make the adapter of an encoder artifact the starter.

    Raises:
        ArtifactError: the model is no encoder with an adapter, or it is too large.
    """
    return copy_adapter(model, folder, capability="encoder", name=name)


if __name__ == "__main__":
    sys.exit(starter_main("analytics.encoder.starter", write_starter, sys.argv[1:]))
