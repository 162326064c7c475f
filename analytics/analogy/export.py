"""The starter's retriever, put together: backbone, adapter and two-layer head become one artifact."""

from __future__ import annotations

from pathlib import Path

from analytics.analogy.starter import STARTER_FOLDER
from analytics.artifacts import Manifest
from analytics.backbone.export import export_starter


def export_retriever(output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
    """Write the artifact of a starter's folder, which `analytics.analogy.retriever.load_retriever` serves.

    The head behind the pooling becomes part of the graph; how numbers are read (``slot_text``) stands in the manifest.

    Args:
        output: the artifact's folder.
        backbone: packaged name, local folder or hub id; by default the default one.
        adapter: the starter's folder, by default the program's own.

    Raises:
        BackboneError: the backbone, the adapter or the head cannot be loaded.
        ArtifactError: the starter's folder is absent or damaged, or the output cannot be written.
    """
    return export_starter(output, adapter or STARTER_FOLDER, backbone=backbone)
