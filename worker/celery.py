"""The Celery application, each worker's heartbeat thread, and the clock's reconciler."""

from __future__ import annotations

import os
import threading
import time
import warnings
from contextlib import suppress
from datetime import datetime
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # for the reason see analytics/training/context.py

import django
import structlog
from celery.platforms import SecurityWarning
from celery.signals import beat_init, setup_logging, worker_ready, worker_shutdown
from click import Option

django.setup()

from django.db import Error as DatabaseError  # noqa: E402
from django.db import close_old_connections, connection  # noqa: E402
from django_structlog.celery.steps import DjangoStructLogInitStep  # noqa: E402

from questionbank.core.database import database_now  # noqa: E402
from questionbank.core.outage import outage_of  # noqa: E402
from questionbank.jobs.run_services import runs_reconcile, worker_seen  # noqa: E402
from questionbank.registry.serving import unload_models_after  # noqa: E402
from worker.clock import ClockInWorker, SteadyCelery  # noqa: E402
from worker.hung_connections import WaitingConnections  # noqa: E402

application = SteadyCelery("kindred")
application.config_from_object("django.conf:settings", namespace="CELERY")
application.conf.imports = ["worker.tasks"]
application.steps["worker"].add(DjangoStructLogInitStep)  # a job's log lines include its request's id
application.steps["worker"].add(ClockInWorker)
application.user_options["worker"].add(
    Option(("--clock",), metavar="FILE", help="Run the clock in this worker, with its schedule in FILE.")
)

# Celery warns root about pickled messages; ours are JSON, which is all that Celery accepts by default.
warnings.filterwarnings("ignore", message="You're running the worker with superuser", category=SecurityWarning)

WaitingConnections().watch()
unload_models_after(120.0)  # without a job: mapping a model again takes less than a second
logger = structlog.get_logger(__name__)

HEARTBEAT_SECONDS = 10.0
RECONCILE_SECONDS = 2.0
BREAK_SECONDS = 10.0  # after a gap this long, the reconciler counts as not having been watching
_stop = threading.Event()


@setup_logging.connect
def _keep_django_logging(**_kwargs: Any) -> None:
    """Do nothing: settings have configured logging; Celery must not do it again."""


@worker_ready.connect
def _start_heartbeat(sender: Any, **_kwargs: Any) -> None:
    queues = ",".join(sorted(queue.name for queue in sender.task_consumer.queues))
    thread = threading.Thread(target=_beat, args=(str(sender.hostname), queues), daemon=True)
    thread.start()


@worker_shutdown.connect
def _stop_heartbeat(**_kwargs: Any) -> None:
    _stop.set()


def _beat(name: str, queues: str) -> None:
    # Whatever fails here, the thread must survive: without it a healthy worker is taken for dead.
    while True:
        with suppress(DatabaseError):  # the database restarts or has no tables yet: retry with the next beat
            worker_seen(name=name, queues=queues)
        close_old_connections()
        if _stop.wait(HEARTBEAT_SECONDS):
            connection.close()
            return


@beat_init.connect
def _start_reconciler(**_kwargs: Any) -> None:
    if _reconciler.ident is None:  # a clock that failed restarts in the same process
        _reconciler.start()


def _reconcile() -> None:
    """Clean up after dead workers, in the clock's process, where no job can delay it."""
    watching_since: datetime | None = None
    last = time.monotonic()
    while True:
        try:
            watching_since = watching_since or database_now()
            runs_reconcile(watching_since=watching_since)
        except Exception as error:  # whatever it is, retry in the next round
            close_old_connections()
            logger.warning("not_reconciled", reason=str(error).strip(), exc_info=None if outage_of(error) else error)
        if _stop.wait(RECONCILE_SECONDS):
            connection.close()
            return
        if time.monotonic() - last > BREAK_SECONDS:
            watching_since = None
        last = time.monotonic()


_reconciler = threading.Thread(target=_reconcile, name="reconciler", daemon=True)
