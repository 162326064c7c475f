"""Training runs: the capability's own training, found in the table."""

from __future__ import annotations

from typing import Any

from worker.catalog import worker_capability
from worker.reporting import RunReporter


def train_run(reporter: RunReporter) -> dict[str, Any]:
    """Do what a run of kind ``train`` asks for, by its capability.

    Returns:
        ``{"model": id, "metrics": figures}``.
    """
    return worker_capability(reporter.run.capability).train(reporter)
