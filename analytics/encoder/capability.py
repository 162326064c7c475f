"""The question encoder as a capability. Torch-free: its methods import what needs PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.capability import Capability, Lens, Starter
from analytics.encoder.config import EncoderConfig
from analytics.inference.encode import Encode, OnnxEncoder, load_encoder
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, TrainingContext

if TYPE_CHECKING:
    from analytics.artifacts import Manifest


class EncoderCapability(Capability[OnnxEncoder]):
    """QuesCo: vectors of the purpose of a question."""

    title = "Question encoder"
    config = EncoderConfig
    lens = Lens("purpose", stand_in="wording", is_main=True)
    gate_figures = ("concept_accuracy_*", "precision_at_10_*", "difficulty_*", "task_over_story")
    starters = (
        Starter("encoder/starter", "Kindred starter", is_required=True),
        Starter(
            "encoder/starter_chinese",
            "Kindred starter for Chinese",
            scope="zh",
            backbone=MULTILINGUAL_BACKBONE,
            largest=12_000_000,
        ),
    )

    def train(
        self,
        data: Path,
        output: Path,
        config: EncoderConfig,
        files: FileOptions = DEFAULT_FILES,
        context: TrainingContext = DEFAULT_CONTEXT,
    ) -> Manifest:
        """Train an encoder on the questions of a file, a folder, or a folder of folders: `read_examples`."""
        from analytics.encoder.examples import read_examples
        from analytics.encoder.train import train_encoder
        from analytics.training.checkpoint import file_training

        with file_training("encoder", data, output, config, files, context) as (config, context):
            examples = read_examples(data, language=files.language, hierarchy=files.hierarchy)
            return train_encoder(examples, config, output, context)

    def load(self, folder: Path) -> OnnxEncoder:
        """Load an exported encoder into ONNX Runtime."""
        return load_encoder(folder)

    def encode_many(self, folder: Path, cancel: Callable[[], bool] | None = None) -> Encode:
        """Encode with PyTorch: `analytics.backbone.bert.encode_bulk`."""
        from analytics.backbone.bert import artifact_backbone, encode_bulk

        return partial(encode_bulk, artifact_backbone(folder), cancel=cancel)

    def export(self, output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
        """Export a backbone, merged with an adapter if given."""
        from analytics.backbone.export import export_encoder

        return export_encoder(output, backbone=backbone, adapter=adapter)


ENCODER = EncoderCapability()
