"""What people do with the site, from log-in to job, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from questionbank.jobs.run_services import run_create, run_progress, run_start, run_succeed
from questionbank.models import Question, Run
from questionbank.rendering.titles import question_title
from tests.e2e.conftest import log_in_beside


def test_search_filter_open_and_go_to_a_similar_question(teacher_page: Page, bank) -> None:
    page = teacher_page
    page.get_by_role("searchbox").fill("equation")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_role("heading", name=re.compile(r"\d+ questions?"))).to_be_visible()

    page.get_by_label("Grade").get_by_label("7").or_(page.get_by_label("7", exact=False)).first.check()
    page.wait_for_url("**grade=7**")
    expect(page.locator(".hits > li")).to_have_count(1)

    page.locator(".hits .question-link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(question_title(bank.questions[1].text))
    expect(page).to_have_title(re.compile(f"^{re.escape(question_title(bank.questions[1].text))} · Question"))
    expect(page.locator(".question-number")).to_have_text(f"Question {bank.questions[1].pk}")
    expect(page.locator("math").first).to_be_visible()
    expect(page.get_by_text("Subtract, then divide.")).to_be_hidden()
    page.get_by_text("Answer and worked solution").click()
    expect(page.get_by_text("Subtract, then divide.")).to_be_visible()

    expect(page.locator(".similar")).to_have_count(1)  # copies are folded into one row
    page.locator(".similar .question-link").first.click()
    expect(page.locator(".question-number")).to_have_text(
        re.compile(f"Question ({bank.questions[0].pk}|{bank.questions[2].pk})\\s*$")
    )


def test_keys_lead_to_the_search_and_to_the_list_of_keys(teacher_page: Page, bank) -> None:
    page = teacher_page
    page.goto(f"/questions/{bank.questions[0].pk}/")
    keys = page.locator("#key-help")
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.keyboard.press("/")
    box = page.locator(":focus")
    expect(box).to_have_attribute("name", "q")
    page.keyboard.type("1/2?")  # letters while somebody types
    expect(box).to_have_value("1/2?")
    expect(keys).to_be_hidden()


@pytest.mark.leaves_unsaved
def test_leaving_unsaved_edits_asks_first(teacher_page: Page, bank) -> None:
    page = teacher_page
    home = page.get_by_role("link", name="Concepts").first

    def leave(action) -> str:
        with page.expect_event("dialog") as info:
            action()
        return info.value.type

    page.goto("/questions/new/")
    home.click()  # nothing was typed: nothing is asked
    page.wait_for_url("**/concepts/")
    page.goto("/questions/new/")
    page.get_by_label("Grade").fill("7")
    assert leave(home.click) == "beforeunload"
    page.goto("/questions/new/")
    page.get_by_label("Grade").fill("7")
    page.get_by_role("button", name="Save", exact=True).last.click()
    page.get_by_role("alert").first.wait_for()  # the text is missing: the form came back, and is still not saved
    assert leave(home.click) == "beforeunload"


def test_typing_searches_without_pressing_anything_and_back_goes_back(teacher_page: Page, bank) -> None:
    page = teacher_page
    page.goto("/questions/")
    expect(page.locator(".hits > li")).to_have_count(6)
    page.locator("#q").press_sequentially("marbles", delay=20)
    page.wait_for_url("**q=marbles")
    expect(page.locator(".hits > li").first).to_contain_text("marbles")
    expect(page.locator("#q")).to_be_focused()
    page.go_back()
    expect(page.locator(".hits > li")).to_have_count(6)


def test_paste_a_question_look_and_save_it(teacher_page: Page, bank) -> None:
    page = teacher_page
    page.get_by_role("link", name="Paste", exact=True).click()
    page.get_by_label("Question", exact=True).fill(r"Solve the equation $7x + 2 = 30$ for $x$.")
    expect(page.get_by_role("heading", name="Similar questions")).to_be_visible()
    expect(page.get_by_role("heading", name="Difficulty")).to_be_visible()
    page.get_by_label("Linear equations").check()
    page.get_by_label("Answer", exact=True).fill("4")

    # a change of the text keeps what was entered beside it
    page.get_by_label("Question", exact=True).press("End")
    page.get_by_label("Question", exact=True).press_sequentially(" Show your working.")
    expect(page.locator("#paste-result .sheet")).to_contain_text("Show your working.")
    expect(page.get_by_label("Linear equations")).to_be_checked()
    expect(page.get_by_label("Answer", exact=True)).to_have_value("4")

    page.get_by_role("button", name="Save to the bank").click()
    expect(page.get_by_text("The question is in the bank.")).to_be_visible()
    expect(page.get_by_role("link", name="Linear equations").first).to_be_visible()
    assert Question.objects.count() == 7


def test_write_a_question_with_live_preview_options_and_a_concept(teacher_page: Page, bank) -> None:
    page = teacher_page
    page.get_by_role("link", name="Write", exact=True).click()
    page.wait_for_load_state()  # what is typed before the scripts are there brings no preview
    page.get_by_label("Question", exact=True).fill(r"Which is largest? $\frac{1}{2}$ or $\sqrt{2}$")
    expect(page.locator("#preview msqrt")).to_be_visible()
    page.get_by_label("Type", exact=True).select_option("choice")
    page.get_by_label("Text of option 1").fill(r"$\frac{1}{2}$")
    page.get_by_label("Text of option 2").fill(r"$\sqrt{2}$")
    page.get_by_role("button", name="Add an option").click()
    expect(page.get_by_label("Text of option 5")).to_be_focused()
    expect(page.get_by_label("Letter of option 5")).to_have_value("E")
    expect(page.locator("#preview .options > li")).to_have_count(2)
    page.get_by_label("Answer", exact=True).fill("B")

    # by keyboard alone: find, go to the checkbox, tick it
    page.get_by_label("Find a concept").fill("fract")
    box = page.get_by_label("Fractions")
    expect(box).to_be_visible()
    page.get_by_label("Find a concept").press("Tab")
    expect(box).to_be_focused()
    box.press("Space")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The question is in the bank.")).to_be_visible()
    saved = Question.objects.latest("pk")
    assert [option["label"] for option in saved.options] == ["A", "B"]
    assert [tag.concept for tag in saved.tags.all()] == [bank.fraction]


def test_the_progress_of_a_job_moves_by_itself_until_it_has_finished(admin_page: Page, bank) -> None:
    page = admin_page
    run = run_create(kind=Run.Kind.EMBED, capability="encoder", title="Compute missing vectors", send=False)
    page.goto(f"/jobs/{run.pk}/")
    expect(page.get_by_text("No worker is running for this kind of job.")).to_be_visible()
    held = run_start(run_id=run.pk, worker="test worker")
    run_progress(run=held, done=300, total=1000, message="Encoding.")
    expect(page.get_by_text("300 / 1,000 · 30%")).to_be_visible()
    run_progress(run=held, done=800, total=1000, message="Encoding.")
    expect(page.get_by_role("progressbar", name="Progress")).to_have_attribute("value", "80")
    run_succeed(run=held, result={"stored": 1000})
    expect(page.get_by_text("Finished").first).to_be_visible()
    expect(page.locator("#run-progress")).not_to_have_attribute("hx-trigger", re.compile("."))


def test_the_theme_changes_at_once_and_stays(teacher_page: Page) -> None:
    page = teacher_page
    page.locator(".account > summary").click()
    with page.expect_response("**/theme/"):
        page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto("/paste/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_session_that_ended_leads_to_the_log_in_instead_of_into_the_page(teacher_page: Page, bank) -> None:
    page = teacher_page
    page.goto("/questions/")
    page.context.clear_cookies()
    page.locator("#q").press_sequentially("marbles")
    page.wait_for_url("**/accounts/login/**")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()


@pytest.mark.leaves_unsaved
def test_what_is_written_outlives_a_log_out_until_it_is_saved(open_as, bank) -> None:
    page = open_as("teacher")
    page.goto("/questions/new/")
    page.context.clear_cookies(name="sessionid")
    with page.expect_response("**/accounts/login/**"):  # the preview meets the log-out, and the page stays
        page.get_by_label("Question", exact=True).fill("How much is 17 + 4, written after a log-out?")
    page.locator("main .form-end button").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="log in in another tab").click()
    log_in_beside(opened.value, "teacher")
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_text("You logged in or out after you opened this form.")).to_be_visible()
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_text("The question is in the bank.")).to_be_visible()
    assert Question.objects.filter(text="How much is 17 + 4, written after a log-out?").exists()


@pytest.mark.leaves_unsaved
def test_a_button_that_htmx_sends_after_a_log_out_keeps_the_text(open_as, bank) -> None:
    page = open_as("teacher")
    page.goto("/paste/")
    page.context.clear_cookies(name="sessionid")
    page.get_by_label("Question", exact=True).fill("How much is 17 + 4, pasted after a log-out?")
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_role("heading", name="Not saved yet")).to_be_visible()
    expect(page.get_by_label("Text 1")).to_have_value("How much is 17 + 4, pasted after a log-out?")
