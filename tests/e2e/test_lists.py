"""Lists of questions from the search page to paper, and a search typed in plain maths."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from questionbank.models import QuestionList


def test_questions_become_a_list_that_is_reordered_and_printed(teacher_page: Page, bank) -> None:
    page = teacher_page
    first, second, *_others = bank.questions
    page.goto(f"/questions/{first.pk}/")
    page.locator(".page-head").get_by_role("link", name="Add to a list").click()
    page.get_by_label(re.compile("new list", re.IGNORECASE)).fill("Equations, Friday")
    page.get_by_role("button", name="Add to the list").click()
    page.goto(f"/questions/{second.pk}/")
    page.get_by_role("button", name="Add to “Equations, Friday”").click()  # the list of before is one click away
    expect(page.get_by_text("1 question was added to “Equations, Friday”.")).to_be_visible()
    question_list = QuestionList.objects.get()
    page.goto(f"/lists/{question_list.pk}/")
    expect(page.locator(".list-question")).to_have_count(2)
    expect(page.locator(".list-question").first).to_have_id(f"question-{bank.questions[0].pk}")
    page.get_by_role("button", name="Move number 1 down").click()
    expect(page.locator(".list-question").first).to_have_id(f"question-{bank.questions[1].pk}")

    page.evaluate("window.print = () => { document.body.dataset.printed = 'yes' }")
    page.get_by_role("button", name="Print without answers").click()
    expect(page.locator("body")).to_have_attribute("data-printed", "yes")
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".list-question math").first).to_be_visible()
    expect(page.get_by_text("Answer:")).to_have_count(0)
    for hidden in (".site-header", ".list-tools", ".site-footer"):
        expect(page.locator(hidden).first).to_be_hidden()

    page.emulate_media(media="screen")
    page.get_by_role("link", name="Show answers").click()
    expect(page.get_by_text("Answer:")).to_have_count(2)
    expect(page.get_by_role("button", name="Print with answers")).to_be_visible()
