"""The life cycle of a run; nothing else changes its state.

queued -> running -> succeeded | failed | cancelled. A worker holds a lease (a random id) while it
works; every write of a worker checks its lease, so a worker that was given up for dead writes nothing more.

The death of a worker is noticed within seconds because it also holds an advisory lock, which PostgreSQL releases with
the connection (`core.database`); a worker that hangs or is stopped is noticed by missing heartbeats (decision 44).
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from questionbank.core import task_queue
from questionbank.core.capability_catalog import bulk_kinds, job_kinds, training_of
from questionbank.core.database import advisory_lock, database_now, run_lock_is_held
from questionbank.core.errors import Busy, Conflict
from questionbank.models import Run, RunLog, RunMetric, User, WorkerHeartbeat
from questionbank.models.integrations import api_key_name

_ALONE: Mapping[str, tuple[str, ...]] = {  # by kind, whatever the capability
    Run.Kind.EVALUATE: ("candidate", "champion"),
    Run.Kind.EXAM: (),
    Run.Kind.PREPARE: (),
    Run.Kind.PROMOTE: ("scope",),
    Run.Kind.REPORT: ("hierarchies",),
    Run.Kind.SUGGEST: ("question", "hierarchy"),
    Run.Kind.UNDO: ("import",),
}
HEARTBEAT_SECONDS = 2.0
SILENT_AFTER = timedelta(seconds=6)  # a worker without heartbeat and lock for so long is dead
STALLED_AFTER = timedelta(seconds=45)  # a worker without heartbeat that keeps its lock is stopped, or hangs
PATIENCE = timedelta(hours=3)  # a job that reports nothing for so long hangs
PATIENCE_BY_KIND: Mapping[str, timedelta] = {
    Run.Kind.EMBED: timedelta(hours=6),  # building the index of a large bank is one statement
    Run.Kind.PROMOTE: timedelta(hours=6),  # likewise
    Run.Kind.TRAIN: timedelta(hours=6),  # large models step slowly, and are evaluated at the end
}
MAX_DEATHS = 3  # workers that died for reasons of their own since the job last saved work
MAX_PAUSES = 20  # times that the database went away since the job last saved work
MAX_FULL_DISKS = 3  # pauses because of a full disk, likewise
START_AGAIN = "Then choose Start again: nothing has to be entered or uploaded anew."
DISK_FULL = f"The server’s disk is full. Tell an admin, who can free some space. {START_AGAIN}"
NO_MEMORY = (
    "The server has too little memory for this job. Tell an admin, who can give the worker more, or stop other"
    f" programs. {START_AGAIN}"
)


@transaction.atomic
def run_create(  # noqa: PLR0913 - the columns of a job
    *,
    kind: str,
    title: str = "",
    capability: str = "",
    parameters: Mapping[str, Any] | None = None,
    queue: str = "default",
    requested_by: User | None = None,
    send: bool = True,
) -> Run:
    """Create a queued run and, unless `send` is false, send it to a worker on commit.

    Raises:
        Busy: a person requests it, and `QUEUE_LIMIT` jobs are already waiting. Bulk jobs are few and always accepted.
    """
    if requested_by is not None and kind not in bulk_kinds():
        waiting = Run.objects.filter(queue=queue, state=Run.State.QUEUED).count()
        if waiting >= settings.QUEUE_LIMIT:
            wait = f"{waiting:,} jobs are waiting for a worker, so Kindred takes no more."
            raise Busy(f"{wait} Try again in a minute.")
    run = Run.objects.create(
        kind=kind,
        title=title,
        capability=capability,
        parameters=dict(parameters or {}),
        queue=queue,
        priority=bulk_kinds().get(kind, Run.Priority.WAITED_FOR),
        requested_by=requested_by,
        through=api_key_name(requested_by),
    )
    if send:
        task_queue.enqueue(run)
    return run


def run_under_way(*, kind: str, capability: str, parameters: Mapping[str, Any]) -> Run | None:
    """Return an unfinished run that such a run must not duplicate (`_alone`), or None.

    Call it in the transaction that creates or queues the run: others that request the same wait until it ends.
    """
    names = _alone(kind, capability)
    if names is None:
        return None
    same = {name: parameters.get(name) for name in names}
    advisory_lock(f"{kind}/{capability}/{json.dumps(same, sort_keys=True)}")
    return (
        Run.objects.exclude(state__in=Run.FINISHED)
        .filter(kind=kind, capability=capability, **{f"parameters__{name}": same[name] for name in names})
        .first()
    )


@transaction.atomic
def run_create_alone(refusal: str, **job: Any) -> Run:
    """Create a run unless an unfinished one does the same.

    Args:
        refusal: the error message if such a run is under way.
        job: the arguments of `run_create`.

    Raises:
        Conflict: such a run is under way.
    """
    if run_under_way(**{name: job[name] for name in ("kind", "capability", "parameters")}) is not None:
        raise Conflict(refusal)
    return run_create(**job)


def _alone(kind: str, capability: str) -> tuple[str, ...] | None:
    """Return the parameters that no two unfinished runs may share; None if any number of runs may."""
    if kind == Run.Kind.TRAIN:
        training = training_of(capability)
        return training.alone if training else None
    job = job_kinds().get(kind)
    return job.alone if job else _ALONE.get(kind)


def run_start(*, run_id: int, worker: str) -> Run | None:
    """Start a queued run and return it with a new lease, or None if there is nothing to do.

    A message may arrive twice (Redis redelivers, the reconciler sends again): only one start wins.
    """
    now = database_now()
    with transaction.atomic():
        # Waits for a lock instead of skipping locked rows: `embedding_request` relies on it.
        run = Run.objects.select_for_update().filter(pk=run_id).first()
        if run is None or run.state != Run.State.QUEUED:
            return None
        if run.cancel_requested:
            _end(run, Run.State.CANCELLED)
            return None
        run.state = Run.State.RUNNING
        run.lease = uuid.uuid4()
        run.worker = worker
        run.attempts += 1
        run.started_at = run.started_at or now
        run.heartbeat_at = now
        run.error = ""
        run.save()
    return run


def _held(run: Run) -> Any:
    return Run.objects.filter(pk=run.pk, lease=run.lease, state=Run.State.RUNNING)


def run_heartbeat(*, run: Run) -> bool:
    """Record that the worker is alive; return False if the job must stop: cancelled, or the lease is lost.

    A cancelled job keeps sending heartbeats until it has stopped; otherwise its busy worker would be taken for dead.
    """
    _held(run).update(heartbeat_at=Now())
    return bool(_held(run).filter(cancel_requested=False).exists())


def run_saved_work(*, run: Run) -> None:
    """Reset deaths and pauses: the job has saved work that the next attempt need not repeat."""
    if run.deaths or run.pauses:
        run.deaths = run.pauses = 0
        _held(run).update(deaths=0, pauses=0)


def run_is_held(*, run: Run) -> bool:
    """Return whether the worker still holds the run; locks the row until the transaction ends."""
    return _held(run).select_for_update().first() is not None


def run_progress(*, run: Run, done: int, total: int, message: str = "") -> None:
    """Record a run's progress; counts as a heartbeat."""
    run.done, run.total, run.message = done, total, message[:300]
    _held(run).update(done=done, total=total, message=message[:300], heartbeat_at=Now(), updated_at=Now())


def run_log(*, run: Run, text: str, level: str = RunLog.Level.INFO) -> None:
    """Add a line to the run's log."""
    RunLog.objects.create(run=run, text=text, level=level)


def run_metrics(*, run: Run, step: int, metrics: Mapping[str, float]) -> None:
    """Store a step's figures, replacing those of an earlier attempt; without the lease nothing is stored.

    Values that are not finite are left out.
    """
    if not _held(run).exists():
        return
    RunMetric.objects.bulk_create(
        [
            RunMetric(run=run, step=step, name=name[:80], value=value)
            for name, value in metrics.items()
            if math.isfinite(value)
        ],
        update_conflicts=True,
        unique_fields=["run", "name", "step"],
        update_fields=["value"],
    )


def _finish(run: Run, state: str, **fields: Any) -> bool:
    changed = _held(run).update(state=state, finished_at=Now(), updated_at=Now(), lease=None, **fields)
    if changed:
        run.refresh_from_db()
    return bool(changed)


def run_succeed(*, run: Run, result: Mapping[str, Any] | None = None) -> bool:
    """Mark the run as succeeded; False if the lease was lost meanwhile."""
    return _finish(run, Run.State.SUCCEEDED, result=dict(result or {}), done=F("total"))


def run_fail(*, run: Run, error: str, result: Mapping[str, Any] | None = None) -> bool:
    """Mark the run as failed, with a one-sentence error for people."""
    return _finish(run, Run.State.FAILED, error=error, result=dict(result or {}))


def run_finish_cancelled(*, run: Run, result: Mapping[str, Any] | None = None) -> bool:
    """Mark a run that stopped on a cancel request as cancelled."""
    return _finish(run, Run.State.CANCELLED, result=dict(result or {}))


@transaction.atomic
def run_release(*, run: Run) -> bool:
    """Requeue a run whose worker is shutting down; another worker continues it.

    Does not count as an attempt. False if the lease was lost meanwhile.
    """
    return _let_go(run, "The worker {worker} was shut down; the job continues with the next one.")


@transaction.atomic
def run_give_way(*, run: Run) -> bool:
    """Requeue a bulk job behind the jobs that people wait for; it continues with what is left.

    Does not count as an attempt. False if the lease was lost meanwhile.
    """
    return _let_go(run, "")


def _let_go(run: Run, reason: str) -> bool:
    held = _held(run).select_for_update().first()
    if held is None:
        return False
    held.attempts = max(0, held.attempts - 1)
    _give_back(held, reason.format(worker=held.worker))
    return True


@transaction.atomic
def run_pause(*, run: Run, disk_was_full: bool = False) -> bool:
    """Requeue a run that lost its database connection or hit a full disk, so that a worker can continue it.

    After `MAX_PAUSES` without any saved work (`MAX_FULL_DISKS` if the disk was full) the run fails, because the job
    itself probably crashes the server or fills the disk. False if the lease was lost meanwhile.
    """
    held = _held(run).select_for_update().first()
    if held is None:
        return False
    held.pauses += 1
    if held.pauses > (MAX_FULL_DISKS if disk_was_full else MAX_PAUSES):
        error = DISK_FULL if disk_was_full else f"The database went away {held.pauses} times while this job ran."
        return _finish(run, Run.State.FAILED, error=error)
    held.attempts = max(0, held.attempts - 1)
    reason = "The disk was full" if disk_was_full else "The connection to the database was lost"
    _give_back(held, f"{reason}; the job continues.")
    return True


def _give_back(run: Run, reason: str) -> None:
    if run.cancel_requested:
        _end(run, Run.State.CANCELLED)
    else:
        _requeue(run)
        if reason:
            run_log(run=run, text=reason)


@transaction.atomic
def run_cancel(*, run_id: int) -> Run:
    """Request that a run stop; one that has not started is cancelled at once.

    Raises:
        Conflict: the run has finished already.
    """
    run = Run.objects.select_for_update().get(pk=run_id)
    if run.is_finished:
        raise Conflict("This job has finished already.")
    run.cancel_requested = True
    if run.state == Run.State.QUEUED:
        run.state, run.finished_at = Run.State.CANCELLED, database_now()
    run.save(update_fields=["cancel_requested", "state", "finished_at", "updated_at"])
    return run


@transaction.atomic
def run_retry(*, run_id: int) -> Run:
    """Queue a failed or cancelled run again; it does not repeat saved work.

    Raises:
        Conflict: it has not failed or been cancelled, its file was refused, or another run already does the same.
    """
    run = Run.objects.select_for_update().get(pk=run_id)
    if run.state not in (Run.State.FAILED, Run.State.CANCELLED):
        raise Conflict("Only a failed or cancelled job can be started again.")
    if run.is_refused:
        raise Conflict("This file was refused and would be refused again. Correct it, then upload it anew.")
    if run_under_way(kind=run.kind, capability=run.capability, parameters=run.parameters) is not None:
        raise Conflict("Another job does the same already: wait for it, or stop it first.")
    run.attempts = run.deaths = run.pauses = run.done = run.total = 0
    run.message = ""
    if run.error:
        run_log(run=run, text=run.error, level=RunLog.Level.ERROR)  # the next attempt has its own error
    _requeue(run)
    return run


def run_dismiss(*, run_id: int) -> None:
    """Dismiss a failed run that somebody has dealt with: the health page no longer counts it.

    Raises:
        Conflict: the run has not failed.
    """
    if not Run.objects.filter(pk=run_id, state=Run.State.FAILED).update(is_dismissed=True):
        raise Conflict("Only a failed job can be dismissed.")


def _end(run: Run, state: str) -> None:
    """Save a run, whose row is locked, as finished."""
    run.state, run.lease, run.finished_at = state, None, database_now()
    run.save()


def _requeue(run: Run) -> None:
    run.state = Run.State.QUEUED
    run.lease = None
    run.cancel_requested = run.is_dismissed = False
    run.finished_at = None
    run.error = ""
    run.message_id = uuid.uuid4()
    run.save()
    task_queue.enqueue(run)


def runs_reconcile(*, watching_since: datetime | None = None) -> dict[str, int]:
    """Clean up after dead workers and lost messages; the clock calls it every two seconds.

    A running run whose worker is gone is queued again, or fails after `MAX_DEATHS`. A death does not count if the
    database was restarted after the last heartbeat, or if nobody was watching at that time: the whole installation
    or the machine was down. Queued runs without a message are sent again.

    Args:
        watching_since: the time since which the caller has been calling without a break.

    Returns:
        Counts: ``{"requeued", "failed", "resent"}``.
    """
    counts = {"requeued": 0, "failed": 0, "resent": 0}
    silent = Run.objects.filter(state=Run.State.RUNNING, heartbeat_at__lt=database_now() - SILENT_AFTER)
    for run_id in silent.values_list("pk", flat=True):
        with transaction.atomic():
            run = silent.select_for_update(skip_locked=True).filter(pk=run_id).first()
            if run is not None and (outcome := _reap(run, watching_since)):
                counts[outcome] += 1
    just_now = database_now() - timedelta(seconds=10)
    waiting = Run.objects.filter(state=Run.State.QUEUED).filter(
        Q(sent_at__lt=just_now) | Q(sent_at__isnull=True, created_at__lt=just_now)
    )
    pending = task_queue.pending_message_ids() if waiting.exists() else ()
    for run in waiting:
        if str(run.message_id) not in pending:
            task_queue.enqueue(run)
            counts["resent"] += 1
    return counts


def _reap(run: Run, watching_since: datetime | None) -> str:
    """Requeue the run of a dead worker, or let it fail; return "" if the worker may be alive."""
    last_seen = run.heartbeat_at
    assert last_seen is not None, "every running run has one"  # noqa: S101
    restarted = _database_started()
    if run_lock_is_held(run):
        silent_since, patience = max(last_seen, watching_since or last_seen), STALLED_AFTER
    else:
        silent_since, patience = max(last_seen, restarted), SILENT_AFTER
    if database_now() - silent_since <= patience:
        return ""
    from_outside = restarted > last_seen or (watching_since is not None and watching_since > last_seen)
    reason = " Kindred or its database was restarted." if from_outside else ""
    run_log(run=run, text=f"The worker {run.worker} stopped answering.{reason}", level=RunLog.Level.WARNING)
    run.deaths += not from_outside
    if run.cancel_requested:
        _end(run, Run.State.CANCELLED)
        return ""
    if run.deaths >= MAX_DEATHS:
        run.error = f"Its worker died {run.deaths} times. Perhaps it had too little memory: the system's log says."
        _end(run, Run.State.FAILED)
        return "failed"
    _requeue(run)
    return "requeued"


def _database_started() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_postmaster_start_time()")
        started: datetime = cursor.fetchone()[0]
        return started


def worker_seen(*, name: str, queues: str) -> None:
    """Record that a worker process is alive, and delete those not seen for a day."""
    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"queues": queues, "seen_at": Now()})
    WorkerHeartbeat.objects.filter(seen_at__lt=Now() - timedelta(days=1)).delete()
