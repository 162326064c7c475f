"""How a test starts a real worker on its database and Redis."""

from __future__ import annotations

import os
import sys

from django.conf import settings


def worker_environment(**variables: str) -> dict[str, str]:
    """Return the environment of a worker with the tests' settings, and these variables."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "OMP_NUM_THREADS": "1",  # what it computes is tiny
        "TEST_KEEP_ENVIRONMENT": ",".join(variables),
        "TEST_VAR_DIR": str(settings.VAR_DIR),
        "PYTEST_XDIST_WORKER": "",  # this folder is the process's own already
        **variables,
    }


def worker_command(name: str, *, queue: str, pool: str) -> list[str]:
    """Return the command of a worker of one process."""
    command = [sys.executable, "-m", "celery", "-A", "worker.celery", "worker", "-Q", queue, "-P", pool]
    return [*command, "--concurrency", "1", "--hostname", name, "--loglevel", "INFO"]
