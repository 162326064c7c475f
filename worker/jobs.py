"""What a capability does in the background besides training and comparing, found in the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from questionbank.errors import NotFound
from worker.catalog import worker_capability
from worker.reporting import RunReporter


def capability_job(reporter: RunReporter) -> Mapping[str, Any]:
    """Do a run of a kind that its capability has a method for.

    Raises:
        NotFound: it has none.
    """
    run = reporter.run
    job = worker_capability(run.capability).jobs.get(run.kind)
    if job is None:
        raise NotFound(f"“{run.capability}” has no jobs of the kind “{run.kind}”.")
    return job(reporter)
