"""Access to the capabilities' worker classes for jobs and commands; the classes are imported on first use.

They are in `worker.table`, a layer above the modules that do the work; this module is below those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from questionbank.capabilities.rows import LateTable
from questionbank.core.errors import NotFound
from worker.contract import WorkerCapability

if TYPE_CHECKING:
    from worker.blocks import BlockJob

WORKER_CAPABILITIES: LateTable[WorkerCapability] = LateTable()
"""The rows of `worker.table`, set by `worker.apps`."""


def worker_capability(word: str) -> WorkerCapability:
    """Return the row of a capability.

    Raises:
        NotFound: this version has no such capability; a newer one may have queued the job.
    """
    row = WORKER_CAPABILITIES.get(word)
    if row is None:
        raise NotFound(f"This version of Kindred cannot do jobs for “{word}”.")
    return row


def block_jobs() -> dict[str, type[BlockJob]]:
    """Return the capabilities' jobs that are done in blocks, by their word."""
    return {job.word: job for row in WORKER_CAPABILITIES.values() for job in row.blocks}
