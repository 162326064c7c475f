"""The Celery application: its clock, each worker's heartbeat, the reconciler and the watch over hung connections.

The clock (`celery beat`) sends messages that do not expire, on a steady time. Celery writes a message's expiry time by
the clock's machine, and the worker compares it with its own time, so a worker ten minutes ahead would drop every
message. Instead, a message is not sent again while it is still waiting, whoever sends it: neither an absent worker nor
a second clock makes messages pile up.

A connection to PostgreSQL hangs if it is open but no answer will ever come. A firewall that forgets a connection, a
proxy that stops or a server that is cut off leaves a worker waiting forever. No timeout can distinguish that from a
statement that takes hours, such as building an index. So if a connection has waited for a minute, a new one asks the
server whether the old one's backend is working: if not, the old one is closed, and the job loses its connection.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import warnings
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # for the reason see analytics/training/context.py

import django
import psycopg
import structlog
from celery import Celery
from celery.beat import PersistentScheduler, ScheduleEntry, Service
from celery.bootsteps import StartStopStep
from celery.platforms import SecurityWarning
from celery.signals import beat_init, setup_logging, worker_ready, worker_shutdown
from click import Option

django.setup()

from django.conf import settings  # noqa: E402
from django.db import Error as DatabaseError  # noqa: E402
from django.db import close_old_connections, connection, connections  # noqa: E402
from django.db.backends.signals import connection_created  # noqa: E402
from django_structlog.celery.steps import DjangoStructLogInitStep  # noqa: E402

from questionbank.core import task_queue  # noqa: E402
from questionbank.core.database import database_now  # noqa: E402
from questionbank.core.outage import limit_waiting, outage_of  # noqa: E402
from questionbank.jobs.run_services import runs_reconcile, worker_seen  # noqa: E402
from questionbank.registry.serving import unload_models_after  # noqa: E402

logger = structlog.get_logger(__name__)

_AGAIN_SECONDS = 5.0  # restart delay after a failure, for example when the schedule cannot be written


class SteadyCelery(Celery):
    """A Celery application with a steady clock that starts at the machine's time, even if that is set later."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._began, self._counted = datetime.now(UTC), time.monotonic()

    def now(self) -> datetime:
        """Return the time, time zone aware."""
        return self._began + timedelta(seconds=time.monotonic() - self._counted)


class Scheduler(PersistentScheduler):
    """Sends each job unless its last message is still waiting."""

    def install_default_entries(self, data: Any) -> None:
        """Leave out Celery's own job, which clears results that we do not store."""

    def setup_schedule(self) -> None:
        """Read the last run times; an entry that ran in the future becomes due one interval from now."""
        super().setup_schedule()
        now = self.app.now()
        for entry in self.schedule.values():
            if entry.last_run_at and entry.last_run_at > now:
                entry.last_run_at = now

    def apply_async(self, entry: ScheduleEntry, advance: bool = True, **_options: Any) -> None:
        """Send an entry's job."""
        entry = self.reserve(entry) if advance else entry
        task_queue.send_once(entry.task, queue=entry.options.get("queue", "default"))


class ClockInWorker(StartStopStep):
    """Runs the clock as a thread of a worker that gets ``--clock FILE``, instead of as a separate process.

    The worker's main process runs no jobs, so no job can delay the clock.
    """

    requires = ("celery.worker.components:Pool",)  # the pool's processes are forked before the thread starts

    def __init__(self, parent: Any, clock: str | None = None, **options: Any) -> None:
        super().__init__(parent, **options)
        self.enabled = bool(clock)
        self._schedule = clock
        self._stopped = threading.Event()
        self._service: Service | None = None
        self._thread = threading.Thread(target=self._run, name="clock", daemon=True)

    def start(self, parent: Any) -> None:
        """Start the thread."""
        self._application = parent.app
        self._thread.start()

    def stop(self, _parent: Any) -> None:
        """Make the clock save its schedule and stop."""
        self._stopped.set()
        if self._service is not None:
            self._service.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=3)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._service = Service(
                    self._application,
                    max_interval=1,  # short sleeps, so that it ends soon after `stop`
                    schedule_filename=self._schedule,
                    scheduler_cls=self._application.conf.beat_scheduler,
                    remote_control=False,
                )
                self._service.start()
            except Exception as error:  # whatever it is, jobs need a clock
                logger.warning("clock_failed", reason=str(error).strip(), exc_info=error)
                self._stopped.wait(_AGAIN_SECONDS)


PATIENCE_SECONDS = 60.0
LOOK_SECONDS = 10.0


class WaitingConnections:
    """The connections of this process that are waiting for an answer, and since when."""

    def __init__(self) -> None:
        self._since: dict[psycopg.Connection[Any], float] = {}
        self._watched_by = 0  # process id: a thread does not survive a fork

    def watch(self) -> None:
        """Watch every connection that this process and its children open from now on.

        Not behind a pooler, where the client cannot know which backend works for it.
        """
        if not settings.BEHIND_POOLER:
            connection_created.connect(self._add, weak=False)

    def _add(self, connection: Any, **_sent: Any) -> None:
        raw = connection.connection
        wait = raw.wait

        def wait_noted(*arguments: Any, **options: Any) -> Any:
            self._since[raw] = time.monotonic()
            try:
                return wait(*arguments, **options)
            finally:
                self._since.pop(raw, None)

        raw.wait = wait_noted
        if self._watched_by != os.getpid():
            self._watched_by = os.getpid()
            self._since.clear()  # entries of the parent process
            threading.Thread(target=self._look_often, daemon=True).start()

    def _look_often(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            self.close_hung()

    def close_hung(self, *, patience: float = PATIENCE_SECONDS) -> int:
        """Close connections that have waited this long and for which the server is not working; return their number."""
        began = time.monotonic() - patience
        waiting = {raw: since for raw, since in list(self._since.items()) if since < began}
        closed = 0
        for raw, since in waiting.items() if waiting else ():
            with suppress(psycopg.Error, OSError):  # the server is down: retry with the next look
                if not _backend_works(raw.info.backend_pid) and self._since.get(raw) == since:
                    logger.warning("hung_connection", waited=round(time.monotonic() - since))
                    with socket.socket(fileno=os.dup(raw.fileno())) as stream:
                        stream.shutdown(socket.SHUT_RDWR)
                    closed += 1
        return closed


def _backend_works(pid: int) -> bool:
    """Query the server on a new connection whether a backend is working; one that waits for its client is not."""
    with psycopg.connect(**connections["default"].get_connection_params()) as fresh:
        limit_waiting(fresh, LOOK_SECONDS)
        row = fresh.execute(
            "SELECT FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
            " AND wait_event_type IS DISTINCT FROM 'Client'",
            [pid],
        ).fetchone()
        return row is not None


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
