"""The schedule of the clock (`celery beat`), on a steady time and with messages that do not expire.

Celery writes a message's expiry time by the clock's machine, and the worker compares it with its own time, so a worker
ten minutes ahead would drop every message. Instead, a message is not sent again while it is still waiting, whoever
sends it: neither an absent worker nor a second clock makes messages pile up.
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
        self._stopped = Event()
        self._service: Service | None = None
        self._thread = Thread(target=self._run, name="clock", daemon=True)

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
