"""The starter's scorer, put together: backbone, adapter and verdict become one artifact."""

from __future__ import annotations

from pathlib import Path

from analytics.artifacts import Manifest
from analytics.backbone.export import export_starter
from analytics.paraphrase.starter import STARTER_FOLDER


def export_scorer(output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
    """Write the scorer artifact of a starter's folder, which `analytics.paraphrase.scoring.scorer.load_scorer` loads.

    Args:
        output: the artifact's folder.
        backbone: packaged name, local folder or hub id; by default the default one.
        adapter: the starter's folder, by default the program's own.

    Raises:
        BackboneError: the backbone or the adapter cannot be loaded.
        ArtifactError: the starter's folder is absent or damaged, or the output cannot be written.
    """
    return export_starter(output, adapter or STARTER_FOLDER, backbone=backbone)
