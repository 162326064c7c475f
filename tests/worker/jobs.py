"""Jobs as tests do them: done in this process, and looked at afterwards."""

from __future__ import annotations

from collections.abc import Callable

from analytics.errors import Cancelled
from questionbank.imports.services import run_import
from questionbank.jobs.run_services import run_fail, run_start, run_succeed
from questionbank.models import Run
from worker.tasks import train_model


class Killed(BaseException):
    """What no handler of ours catches: as if the process were gone."""


class Reporter:
    """What `worker.reporting` gives to a job: it keeps what it is told.

    Args:
        cancelled_at: the question whether the job goes on that finds it cancelled; 0 for none.
    """

    def __init__(self, cancelled_at: int = 0) -> None:
        self.asked, self.cancelled_at, self.stop = 0, cancelled_at, False
        self.messages: list[str] = []
        self.lines: list[tuple[str, str]] = []
        self.result: dict[str, object] = {}

    def progress(self, done: int, total: int, message: str = "") -> None:
        self.messages.append(message)

    def log(self, text: str, level: str = "info") -> None:
        self.lines.append((level, text))

    def should_stop(self) -> bool:
        return self.stop

    def saved_work(self) -> None:
        """Nobody counts deaths."""

    def give_way(self, *, begins_again: bool = False) -> None:
        """Nobody waits."""

    def check(self) -> None:
        self.asked += 1
        if self.asked == self.cancelled_at:
            raise Cancelled("The job was cancelled.")


def done(run: Run, task: Callable[[int], object] = train_model, *, state: str = "succeeded") -> Run:
    """Return a run as its task ended it, in the state that is expected."""
    task(run.pk)
    run.refresh_from_db()
    assert run.state == state, run.error
    assert run.error == "" or state == "failed"
    return run


def work_on_import(run_id: int) -> None:
    """Do what the worker does with an import."""
    run = run_start(run_id=run_id, worker="test")
    reporter = Reporter()
    try:
        run_succeed(run=run, result=run_import(run, reporter))
    except Exception as error:  # noqa: BLE001 - as the worker does
        run_fail(run=run, error=str(error), result=reporter.result)
