"""The scorer of paraphrases as a capability. Torch-free: its methods import what needs PyTorch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from analytics.capability import Capability, Starter
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.scorer import Scorer, load_scorer
from analytics.training.context import DEFAULT_CONTEXT, DEFAULT_FILES, FileOptions, Progress, Say, TrainingContext

if TYPE_CHECKING:
    from analytics.artifacts import Manifest


class ParaphraseCapability(Capability[Scorer]):
    """ParaQD: how well a paraphrase preserves what a question asks."""

    title = "Paraphrase scorer"
    config = ParaphraseConfig
    # Separation is left out: it depends on the scale of the scores.
    gate_figures = ("verdict_auc_*", "verdict_macro_f1_*", "score_auc_*", "score_macro_f1_*")
    # Adapter and pair reader.
    starters = (Starter("paraphrase/starter", "Kindred starter scorer", largest=18_000_000),)

    def train(
        self,
        data: Path,
        output: Path,
        config: ParaphraseConfig,
        files: FileOptions = DEFAULT_FILES,
        context: TrainingContext = DEFAULT_CONTEXT,
    ) -> Manifest:
        """Train a scorer on the questions and labelled pairs of a file or a folder: `read_material`."""
        from analytics.paraphrase.pair_files import read_material
        from analytics.paraphrase.train import train_scorer
        from analytics.training.checkpoint import file_training

        files.refuse_hierarchy("A paraphrase scorer")
        with file_training("paraphrase", data, output, config, files, context) as (config, context):
            material = read_material(data, language=files.language)
            return train_scorer(material, config, output, replace(context, progress=_thousands(context.say)))

    def load(self, folder: Path) -> Scorer:
        """Load a trained scorer."""
        return load_scorer(folder)

    def export(self, output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
        """Write the scorer of a starter's folder."""
        from analytics.paraphrase.train import export_scorer

        return export_scorer(output, backbone=backbone, adapter=adapter)


def _thousands(say: Say) -> Progress:
    """Report progress after every thousand questions for which triplets have been made."""

    def tell(done: int, total: int, _message: str) -> None:
        if done and done % 1000 == 0:
            say(f"Triplets of {done:,} of {total:,} questions made")

    return tell


PARAPHRASE = ParaphraseCapability()
