"""Reading the table of jobs, their progress in blocks, and whether a stopped training can go on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.storage import storages
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Now

from questionbank.capabilities.catalog import bulk_kinds
from questionbank.core.database import get_or_not_found
from questionbank.models import ModelArtifact, Run, RunLog, RunMetric, User, WorkBlock, WorkerHeartbeat

LOG_LINES = 200
WORKER_SILENT_AFTER = timedelta(
    seconds=45
)  # as registry.run_services.STALLED_AFTER, which selectors cannot import


def runs() -> QuerySet[Run]:
    """Return all jobs, the latest first."""
    return Run.objects.select_related("requested_by")


def run_get(*, run_id: int) -> Run:
    """Return one job."""
    return get_or_not_found(runs().filter(pk=run_id), "There is no such job.")


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


@dataclass(frozen=True, slots=True)
class BlockSums:
    """Sums over the blocks of a job.

    Attributes:
        looked_at: rows of the finished blocks.
        total: rows of all blocks.
        stored: rows that a result was stored for.
        unfinished: blocks that are not finished.
        free: those of them that nobody works on.
        last: the highest id of all blocks.
    """

    looked_at: int
    total: int
    stored: int
    unfinished: int
    free: int
    last: int


def block_sums(*, job: str) -> BlockSums:
    """Return the sums over the blocks of a job."""
    finished = Q(done__isnull=False)
    free = Q(until=None) | Q(until__lt=Now())
    return BlockSums(
        **WorkBlock.objects.filter(job=job).aggregate(
            looked_at=Coalesce(Sum("size", filter=finished), 0),
            total=Coalesce(Sum("size"), 0),
            stored=Coalesce(Sum("done"), 0),
            unfinished=Count("pk", filter=~finished),
            free=Count("pk", filter=~finished & free),
            last=Coalesce(Max("last"), 0),
        )
    )


CHECKPOINT = (
    "checkpoint.pt"  # as analytics.training writes it; that package needs PyTorch, so a test compares
)
STORED = "checkpoints"  # the alias of the object store's folder, where there is one
VECTORS = "vectors-"  # likewise: analytics.encoder.metric_layer.VECTORS_PREFIX


def checkpoints_root() -> Path:
    """Return the folder of all runs' checkpoints, on the machine that trains."""
    return Path(settings.VAR_DIR) / "checkpoints"


def checkpoint_folder(run_id: int) -> Path:
    """Return where a run keeps its checkpoint and what it learns from."""
    return checkpoints_root() / f"run-{run_id}"


def run_has_checkpoint(*, run: Run) -> bool:
    """Return whether a checkpoint of the run lies in `VAR_DIR` or in the object store.

    Where there is no store, and the worker keeps its `VAR_DIR` on another machine, this does not see it; the run goes
    on from it all the same.
    """
    return folder_has_checkpoint(checkpoint_folder(run.pk)) or bool(stored_checkpoints(run_id=run.pk))


def stored_names(*, run_id: int) -> list[str]:
    """Return the names of a run's files in the object store, sorted; none where there is no store."""
    if STORED not in settings.STORAGES:
        return []
    return sorted(storages[STORED].listdir(f"run-{run_id}")[1])


def stored_checkpoints(*, run_id: int) -> list[str]:
    """Return the names of those that are checkpoints, the newest last."""
    return [name for name in stored_names(run_id=run_id) if name.startswith(CHECKPOINT)]


def folder_has_checkpoint(folder: Path) -> bool:
    """Return whether a folder holds a checkpoint, or vectors that a quick training has encoded so far."""
    return (folder / CHECKPOINT).is_file() or any(folder.glob(f"{VECTORS}*.npy"))
