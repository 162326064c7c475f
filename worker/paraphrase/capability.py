"""Worker jobs for paraphrase scorers; each method imports what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from questionbank.capabilities.figures import ParaphraseFigures
from worker.contract import Job, WorkerCapability

if TYPE_CHECKING:
    from questionbank.models import ModelArtifact
    from worker.reporting import RunReporter


class ParaphraseWork(WorkerCapability):
    """Trains, compares and evaluates paraphrase scorers."""

    measured_on = "a file or a folder of labelled pairs"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.paraphrase.training import train_scorer_run

        return train_scorer_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> ParaphraseFigures:
        from worker.paraphrase.comparison import scorer_comparison_figures

        return scorer_comparison_figures(reporter, candidate=candidate, champion=champion)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.paraphrase.evaluation import evaluate_scorer

        return evaluate_scorer(options)

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        from worker.paraphrase.reproduction.runs import paraphrase_paper_tables

        return paraphrase_paper_tables(output, options, say)

    @property
    def jobs(self) -> Mapping[str, Job]:
        return {"propose": self.propose, "score": self.score}

    def propose(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Write paraphrases of questions."""
        from worker.paraphrase.proposals import propose_run

        return propose_run(reporter)

    def score(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Score pairs."""
        from worker.paraphrase.scoring import score_run

        return score_run(reporter)
