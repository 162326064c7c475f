"""The worker as an installed app without models, so that Django finds its commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register

from questionbank.core.capability_contract import BANK_CAPABILITIES
from worker.catalog import WORKER_CAPABILITIES, WorkerCapability


class WorkerConfig(AppConfig):
    """Celery tasks and the commands that need PyTorch."""

    name = "worker"

    def ready(self) -> None:
        WORKER_CAPABILITIES.load = _worker_table
        register(_check_worker, "capabilities")


def _worker_table() -> Mapping[str, WorkerCapability]:
    from worker.table import TABLE

    return TABLE


def _check_worker(**_kwargs: Any) -> list[CheckMessage]:
    return [Error(problem, id="worker.E001") for problem in worker_problems()]


def worker_problems() -> list[str]:
    """Return sentences on what the bank's rows promise and the rows of `worker.table` lack."""
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
