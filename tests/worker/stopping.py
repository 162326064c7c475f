"""Trainings that are stopped on the way, as a person or a signal stops them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from analytics.training.context import TrainingContext
from questionbank.jobs import run_services as runs
from worker import reporting
from worker.reproduction import runs as trained


@contextmanager
def reproductions_stopped_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every training of a paper's arm is told to stop at the first question whether it should."""

    def stopping(**options):
        return TrainingContext(**options, cancel=lambda: True)

    with monkeypatch.context() as patched:
        patched.setattr(trained, "TrainingContext", stopping)
        yield


@contextmanager
def runs_cancelled_at(monkeypatch: pytest.MonkeyPatch, step: int) -> Iterator[None]:
    """Every run is cancelled once its training has done so many steps."""
    report = reporting.RunReporter.step

    def stop(self, step_report):
        report(self, step_report)
        if step_report.step >= step:
            runs.run_cancel(run_id=self.run.pk)
            self._stop_requested.set()  # as the heartbeat's thread does

    with monkeypatch.context() as patched:
        patched.setattr(reporting.RunReporter, "step", stop)
        yield
