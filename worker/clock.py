"""The schedule of the clock (`celery beat`), by a time that does not jump and without messages that run out.

Celery writes into a message when it runs out, by the clock's machine, and the worker compares that with its own time,
so a worker ten minutes ahead would drop every one. Instead, a message that waits is not sent again, whoever sends it:
neither a worker that was away nor a second clock makes messages pile up.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import Celery
from celery.beat import PersistentScheduler, ScheduleEntry

from questionbank import dispatch


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
        dispatch.send_once(entry.task, queue=entry.options.get("queue", "default"))
