"""Reading the table of jobs."""

from __future__ import annotations

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from questionbank.errors import NotFound
from questionbank.models import Run, RunLog

__all__ = ["run_get", "run_logs", "run_version", "runs"]

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
    return "" if row is None else "/".join(map(str, row))


def run_logs(*, run: Run) -> list[RunLog]:
    """The last lines of the job's log, in order."""
    return list(reversed(run.logs.order_by("-pk")[:LOG_LINES]))
