"""The scorer of paraphrases as a capability. Torch-free: its methods import what needs PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analytics.capability import Capability, Starter
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.scoring.scorer import Scorer, load_scorer

if TYPE_CHECKING:
    from analytics.artifacts import Manifest
    from analytics.training.context import FileOptions, TrainingContext


class Paraphrase(Capability[Scorer]):
    """ParaQD: how far a paraphrase keeps what a question asks for."""

    title = "Paraphrase scorer"
    config = ParaphraseConfig
    # Separation is left out: it depends on the scale of the scores.
    gate_figures = ("verdict_auc_*", "verdict_macro_f1_*", "score_auc_*", "score_macro_f1_*")
    starters = (Starter("paraphrase/starter"),)

    def train(
        self, data: Path, output: Path, config: ParaphraseConfig, files: FileOptions, context: TrainingContext
    ) -> Manifest:
        """Train a scorer on question files and labelled pairs."""
        from analytics.paraphrase.train import train_from_files

        return train_from_files(data, output, config, files, context)

    def load(self, folder: Path) -> Scorer:
        """Load a trained scorer."""
        return load_scorer(folder)

    def export(self, output: Path, *, backbone: str, adapter: Path | None) -> Manifest:
        """Write the scorer of a starter's folder."""
        from analytics.paraphrase.export import export_scorer

        return export_scorer(output, backbone=backbone, adapter=adapter)


PARAPHRASE = Paraphrase()
