"""How a run ends, and what it tells of its steps."""

from __future__ import annotations

import signal

import pytest

from analytics.errors import Cancelled
from analytics.training.callbacks import StepReport
from questionbank import dispatch
from questionbank.models import Run
from questionbank.services import runs
from worker import reporting
from worker.reporting import running

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr(reporting, "HEARTBEAT_SECONDS", 3600.0)
    monkeypatch.setattr(dispatch, "_send", lambda run: None)


@pytest.fixture
def run(db) -> Run:
    return runs.run_create(kind="train", capability="encoder", queue="train", send=False)


def test_a_step_is_told_with_the_time_left(run):
    with running(run.pk, "here") as reporter:
        reporter.step(StepReport(120, 450, 1, 60.0, 185.0, {"loss": 1.5}))
        run.refresh_from_db()
        assert (run.done, run.total, run.message) == (120, 450, "Step 120 of 450, 3 min left")
        reporter.step(StepReport(450, 450, 3, 60.0, 0.0, {"loss": 1.0}))
    run.refresh_from_db()
    assert run.message == "Step 450 of 450"
    assert list(run.metrics.filter(name="epoch").values_list("step", "value")) == [(120, 1.0), (450, 3.0)]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "less than a minute"), (100, "2 min"), (9_000, "2 h 30 min"), (200_000, "2 days 7 h")],
)
def test_durations_read_as_people_say_them(seconds, words):
    assert reporting._duration(seconds) == words


def test_a_training_whose_worker_is_shut_down_waits_for_the_next_one(run):
    passed_on = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: passed_on.append(number))
    try:
        with running(run.pk, "here"):
            raise Cancelled("Training was stopped after 3 of 9 steps.")  # the loop had the signal
    finally:
        signal.signal(signal.SIGTERM, before)
    assert passed_on == [signal.SIGTERM]
    run.refresh_from_db()
    assert (run.state, run.attempts, run.lease) == ("queued", 0, None)
    assert run.logs.filter(text__contains="was shut down").exists()


def test_a_run_that_somebody_cancelled_is_cancelled(run):
    with running(run.pk, "here") as reporter:
        reporter._stop_requested.set()
        reporter.check()
    run.refresh_from_db()
    assert run.state == "cancelled"
