"""Reading the table of jobs."""

from __future__ import annotations

from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from questionbank.errors import NotFound
from questionbank.models import Run, RunLog, RunMetric

__all__ = [
    "run_get",
    "run_last_step",
    "run_logs",
    "run_metric_series",
    "run_queue_position",
    "run_version",
    "runs",
]

LOG_LINES = 200


def runs() -> QuerySet[Run]:
    """All jobs, the latest first."""
    return Run.objects.select_related("requested_by")


def run_get(*, run_id: int) -> Run:
    """One job.

    Raises:
        NotFound: there is none with this number.
    """
    run = runs().filter(pk=run_id).first()
    if run is None:
        raise NotFound(_("There is no such job."))
    return run


def run_version(*, run_id: int) -> str:
    """Names the state of a job; changes whenever its page would.

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
    """The last lines of the job's log, in order."""
    return list(reversed(run.logs.order_by("-pk")[:LOG_LINES]))


def run_metric_series(*, run: Run) -> dict[str, list[tuple[int, float]]]:
    """(step, value) of each figure of a run, by step."""
    series: dict[str, list[tuple[int, float]]] = {}
    for name, step, value in run.metrics.order_by("name", "step").values_list("name", "step", "value"):
        series.setdefault(name, []).append((step, value))
    return series


def run_last_step(*, run: Run) -> int:
    """The last step that the run has figures of, 0 where it has none."""
    return run.metrics.aggregate(last=Max("step"))["last"] or 0


def run_queue_position(*, run: Run) -> int | None:
    """Place of a waiting run in its queue, 1 for the next one; None where it does not wait."""
    if run.state != Run.State.QUEUED:
        return None
    since = run.sent_at or run.created_at
    ahead = (
        Run.objects.filter(state=Run.State.QUEUED, queue=run.queue)
        .annotate(since=Coalesce(F("sent_at"), F("created_at")))
        .filter(Q(since__lt=since) | Q(since=since, pk__lt=run.pk))
    )
    return 1 + ahead.count()
