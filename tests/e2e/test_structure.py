"""A pasted word problem is compared by what it computes, and both graphs are looked at."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from questionbank.models import EmbeddingSet, Question
from questionbank.selectors.similar import insight
from tests.e2e.accessibility import faults
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import add_question, store_vectors

BOXES = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs has it left?"
ROWS = "There are 5 rows of 9 chairs, and 7 chairs are broken. How many chairs are whole?"
PASTED = "A bus has 9 rows of 4 seats, and 3 seats are broken. How many seats are whole?"


@pytest.fixture
def problems(bank, monkeypatch) -> list[Question]:
    """Two problems that are computed alike, in a bank with a retriever, and a solver that knows a third."""
    solver = served({PASTED: [("9*4-3", 0.93)]})
    monkeypatch.setattr(insight, "served_solver", lambda _language: solver)
    made = [add_question(BOXES, equation="6*4-3"), add_question(ROWS, equation="9*5-7")]
    structure = EmbeddingSet.objects.create(
        lens="structure", encoder_name="retriever", dimension=512, is_current=True, state="ready"
    )
    for row in EmbeddingSet.objects.exclude(pk=structure.pk):
        store_vectors(row, made)
    store_vectors(structure, made)
    return made


def test_a_pasted_problem_is_compared_by_what_it_computes(teacher_page: Page, problems) -> None:
    page = teacher_page
    page.goto("/paste/")
    page.get_by_label("Question", exact=True).fill(PASTED)
    structure = page.locator(".lens-structure")
    expect(structure.get_by_role("heading", name="Structure")).to_be_visible()
    first = structure.locator(".similar").first
    expect(first).to_contain_text("Both are computed as a × b − c")
    expect(first).to_contain_text("93% likely to be right")
    expect(first.locator(".expression-tree").first).not_to_be_visible()
    first.get_by_text("Both computations").click()
    expect(first.locator(".expression-tree").first).to_be_visible()
    expect(first.locator(".graph").first).to_contain_text("9*4-3")
    expect(first.locator(".expression-tree")).to_have_count(2)

    structure.get_by_role("link", name=BOXES).click()
    page.get_by_role("link", name="Same structure").click()
    expect(page.get_by_role("heading", name="Same structure", level=1)).to_be_visible()
    expect(page.locator(".similar").first).to_contain_text("There are 5 rows of 9 chairs")


def test_the_column_can_be_read_by_everybody(open_as, problems) -> None:
    page = open_as("teacher")
    for address in ("", "similar/structure/"):
        page.goto(f"/questions/{problems[0].pk}/{address}")
        assert not faults(page), address
