"""The worker as an installed app without models, so that its commands are found."""

from __future__ import annotations

from django.apps import AppConfig


class WorkerConfig(AppConfig):
    """Celery tasks and the commands that need PyTorch."""

    name = "worker"
