"""The starter's solver, put together: backbone, adapter, decoder and confidence become one artifact."""

from __future__ import annotations

from pathlib import Path

from analytics.artifacts import Manifest
from analytics.backbone.export import export_starter
from analytics.solver.starter import STARTER_FOLDER


def export_solver(output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
    """Write the artifact of a starter's folder, which `analytics.solver.served.load_solver` loads.

    Args:
        output: the artifact's folder.
        backbone: packaged name, local folder or hub id; by default what the starter names.
        adapter: the starter's folder, by default the program's own.

    Raises:
        BackboneError: the backbone or the adapter cannot be loaded.
        ArtifactError: the starter's folder is absent or damaged, or the output cannot be written.
    """
    return export_starter(output, adapter or STARTER_FOLDER, backbone=backbone, returns="states")
