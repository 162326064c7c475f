"""The Celery application, and the thread by which each worker process says that it lives."""

from __future__ import annotations

import os
import threading
import warnings
from contextlib import suppress
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # why: analytics/training/threads.py

import django
from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import setup_logging, worker_ready, worker_shutdown
from redis import RedisError

django.setup()

from django.db import Error as DatabaseError  # noqa: E402
from django.db import close_old_connections, connection  # noqa: E402

from questionbank.services.runs import runs_reconcile, worker_seen  # noqa: E402

__all__ = ["application"]

application = Celery("kindred")
application.config_from_object("django.conf:settings", namespace="CELERY")
application.conf.imports = ["worker.tasks"]

# It warns root of pickled messages; ours are JSON, the only form that Celery accepts by default.
warnings.filterwarnings(
    "ignore", message="You're running the worker with superuser", category=SecurityWarning
)

HEARTBEAT_SECONDS = 10.0
_stop = threading.Event()


@setup_logging.connect
def _keep_django_logging(**kwargs: Any) -> None:
    """Settings have configured logging; Celery must not do it again."""


@worker_ready.connect
def _start_heartbeat(sender: Any, **kwargs: Any) -> None:
    queues = ",".join(sorted(queue.name for queue in sender.task_consumer.queues))
    thread = threading.Thread(target=_beat, args=(str(sender.hostname), queues), daemon=True)
    thread.start()


@worker_shutdown.connect
def _stop_heartbeat(**kwargs: Any) -> None:
    _stop.set()


def _beat(name: str, queues: str) -> None:
    # Whatever goes wrong here, the thread must live: without it a healthy worker is taken for dead.
    with suppress(DatabaseError, RedisError):  # else the periodic reconciler comes a minute later
        runs_reconcile()
    while True:
        with suppress(DatabaseError):  # the database restarts, or has no tables yet: the next beat tells
            worker_seen(name=name, queues=queues)
        close_old_connections()
        if _stop.wait(HEARTBEAT_SECONDS):
            connection.close()
            return
