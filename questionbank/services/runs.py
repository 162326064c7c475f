"""The life of a run; nothing else changes its state.

queued -> running -> succeeded | failed | cancelled. A worker holds a lease (a random id) while it
works; every write of a worker names its lease, so one that was given up for dead writes nothing more.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from questionbank import dispatch
from questionbank.errors import Conflict
from questionbank.models import Run, RunLog, RunMetric, User, WorkerHeartbeat

__all__ = [
    "DEAD_AFTER",
    "MAX_ATTEMPTS",
    "run_cancel",
    "run_create",
    "run_fail",
    "run_finish_cancelled",
    "run_heartbeat",
    "run_is_held",
    "run_log",
    "run_metrics",
    "run_progress",
    "run_release",
    "run_retry",
    "run_start",
    "run_succeed",
    "run_under_way",
    "runs_reconcile",
    "worker_seen",
]

# What two unfinished runs of a kind must not have in common: capability and these parameters. A literal table.
ALONE: Mapping[tuple[str, str], tuple[str, ...]] = {
    (Run.Kind.TRAIN, "encoder"): (),
    (Run.Kind.TRAIN, "paraphrase"): (),
    (Run.Kind.TRAIN, "probes"): ("hierarchy",),
    (Run.Kind.EVALUATE, "encoder"): ("candidate", "champion"),
    (Run.Kind.EVALUATE, "paraphrase"): ("candidate", "champion"),
    (Run.Kind.PROMOTE, "encoder"): ("scope",),
    (Run.Kind.PROMOTE, "paraphrase"): ("scope",),
    (Run.Kind.PROMOTE, "probes"): ("scope",),
    (Run.Kind.UNDO, ""): ("import",),
}
DEAD_AFTER = timedelta(seconds=45)  # without a heartbeat (they come every 5 s)
MAX_ATTEMPTS = 3


@transaction.atomic
def run_create(
    *,
    kind: str,
    title: str = "",
    capability: str = "",
    parameters: Mapping[str, Any] | None = None,
    queue: str = "default",
    requested_by: User | None = None,
    send: bool = True,
) -> Run:
    """Create a queued run and, unless `send` is false, send it to a worker on commit."""
    run = Run.objects.create(
        kind=kind,
        title=title,
        capability=capability,
        parameters=dict(parameters or {}),
        queue=queue,
        requested_by=requested_by,
    )
    if send:
        dispatch.enqueue(run)
    return run


def run_under_way(*, kind: str, capability: str, parameters: Mapping[str, Any]) -> Run | None:
    """An unfinished run that does what such a run would do, and must do it alone (`ALONE`).

    Call it in the transaction that creates or queues the run: others who ask the same wait for its end.
    """
    names = ALONE.get((kind, capability))
    if names is None:
        return None
    same = {name: parameters.get(name) for name in names}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtext(%s))",
            [f"kindred/{kind}/{capability}/{json.dumps(same, sort_keys=True)}"],
        )
    return (
        Run.objects.exclude(state__in=Run.FINISHED)
        .filter(kind=kind, capability=capability, **{f"parameters__{name}": same[name] for name in names})
        .first()
    )


def run_start(*, run_id: int, worker: str) -> Run | None:
    """Take a queued run; return it with a new lease, or None where there is nothing to do.

    A message may come twice (Redis redelivers, the reconciler sends again): only one start wins.
    """
    now = timezone.now()
    with transaction.atomic():
        # Waits for a lock rather than skipping: `embedding_request` relies on it.
        run = Run.objects.select_for_update().filter(pk=run_id).first()
        if run is None or run.state != Run.State.QUEUED:
            return None
        if run.cancel_requested:
            run.state = Run.State.CANCELLED
            run.finished_at = now
            run.save(update_fields=["state", "finished_at", "updated_at"])
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
    """Say that the worker lives. False: stop, because of a cancel request or a lost lease."""
    return bool(_held(run).filter(cancel_requested=False).update(heartbeat_at=timezone.now()))


def run_is_held(*, run: Run) -> bool:
    """Whether the worker still holds the run; inside a transaction it keeps it to the end of that."""
    return _held(run).select_for_update().first() is not None


def run_progress(*, run: Run, done: int, total: int, message: str = "") -> None:
    """Write how far the run is; counts as a heartbeat."""
    run.done, run.total, run.message = done, total, message[:300]
    _held(run).update(
        done=done, total=total, message=message[:300], heartbeat_at=timezone.now(), updated_at=timezone.now()
    )


def run_log(*, run: Run, text: str, level: str = RunLog.Level.INFO) -> None:
    """Add a line to the run's log."""
    RunLog.objects.create(run=run, text=text, level=level)


def run_metrics(*, run: Run, step: int, metrics: Mapping[str, float]) -> None:
    """Write a step's figures, replacing those of an earlier attempt; a worker without the lease writes none.

    Values that are no finite number are left out.
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
    now = timezone.now()
    changed = _held(run).update(state=state, finished_at=now, updated_at=now, lease=None, **fields)
    if changed:
        run.refresh_from_db()
    return bool(changed)


def run_succeed(*, run: Run, result: Mapping[str, Any] | None = None) -> bool:
    """Mark the run as finished. False if the lease was lost meanwhile."""
    return _finish(run, Run.State.SUCCEEDED, result=dict(result or {}))


def run_fail(*, run: Run, error: str, result: Mapping[str, Any] | None = None) -> bool:
    """Mark the run as failed with one sentence for its reader."""
    failed = _finish(run, Run.State.FAILED, error=error, result=dict(result or {}))
    if failed:
        run_log(run=run, text=error, level=RunLog.Level.ERROR)
    return failed


def run_finish_cancelled(*, run: Run, result: Mapping[str, Any] | None = None) -> bool:
    """Mark a run that heeded its cancel request."""
    return _finish(run, Run.State.CANCELLED, result=dict(result or {}))


@transaction.atomic
def run_release(*, run: Run) -> bool:
    """Give a run back that its worker cannot finish because it is being shut down; another goes on with it.

    Counts as no attempt. False if the lease was lost meanwhile.
    """
    held = _held(run).select_for_update().first()
    if held is None:
        return False
    held.attempts = max(0, held.attempts - 1)
    _requeue(held)
    run_log(run=held, text=f"The worker {held.worker} was shut down; the job goes on with the next one.")
    return True


@transaction.atomic
def run_cancel(*, run_id: int) -> Run:
    """Ask a run to stop; one that has not begun is cancelled at once.

    Raises:
        Conflict: it has finished already.
    """
    run = Run.objects.select_for_update().get(pk=run_id)
    if run.is_finished:
        raise Conflict("This job has finished already.")
    run.cancel_requested = True
    if run.state == Run.State.QUEUED:
        run.state = Run.State.CANCELLED
        run.finished_at = timezone.now()
    run.save(update_fields=["cancel_requested", "state", "finished_at", "updated_at"])
    return run


@transaction.atomic
def run_retry(*, run_id: int) -> Run:
    """Queue a failed or cancelled run again; work that it saved is not done twice.

    Raises:
        Conflict: it has not failed or been cancelled, or another run does the same already.
    """
    run = Run.objects.select_for_update().get(pk=run_id)
    if run.state not in (Run.State.FAILED, Run.State.CANCELLED):
        raise Conflict("Only a failed or cancelled job can be started again.")
    if run_under_way(kind=run.kind, capability=run.capability, parameters=run.parameters) is not None:
        raise Conflict("Another job does the same already: wait for it, or stop it first.")
    run.attempts = 0
    _requeue(run)
    return run


def _requeue(run: Run) -> None:
    run.state = Run.State.QUEUED
    run.lease = None
    run.cancel_requested = False
    run.finished_at = None
    run.error = ""
    run.message_id = uuid.uuid4()
    run.save()
    dispatch.enqueue(run)


def runs_reconcile() -> dict[str, int]:
    """Mend what a dead worker or a lost message left; called at start and every 15 s.

    Running runs without a heartbeat for `DEAD_AFTER` are queued again (or failed after `MAX_ATTEMPTS`);
    queued runs that have no message are sent again.

    Returns:
        Counts: ``{"requeued", "failed", "resent"}``.
    """
    counts = {"requeued": 0, "failed": 0, "resent": 0}
    deadline = timezone.now() - DEAD_AFTER
    for run_id in Run.objects.filter(state=Run.State.RUNNING, heartbeat_at__lt=deadline).values_list(
        "pk", flat=True
    ):
        with transaction.atomic():
            run = (
                Run.objects.select_for_update(skip_locked=True)
                .filter(pk=run_id, state=Run.State.RUNNING, heartbeat_at__lt=deadline)
                .first()
            )
            if run is None:
                continue
            run_log(
                run=run,
                text=f"The worker {run.worker} stopped answering.",
                level=RunLog.Level.WARNING,
            )
            if run.cancel_requested:
                run.state, run.lease, run.finished_at = Run.State.CANCELLED, None, timezone.now()
                run.save()
            elif run.attempts >= MAX_ATTEMPTS:
                run.state, run.lease, run.finished_at = Run.State.FAILED, None, timezone.now()
                run.error = f"Its worker died {run.attempts} times."
                run.save()
                counts["failed"] += 1
            else:
                _requeue(run)
                counts["requeued"] += 1
    just_now = timezone.now() - timedelta(seconds=10)
    waiting = Run.objects.filter(state=Run.State.QUEUED).filter(
        Q(sent_at__lt=just_now) | Q(sent_at__isnull=True, created_at__lt=just_now)
    )
    if waiting.exists():
        pending = dispatch.pending_message_ids()
        for run in waiting:
            if str(run.message_id) not in pending:
                dispatch.enqueue(run)
                counts["resent"] += 1
    return counts


def worker_seen(*, name: str, queues: str) -> None:
    """Write that a worker process lives, and forget those not seen for a day."""
    now = timezone.now()
    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"queues": queues, "seen_at": now})
    WorkerHeartbeat.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()
