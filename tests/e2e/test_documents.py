"""A test paper reviewed by keyboard alone, and without JavaScript."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from questionbank.models import DocumentDraft, Question
from questionbank.papers.pandoc import pandoc_path
from tests.e2e.accessibility import faults
from tests.questionbank.papers.test_views import import_by_a_worker, read_by_a_worker

PAPERS = Path(__file__).parents[1] / "bench" / "outside" / "sixth" / "papers"
PAPER = r"""1. Which number is $2 + 3$?
A. 4
B. 5
Answer: B
Think first.
2. Find all factors of $x^2 - 1$.
3. How many sides does a hexagon have?
A. 6
B. 8
"""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def chosen(page: Page, text: str) -> None:
    expect(page.locator(".paper-line:has(input:checked)")).to_contain_text(text)


def put_in(page: Page) -> DocumentDraft:
    page.goto("/import/paper/")
    page.get_by_label("Or paste its text").fill(PAPER)
    page.get_by_role("button", name="Find the questions").click()
    expect(page.get_by_text("3 questions found")).to_be_visible()
    page.wait_for_load_state()  # keys are read from then on
    return DocumentDraft.objects.latest("pk")


@pytest.mark.skipif(not pandoc_path(), reason="needs the extra 'documents'")
def test_a_correction_leaves_the_line_where_it_is(teacher_page: Page) -> None:
    page = teacher_page
    page.goto("/import/paper/")
    page.locator("input[type=file]").set_input_files(PAPERS / "MCR3U Unit 3 Test Quadratics - TEACHER COPY.docx")
    page.get_by_role("button", name="Find the questions").click()
    read_by_a_worker(DocumentDraft.objects.latest("pk"))
    page.reload()
    page.wait_for_load_state("networkidle")  # what the bank knows of each question has come
    picks = page.locator(".paper-line input")
    picks.nth(picks.count() // 2).check()
    line = page.locator(".paper-line:has(input:checked)")
    before = line.bounding_box()
    press(page, "x")
    expect(line.locator(".paper-role")).to_contain_text("not a question")
    page.wait_for_load_state("networkidle")
    after = line.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 200


def test_a_review_by_keyboard_alone(teacher_page: Page) -> None:
    page = teacher_page
    draft = put_in(page)
    summary = page.locator(".paper-summary [role=status]")
    press(page, "j", "j", "j", "j")
    chosen(page, "Think first.")
    press(page, "x")  # not a question
    expect(page.locator(".paper-line:has(input:checked) .paper-role")).to_contain_text("not a question")
    press(page, "j", "j", "m")  # the third question goes on with the second
    expect(summary).to_contain_text("2 questions found")
    press(page, "u")
    expect(summary).to_contain_text("3 questions found")
    chosen(page, "How many sides")  # where the review goes on
    press(page, "j", "c")
    expect(page.locator("#question-3")).to_contain_text("Answer: A")
    press(page, "k", "k", "e")
    expect(page.get_by_label("Text of the line")).to_be_focused()
    press(page, "Control+End")
    page.keyboard.type("\nAnswer: x and u, j or k are letters here")
    press(page, "Control+Enter")
    expect(page.locator("#question-2")).to_contain_text("Answer: x and u")
    press(page, "k", "d")  # the line above is no question's
    press(page, "j", "d")
    expect(summary).to_contain_text("1 left out")
    press(page, "u", "r", "u")
    expect(summary).not_to_contain_text("left out")
    assert not faults(page)
    page.get_by_role("button", name="Import 3 questions").focus()
    press(page, "Enter")
    expect(page.get_by_text("Importing the questions.")).to_be_visible()
    import_by_a_worker(draft)
    expect(page.get_by_role("heading", name="What was imported")).to_be_visible()
    assert list(Question.objects.filter(import_run__isnull=False).values_list("answer", flat=True)) == [
        "B",
        "x and u, j or k are letters here",
        "A",
    ]


def test_a_review_without_javascript(plain_page: Page, bank) -> None:
    page = plain_page
    draft = put_in(page)
    page.get_by_label("Think first.").check()
    page.get_by_role("button", name="Not a question").click()
    page.get_by_label("A. 6").check()
    page.get_by_role("button", name="Correct option").click()
    expect(page.locator("#question-3")).to_contain_text("Answer: A")
    page.locator("#question-2").get_by_role("link", name="Show concepts").click()
    expect(page.locator("#question-2")).to_contain_text("Probably")
    page.get_by_role("button", name="Leave out question 2").click()
    page.get_by_role("button", name="Import 2 questions").click()
    import_by_a_worker(draft)
    expect(page.get_by_role("button", name="Make a list of 2 questions")).to_be_visible()
