"""The life of a run."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from questionbank.core import task_queue
from questionbank.core.database import RunLock
from questionbank.core.errors import Busy, Conflict
from questionbank.jobs import run_services as runs
from questionbank.models import Run, RunLog
from tests.at_once import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch):
    """Ids of runs handed to the broker, instead of sending them."""
    ids: list[int] = []
    monkeypatch.setattr(task_queue, "_send", lambda run: ids.append(run.pk))
    return ids


def queued(**fields) -> Run:
    return runs.run_create(kind="embed", send=False, **fields)


def test_a_new_run_is_sent_once_and_only_on_commit(sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        run = runs.run_create(kind="embed", title="Vectors")
        assert sent == []
    assert sent == [run.pk]


def test_only_the_first_of_two_messages_starts_a_run():
    run = queued()
    assert runs.run_start(run_id=run.pk, worker="one") is not None
    assert runs.run_start(run_id=run.pk, worker="two") is None
    run.refresh_from_db()
    assert (run.state, run.worker, run.attempts) == ("running", "one", 1)


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_start_one_run_at_once_one_wins():
    run = queued()
    started = at_once(lambda number: runs.run_start(run_id=run.pk, worker=f"worker {number}"), range(6))
    assert started.count(None) == 5


def test_a_worker_that_lost_its_lease_writes_nothing_more():
    run = queued()
    lost = runs.run_start(run_id=run.pk, worker="slow")
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    assert runs.runs_reconcile()["requeued"] == 1
    again = runs.run_start(run_id=run.pk, worker="quick")
    assert not runs.run_heartbeat(run=lost)
    runs.run_progress(run=lost, done=7, total=9)
    assert not runs.run_succeed(run=lost)
    assert not runs.run_fail(run=lost, error="Too late.")
    assert not RunLog.objects.filter(text="Too late.").exists()
    run.refresh_from_db()
    assert (run.state, run.done, run.worker) == ("running", 0, "quick")
    assert runs.run_succeed(run=again, result={"stored": 3})


HOUR = timedelta(hours=1)


@pytest.fixture
def long_up(monkeypatch) -> None:
    """The database was started long before anything here happened."""
    monkeypatch.setattr(runs, "_database_started", lambda: timezone.now() - 24 * HOUR)


def die(run: Run, since: timedelta = timedelta(minutes=5)) -> None:
    assert runs.run_start(run_id=run.pk, worker="doomed")
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - since)


def test_a_run_whose_worker_dies_three_times_fails_with_a_sentence(long_up):
    run = queued()
    for _attempt in range(runs.MAX_DEATHS):
        die(run)
        runs.runs_reconcile(watching_since=timezone.now() - HOUR)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "died 3 times" in run.error


def test_saved_work_forgets_earlier_deaths(long_up):
    run = queued()
    for _attempt in range(2 * runs.MAX_DEATHS):
        held = runs.run_start(run_id=run.pk, worker="doomed")
        runs.run_saved_work(run=held)
        Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
        assert runs.runs_reconcile()["requeued"] == 1
    run.refresh_from_db()
    assert (run.state, run.deaths, run.attempts) == ("queued", 1, 6)


@pytest.mark.parametrize("cause", ["the database restarted", "nobody was watching"])
def test_deaths_from_outside_do_not_count(monkeypatch, cause):
    started = timezone.now() - (timedelta(minutes=1) if cause == "the database restarted" else 24 * HOUR)
    monkeypatch.setattr(runs, "_database_started", lambda: started)
    watching_since = timezone.now() - (HOUR if cause == "the database restarted" else timedelta(minutes=1))
    run = queued()
    for _attempt in range(2 * runs.MAX_DEATHS):
        die(run)
        assert runs.runs_reconcile(watching_since=watching_since)["requeued"] == 1
    run.refresh_from_db()
    assert (run.state, run.deaths) == ("queued", 0)
    assert run.logs.filter(text__contains="was restarted").exists()


def test_a_worker_that_keeps_its_lock_is_given_up_only_when_it_hangs(long_up):
    run = queued()
    die(run, timedelta(seconds=30))
    lock = RunLock(run)
    assert lock.keep()
    assert not lock.keep()
    assert runs.runs_reconcile()["requeued"] == 0
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - 2 * runs.STALLED_AFTER)
    assert runs.runs_reconcile(watching_since=timezone.now())["requeued"] == 0  # the machine slept, perhaps
    assert runs.runs_reconcile(watching_since=timezone.now() - HOUR)["requeued"] == 1
    lock.close()


def test_after_a_restart_of_the_database_workers_have_time_to_come_back(monkeypatch):
    monkeypatch.setattr(runs, "_database_started", lambda: timezone.now() - timedelta(seconds=2))
    run = queued()
    die(run)
    assert runs.runs_reconcile()["requeued"] == 0


def test_a_run_that_ends_the_server_again_and_again_fails(sent):
    run = queued()
    for _pause in range(runs.MAX_PAUSES + 1):
        assert runs.run_pause(run=runs.run_start(run_id=run.pk, worker="one"))
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "The database went away 21 times while this job ran.")


def test_cancelling_a_waiting_run_ends_it_and_its_message_starts_nothing():
    run = queued()
    runs.run_cancel(run_id=run.pk)
    assert runs.run_start(run_id=run.pk, worker="late") is None
    run.refresh_from_db()
    assert run.state == "cancelled"


def test_a_cancelled_run_whose_worker_is_still_busy_is_not_taken_for_dead(long_up):
    run = runs.run_start(run_id=queued().pk, worker="one")
    assert runs.run_heartbeat(run=run)
    runs.run_cancel(run_id=run.pk)
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    assert not runs.run_heartbeat(run=run)  # told to stop, and alive until it has
    runs.runs_reconcile(watching_since=timezone.now() - HOUR)
    run.refresh_from_db()
    assert (run.state, run.logs.count()) == ("running", 0)
    assert runs.run_finish_cancelled(run=run)
    run.refresh_from_db()
    assert run.state == "cancelled"


def test_a_finished_run_can_neither_be_cancelled_nor_retried():
    run = runs.run_start(run_id=queued().pk, worker="one")
    runs.run_succeed(run=run)
    with pytest.raises(Conflict, match="finished already"):
        runs.run_cancel(run_id=run.pk)
    with pytest.raises(Conflict, match="failed or cancelled"):
        runs.run_retry(run_id=run.pk)


@pytest.mark.parametrize(
    ("kind", "capability", "parameters", "others"),
    [
        ("train", "encoder", {"set": {"epochs": "2"}}, {"set": {}}),
        ("train", "probes", {"hierarchy": "School"}, None),
        ("evaluate", "encoder", {"candidate": 1, "champion": 2}, None),
        ("promote", "paraphrase", {"model": 1, "scope": ""}, {"model": 2, "scope": ""}),
    ],
)
def test_a_run_is_not_retried_while_another_does_the_same(sent, kind, capability, parameters, others):
    first = runs.run_create(kind=kind, capability=capability, parameters=parameters, send=False)
    runs.run_cancel(run_id=first.pk)
    rival = runs.run_create(kind=kind, capability=capability, parameters=others or parameters, send=False)
    with pytest.raises(Conflict, match="does the same already"):
        runs.run_retry(run_id=first.pk)
    runs.run_cancel(run_id=rival.pk)
    assert runs.run_retry(run_id=first.pk).state == "queued"


def test_runs_of_different_work_do_not_keep_one_another_from_being_retried(sent):
    first = runs.run_create(kind="train", capability="probes", parameters={"hierarchy": "A"}, send=False)
    runs.run_create(kind="train", capability="probes", parameters={"hierarchy": "B"}, send=False)
    runs.run_create(kind="train", capability="encoder", send=False)
    runs.run_cancel(run_id=first.pk)
    assert runs.run_retry(run_id=first.pk).state == "queued"


def test_a_failed_run_is_queued_again_by_retry(sent, django_capture_on_commit_callbacks):
    run = runs.run_start(run_id=queued().pk, worker="one")
    runs.run_fail(run=run, error="The disk is full.")
    assert not RunLog.objects.exists()  # the run says it already
    with django_capture_on_commit_callbacks(execute=True):
        again = runs.run_retry(run_id=run.pk)
    assert (again.state, again.error, sent) == ("queued", "", [run.pk])
    assert RunLog.objects.values_list("level", "text").get() == ("error", "The disk is full.")


def test_a_waiting_run_without_a_message_is_sent_again(sent, monkeypatch, django_capture_on_commit_callbacks):
    lost, kept = queued(), queued()
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    monkeypatch.setattr(task_queue, "pending_message_ids", lambda: {str(kept.message_id)})
    with django_capture_on_commit_callbacks(execute=True):
        counts = runs.runs_reconcile()
    assert counts["resent"] == 1
    assert sent == [lost.pk]


def test_a_queue_that_is_full_takes_no_more_jobs_of_people(teacher, settings):
    settings.QUEUE_LIMIT = 2
    ask = partial(runs.run_create, send=False, requested_by=teacher)
    ask(kind="undo")
    ask(kind="change")
    with pytest.raises(Busy, match="2 jobs are waiting"):
        ask(kind="undo")
    ask(kind="undo", queue="light")  # another queue
    ask(kind="solve")  # what follows on a promotion
    runs.run_create(kind="embed", send=False)
    assert Run.objects.count() == 5
