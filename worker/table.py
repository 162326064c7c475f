"""What workers do for each capability: train, compare, build, evaluate, reproduce, and jobs of its own.

Every worker process imports the classes, so a method imports the module that does the work when it is called: only a
process whose job needs PyTorch loads it. Decision 83.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from questionbank.core.capability_figures import (
    AnalogyFigures,
    EncoderFigures,
    ParaphraseFigures,
    ProbesFigures,
    SolverFigures,
)
from worker.catalog import Job, WorkerCapability

if TYPE_CHECKING:
    from questionbank.models import EmbeddingSet, ModelArtifact, Run
    from worker.blocks import BlockJob
    from worker.reporting import RunReporter


class EncoderWork(WorkerCapability):
    """Trains, compares and evaluates question encoders."""

    measured_on = "a question file, or a folder of sets"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.encoder.jobs import train_encoder_run

        return train_encoder_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> EncoderFigures:
        from worker.encoder.jobs import encoder_comparison_figures

        return encoder_comparison_figures(reporter, candidate=candidate, champion=champion)

    def build(self, reporter: RunReporter, *, run: Run, embedding_set: EmbeddingSet) -> list[ModelArtifact]:
        """Train the probes that read the new vectors."""
        from worker.probes.jobs import probes_beside

        return probes_beside(reporter, run=run, embedding_set=embedding_set)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.encoder.evaluation import evaluate_encoder_model

        return evaluate_encoder_model(options)

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        from worker.reproduction.encoder import encoder_paper_tables

        return encoder_paper_tables(output, options, say)


class ParaphraseWork(WorkerCapability):
    """Trains, compares and evaluates paraphrase scorers."""

    measured_on = "a file or a folder of labelled pairs"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.paraphrase.training import train_scorer_run

        return train_scorer_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> ParaphraseFigures:
        from worker.paraphrase.training import scorer_comparison_figures

        return scorer_comparison_figures(reporter, candidate=candidate, champion=champion)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.paraphrase.evaluation import evaluate_scorer

        return evaluate_scorer(options)

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        from worker.reproduction.paraphrase import paraphrase_paper_tables

        return paraphrase_paper_tables(output, options, say)

    @property
    def jobs(self) -> Mapping[str, Job]:
        return {"propose": self.propose, "score": self.score}

    def propose(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Write paraphrases of questions."""
        from worker.paraphrase.jobs import propose_run

        return propose_run(reporter)

    def score(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Score pairs."""
        from worker.paraphrase.jobs import score_run

        return score_run(reporter)


class SolverWork(WorkerCapability):
    """Trains, compares and evaluates solvers of word problems."""

    measured_on = "a file or a folder of word problems"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.solver.jobs import train_solver_run

        return train_solver_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> SolverFigures:
        from worker.solver.jobs import solver_comparison_figures

        return solver_comparison_figures(reporter, candidate=candidate, champion=champion)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.solver.evaluation import evaluate_solver_model

        return evaluate_solver_model(options)

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        from worker.reproduction.solver import solver_paper_tables

        return solver_paper_tables(output, options, say)

    @property
    def jobs(self) -> Mapping[str, Job]:
        return {"solve": self.solve, "opinion": self.opinion, "worked_out": self.worked_out}

    @property
    def blocks(self) -> Sequence[type[BlockJob]]:
        """Solving word problems."""
        from worker.solver.jobs import SolveBlocks

        return (SolveBlocks,)

    def solve(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Solve the word problems that no solver in use has processed."""
        from worker.solver.jobs import solve_run

        return solve_run(reporter)

    def worked_out(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Ask the school's language model about word problems."""
        from worker.solver.jobs import worked_out_run

        return worked_out_run(reporter)

    def opinion(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Solve a text that somebody typed, with the language model's second opinion."""
        from worker.solver.jobs import opinion_run

        return opinion_run(reporter)


class AnalogyWork(WorkerCapability):
    """Trains, compares and evaluates retrievers."""

    measured_on = "a file or a folder of word problems"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.analogy.jobs import train_retriever_run

        return train_retriever_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> AnalogyFigures:
        from worker.analogy.jobs import analogy_comparison_figures

        return analogy_comparison_figures(reporter, candidate=candidate, champion=champion)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.analogy.evaluation import evaluate_analogy_model

        return evaluate_analogy_model(options)

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        from worker.reproduction.analogy import analogy_paper_tables

        return analogy_paper_tables(output, options, say)

    @property
    def jobs(self) -> Mapping[str, Job]:
        return {"ask": self.ask, "retell": self.retell}

    def ask(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Query the language model."""
        from worker.analogy.jobs import answer_run

        return answer_run(reporter)

    def retell(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Write similar problems."""
        from worker.analogy.jobs import retell_run

        return retell_run(reporter)


class ProbesWork(WorkerCapability):
    """Trains, compares and evaluates probes."""

    measured_on = "a file or a folder of labelled questions"
    measures_bank = True

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.probes.jobs import train_probes_run

        return train_probes_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> ProbesFigures:
        from worker.probes.comparison import probes_comparison_figures

        return probes_comparison_figures(reporter, candidate=candidate, champion=champion)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.probes.evaluation import bank_response_gain, evaluate_probe_model

        return bank_response_gain(seed=options["seed"]) if options["data"] is None else evaluate_probe_model(options)

    @property
    def jobs(self) -> Mapping[str, Job]:
        return {"project": self.project}

    def project(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Compute the map."""
        from worker.probes.jobs import project_run

        return project_run(reporter)


TABLE: dict[str, WorkerCapability] = {
    "encoder": EncoderWork(),
    "paraphrase": ParaphraseWork(),
    "solver": SolverWork(),
    "analogy": AnalogyWork(),
    "probes": ProbesWork(),
}
