"""The worker as an installed app without models, so that Django finds its commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register

if TYPE_CHECKING:
    from worker.contract import WorkerCapability


class WorkerConfig(AppConfig):
    """Celery tasks and the commands that need PyTorch."""

    name = "worker"

    def ready(self) -> None:
        from worker.catalog import WORKER_CAPABILITIES

        WORKER_CAPABILITIES.load = _worker_table
        register(_check_worker, "capabilities")


def _worker_table() -> Mapping[str, WorkerCapability]:
    from worker.table import TABLE

    return TABLE


def _check_worker(**_kwargs: Any) -> list[CheckMessage]:
    from worker.checks import worker_problems  # imported only when checks run

    return [Error(problem, id="worker.E001") for problem in worker_problems()]
