"""Jobs as tests do them: done in this process, and looked at afterwards."""

from __future__ import annotations

from collections.abc import Callable

from questionbank.models import Run
from worker.tasks import train_model


class Killed(BaseException):
    """What no handler of ours catches: as if the process were gone."""


class Reporter:
    """What `worker.reporting` gives to a job that nobody looks at and nobody cancels."""

    def progress(self, done: int, total: int, message: str = "") -> None:
        """Nobody looks."""

    def check(self) -> None:
        """Nobody cancels."""

    def should_stop(self) -> bool:
        """Return that nobody cancels."""
        return False


def done(run: Run, task: Callable[[int], object] = train_model, *, state: str = "succeeded") -> Run:
    """Return a run as its task ended it, in the state that is expected."""
    task(run.pk)
    run.refresh_from_db()
    assert run.state == state, run.error
    assert run.error == "" or state == "failed"
    return run
