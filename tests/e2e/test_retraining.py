"""The story of a retraining in a browser, from the button to the roll back: a tiny encoder.

No worker runs here: the test calls the task of a waiting job in a thread, as a worker would.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connections
from playwright.sync_api import Page, expect

from analytics.training.context import wait_passively
from questionbank.bank.vector_services import embedding_set_ensure
from questionbank.jobs.run_services import run_create
from questionbank.models import ModelArtifact, ModelEvent, Run
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from tests.questionbank.small_bank import add_set, store_vectors
from worker import reporting
from worker.tasks import compare_models, embed_questions, promote_model, train_model

wait_passively()  # before anything imports torch

STOPPED_AT = 20  # the training waits there until it is cancelled
STEPS = 50
PATIENCE_SECONDS = 60


@pytest.fixture
def questions(transactional_db, own_files, tmp_path):
    """Ninety questions, too few for probes, with vectors of a tiny champion."""
    from tests.worker.encoder_bank import add_encoder_bank, tiny_encoder

    bank = add_encoder_bank(90)
    store_vectors(add_set("wording"), bank)
    let_serve(tiny_encoder(tmp_path / "first", seed=1, name="the-first-encoder"))
    return bank


def let_serve(folder: Path) -> None:
    """Make a model the champion of its lens, with vectors of all questions."""
    champion = artifact_promote(artifact=artifact_register(folder=folder), reason="The first one.")
    embedding_set = embedding_set_ensure(artifact=champion)
    embedding_set.is_current = True
    embedding_set.save()
    embed_questions(run_create(kind=Run.Kind.EMBED, capability=champion.capability, send=False).pk)


@pytest.fixture
def waits_to_be_cancelled(monkeypatch) -> None:
    """The training stops at a step until somebody cancels it, so that there is something to watch."""
    report_step = reporting.RunReporter.step

    def report_and_wait(reporter, report) -> None:
        report_step(reporter, report)
        give_up = time.monotonic() + PATIENCE_SECONDS
        while report.step == STOPPED_AT and not reporter.should_stop() and time.monotonic() < give_up:
            time.sleep(0.05)

    monkeypatch.setattr(reporting.RunReporter, "step", report_and_wait)
    monkeypatch.setattr(reporting, "HEARTBEAT_SECONDS", 0.2)


@contextmanager
def at_work(task: Callable[[int], None], run: Run) -> Iterator[None]:
    """A worker that does the job while the block looks at it, and has ended when the block has."""

    def work() -> None:
        try:
            task(run.pk)
        finally:
            connections.close_all()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:  # also after a failure: the tables are emptied next
        thread.join(timeout=PATIENCE_SECONDS)
    assert not thread.is_alive()


def the_run(kind: str) -> Run:
    return Run.objects.filter(kind=kind).latest("pk")


def open_models(page: Page) -> None:
    page.locator("summary").filter(has_text=re.compile(r"^\s*Admin\s*$")).click()
    page.get_by_role("link", name="Models", exact=True).click()


def fill_in(page: Page, groups: tuple[str, ...], values: dict[str, str]) -> None:
    """The form of a training, whose groups are folded away; one in full precision."""
    for group in groups:
        page.locator("summary", has_text=group).click()
    for label, value in values.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_label("Mixed precision").uncheck()
    page.get_by_role("button", name="Start the training").last.click()


def compare(page: Page) -> None:
    """From the page of a candidate to its comparison."""
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_text("Not compared yet")).to_be_visible()
    page.get_by_role("button", name="Compare with the model in use").click()
    with at_work(compare_models, the_run("evaluate")):
        page.get_by_role("link", name="View the comparison").click(timeout=1000 * PATIENCE_SECONDS)


def roll_back(page: Page, former: str) -> None:
    """From anywhere to the models, with the former one in use."""
    open_models(page)
    page.get_by_role("link", name="Roll back").click()
    page.get_by_label("Reason").fill("It was only a trial.")
    page.get_by_role("button", name="Roll back").click()
    expect(page.get_by_text(f"“{former}” is in use again.")).to_be_visible()


def purpose_neighbours(page: Page, address: str) -> list[str]:
    page.goto(address)  # where both lenses agree there is one list
    links = page.get_by_role("region", name=re.compile("Purpose|Most similar")).locator(".question-link")
    expect(links).not_to_have_count(0)
    return links.all_inner_texts()


def test_retrain_compare_promote_and_roll_back(
    open_as, admin_person, questions, waits_to_be_cancelled, tmp_path
) -> None:
    from tests.worker.encoder_bank import tiny_folder

    page = open_as("admin")
    question = f"/questions/{questions[0].pk}/"
    at_first = purpose_neighbours(page, question)

    # start from the form
    open_models(page)
    page.get_by_role("link", name="Retrain question encoder").click()
    expect(page.get_by_role("region", name="What it learns from")).to_contain_text("90")
    fill_in(page, ("Optimiser", "Hardware and reproducibility"), {
        "Backbone": str(tiny_folder(tmp_path / "tiny", seed=2)), "Hierarchy levels": "2", "Batch size": "8",
        "Epochs": "1000", "Maximum steps": str(STEPS), "Maximum tokens": "64", "Evaluation interval": "10",
        "Learning rate": "0.002",
    })  # fmt: skip
    expect(page.get_by_text("No worker is running for this kind of job.")).to_be_visible()

    # watch, and cancel
    with at_work(train_model, the_run("train")):
        expect(page.get_by_text(f"Step {STOPPED_AT} of {STEPS}")).to_be_visible(timeout=1000 * PATIENCE_SECONDS)
        expect(page.get_by_role("img", name="Loss", exact=True)).to_be_visible()
        expect(page.get_by_role("figure", name="Loss by rank")).to_contain_text("Rank 1, the same concept")
        tops = [card.bounding_box()["y"] for card in page.locator(".columns-charts > .card").all()]
        assert tops[0] == tops[1]  # they stand in one row
        held_out = page.get_by_role("figure", name="Questions held out of its training")
        held_out.get_by_text("The same as a table").click()
        expect(held_out.get_by_role("rowheader")).to_have_text(["10", str(STOPPED_AT)])
        page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#run-progress").get_by_text("Cancelled")).to_be_visible()

    # go on
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    with at_work(train_model, the_run("train")):
        held_out = page.get_by_role("figure", name="Questions held out of its training")
        held_out.get_by_text("The same as a table").click()
        expect(page.get_by_role("link", name="View the model")).to_be_visible(timeout=1000 * PATIENCE_SECONDS)
    expect(held_out.get_by_role("rowheader")).to_have_text(["10", "20", "30", "40", "50"])  # still unfolded
    expect(page.get_by_text("Going on from the checkpoint.")).to_be_visible()

    # compare
    page.get_by_role("link", name="View the model").click()
    candidate = ModelArtifact.objects.get(state="candidate")
    expect(page.get_by_role("heading", level=1)).to_have_text(candidate.name)
    compare(page)
    expect(page.get_by_role("region", name="Figures of both models")).to_contain_text(
        "Precision at 10, level 2 on the bank’s held-out questions"
    )
    changed = page.get_by_role("region", name="Questions whose neighbours change most").get_by_role("listitem").first
    changed.locator("summary").click()
    expect(changed.get_by_role("heading", name="the-first-encoder")).to_be_visible()

    # promote: so small a bank does not pass the gate, which an admin may override
    page.get_by_role("link", name="Promote", exact=True).click()
    page.get_by_label("Reason").fill("To see the whole story.")
    page.get_by_role("button", name="Promote").click()
    expect(page.get_by_role("alert")).to_contain_text("The held-out questions are too few")
    page.get_by_label("Promote it even if it does not pass the gate").check()
    page.get_by_role("button", name="Promote").click()
    with at_work(promote_model, the_run("promote")):
        expect(page.get_by_role("link", name="View the model")).to_be_visible(timeout=1000 * PATIENCE_SECONDS)

    # other neighbours
    afterwards = purpose_neighbours(page, question)
    assert afterwards != at_first

    # roll back
    open_models(page)
    expect(page.get_by_role("region", name="Question encoder")).to_contain_text("gate overridden")
    roll_back(page, "the-first-encoder")
    assert purpose_neighbours(page, question) == at_first
    assert list(ModelEvent.objects.values_list("kind", flat=True)[:2]) == ["rolled_back", "promoted"]
