"""A word problem solved on its page, its equation accepted, and the questions that are computed alike."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from questionbank.models import Question
from questionbank.selectors.similar import insight
from questionbank.services.questions import question_create
from tests.e2e.accessibility import faults
from tests.questionbank.scripted_solver import served

BOXES = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs has it left?"
ROWS = "There are 5 rows of 9 chairs, and 7 chairs are broken. How many chairs are whole?"


@pytest.fixture
def problems(bank, monkeypatch) -> list[Question]:
    solver = served({BOXES: [("6*4-3", 0.92), ("6+4", 0.03)], ROWS: [("5*9-7", 0.4)]})
    monkeypatch.setattr(insight, "served_solver", lambda _language: solver)
    return [
        question_create(
            user=None, text=text, language="en", kind="open", options=[], answer=answer, solution="", grade="",
            status="ready", concepts=[], equation=equation,
        )
        for text, answer, equation in ((BOXES, "21", ""), (ROWS, "38", "9*5-7"))
    ]  # fmt: skip


def test_a_problem_is_solved_its_equation_accepted_and_its_like_found(
    teacher_page: Page, problems: list[Question]
) -> None:
    page, (boxes, rows) = teacher_page, problems
    page.goto(f"/questions/{boxes.pk}/")
    solved = page.locator(".solved")
    expect(solved).to_contain_text("92% likely to be right")
    expect(solved.locator(".solved-steps li")).to_have_text(["6 × 4 = 24", "24 − 3 = 21"])
    expect(solved).to_contain_text("The published answer is the same: 21")
    solved.locator("svg a").first.click()  # a number of the tree leads to its place in the text
    expect(solved.locator("mark:has(:target)")).to_have_text("6")

    page.get_by_role("link", name="Correct the equation").click()
    page.get_by_label("Equation", exact=True).fill("6*4-")
    page.get_by_role("button", name="Save the equation").click()
    expect(page.locator(".errorlist, .field-problem").first).to_be_visible()
    page.get_by_label("Equation", exact=True).fill("6*4-3")
    page.get_by_role("button", name="Save the equation").click()
    expect(page.get_by_text("Equation saved.")).to_be_visible()
    expect(solved).to_contain_text("by an equation that a person entered")
    expect(page.get_by_role("button", name="Accept the equation")).to_have_count(0)

    page.get_by_role("link", name="Same computation").click()
    expect(page.get_by_role("heading", name="1 question with the same computation")).to_be_visible()
    page.get_by_role("link", name=ROWS).click()
    expect(page).to_have_url(f"{page.url.split('/questions')[0]}/questions/{rows.pk}/")
    expect(page.locator(".solved")).to_contain_text("by the equation from its source")
    expect(page.locator(".solved")).to_contain_text("The solver finds the same answer")


def test_the_pages_can_be_read_by_everybody(open_as, problems) -> None:
    page = open_as("teacher")
    for address in ("", "equation/", "same-computation/"):
        page.goto(f"/questions/{problems[0].pk}/{address}")
        assert not faults(page), address
