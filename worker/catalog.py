"""What jobs and commands ask about the capabilities' classes, which are registered when Django starts.

The classes are in `worker.table`, above what does the work; this module is below it.
"""

from __future__ import annotations

from questionbank.errors import NotFound
from worker.contract import WorkerCapability

WORKER_CAPABILITIES: dict[str, WorkerCapability] = {}
"""Filled by `worker.apps` from `worker.table`."""


def worker_capability(word: str) -> WorkerCapability:
    """Return the row of a capability.

    Raises:
        NotFound: this program has no such capability; a newer one may have queued the job.
    """
    row = WORKER_CAPABILITIES.get(word)
    if row is None:
        raise NotFound(f"This version of Kindred cannot do jobs for “{word}”.")
    return row
