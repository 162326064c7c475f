"""From what a capability reports while it works to rows of the run's table."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import structlog
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

from analytics.errors import AnalyticsError, Cancelled
from analytics.training.callbacks import StepReport
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

    def step(self, report: StepReport) -> None:
        """A callback of the training loop: progress with the time left, and the figures as rows."""
        message = f"Step {report.step:,} of {report.steps:,}"
        if report.step < report.steps:
            message += f", {_duration(report.seconds_left)} left"
        runs.run_progress(run=self.run, done=report.step, total=report.steps, message=message)
        runs.run_metrics(run=self.run, step=report.step, metrics={"epoch": report.epoch, **report.metrics})

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


def _duration(seconds: float) -> str:
    """A duration as people say it.

    >>> [_duration(one) for one in (4, 100, 9_000, 200_000)]
    ['less than a minute', '2 min', '2 h 30 min', '2 days 7 h']
    """
    minutes = round(seconds / 60)
    hours, days = minutes // 60, minutes // 1440
    if seconds < 60:
        return "less than a minute"
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes % 60} min" if not days else f"{days} days {hours % 24} h"


@contextmanager
def running(run_id: int, worker: str) -> Iterator[RunReporter | None]:
    """Take a run, beat while the block works, and write how it ended; None: nothing to do.

    Our own errors become the run's sentence; any other exception too, with its trace in the log. A training
    that stopped because its process got SIGTERM is queued again for the next worker; the signal is then passed
    on to whoever had it before (Celery shuts down).
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
        if reporter.should_stop():
            runs.run_finish_cancelled(run=run, result=reporter.result)
        else:
            runs.run_release(run=run)
            signal.raise_signal(signal.SIGTERM)
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
