"""The story of a capability that is three lines and a package, from its training to its roll back in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from questionbank.models import EmbeddingSet, ModelArtifact
from tests.e2e.test_retraining import at_work, open_models, the_run
from tests.fake_capability import install
from tests.questionbank.small_bank import add_question, add_set, store_vectors
from worker.tasks import compare_models, promote_model, train_model

PATIENCE = 60_000


@pytest.fixture
def installed(monkeypatch, settings) -> None:
    install(monkeypatch, settings)


@pytest.fixture
def questions(transactional_db, own_files) -> None:
    words = "find the sum of seven and three more than a half".split()
    made = [add_question(" ".join(words[: 2 + n % 9]) + f" in {n} steps?") for n in range(40)]
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens), made)


def train(page, steps: int) -> None:
    open_models(page)
    page.get_by_role("link", name="Retrain length gauge").click()
    expect(page.get_by_role("region", name="What it learns from")).to_contain_text("40 questions to gauge")
    page.get_by_label("Steps", exact=True).fill(str(steps))
    page.get_by_role("button", name="Start the training").last.click()
    with at_work(train_model, the_run("train")):
        page.get_by_role("link", name="View the model").click(timeout=PATIENCE)


def promote(page) -> None:
    page.get_by_role("link", name="Promote", exact=True).click()
    expect(page.get_by_text("Every length is estimated anew.")).to_be_visible()
    page.get_by_label("Reason").fill("To see the whole story.")
    page.get_by_role("button", name="Promote").click()
    with at_work(promote_model, the_run("promote")):
        expect(page.get_by_role("link", name="View the model")).to_be_visible(timeout=PATIENCE)


def test_a_new_capability_lives_by_its_rows(open_as, admin_person, installed, questions) -> None:
    page = open_as("admin")
    train(page, steps=1)
    promote(page)
    expect(page.get_by_text("Lengths are measured anew.")).to_be_visible()

    train(page, steps=300)
    page.get_by_role("link", name="Compare", exact=True).click()
    page.get_by_role("button", name="Compare with the champion").click()
    with at_work(compare_models, the_run("evaluate")):
        page.get_by_role("link", name="View the comparison").click(timeout=PATIENCE)
    expect(page.get_by_text("The lengths of 40 questions.")).to_be_visible()
    expect(page.get_by_role("region", name="The longest question")).to_contain_text("steps?")
    expect(page.get_by_text("It passes the gate.")).to_be_visible()
    promote(page)
    second = ModelArtifact.objects.get(state="champion", capability="gauge")
    assert EmbeddingSet.objects.get(lens="length", is_current=True).artifact == second

    open_models(page)
    gauges = page.get_by_role("region", name="Length gauge")
    expect(gauges).to_contain_text("letters wrong on average")
    gauges.get_by_role("link", name="Roll back").click()
    expect(page.get_by_text("Lengths are estimated as before.")).to_be_visible()
    page.get_by_label("Reason").fill("It was only a trial.")
    page.get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("is in use again.")).to_be_visible()
    assert EmbeddingSet.objects.get(lens="length", is_current=True).artifact != second
