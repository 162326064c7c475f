"""The question encoder as a capability. Torch-free: its methods import what needs PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analytics.capability import Capability, Lens, Starter
from analytics.encoder.config import EncoderConfig
from analytics.inference.encode import OnnxEncoder, load_encoder

if TYPE_CHECKING:
    from analytics.artifacts import Manifest
    from analytics.training.context import FileOptions, TrainingContext


class Encoder(Capability[OnnxEncoder]):
    """QuesCo: vectors of what a question asks for."""

    title = "Question encoder"
    config = EncoderConfig
    lens = Lens("purpose", stand_in="wording", is_main=True)
    gate_figures = ("concept_accuracy_*", "precision_at_10_*", "difficulty_*")
    starters = (Starter("encoder/starter", is_required=True),)

    def train(
        self, data: Path, output: Path, config: EncoderConfig, files: FileOptions, context: TrainingContext
    ) -> Manifest:
        """Train an encoder on question files."""
        from analytics.encoder.train import train_from_files

        return train_from_files(data, output, config, files, context)

    def load(self, folder: Path) -> OnnxEncoder:
        """Load an exported encoder into ONNX Runtime."""
        return load_encoder(folder)

    def export(self, output: Path, *, backbone: str, adapter: Path | None) -> Manifest:
        """Export a backbone, with an adapter merged into it where there is one."""
        from analytics.backbone.export import export_encoder

        return export_encoder(output, backbone=backbone, adapter=adapter)


ENCODER = Encoder()
