"""The table of what workers do for each capability: train, compare, build; one class per package."""

from __future__ import annotations

from worker.analogy.capability import AnalogyWork
from worker.contract import WorkerCapability
from worker.encoder.capability import EncoderWork
from worker.paraphrase.capability import ParaphraseWork
from worker.probes.capability import ProbesWork
from worker.solver.capability import SolverWork

TABLE: dict[str, WorkerCapability] = {
    "encoder": EncoderWork(),
    "paraphrase": ParaphraseWork(),
    "solver": SolverWork(),
    "analogy": AnalogyWork(),
    "probes": ProbesWork(),
}
