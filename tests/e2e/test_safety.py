"""Nothing that stands in a question runs in a page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.factories import QuestionFactory
from tests.questionbank.xss_corpus import MARKER, XSS_CORPUS

PER_QUESTION = 20
ATTEMPTS = [attempt.text.replace("\0", "") for attempt in XSS_CORPUS]  # no form and no column takes a NUL


@pytest.fixture
def attacked(bank) -> list[int]:
    """Questions that hold the whole corpus: as text, as options, as answer, solution and source."""
    numbers = []
    for start in range(0, len(ATTEMPTS), PER_QUESTION):
        attempts = ATTEMPTS[start : start + PER_QUESTION]
        question = QuestionFactory(
            text="\n\n".join(attempts),
            kind="choice",
            options=[
                {"label": str(number), "text": attempt, "misconception": attempt}
                for number, attempt in enumerate(attempts)
            ],
            answer=attempts[0],
            solution="\n\n".join(attempts),
            source=attempts[0][:100],
            grade=attempts[0][:40],
        )
        numbers.append(question.pk)
    return numbers


def ran(page: Page) -> bool:
    return bool(page.evaluate(f"'{MARKER}' in window"))


def test_the_pages_of_such_questions_run_nothing(teacher_page: Page, attacked) -> None:
    page = teacher_page
    for number in attacked:
        page.goto(f"/questions/{number}/")
        page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
        assert not ran(page)
        assert not page.locator(".question-text :is(script, img, iframe, object, embed, form, style)").count()


def test_lists_of_such_questions_run_nothing(teacher_page: Page, attacked) -> None:
    page = teacher_page
    for address in ("/", "/questions/", "/questions/?q=script"):
        page.goto(address)
        assert not ran(page)


@pytest.mark.leaves_unsaved
def test_typing_them_into_the_pages_runs_nothing(teacher_page: Page, bank) -> None:
    page = teacher_page
    everything = "\n\n".join(ATTEMPTS)[:19_000]
    page.goto("/questions/new/")
    page.get_by_label("Question", exact=True).fill(everything)
    page.get_by_label("Type", exact=True).select_option("choice")
    page.get_by_label("Text of option 1").fill(ATTEMPTS[0])
    page.locator("#preview .question-text").first.wait_for()
    assert not ran(page)
    page.goto("/paste/")
    page.get_by_label("Question", exact=True).fill(everything)
    page.locator("#paste-result .sheet").wait_for()
    assert not ran(page)
    for attempt in ATTEMPTS[:15]:
        page.goto("/questions/")
        page.locator("#q").fill(attempt.replace("\n", " ")[:500])
        page.locator("#q").press("Enter")
        page.wait_for_url("**q=**")
        assert not ran(page)


def test_a_script_that_did_get_in_would_be_stopped_by_the_policy(open_browser, live_server, bank) -> None:
    """The second line of defence works: the answer's policy allows no inline script."""
    page = open_browser()
    policy = page.goto("/accounts/login/").headers["content-security-policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";") if part.strip())
    assert directives["script-src"] == "'self'"
    assert directives["style-src"] == "'self'"
    assert "unsafe" not in policy
