"""Worker jobs for solvers of word problems; each method imports what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from questionbank.capabilities.figures import SolverFigures
from worker.contract import Job, WorkerCapability

if TYPE_CHECKING:
    from questionbank.models import ModelArtifact
    from worker.blocks import BlockJob
    from worker.reporting import RunReporter


class SolverWork(WorkerCapability):
    """Trains, compares and evaluates solvers of word problems."""

    measured_on = "a file or a folder of word problems"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.solver.training import train_solver_run

        return train_solver_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> SolverFigures:
        from worker.solver.comparison import solver_comparison_figures

        return solver_comparison_figures(reporter, candidate=candidate, champion=champion)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.solver.evaluation import evaluate_solver_model

        return evaluate_solver_model(options)

    def reproduce(self, output: Path, options: Mapping[str, Any], say: Callable[[str], None]) -> str:
        from worker.solver.reproduction.runs import solver_paper_tables

        return solver_paper_tables(output, options, say)

    @property
    def jobs(self) -> Mapping[str, Job]:
        return {"solve": self.solve, "opinion": self.opinion}

    @property
    def blocks(self) -> Sequence[type[BlockJob]]:
        """Solving word problems."""
        from worker.solver.solving import SolveBlocks

        return (SolveBlocks,)

    def solve(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Solve the word problems that no solver in use has processed."""
        from worker.solver.solving import solve_run

        return solve_run(reporter)

    def opinion(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Solve a text that somebody typed, with the language model's second opinion."""
        from worker.solver.solving import opinion_run

        return opinion_run(reporter)
