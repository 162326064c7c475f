"""What a browser does on the pages of word problems: marks, folded graphs, a copied prompt; and all of them by axe.

What the pages say is tested without a browser: tests/questionbank/questions/test_solving_views.py, test_structure.py
and test_exemplars.py.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from questionbank.models import EmbeddingSet, Question
from questionbank.solving import solutions
from tests.e2e.accessibility import faults
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import add_question, store_vectors

BOXES = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs has it left?"
ROWS = "There are 5 rows of 9 chairs, and 7 chairs are broken. How many chairs are whole?"
PASTED = "A bus has 9 rows of 4 seats, and 3 seats are broken. How many seats are whole?"


@pytest.fixture
def problems(bank, monkeypatch) -> list[Question]:
    """Two problems that are computed alike, one without an equation of its own, in a bank with a retriever."""
    solver = served({BOXES: [("6*4-3", 0.92)], PASTED: [("9*4-3", 0.93)]})
    monkeypatch.setattr(solutions, "served_solver", lambda _language: solver)
    made = [add_question(BOXES, answer="21"), add_question(ROWS, answer="38", equation="9*5-7")]
    structure = EmbeddingSet.objects.create(
        lens="structure", encoder_name="retriever", dimension=512, is_current=True, state="ready"
    )
    for row in EmbeddingSet.objects.exclude(pk=structure.pk):
        store_vectors(row, made)
    store_vectors(structure, made)
    return made


def test_a_number_of_the_computation_leads_to_its_place_in_the_text(teacher_page: Page, problems) -> None:
    page = teacher_page
    page.goto(f"/questions/{problems[0].pk}/")
    solved = page.locator(".solved")
    expect(solved.locator(".solved-steps li")).to_have_text(["6 × 4 = 24", "24 − 3 = 21"])
    solved.locator("svg a").first.click()
    expect(solved.locator("mark:has(:target)")).to_have_text("6")


def test_a_pasted_problem_unfolds_both_graphs_and_its_prompt_is_copied(open_as, problems) -> None:
    page: Page = open_as("teacher", permissions=["clipboard-read", "clipboard-write"])
    page.goto("/paste/")
    page.get_by_label("Question", exact=True).fill(PASTED)
    first = page.locator(".lens-structure .similar").first
    expect(first).to_contain_text("Both are computed as a × b − c")
    expect(first.locator(".expression-tree").first).not_to_be_visible()
    first.get_by_text("Both computations").click()
    expect(first.locator(".expression-tree").first).to_be_visible()
    expect(first.locator(".expression-tree")).to_have_count(2)

    page.get_by_role("button", name="Worked exemplars").click()
    expect(page.locator("#exemplars > li").first.locator("svg.expression-tree")).to_have_count(2)
    page.get_by_role("button", name="Copy the prompt").click()
    expect(page.locator("[data-copy=prompt]")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(f"Question: {ROWS}\nAnswer: 38\n\nQuestion: {PASTED}\nAnswer:")


def test_the_pages_can_be_read_by_everybody(open_as, problems) -> None:
    page = open_as("teacher")
    boxes, rows = (f"/questions/{problem.pk}/" for problem in problems)
    parts = ("", "equation/", "same-computation/", "similar/structure/", "exemplars/")
    for address in (*(f"{boxes}{part}" for part in parts), rows, f"{rows}variants/"):
        page.goto(address)
        assert not faults(page), address
