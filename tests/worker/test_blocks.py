"""Doing blocks with the workers that are idle, and giving way to jobs that people wait for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from analytics.errors import Cancelled
from questionbank.bank.vector_services import embedding_request
from questionbank.core import task_queue
from questionbank.jobs import run_services as runs
from questionbank.jobs.resume_services import BlockRange, block_claim, blocks_plan
from questionbank.jobs.run_selectors import vectors_awaited
from questionbank.models import Run, WorkBlock
from worker import blocks, reporting
from worker.reporting import running
from worker.tasks import help_with_job

pytestmark = pytest.mark.django_db(transaction=True)
SEND = task_queue._send


class Squares:
    """Stores nothing; says which blocks it was given."""

    name = "squares"

    def __init__(self, then=lambda: None) -> None:
        self.given: list[int] = []
        self.then = then

    def ranges_above(self, last):
        return ()

    def compute(self, block, cancel):
        self.given.append(block.first)
        self.then()
        return lambda: block.size


@pytest.fixture(autouse=True)
def calls(monkeypatch) -> list[str]:
    """Calls for help, which no worker of these tests hears."""
    heard: list[str] = []
    monkeypatch.setattr(task_queue, "ask_for_help", lambda run, job: heard.append(job))
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    monkeypatch.setattr(reporting, "LOOK_SECONDS", -1)
    blocks_plan(job="squares", ranges=[BlockRange(n, n + 9, 10) for n in (1, 11, 21)])
    return heard


@pytest.fixture
def queue(broker, monkeypatch) -> Callable[[], list[str]]:
    """Really send runs; return a function that takes all messages, in the order in which a worker takes them."""
    monkeypatch.setattr(task_queue, "_send", SEND)
    monkeypatch.setattr(reporting, "IDLE_WORKER_SECONDS", 0)

    def taken() -> list[str]:
        with task_queue._application().connection_for_read() as connection, connection.channel() as channel:
            messages = iter(lambda: channel.basic_get("default", no_ack=True), None)
            return [message.headers["task"].removeprefix("bank.") for message in messages]

    return taken


def create(kind: str = "embed", *, send: bool = False, **fields) -> Run:
    return runs.run_create(kind=kind, capability="encoder", send=send, **fields)


def work(run: Run, job: Squares) -> None:
    with running(run.pk, "one") as reporter:
        reporter.result = {"stored": blocks.work_in_blocks(reporter, job, label="Squares").stored}
    run.refresh_from_db()


def test_the_run_does_what_its_helpers_leave_and_counts_what_they_did(calls):
    run, helper = create(), Squares()

    def help_once() -> None:
        if not helper.given:
            blocks.do_block(helper)

    job = Squares(then=help_once)
    work(run, job)
    assert (job.given, helper.given, calls) == ([1, 21], [11], ["squares"])
    assert (run.state, run.result, run.done, run.total) == ("succeeded", {"stored": 30}, 30, 30)


@pytest.mark.parametrize("end", ["cancelled", "finished", "somebody waits", "nothing is left"])
def test_a_helper_stops_when_it_is_not_needed(end, queue):
    run = create()
    held = runs.run_start(run_id=run.pk, worker="one")

    def then() -> None:
        if end == "cancelled":
            runs.run_cancel(run_id=run.pk)
        elif end == "finished":
            runs.run_succeed(run=held)
        elif end == "somebody waits":
            create("undo", send=True)

    helper = Squares(then=then)
    blocks.help_with_blocks(run.pk, helper, worker="two")
    assert len(helper.given) == (3 if end == "nothing is left" else 1)


def test_a_call_for_help_that_an_earlier_version_sent_does_nothing():
    assert help_with_job(create("train").pk, "machine/7/10.0.0.1:5000/2") == 0


def test_cancelling_stops_the_run_and_what_is_stored_stays():
    run = create()
    job = Squares(then=lambda: runs.run_cancel(run_id=run.pk))

    def stopping(self):
        return Run.objects.get(pk=run.pk).cancel_requested

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reporting.RunReporter, "should_stop", stopping)
        work(run, job)
    assert (run.state, job.given) == ("cancelled", [1])
    assert WorkBlock.objects.filter(job="squares", done=10).count() == 1


def test_a_computation_that_stops_because_its_lease_was_lost_ends_the_block_alone(monkeypatch):
    def take_over() -> None:
        WorkBlock.objects.filter(until__isnull=False).update(until=Now() - timedelta(seconds=1))
        block_claim(job="squares")

    class Stopping(Squares):
        def compute(self, block, cancel):
            take_over()
            while not cancel():
                pass
            raise Cancelled

    monkeypatch.setattr("questionbank.jobs.resume_services.RENEW_SECONDS", 0.02)
    assert blocks.do_block(Stopping())
    assert WorkBlock.objects.filter(job="squares", done=None).count() == 3


@pytest.mark.parametrize(
    ("kind", "waiting", "gives_way"),
    [
        ("embed", "undo", True),
        ("solve", "change", True),
        ("solve", "embed", True),  # an import waits for its vectors, and nobody for the solutions
        ("solve", "promote", True),
        ("solve", "score", True),
        ("promote", "embed", True),
        ("project", "evaluate", True),
        ("embed", "solve", False),  # or they would take turns without end
        ("embed", "promote", False),
        ("promote", "evaluate", False),
        ("solve", "prepare", False),
        ("solve", "project", False),
        ("undo", "change", False),  # what people wait for goes on
    ],
)
def test_a_bulk_job_goes_behind_a_job_that_a_person_waits_for(kind, waiting, gives_way, queue):
    run = create(kind)
    job = Squares(then=lambda: create(waiting, send=True))
    work(run, job)
    if gives_way:
        assert (run.state, run.attempts, job.given) == ("queued", 0, [1])
        assert queue() == [waiting, kind]
        work(run, Squares())
    assert (run.state, run.result) == ("succeeded", {"stored": 30})


def test_a_job_that_an_idle_worker_takes_at_once_keeps_nobody_from_working(queue, monkeypatch):
    monkeypatch.setattr(reporting.time, "sleep", lambda seconds: queue())
    run = create("solve")
    work(run, Squares(then=lambda: create("promote", send=True)))
    assert run.state == "succeeded"


def test_a_worker_of_two_queues_gives_way_to_both_and_in_time_to_the_clock(queue, broker, monkeypatch):
    runs.worker_seen(name="one", queues="default,light")
    runs.worker_seen(name="another", queues="train")
    for then, seconds, gives_way in [
        (lambda: create("read", queue="light", send=True), 60, True),
        (lambda: task_queue.send_once("bank.send_mail", queue="light"), 60, False),  # or models load each minute
        (lambda: task_queue.send_once("bank.send_mail", queue="light"), -1, True),
        (lambda: create("train", queue="train", send=True), -1, False),  # no job of this worker
    ]:
        monkeypatch.setattr(reporting, "CLOCK_SECONDS", seconds)
        run = create("solve")
        blocks_plan(job="squares", ranges=[BlockRange(n, n, 1) for n in range(3)])
        work(run, Squares(then=then))
        assert (run.state == "queued") is gives_way
        broker.flushall()
        Run.objects.all().delete()


def test_rows_that_come_while_the_blocks_are_done_are_counted_and_done(monkeypatch):
    class Growing(Squares):
        def ranges_above(self, last):
            return [BlockRange(31, 130, 100)] if last == 30 else []

    monkeypatch.setattr(blocks, "GROW_SECONDS", -1)
    run, job = create(), Growing()
    work(run, job)
    assert job.given == [1, 11, 21, 31]
    assert (run.done, run.total, run.result) == (130, 130, {"stored": 130})


def test_what_somebody_waits_for_overtakes_background_work_that_came_first(queue, admin_person):
    blocks_plan(job="squares", ranges=[BlockRange(n, n + 3, 4) for n in range(1, 2400, 4)])
    solving = create("solve")
    for kind in ("prepare", "project"):
        create(kind, send=True)

    def somebody_asks() -> None:
        create("promote", send=True)
        embedding_request()

    job = Squares(then=somebody_asks)
    work(solving, job)
    assert job.given == [1]  # of 600 blocks
    assert queue() == ["embed", "promote", "prepare", "project", "solve"]
    vectors = Run.objects.get(kind="embed")
    runs.worker_seen(name="one", queues="default")
    assert vectors_awaited(user=admin_person) == "Vectors of new questions are computed next."
    with running(vectors.pk, "one") as reporter:
        reporter.result = {}
    assert vectors_awaited(user=admin_person) == ""
