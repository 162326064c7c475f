"""Worked exemplars in a browser: open them, change and copy the prompt, ask a language model on this machine."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from questionbank.models import Question, Run
from questionbank.selectors.similar import insight
from questionbank.services.questions import question_create
from tests.e2e.accessibility import faults
from tests.language_model_server import language_model_server, streamed
from tests.questionbank.scripted_solver import served
from tests.questionbank.small_bank import store_vectors
from worker.analogy.answering import answer_run
from worker.analogy.retelling import retell_run
from worker.running import run_here

ASKED = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs has it left?"
CHAIRS = "There are 5 rows of 9 chairs, and 7 chairs are broken. How many chairs are whole?"
BUSES = "A school hires 4 buses with 35 seats each. 8 seats stay empty. How many people go on the trip?"
EGGS = "A box holds 6 eggs. A shop buys 4 boxes and 3 more eggs. How many eggs has it?"


@pytest.fixture
def problems(bank, monkeypatch) -> list[Question]:
    solver = served({ASKED: [("6*4-3", 0.92)]})
    monkeypatch.setattr(insight, "served_solver", lambda _language: solver)
    questions = [
        question_create(
            user=None, text=text, language="en", kind="open", options=[], answer=answer, solution="", grade="",
            status="ready", concepts=[], equation=equation,
        )
        for text, answer, equation in ((ASKED, "21", ""), (CHAIRS, "38", "9*5-7"), (EGGS, "27", "6*4+3"))
    ]  # fmt: skip
    from questionbank.models import EmbeddingSet

    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, questions)
    return questions


def test_a_pasted_problem_has_exemplars_a_prompt_to_copy_and_a_model_that_answers(
    open_as, problems: list[Question], settings
) -> None:
    page: Page = open_as("teacher", permissions=["clipboard-read", "clipboard-write"])
    page.goto("/paste/")
    page.locator("#id_text").fill(ASKED)
    page.get_by_role("button", name="Worked exemplars").click()
    first = page.locator("#exemplars > li").first
    expect(first).to_contain_text("It has the same computation as the question: a × b − c.")
    expect(first.locator("svg.expression-tree")).to_have_count(2)
    expect(page.get_by_role("button", name="Ask tiny")).to_have_count(0)  # none is configured

    page.get_by_role("button", name="Copy the prompt").click()
    expect(page.locator("[data-copy=prompt]")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(f"Question: {CHAIRS}\nAnswer: 38\n\nQuestion: {ASKED}\nAnswer:")

    with language_model_server() as server:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = server.url, "tiny"
        server.answers = [streamed("x=6*4-", "3")]
        page.goto(f"/questions/{problems[0].pk}/exemplars/")
        page.get_by_text("Prompt settings").click()
        page.get_by_label("Answers").select_option("equation")
        page.get_by_label("Order").select_option("nearest first")
        page.get_by_role("button", name="Update the prompt").click()
        expect(page.locator("#prompt")).to_contain_text(
            f"Question: {CHAIRS}\nAnswer: x=9*5-7\n\nQuestion: {EGGS}"
        )
        expect(page.get_by_text("to tiny at 127.0.0.1")).to_be_visible()
        page.get_by_role("button", name="Ask tiny").click()
        expect(page.get_by_role("heading", name="The language model’s answer")).to_be_visible()
        run_here(Run.objects.get(kind="ask"), answer_run)
        expect(page.locator("#model-answer .solved-answer")).to_have_text("21")
        expect(page.locator("#model-answer")).to_contain_text("The solver agrees (92% likely to be right).")
        expect(page.locator("#model-answer")).to_contain_text("The published answer is the same.")


def test_similar_problems_are_written_reviewed_and_added(
    open_as, problems: list[Question], reviewer, settings
) -> None:
    chairs = problems[1]  # the chairs, whose equation is known
    page: Page = open_as("teacher")
    page.goto(f"/questions/{chairs.pk}/")
    page.get_by_role("link", name="Write similar problems").click()
    page.get_by_role("button", name="Write similar problems").click()
    expect(page.get_by_text("Save them to your drafts")).to_be_visible()
    variants = page.locator("li.variant")
    expect(variants.first.locator("code")).to_have_text(re.compile(r"\d+\*\d+-\d+"))

    reviewer: Page = open_as("reviewer")
    reviewer.goto("/review/variants/")
    reviewer.get_by_role("button", name="Accept").first.click()
    expect(reviewer.get_by_text("Accepted.")).to_be_visible()

    page.reload()
    page.get_by_role("button", name="Add 1 similar problem to the bank").click()
    expect(page.get_by_text("1 similar problem was added.")).to_be_visible()
    expect(variants.locator("a", has_text="Question")).to_have_count(1)

    with language_model_server() as server:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = server.url, "tiny"
        server.answers = [streamed(f"<problem>{BUSES}</problem><equation>4*35-8</equation>")]
        page.reload()
        page.get_by_role("button", name="Ask tiny for similar problems").click()
        run_here(Run.objects.get(kind="retell"), retell_run)
        page.get_by_role("link", name="View the similar problems").click()
        expect(variants.first).to_contain_text(BUSES)
        expect(variants.first).to_contain_text("4*35-8 = 132")


def test_the_pages_can_be_read_by_everybody(open_as, problems) -> None:
    page = open_as("teacher")
    addresses = [f"/questions/{problems[0].pk}/exemplars/", f"/questions/{problems[1].pk}/variants/"]
    for address in addresses:
        page.goto(address)
        assert not faults(page), address
