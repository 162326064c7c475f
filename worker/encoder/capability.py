"""Worker jobs for question encoders; each method imports what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from questionbank.capabilities.figures import EncoderFigures
from worker.contract import WorkerCapability

if TYPE_CHECKING:
    from questionbank.models import EmbeddingSet, ModelArtifact, Run
    from worker.reporting import RunReporter


class EncoderWork(WorkerCapability):
    """Trains, compares and evaluates question encoders."""

    measured_on = "a question file, or a folder of sets"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.encoder.training import train_encoder_run

        return train_encoder_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> EncoderFigures:
        from worker.encoder.comparison import encoder_comparison_figures

        return encoder_comparison_figures(reporter, candidate=candidate, champion=champion)

    def build(self, reporter: RunReporter, *, run: Run, embedding_set: EmbeddingSet) -> list[ModelArtifact]:
        """Train the probes that read the new vectors."""
        from worker.probes.beside import probes_beside

        return probes_beside(reporter, run=run, embedding_set=embedding_set)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.encoder.evaluation import evaluate_encoder_model

        return evaluate_encoder_model(options)

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        from worker.encoder.reproduction.runs import encoder_paper_tables

        return encoder_paper_tables(output, options, say)
