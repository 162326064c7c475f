"""Build the starter's scorer: merge backbone, adapter, pair reader and verdict into one artifact."""

from __future__ import annotations

from pathlib import Path

from analytics.artifacts import Manifest, artifact_amend
from analytics.backbone.export import export_starter
from analytics.paraphrase.cross_encoder.reading import WEIGHTS_NAME
from analytics.paraphrase.cross_encoder.weights import write_pair_files

STARTER_FOLDER = Path(__file__).parent / "starter"


def export_scorer(output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
    """Write the scorer artifact of a starter's folder, which `analytics.paraphrase.scoring.scorer.load_scorer` loads.

    Args:
        output: the artifact's folder.
        backbone: packaged name, local folder or hub id; empty for the default.
        adapter: the starter's folder, by default the program's own.

    Raises:
        BackboneError: the backbone, the adapter or the pair reader cannot be loaded.
        ArtifactError: the starter's folder is missing or damaged, or the output cannot be written.
    """
    starter = adapter or STARTER_FOLDER
    manifest = export_starter(output, starter, backbone=backbone)
    if WEIGHTS_NAME not in manifest.files:
        return manifest
    return artifact_amend(output, manifest, lambda aside: write_pair_files(starter / WEIGHTS_NAME, aside))
