"""Worker jobs for probes; each method imports what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from questionbank.capabilities.figures import ProbesFigures
from worker.contract import Job, WorkerCapability

if TYPE_CHECKING:
    from questionbank.models import ModelArtifact
    from worker.reporting import RunReporter


class ProbesWork(WorkerCapability):
    """Trains, compares and evaluates probes."""

    measured_on = "a file or a folder of labelled questions"

    def train(self, reporter: RunReporter) -> dict[str, Any]:
        from worker.probes.training import train_probes_run

        return train_probes_run(reporter)

    def compare(self, reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact) -> ProbesFigures:
        from worker.probes.comparison import probes_comparison_figures

        return probes_comparison_figures(reporter, candidate=candidate, champion=champion)

    def evaluate(self, options: Mapping[str, Any]) -> dict[str, Any]:
        from worker.probes.evaluation import evaluate_probe_model

        return evaluate_probe_model(options)

    @property
    def jobs(self) -> Mapping[str, Job]:
        return {"project": self.project}

    def project(self, reporter: RunReporter) -> Mapping[str, Any]:
        """Compute the map."""
        from worker.probes.projection import project_run

        return project_run(reporter)
