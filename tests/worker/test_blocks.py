"""Doing blocks with the workers that are idle, and giving way to jobs that people wait for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from analytics.errors import Cancelled
from questionbank import dispatch
from questionbank.models import Run, WorkBlock
from questionbank.selectors.registry.runs import vectors_awaited
from questionbank.services import runs
from questionbank.services.blocks import BlockRange, block_claim, blocks_plan
from questionbank.services.embeddings import embedding_request
from worker import blocks, reporting
from worker.reporting import running

pytestmark = pytest.mark.django_db(transaction=True)


class Squares:
    """Stores nothing; says which blocks it was given."""

    name = "squares"

    def __init__(self, then=lambda: None) -> None:
        self.given: list[int] = []
        self.then = then

    def compute(self, block, cancel):
        self.given.append(block.first)
        self.then()
        return lambda: block.size


@pytest.fixture(autouse=True)
def calls(monkeypatch) -> list[str]:
    """Calls for help, which no worker of these tests hears."""
    heard: list[str] = []
    monkeypatch.setattr(dispatch, "ask_for_help", lambda run, job: heard.append(job))
    monkeypatch.setattr(dispatch, "_send", lambda run: None)
    monkeypatch.setattr(reporting, "LOOK_SECONDS", -1)
    blocks_plan(job="squares", ranges=[BlockRange(n, n + 9, 10) for n in (1, 11, 21)])
    return heard


def waits_since(run: Run, seconds: float) -> None:
    """Let a run have been sent some seconds ago."""
    Run.objects.filter(pk=run.pk).update(sent_at=Now() - timedelta(seconds=seconds))


def create(kind: str = "embed", **fields) -> Run:
    return runs.run_create(kind=kind, capability="encoder", send=False, **fields)


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
def test_a_helper_stops_when_it_is_not_needed(end):
    run = create()
    held = runs.run_start(run_id=run.pk, worker="one")

    def then() -> None:
        if end == "cancelled":
            runs.run_cancel(run_id=run.pk)
        elif end == "finished":
            runs.run_succeed(run=held)
        elif end == "somebody waits":
            create("undo")
            Run.objects.filter(kind="undo").update(sent_at=Now() - timedelta(seconds=5))

    helper = Squares(then=then)
    blocks.help_with_blocks(run.pk, helper)
    assert len(helper.given) == (3 if end == "nothing is left" else 1)


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

    monkeypatch.setattr("questionbank.services.blocks.RENEW_SECONDS", 0.02)
    assert blocks.do_block(Stopping())
    assert WorkBlock.objects.filter(job="squares", done=None).count() == 3


@pytest.mark.parametrize(
    ("kind", "waiting", "seconds", "gives_way"),
    [
        ("embed", "undo", 5, True),
        ("solve", "change", 5, True),
        ("solve", "undo", 5, True),
        ("solve", "embed", 5, True),  # an import waits for its vectors, and nobody for the solutions
        ("solve", "promote", 5, True),
        ("solve", "score", 5, True),
        ("promote", "embed", 5, True),
        ("embed", "solve", 5, False),  # or they would take turns without end
        ("embed", "promote", 5, False),
        ("promote", "evaluate", 5, False),
        ("solve", "prepare", 5, False),
        ("embed", "undo", 0, False),  # an idle worker may be about to take it
        ("undo", "change", 5, False),  # what people wait for goes on
    ],
)
def test_a_bulk_job_goes_behind_a_job_that_a_person_waits_for(kind, waiting, seconds, gives_way):
    run = create(kind)

    def then() -> None:
        waits_since(create(waiting), seconds)

    job = Squares(then=then)
    work(run, job)
    if gives_way:
        assert (run.state, run.attempts, job.given) == ("queued", 0, [1])
        Run.objects.exclude(pk=run.pk).delete()
        work(run, Squares())
    assert (run.state, run.result) == ("succeeded", {"stored": 30})


def test_vectors_of_an_import_come_before_the_rest_of_a_long_solving(monkeypatch, admin_person):
    sent: list[str] = []
    monkeypatch.setattr(dispatch, "_send", lambda run: sent.append(run.kind))
    blocks_plan(job="squares", ranges=[BlockRange(n, n + 3, 4) for n in range(1, 2400, 4)])
    solving = create("solve")
    job = Squares(then=lambda: waits_since(embedding_request(), 5))
    work(solving, job)
    assert job.given == [1]  # of 600 blocks
    assert sent == ["embed", "solve"]  # in this order a worker of the queue takes them
    vectors = Run.objects.get(kind="embed")
    runs.worker_seen(name="one", queues="default")
    assert vectors_awaited(user=admin_person) == "Vectors of new questions are computed next."
    with running(vectors.pk, "one") as reporter:
        reporter.result = {}
    assert vectors_awaited(user=admin_person) == ""
    work(solving, Squares())
    assert solving.result == {"stored": 2400}
