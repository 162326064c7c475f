"""The one table of what workers do for a capability: train, compare, build beside; a class a package."""

from __future__ import annotations

from questionbank.errors import NotFound
from worker.analogy.capability import AnalogyWork
from worker.contract import WorkerCapability
from worker.encoder.capability import EncoderWork
from worker.paraphrase.capability import ParaphraseWork
from worker.probes.capability import ProbesWork
from worker.solver.capability import SolverWork

WORKER_CAPABILITIES: dict[str, WorkerCapability] = {
    "encoder": EncoderWork(),
    "paraphrase": ParaphraseWork(),
    "solver": SolverWork(),
    "analogy": AnalogyWork(),
    "probes": ProbesWork(),
}


def worker_capability(word: str) -> WorkerCapability:
    """Return the row of a capability.

    Raises:
        NotFound: this program has no such capability; a newer one may have queued the job.
    """
    row = WORKER_CAPABILITIES.get(word)
    if row is None:
        raise NotFound(f"This version of Kindred cannot do jobs for “{word}”.")
    return row
