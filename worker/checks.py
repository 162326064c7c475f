"""The system check of `worker.table`: each capability's worker class does what the bank's class promises."""

from __future__ import annotations

from questionbank.capabilities.rows import BANK_CAPABILITIES
from worker.catalog import WORKER_CAPABILITIES
from worker.contract import WorkerCapability


def worker_problems() -> list[str]:
    """Return sentences describing what is missing in the rows of `worker.table`."""
    problems = []
    for word, bank_row in BANK_CAPABILITIES.items():
        row = WORKER_CAPABILITIES.get(word, WorkerCapability())
        if bank_row.training is not None and not row.can("train"):
            problems.append(f"The capability {word!r} has a form for training, but workers cannot train it.")
        if bank_row.suite is not None and not row.can("compare"):
            problems.append(f"The capability {word!r} has a gate, but workers cannot compare its models.")
        problems += [
            f"The capability {word!r} has jobs of the kind {job.word!r}, but workers cannot do them."
            for job in bank_row.jobs
            if job.word not in row.jobs
        ]
    return problems
