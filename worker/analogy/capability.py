"""Worker jobs for retrievers; each method imports what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from questionbank.capabilities.figures import AnalogyFigures
from worker.contract import Job, WorkerCapability

if TYPE_CHECKING:
    from questionbank.models import ModelArtifact
    from worker.reporting import RunReporter


class AnalogyWork(WorkerCapability):
    """Trains, compares and evaluates retrievers."""

    measured_on = "a file or a folder of word problems"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.analogy.training import train_retriever_run

        return train_retriever_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> AnalogyFigures:
        from worker.analogy.comparison import analogy_comparison_figures

        return analogy_comparison_figures(reporter, candidate=candidate, champion=champion)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.analogy.evaluation import evaluate_analogy_model

        return evaluate_analogy_model(options)

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        from worker.analogy.reproduction.runs import analogy_paper_tables

        return analogy_paper_tables(output, options, say)

    @property
    def jobs(self) -> Mapping[str, Job]:
        return {"ask": self.ask, "retell": self.retell}

    def ask(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Query the language model."""
        from worker.analogy.answering import answer_run

        return answer_run(reporter)

    def retell(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Write similar problems."""
        from worker.analogy.answering import retell_run

        return retell_run(reporter)
