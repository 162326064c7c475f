"""From a capability's progress reports to rows of the run's table."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import structlog
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from analytics.errors import AnalyticsError, Cancelled
from analytics.training.context import StepReport
from questionbank.core import task_queue
from questionbank.core.capability_catalog import bulk_kinds
from questionbank.core.database import RunLock
from questionbank.core.errors import DocumentRefused, ImportRefused, KindredError
from questionbank.core.outage import Outage, database_awaited, outage_of
from questionbank.core.storage import has_space
from questionbank.core.wording import duration_text
from questionbank.jobs import run_services as runs
from questionbank.jobs.run_selectors import is_run_waiting, run_last_step, worker_queues
from questionbank.models import Run

logger = structlog.get_logger(__name__)

HEARTBEAT_SECONDS = runs.HEARTBEAT_SECONDS
DATABASE_SECONDS = 600.0  # how long a job waits for the database; then the reconciler requeues it
DISK_SECONDS = 600.0  # how long it waits for disk space
PAUSE_SECONDS = 1.0
PACE_SECONDS = 3.0  # a stage's pace is known after this time
PACE_LASTS_SECONDS = 60.0  # the pace is measured over the last one or two of these periods
ASLEEP_SECONDS = 60.0  # after such a gap between two beats nothing in this process was running
COMMAND_LINE = "command line"  # worker name of a job that a command runs itself
INNERMOST_CALLS = 8  # stack frames logged for a hung job
LOOK_SECONDS = 1.0  # minimum time between a bulk job's checks for waiting work
IDLE_WORKER_SECONDS = 0.5  # an idle worker has taken a message by then
CLOCK_SECONDS = 120.0  # how long mail and other clock tasks wait: a job that gave way must reload its models
PROGRESS_SECONDS = 0.5  # minimum time between two progress writes


Result = TypeVar("Result")


def patiently(write: Callable[[], Result]) -> Result:
    """Call a function that uses the database; if the connection is lost, wait for the server and call it again.

    Only outside transactions: the retry would lack the transaction's first half.
    """
    deadline = time.monotonic() + DATABASE_SECONDS
    while True:
        try:
            return write()
        except Exception as error:
            left = deadline - time.monotonic()
            if outage_of(error) is not Outage.LOST or connection.in_atomic_block or left <= 0:
                raise
            logger.warning("database_lost", reason=str(error).strip())
            if not database_awaited(seconds=left):
                raise


class GaveWay(Exception):
    """Ends an attempt of a bulk job because other work waits for its worker; the job resumes after that work."""


def somebody_waits(run: Run, *, worker: str, runs_alone: bool) -> bool:
    """Return whether more urgent work than a run waits for its worker, and no idle worker has taken it.

    Args:
        runs_alone: whether to ignore the clock's tasks and count only runs.
    """

    def is_waiting() -> bool:
        is_message_waiting = task_queue.is_more_urgent_waiting(queues, priority=run.priority)
        return is_message_waiting and (
            not runs_alone or patiently(partial(is_run_waiting, queues=queues, priority=run.priority))
        )

    queues = patiently(partial(worker_queues, worker=worker)) or [run.queue]
    if not is_waiting():
        return False
    time.sleep(IDLE_WORKER_SECONDS)
    return is_waiting()


class RunReporter:
    """Reports of a running job; `result` becomes the run's result when it succeeds."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.result: Mapping[str, Any] = {}
        self.echo: Callable[[str], Any] | None = None  # a command's terminal
        self.patience = runs.PATIENCE_BY_KIND.get(run.kind, runs.PATIENCE).total_seconds()
        self._gives_way = run.kind in bulk_kinds() and run.worker != COMMAND_LINE
        self._began = self._looked = time.monotonic()
        self._reported = time.monotonic()
        self._thread = threading.get_ident()  # the thread that does the work
        self._written, self._message = 0.0, ""
        self.parts_left = 0  # parts after the current one
        self._stage: tuple[int, int] = (0, 0)  # done and total
        self._paces: list[tuple[float, int]] = []  # one or two times, and the progress then
        self._furthest_step: int | None = None  # reached by an earlier attempt
        self._stop_requested = threading.Event()
        self._held = threading.Event()
        self._finished = threading.Event()

    def progress(self, done: int, total: int, message: str = "") -> None:
        """Write the job's progress, at most twice a second."""
        self._reported = now = time.monotonic()
        if done < total and message == self._message and now - self._written < PROGRESS_SECONDS:
            return
        self._written, self._message = now, message
        status = message
        if left := self._time_left(done, total, now):
            status += f", {left} left" + (" for this part" if self.parts_left else "")
        patiently(partial(runs.run_progress, run=self.run, done=done, total=total, message=status))

    def _time_left(self, done: int, total: int, now: float) -> str:
        """Return the remaining time of this stage at the pace of the last minute or two; empty if unknown.

        A stage starts when `done` or `total` decreases; a growing total does not end it. The first portion is ignored:
        it includes what a worker loads before it starts.
        """
        reached, total_before = self._stage
        self._stage = done, total
        if not total_before or total < total_before or done < reached:
            self._paces = []
        elif done > reached and not self._paces:
            self._paces = [(now, done)]
        elif self._paces and now - self._paces[-1][0] > PACE_LASTS_SECONDS:
            self._paces = [self._paces[-1], (now, done)]
        if not self._paces or done >= total:
            return ""
        began, first = self._paces[0]
        if done <= first or now - began < PACE_SECONDS:
            return ""
        return duration_text((now - began) * (total - done) / (done - first))

    def saved_work(self) -> None:
        """Record that the work done so far is saved: another attempt resumes from here."""
        self._reported = time.monotonic()
        patiently(partial(runs.run_saved_work, run=self.run))

    def step(self, report: StepReport) -> None:
        """Report a step of the training loop: progress with the remaining time, and the figures as rows."""
        self._reported = time.monotonic()
        message = f"Step {report.step:,} of {report.steps:,}"
        if report.step < report.steps:
            message += f", {duration_text(report.seconds_left)} left"
        patiently(partial(runs.run_progress, run=self.run, done=report.step, total=report.steps, message=message))
        if self.run.deaths or self.run.pauses:
            if self._furthest_step is None:
                self._furthest_step = patiently(partial(run_last_step, run=self.run))
            if report.step > self._furthest_step:
                self.saved_work()
        metrics = {"epoch": report.epoch, **report.metrics}
        patiently(partial(runs.run_metrics, run=self.run, step=report.step, metrics=metrics))

    def log(self, text: str, level: str = "info") -> None:
        """Add a line to the run's log."""
        self._reported = time.monotonic()
        if self.echo:
            self.echo(text)
        patiently(partial(runs.run_log, run=self.run, text=text, level=level))

    def should_stop(self) -> bool:
        """Return whether somebody cancelled the run, or its lease went to another worker."""
        return self._stop_requested.is_set()

    def check(self) -> None:
        """Raise `Cancelled` if the run should stop."""
        if self.should_stop():
            raise Cancelled("The job was cancelled.")

    def give_way(self, *, begins_again: bool = False) -> None:
        """Raise `GaveWay` if more urgent work waits for a bulk job's worker; call it every few seconds.

        A command runs in its own process and delays nobody.

        Args:
            begins_again: whether the job loses its work; if so it gives way only to runs, not to the clock's tasks.
        """
        now = time.monotonic()
        if self._gives_way and now - self._looked > LOOK_SECONDS:
            self._looked = now
            runs_alone = begins_again or now - self._began < CLOCK_SECONDS
            if somebody_waits(self.run, worker=self.run.worker, runs_alone=runs_alone):
                raise GaveWay

    def hangs(self) -> bool:
        """Return whether the job has reported nothing for too long.

        Jobs started from the command line are never killed.
        """
        silent = time.monotonic() - self._reported
        return silent > self.patience and self.run.worker != COMMAND_LINE and not self._finished.is_set()

    def _end_hung_job(self) -> None:
        """Mark the run as failed, log where it hangs, and kill the process: nothing else can interrupt it.

        The supervisor, or Celery's parent process, starts another worker. If the database accepts no writes, the
        reconciler finds the run without a worker.
        """
        frame = sys._current_frames().get(self._thread)
        trace = "".join(traceback.format_stack(frame)[-INNERMOST_CALLS:]) if frame else ""
        waited = duration_text(self.patience)
        logger.error("run_hangs", run=self.run.pk, trace=trace)
        with suppress(DatabaseError):
            runs.run_fail(run=self.run, error=f"The job reported no progress for {waited} and was stopped.")
            runs.run_log(run=self.run, text=f"The job hangs here:\n{trace}", level="error")
        if not self._finished.is_set():  # it may have ended in the meantime
            os.kill(os.getpid(), signal.SIGKILL)

    def _beat(self) -> None:
        """Send heartbeats from a thread with its own database connection, so that a busy job is not taken for dead."""
        lock, was_held = RunLock(self.run), False
        try:
            last_beat = time.monotonic()
            while True:
                now = time.monotonic()
                if now - last_beat > ASLEEP_SECONDS:  # the process or the machine was suspended, not the job
                    self._reported = now
                last_beat = now
                try:
                    if was_held and not runs.run_heartbeat(run=self.run):
                        self._stop_requested.set()
                    lock.keep()
                    was_held = True
                    if self.hangs():
                        self._end_hung_job()
                except DatabaseError:
                    connection.close()  # the next beat reconnects
                    lock.close()
                self._held.set()
                if self._finished.wait(HEARTBEAT_SECONDS):
                    return
        finally:
            lock.close()
            connection.close()


@contextmanager
def running(run_id: int, worker: str) -> Iterator[RunReporter | None]:
    """Start a run, send heartbeats while the block runs, and store the outcome; yields None if there is nothing to do.

    Our own errors become the run's error message; so does any other exception, with its traceback in the log. A lost
    database connection or a full disk is a pause: the run is requeued once the server is back or there is space. A
    training that stopped because its process got SIGTERM is requeued for the next worker; the signal is then passed
    on to its previous handler (Celery shuts down).
    """
    run = patiently(partial(runs.run_start, run_id=run_id, worker=worker))
    if run is None:
        yield None
        return
    reporter, began = RunReporter(run), time.monotonic()
    thread = threading.Thread(target=reporter._beat, daemon=True)
    thread.start()
    reporter._held.wait(timeout=HEARTBEAT_SECONDS)
    try:
        yield reporter
    except Cancelled:
        if reporter.should_stop():
            patiently(partial(runs.run_finish_cancelled, run=run, result=reporter.result))
        else:
            patiently(partial(runs.run_release, run=run))
            signal.raise_signal(signal.SIGTERM)
    except GaveWay:
        patiently(partial(runs.run_give_way, run=run))
    except Exception as error:  # noqa: BLE001 - any exception becomes the run's error message
        _write_failure(reporter, error)
    else:
        patiently(partial(runs.run_succeed, run=run, result=reporter.result))
    finally:
        reporter._finished.set()
        thread.join(timeout=HEARTBEAT_SECONDS)
        _log_end(run, seconds=time.monotonic() - began)


def _log_end(run: Run, *, seconds: float) -> None:
    """Log one line about the outcome of an attempt."""
    ended = run.state if run.is_finished else "paused"
    reason = {"error": run.error} if run.error and not run.is_refused else {}  # a refusal quotes from a file
    logger.info("run_ended", run=run.pk, kind=run.kind, state=str(ended), seconds=round(seconds, 1), **reason)


def _space_awaited(stop: threading.Event) -> bool:
    """Wait until the disk has space or the job should stop, at most `DISK_SECONDS`; False if the disk is still full."""
    deadline = time.monotonic() + DISK_SECONDS
    while not has_space(Path(settings.VAR_DIR), 0):
        if time.monotonic() > deadline:
            return False
        if stop.wait(PAUSE_SECONDS):
            return True
    return True


def _write_failure(reporter: RunReporter, error: Exception) -> None:
    run = reporter.run
    outage = outage_of(error)
    if outage is Outage.LOST:
        logger.warning("run_paused", run=run.pk, reason=str(error).strip())
        patiently(partial(runs.run_pause, run=run))
        return
    if outage is Outage.FULL:
        logger.warning("disk_full", run=run.pk, reason=str(error).strip())
        if _space_awaited(reporter._stop_requested):
            patiently(partial(runs.run_pause, run=run, disk_was_full=True))
            return
        sentence = runs.DISK_FULL
    elif isinstance(error, MemoryError):
        sentence = runs.NO_MEMORY
    elif isinstance(error, KindredError | AnalyticsError):
        sentence = str(error)
    else:
        logger.error("run_failed", run=run.pk, exc_info=error)
        sentence = f"An unexpected error: {type(error).__name__}. The log has the details."
    is_refusal = isinstance(error, ImportRefused | DocumentRefused)  # the file's fault, not the installation's
    result = {**reporter.result, Run.REFUSAL: True} if is_refusal else reporter.result
    patiently(partial(runs.run_fail, run=run, error=sentence, result=result))


def run_here(
    run: Run, work: Callable[[RunReporter], Mapping[str, Any]], *, echo: Callable[[str], Any] | None = None
) -> dict[str, Any]:
    """Execute a run that was created without being sent to a worker, and return its result.

    After a lost database connection it resumes here, unless a worker was faster.

    Raises:
        KindredError: the run failed or was cancelled, with its message; or a worker continues it.
    """
    while True:
        with running(run.pk, COMMAND_LINE) as reporter:
            if reporter is not None:
                reporter.echo = echo
                reporter.result = work(reporter)
        run.refresh_from_db()
        if reporter is None and not run.is_finished:
            raise KindredError(f"A worker continues this job: see job {run.pk}.")
        if run.is_finished:
            break
    if run.state != Run.State.SUCCEEDED:
        raise KindredError(run.error or str(run.get_state_display()))
    return dict(run.result)
