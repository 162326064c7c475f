"""Queries on jobs, their progress in blocks, and whether a stopped training can resume."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.storage import storages
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Now

from questionbank.core.capability_catalog import bulk_kinds
from questionbank.core.database import get_or_not_found
from questionbank.models import ModelArtifact, Run, RunLog, RunMetric, School, User, WorkBlock, WorkerHeartbeat
from questionbank.models.visibility import viewer_audiences, viewer_schools

LOG_LINES = 200
WORKER_SILENT_AFTER = timedelta(seconds=45)  # same as jobs.run_services.STALLED_AFTER, which selectors cannot import


def runs() -> QuerySet[Run]:
    """Return the jobs that the viewer may know of, latest first.

    A personal job of somebody from other schools alone is not among them, nor an import into another school.
    """
    rows = Run.objects.select_related("requested_by")
    audiences = viewer_audiences()
    if audiences is None:
        return rows
    own = [-number for number in audiences if number < 0]
    asked_by_stranger = Exists(strangers().filter(pk=OuterRef("requested_by")))
    elsewhere = School.objects.exclude(pk__in=viewer_schools())
    hidden = asked_by_stranger | Exists(elsewhere.filter(slug=OuterRef("shown_to")))
    rows = rows.alias(shown_to=KT("parameters__visible_to"))
    return rows.filter(~Q(kind__in=Run.PERSONAL) | Q(requested_by__in=own) | ~hidden)


def strangers() -> QuerySet[User]:
    """Return the people who belong to schools, but to none of the viewer's; nobody for the system."""
    if viewer_audiences() is None:
        return User.objects.none()
    return User.objects.exclude(school_ids=[]).exclude(school_ids__overlap=viewer_schools())


def is_strangers(run: Run) -> bool:
    """Return whether a job is a personal one of somebody from other schools alone."""
    audiences, person = viewer_audiences(), run.requested_by
    if audiences is None or person is None or run.kind not in Run.PERSONAL or not person.school_ids:
        return False
    return {-person.pk, *person.school_ids}.isdisjoint(audiences)


def run_get(*, run_id: int) -> Run:
    """Return one job."""
    return get_or_not_found(runs().filter(pk=run_id), "There is no such job.")


def run_version(*, run_id: int) -> str:
    """Return a string that identifies the state of a job; it changes whenever the job's page would.

    A heartbeat alone changes nothing. A job that does not exist has the empty version.
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
    """Return a run's (step, value) pairs of each figure, ordered by step."""
    series: dict[str, list[tuple[int, float]]] = {}
    for name, step, value in run.metrics.order_by("name", "step").values_list("name", "step", "value"):
        series.setdefault(name, []).append((step, value))
    return series


def run_last_step(*, run: Run) -> int:
    """Return the last step with figures, 0 if the run has no figures."""
    return run.metrics.aggregate(last=Max("step"))["last"] or 0


@dataclass(frozen=True, slots=True)
class Wait:
    """Why a queued run has not started yet.

    Attributes:
        has_worker: whether a live worker takes jobs from its queue.
        running: the job that keeps such a worker busy; None if a worker is free.
        gives_way: whether that job pauses for this one.
        ahead: number of queued jobs that start before it.
    """

    has_worker: bool
    running: Run | None
    gives_way: bool
    ahead: int


def worker_queues(*, worker: str) -> list[str]:
    """Return the queues that a worker takes jobs from; empty for a command."""
    row = WorkerHeartbeat.objects.filter(name=worker).first()
    return row.queues.split(",") if row else []


def queue_has_worker(queue: str) -> bool:
    """Return whether a live worker takes jobs from a queue."""
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=Now() - WORKER_SILENT_AFTER)
    return any(queue in queues.split(",") for queues in alive.values_list("queues", flat=True))


def is_run_waiting(*, queues: Collection[str], priority: int) -> bool:
    """Return whether a run of higher priority waits in one of the queues."""
    waiting = Run.objects.filter(state=Run.State.QUEUED, queue__in=queues, sent_at__isnull=False)
    return waiting.filter(priority__lt=priority).exists()


def run_wait(*, run: Run) -> Wait | None:
    """Return why a queued run waits; None if it is not queued."""
    if run.state != Run.State.QUEUED:
        return None
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=Now() - WORKER_SILENT_AFTER)
    queues_of = {row.name: row.queues.split(",") for row in alive}
    workers = [name for name, queues in queues_of.items() if run.queue in queues]
    busy_now = Run.objects.select_related("requested_by").filter(state=Run.State.RUNNING, worker__in=workers)
    busy = list(busy_now.order_by("-priority", "started_at"))
    running = busy[0] if busy and len(busy) >= len(workers) else None
    since = run.sent_at or run.created_at
    earlier = Q(since__lt=since) | Q(since=since, pk__lt=run.pk)
    ahead = (
        Run.objects.filter(state=Run.State.QUEUED, queue__in={run.queue}.union(*(queues_of[name] for name in workers)))
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
    """Return a job's title as a person may see it, without the names of other people's files and changes."""
    if is_strangers(run):
        return "Another job"
    if user.has_perm("questionbank.run_read", run):
        return str(run)
    if run.kind == Run.Kind.READ or "draft" in run.parameters:
        return "A test paper of a colleague"
    if run.kind == Run.Kind.UNDO:
        return "Undo of a colleague’s import"
    return "A colleague’s change" if run.kind == Run.Kind.CHANGE else "A colleague’s import"


def vectors_awaited(*, user: User) -> str:
    """Return a sentence on what the vectors of new questions wait for; empty if no vectors are pending."""
    unfinished = Run.objects.filter(kind=Run.Kind.EMBED).exclude(state__in=Run.FINISHED)
    run = unfinished.order_by("created_at").first()
    if run is None:
        return ""
    wait = run_wait(run=run)
    if wait is None:
        return f"Vectors of new questions are being computed. {run.message}".strip()
    if not wait.has_worker:
        return "No worker is running, so new questions get no vectors. Ask an admin to look at Admin > Health."
    if wait.running is None:
        return "Vectors of new questions are computed next."
    title = run_title(wait.running, user=user)
    return f"Vectors of new questions are computed as soon as “{title}” pauses or ends."


KINDS = (Run.Kind.TRAIN, Run.Kind.EVALUATE, Run.Kind.PROMOTE)


def model_jobs(*, artifact: ModelArtifact | None = None, kind: str = "") -> list[Run]:
    """Return unfinished jobs about models, oldest first."""
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
        stored: rows with a stored result.
        unfinished: blocks that are not finished.
        free: unfinished blocks that no worker holds.
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


CHECKPOINT = "checkpoint.pt"  # as analytics.training writes it; that package needs PyTorch, so a test compares
STORED = "checkpoints"  # the storage alias of the object store's folder, if there is one
VECTORS = "vectors-"  # likewise: analytics.encoder.metric_layer.VECTORS_PREFIX


def checkpoints_root() -> Path:
    """Return the folder of all runs' checkpoints on the training machine."""
    return Path(settings.VAR_DIR) / "checkpoints"


def checkpoint_folder(run_id: int) -> Path:
    """Return the folder with a run's checkpoint and training data."""
    return checkpoints_root() / f"run-{run_id}"


def run_has_checkpoint(*, run: Run) -> bool:
    """Return whether `VAR_DIR` or the object store holds a checkpoint of the run.

    Without an object store, a checkpoint in the `VAR_DIR` of a worker on another machine is not visible here; the run
    resumes from it all the same.
    """
    return folder_has_checkpoint(checkpoint_folder(run.pk)) or bool(stored_checkpoints(run_id=run.pk))


def stored_names(*, run_id: int) -> list[str]:
    """Return the sorted names of a run's files in the object store; empty if there is no store."""
    if STORED not in settings.STORAGES:
        return []
    return sorted(storages[STORED].listdir(f"run-{run_id}")[1])


def stored_checkpoints(*, run_id: int) -> list[str]:
    """Return the names of a run's stored checkpoints, newest last."""
    return [name for name in stored_names(run_id=run_id) if name.startswith(CHECKPOINT)]


def folder_has_checkpoint(folder: Path) -> bool:
    """Return whether a folder holds a checkpoint, or vectors that a quick training has encoded so far."""
    return (folder / CHECKPOINT).is_file() or any(folder.glob(f"{VECTORS}*.npy"))
