"""Comparing a candidate with the champion on the fixed suite of their capability."""

from __future__ import annotations

from typing import Any

from analytics.catalog import resolve
from analytics.errors import DataError
from questionbank.models import ModelArtifact
from questionbank.selectors.models.models import GateOutcome, gate
from questionbank.services.promotion import comparison_save
from worker.catalog import worker_capability
from worker.reporting import RunReporter

__all__ = ["compare_run"]

_OUTCOMES = {
    GateOutcome.BETTER: "The candidate passes the gate.",
    GateOutcome.NOT_BETTER: "The candidate is not better.",
    GateOutcome.REFUSED: "The candidate does not pass the gate.",
}


def compare_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``evaluate`` asks for: ``{"candidate": id, "champion": id}``.

    Raises:
        DataError: one of the models is no longer there.
        ServiceUnavailable: the files of one are missing or damaged.
    """
    models = {}
    for role in ("candidate", "champion"):
        artifact = ModelArtifact.objects.filter(pk=reporter.run.parameters[role]).first()
        if artifact is None:
            raise DataError(f"The {role} of this comparison is no longer there.")
        models[role] = artifact
    figures = resolve(worker_capability(reporter.run.capability).compare)(reporter, **models)
    comparison = comparison_save(**models, run=reporter.run, figures=figures)
    verdict = gate(comparison)
    reporter.log(f"{_OUTCOMES[verdict.outcome]} {' '.join(verdict.reasons)}")
    return {"comparison": comparison.pk, "passes": verdict.passes, "outcome": verdict.outcome.value}
