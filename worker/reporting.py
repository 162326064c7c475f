"""From what a capability reports while it works to rows of the run's table."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import structlog
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

from analytics.errors import AnalyticsError, Cancelled
from questionbank.errors import KindredError
from questionbank.models import Run
from questionbank.services import runs

__all__ = ["RunReporter", "running"]

logger = structlog.get_logger(__name__)

HEARTBEAT_SECONDS = 5.0
PROGRESS_SECONDS = 0.5  # at most so often is progress written


class RunReporter:
    """What a running job tells about itself; `result` becomes the run's when it succeeds."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.result: Mapping[str, Any] = {}
        self.echo: Callable[[str], Any] | None = None  # a command's terminal
        self._written = 0.0
        self._stop_requested = threading.Event()
        self._finished = threading.Event()

    def progress(self, done: int, total: int, message: str = "") -> None:
        """Write how far the job is, not more often than twice a second."""
        now = time.monotonic()
        if done < total and message == self.run.message and now - self._written < PROGRESS_SECONDS:
            return
        self._written = now
        runs.run_progress(run=self.run, done=done, total=total, message=message)

    def log(self, text: str, level: str = "info") -> None:
        """Add a line to the run's log."""
        if self.echo:
            self.echo(text)
        runs.run_log(run=self.run, text=text, level=level)

    def should_stop(self) -> bool:
        """Whether somebody cancelled the run, or its lease was given to another worker."""
        return self._stop_requested.is_set()

    def check(self) -> None:
        """Raise `Cancelled` where the run shall stop."""
        if self.should_stop():
            raise Cancelled("The job was cancelled.")

    def _beat(self) -> None:
        """Runs in a thread with its own database connection, so that a busy job is not taken for dead."""
        try:
            while not self._finished.wait(HEARTBEAT_SECONDS):
                try:
                    if not runs.run_heartbeat(run=self.run):
                        self._stop_requested.set()
                except DatabaseError:
                    close_old_connections()
        finally:
            connection.close()


@contextmanager
def running(run_id: int, worker: str) -> Iterator[RunReporter | None]:
    """Take a run, beat while the block works, and write how it ended; None: nothing to do.

    Our own errors become the run's sentence; any other exception too, with its trace in the log.
    """
    run = runs.run_start(run_id=run_id, worker=worker)
    if run is None:
        yield None
        return
    reporter = RunReporter(run)
    thread = threading.Thread(target=reporter._beat, daemon=True)
    thread.start()
    try:
        yield reporter
    except Cancelled:
        runs.run_finish_cancelled(run=run, result=reporter.result)
    except (KindredError, AnalyticsError) as error:
        runs.run_fail(run=run, error=str(error), result=reporter.result)
    except Exception as error:
        logger.exception("run_failed", run=run.pk)
        runs.run_fail(run=run, error=f"An unexpected error: {type(error).__name__}. The log has the details.")
    else:
        runs.run_succeed(run=run, result=reporter.result)
    finally:
        reporter._finished.set()
        thread.join(timeout=HEARTBEAT_SECONDS)
