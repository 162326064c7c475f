"""Running a job in the current process, for commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from questionbank.core.errors import KindredError
from questionbank.models import Run
from worker.reporting import COMMAND_LINE, RunReporter, running


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
            raise KindredError(f"A worker goes on with this job: see job {run.pk}.")
        if run.is_finished:
            break
    if run.state != Run.State.SUCCEEDED:
        raise KindredError(run.error or str(run.get_state_display()))
    return dict(run.result)
