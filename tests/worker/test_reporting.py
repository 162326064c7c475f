"""How a run ends, what it tells of its steps, and how it lives through a restart of the database."""

from __future__ import annotations

import errno
import logging
import os
import signal
import threading

import pytest
from django.db import connection

from analytics.errors import Cancelled, DataError
from analytics.training.context import StepReport
from questionbank.core import task_queue
from questionbank.core.capability_catalog import job_kinds
from questionbank.core.database import RunLock
from questionbank.jobs import run_services as runs
from questionbank.models import Run
from tests.questionbank.core.test_outage import end_connection
from worker import reporting
from worker.celery import application
from worker.reporting import running

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr(reporting, "HEARTBEAT_SECONDS", 3600.0)
    monkeypatch.setattr(task_queue, "_send", lambda run: None)


@pytest.fixture
def run(db) -> Run:
    return runs.run_create(kind="train", capability="encoder", queue="train", send=False)


def test_a_step_is_told_with_the_time_left(run):
    with running(run.pk, "here") as reporter:
        reporter.step(StepReport(120, 450, 1, 60.0, 185.0, {"loss": 1.5}))
        run.refresh_from_db()
        assert (run.done, run.total, run.message) == (120, 450, "Step 120 of 450, 3 min 5 s left")
        reporter.step(StepReport(450, 450, 3, 60.0, 0.0, {"loss": 1.0}))
    run.refresh_from_db()
    assert run.message == "Step 450 of 450"
    assert list(run.metrics.filter(name="epoch").values_list("step", "value")) == [(120, 1.0), (450, 3.0)]


def test_progress_tells_the_time_left_of_its_stage(run, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(reporting.time, "monotonic", lambda: now[0])
    with running(run.pk, "here") as reporter:
        for done, total, words in [
            (0, 100, "Reading"),
            (10, 100, "Reading"),  # with what had to be loaded
            (20, 100, "Reading, 1 min 20 s left"),
            (30, 500, "Reading, 7 min 50 s left"),  # more was added meanwhile
            (0, 50, "Writing"),
        ]:
            reporter.progress(done, total, words.partition(",")[0])
            run.refresh_from_db()
            assert run.message == words
            now[0] += 10
        reporter.parts_left = 1
        for done, words in [(1, "Writing"), (2, "Writing, 8 min 0 s left for this part")]:
            reporter.progress(done, 50, "Writing")
            run.refresh_from_db()
            assert run.message == words
            now[0] += 10
    run.refresh_from_db()
    assert (run.done, run.total) == (50, 50)


def test_a_job_is_one_line_in_the_log_and_celery_adds_none(run, caplog):
    caplog.set_level("INFO", logger="worker")
    with running(run.pk, "here"):
        raise DataError("There is nothing to learn from.")
    (line,) = (record.msg for record in caplog.records if record.name == "worker.reporting")
    assert (line["event"], line["kind"], line["state"]) == ("run_ended", "train", "failed")
    assert line["error"] == "There is nothing to learn from."
    for name in ("celery.app.trace", "celery.worker.strategy", "django_structlog.celery.receivers"):
        assert not logging.getLogger(name).isEnabledFor(logging.INFO)
        assert logging.getLogger(name).isEnabledFor(logging.WARNING)
    assert not logging.getLogger("celery.events.state").isEnabledFor(logging.WARNING)  # clocks "drift"


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


def test_a_job_that_hangs_fails_with_the_place_in_its_log_and_its_process_is_killed(run, monkeypatch):
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(reporting.os, "kill", lambda *sent: killed.append(sent))
    with running(run.pk, "here") as reporter:
        assert reporter.patience == runs.PATIENCE_BY_KIND["train"].total_seconds()
        assert not reporter.hangs()
        reporter.patience = 60.0
        reporter._reported -= 61.0
        assert reporter.hangs()
        reporter.log("It moves again.")
        assert not reporter.hangs()
        reporter._reported -= 61.0
        reporter._end_hung_job()
    assert killed == [(os.getpid(), signal.SIGKILL)]
    run.refresh_from_db()
    assert run.state == Run.State.FAILED  # although the block went on to its end
    assert run.error == "The job reported no progress for 1 min 0 s and was stopped."
    assert "_end_hung_job()" in run.logs.get(text__startswith="The job hangs here").text


def test_the_heartbeat_ends_a_job_that_hangs_but_not_one_whose_process_slept(run, monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(reporting, "HEARTBEAT_SECONDS", 0.02)
    monkeypatch.setattr(reporting.RunReporter, "_end_hung_job", lambda reporter: ended.set())
    monkeypatch.setattr(RunLock, "keep", lambda lock: False)
    monkeypatch.setattr(runs, "run_heartbeat", lambda run: True)
    with running(run.pk, "here") as reporter:
        reporter._reported -= reporter.patience + 1
        assert ended.wait(10)
        ended.clear()
        monkeypatch.setattr(reporting, "ASLEEP_SECONDS", 0.0)  # every beat comes late
        reporter.progress(0, 1)
        ended.clear()
        reporter._reported -= reporter.patience + 1
        assert not ended.wait(0.5)


def test_a_job_of_a_command_is_never_ended(run):
    with running(run.pk, reporting.COMMAND_LINE) as reporter:
        reporter._reported -= reporter.patience + 1
        assert not reporter.hangs()


def test_a_run_that_somebody_cancelled_is_cancelled(run):
    with running(run.pk, "here") as reporter:
        reporter._stop_requested.set()
        reporter.check()
    run.refresh_from_db()
    assert run.state == "cancelled"


@pytest.fixture
def lasting(transactional_db) -> None:
    """For tests that end their connection: nothing they wrote may be in its transaction."""


def read() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


@pytest.mark.parametrize("kind", [*Run.Kind.values, *job_kinds()])
def test_every_kind_of_job_has_its_task(kind):
    application.loader.import_default_modules()
    assert task_queue.task_name(kind) in application.tasks


@pytest.mark.parametrize("kind", [*Run.Kind.values, *job_kinds()])
def test_a_lost_connection_is_a_pause_in_every_kind_of_job(kind, lasting):
    run = runs.run_create(kind=kind, send=False)
    with running(run.pk, "here"):
        end_connection()
        read()
    run.refresh_from_db()
    assert (run.state, run.error, run.attempts, run.pauses, run.lease) == ("queued", "", 0, 1, None)
    assert "the job continues" in run.logs.get().text
    with running(run.pk, "here") as reporter:
        reporter.saved_work()
    run.refresh_from_db()
    assert (run.state, run.attempts, run.pauses) == ("succeeded", 1, 0)


def test_what_a_job_reports_survives_a_lost_connection(lasting):
    run = runs.run_create(kind="train", capability="encoder", send=False)
    with running(run.pk, "here") as reporter:
        end_connection()
        reporter.step(StepReport(3, 9, 0, 1.0, 5.0, {"loss": 1.5}))
        end_connection()
        reporter.log("Still here.")
        end_connection()
    run.refresh_from_db()
    assert (run.state, run.pauses, run.done) == ("succeeded", 0, 9)
    assert run.metrics.filter(name="loss").count() == 1
    assert run.logs.get().text == "Still here."


def test_a_training_that_gets_further_forgets_earlier_deaths(run):
    run.metrics.create(step=5, name="loss", value=1.0)
    Run.objects.filter(pk=run.pk).update(deaths=2)
    with running(run.pk, "here") as reporter:
        reporter.step(StepReport(5, 9, 0, 1.0, 5.0, {"loss": 1.5}))
        assert Run.objects.get(pk=run.pk).deaths == 2
        reporter.step(StepReport(6, 9, 0, 1.0, 5.0, {"loss": 1.5}))
        assert Run.objects.get(pk=run.pk).deaths == 0


def fill_disk() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_job_waits_while_the_disk_is_full_and_is_queued_again(run, monkeypatch):
    full = iter([False, False, True])
    asked = []
    monkeypatch.setattr(reporting, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(reporting, "has_space", lambda *args: asked.append(args) or next(full))
    with running(run.pk, "here"):
        fill_disk()
    run.refresh_from_db()
    assert len(asked) == 3
    assert (run.state, run.attempts, run.lease) == (Run.State.QUEUED, 0, None)
    assert "The disk was full" in run.logs.latest("pk").text


def test_a_disk_that_stays_full_ends_a_job_with_a_sentence(run, monkeypatch):
    monkeypatch.setattr(reporting, "DISK_SECONDS", 0)
    monkeypatch.setattr(reporting, "has_space", lambda *_args: False)
    with running(run.pk, "here"):
        fill_disk()
    run.refresh_from_db()
    assert run.error == (
        "The server’s disk is full. Tell an admin, who can free some space."
        " Then choose Start again: nothing has to be entered or uploaded anew."
    )


def test_a_job_without_memory_ends_with_a_sentence(run):
    with running(run.pk, "here"):
        raise MemoryError
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.FAILED, runs.NO_MEMORY)


def test_a_job_that_fills_the_disk_itself_ends(run):
    for _attempt in range(runs.MAX_FULL_DISKS + 1):
        with running(run.pk, "here"):
            fill_disk()
    run.refresh_from_db()
    assert (run.state, run.error) == (Run.State.FAILED, runs.DISK_FULL)
