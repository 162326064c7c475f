"""The system check of `worker.catalog`: each row has what the bank's row promises, and each function is there."""

from __future__ import annotations

from analytics.catalog import dotted_problem
from questionbank.capabilities.catalog import BANK_CAPABILITIES
from worker.catalog import WORKER_CAPABILITIES, WorkerCapability


def worker_problems() -> list[str]:
    """Say in sentences what is missing behind the rows of `worker.catalog`."""
    problems = []
    for word, bank_row in BANK_CAPABILITIES.items():
        row = WORKER_CAPABILITIES.get(word, WorkerCapability())
        if bank_row.training is not None and not row.train:
            problems.append(f"The capability {word!r} has a form for training, but workers cannot train it.")
        if bank_row.suite is not None and not row.compare:
            problems.append(f"The capability {word!r} has a gate, but workers cannot compare its models.")
    for word, row in WORKER_CAPABILITIES.items():
        problems += [
            f"The capability {word!r} names {dotted} for {name!r}, but {problem}."
            for name, dotted in row.functions.items()
            if (problem := dotted_problem(dotted))
        ]
    return problems
