"""The schedule of the clock (`celery beat`), by a time that does not jump and without messages that run out.

Celery writes into a message when it runs out, by the clock's machine, and the worker compares that with its own time,
so a worker ten minutes ahead would drop every one. Instead, a message that waits is not sent again, whoever sends it:
neither a worker that was away nor a second clock makes messages pile up.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import Any

import structlog
from celery import Celery
from celery.beat import PersistentScheduler, ScheduleEntry, Service
from celery.bootsteps import StartStopStep

from questionbank.core import task_queue

logger = structlog.get_logger(__name__)

_AGAIN_SECONDS = 5.0  # after a clock that failed, as where its schedule cannot be written


class SteadyCelery(Celery):
    """An application whose time is the machine's at its start and goes on evenly, even if the machine's is set."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._began, self._counted = datetime.now(UTC), time.monotonic()

    def now(self) -> datetime:
        """Return the time, with a zone."""
        return self._began + timedelta(seconds=time.monotonic() - self._counted)


class Scheduler(PersistentScheduler):
    """Sends each job unless its last message still waits."""

    def install_default_entries(self, data: Any) -> None:
        """Leave out Celery's own job, which clears results that we do not keep."""

    def setup_schedule(self) -> None:
        """Read what was last done when; what claims to be done in the future is due after one interval from now."""
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
    """Runs the clock as a thread of a worker that is given ``--clock FILE``, rather than as a process of its own.

    The worker's main process does no jobs, so that none keeps the clock waiting.
    """

    requires = ("celery.worker.components:Pool",)  # its processes are forked before the thread begins

    def __init__(self, parent: Any, clock: str | None = None, **options: Any) -> None:
        super().__init__(parent, **options)
        self.enabled = bool(clock)
        self._schedule = clock
        self._stopped = Event()
        self._service: Service | None = None
        self._thread = Thread(target=self._run, name="clock", daemon=True)

    def start(self, parent: Any) -> None:
        """Start the thread."""
        self._application = parent.app
        self._thread.start()

    def stop(self, _parent: Any) -> None:
        """Have the clock save its schedule and end."""
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
                    max_interval=1,  # a sleep that ends soon after `stop`
                    schedule_filename=self._schedule,
                    scheduler_cls=self._application.conf.beat_scheduler,
                    remote_control=False,
                )
                self._service.start()
            except Exception as error:  # whatever it is, jobs must not stay without a clock
                logger.warning("clock_failed", reason=str(error).strip(), exc_info=error)
                self._stopped.wait(_AGAIN_SECONDS)
