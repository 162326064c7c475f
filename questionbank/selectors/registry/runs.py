"""Reading the table of jobs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from questionbank.capabilities.catalog import bulk_kinds
from questionbank.models import ModelArtifact, Run, RunLog, RunMetric, User, WorkerHeartbeat
from questionbank.rows import existing

LOG_LINES = 200
WORKER_SILENT_AFTER = timedelta(seconds=45)  # as services.runs.STALLED_AFTER, which selectors cannot import


def runs() -> QuerySet[Run]:
    """Return all jobs, the latest first."""
    return Run.objects.select_related("requested_by")


def run_get(*, run_id: int) -> Run:
    """Return one job."""
    return existing(runs().filter(pk=run_id), "There is no such job.")


def run_version(*, run_id: int) -> str:
    """Return a name for the state of a job; it changes whenever its page would.

    A heartbeat alone changes nothing. A job that is not there has the empty version.
    """
    row = (
        Run.objects.filter(pk=run_id)
        .annotate(last_log=Max("logs__pk"))
        .values_list("state", "done", "total", "message", "cancel_requested", "attempts", "error", "last_log")
        .first()
    )
    if row is None:
        return ""
    last_metric = RunMetric.objects.filter(run_id=run_id).aggregate(last=Max("pk"))["last"]
    return "/".join(map(str, (*row, last_metric)))


def run_logs(*, run: Run) -> list[RunLog]:
    """Return the last lines of the job's log, in order."""
    return list(reversed(run.logs.order_by("-pk")[:LOG_LINES]))


def run_metric_series(*, run: Run) -> dict[str, list[tuple[int, float]]]:
    """Return (step, value) pairs of each figure of a run, by step."""
    series: dict[str, list[tuple[int, float]]] = {}
    for name, step, value in run.metrics.order_by("name", "step").values_list("name", "step", "value"):
        series.setdefault(name, []).append((step, value))
    return series


def run_last_step(*, run: Run) -> int:
    """Return the last step that the run has figures of, 0 where it has none."""
    return run.metrics.aggregate(last=Max("step"))["last"] or 0


@dataclass(frozen=True, slots=True)
class Wait:
    """Why a queued run does not run yet.

    Attributes:
        has_worker: whether a live worker takes jobs of its queue.
        running: the job that keeps such a worker busy; None: a worker is free.
        gives_way: whether that job pauses for this one.
        ahead: queued jobs that start before it.
    """

    has_worker: bool
    running: Run | None
    gives_way: bool
    ahead: int


def worker_queues(*, worker: str) -> list[str]:
    """Return the queues that a worker takes jobs from; empty for a command."""
    row = WorkerHeartbeat.objects.filter(name=worker).first()
    return row.queues.split(",") if row else []


def is_run_waiting(*, queues: Collection[str], priority: int) -> bool:
    """Return whether a run that goes before this priority waits in one of the queues."""
    waiting = Run.objects.filter(state=Run.State.QUEUED, queue__in=queues, sent_at__isnull=False)
    return waiting.filter(priority__lt=priority).exists()


def run_wait(*, run: Run) -> Wait | None:
    """Return why a queued run waits; None where it does not."""
    if run.state != Run.State.QUEUED:
        return None
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=Now() - WORKER_SILENT_AFTER)
    queues_of = {row.name: row.queues.split(",") for row in alive}
    workers = [name for name, queues in queues_of.items() if run.queue in queues]
    busy = list(
        Run.objects.filter(state=Run.State.RUNNING, worker__in=workers).order_by("-priority", "started_at")
    )
    running = busy[0] if busy and len(busy) >= len(workers) else None
    since = run.sent_at or run.created_at
    earlier = Q(since__lt=since) | Q(since=since, pk__lt=run.pk)
    ahead = (
        Run.objects.filter(
            state=Run.State.QUEUED, queue__in={run.queue}.union(*(queues_of[name] for name in workers))
        )
        .annotate(since=Coalesce(F("sent_at"), F("created_at")))
        .filter(Q(priority__lt=run.priority) | Q(earlier, priority=run.priority))
    )
    return Wait(
        has_worker=bool(workers),
        running=running,
        gives_way=running is not None and running.kind in bulk_kinds() and running.priority > run.priority,
        ahead=ahead.count(),
    )


def run_title(run: Run, *, user: User) -> str:
    """Return what a job is called for a person: it names no file, and no change, of somebody else."""
    if user.has_perm("questionbank.run_read", run):
        return str(run)
    if run.kind == Run.Kind.READ or "draft" in run.parameters:
        return "A test paper of a colleague"
    if run.kind == Run.Kind.UNDO:
        return "Undo of a colleague’s import"
    return "A colleague’s change" if run.kind == Run.Kind.CHANGE else "A colleague’s import"


def vectors_awaited(*, user: User) -> str:
    """Return what the vectors of new questions wait for, as a sentence; empty where none are to be computed."""
    unfinished = Run.objects.filter(kind=Run.Kind.EMBED).exclude(state__in=Run.FINISHED)
    run = unfinished.order_by("created_at").first()
    if run is None:
        return ""
    wait = run_wait(run=run)
    if wait is None:
        return f"Vectors of new questions are being computed. {run.message}".strip()
    if not wait.has_worker:
        return (
            "No worker is running, so new questions get no vectors. Ask an admin to look at Admin > Health."
        )
    if wait.running is None:
        return "Vectors of new questions are computed next."
    title = run_title(wait.running, user=user)
    return f"Vectors of new questions are computed as soon as “{title}” pauses or ends."


KINDS = (Run.Kind.TRAIN, Run.Kind.EVALUATE, Run.Kind.PROMOTE)


def model_jobs(*, artifact: ModelArtifact | None = None, kind: str = "") -> list[Run]:
    """Return unfinished jobs about models, the oldest first."""
    jobs = Run.objects.exclude(state__in=Run.FINISHED).filter(kind__in=[kind] if kind else KINDS)
    if artifact is not None:
        jobs = jobs.filter(
            Q(parameters__model=artifact.pk)
            | Q(parameters__candidate=artifact.pk)
            | Q(parameters__champion=artifact.pk)
        )
    return list(jobs.select_related("requested_by").order_by("created_at", "pk"))
