"""The same flows with JavaScript switched off."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from questionbank.jobs.run_services import run_create, run_metrics, run_start, run_succeed
from questionbank.models import Question, Run
from tests.factories import asked_of


def test_search_and_filter(plain_page: Page, bank) -> None:
    page = plain_page
    page.get_by_role("searchbox").fill("equation")
    page.get_by_role("button", name="Search").click()
    page.locator("#filter-status").select_option("any")
    page.locator("#difficulty_min").fill("20")
    page.get_by_role("button", name="Apply filters").click()
    page.wait_for_url("**difficulty_min=20**")
    assert "grade=" not in page.url
    expect(page.locator(".hits > li").first).to_be_visible()


def test_concepts_are_combined_and_the_search_is_saved_and_opened(plain_page: Page, bank) -> None:
    page = plain_page
    page.goto("/questions/")
    page.get_by_role("link", name="Combine several concepts").click()
    for part, way in (("linear", "At least one of Linear equations"), ("circ", "At least one of Circles")):
        page.get_by_label("Find a concept by a part of its name").fill(part)
        page.get_by_role("button", name="Find", exact=True).click()
        page.get_by_role("link", name=way).click()
    page.get_by_role("link", name="Show 4 questions").click()
    expect(page.locator(".hits > li")).to_have_count(4)
    page.get_by_role("link", name="Save this search").click()
    page.get_by_label("Name").fill("Equations or circles")
    page.get_by_role("button", name="Save the search").click()
    page.get_by_role("link", name="Count the questions of each").click()
    expect(page.get_by_text("4 questions")).to_be_visible()
    page.get_by_role("link", name="Equations or circles", exact=True).click()
    expect(page.locator(".hits > li")).to_have_count(4)


def test_all_that_match_are_retired_and_brought_back(plain_page: Page, bank) -> None:
    page = plain_page
    page.goto("/questions/?q=equation")
    page.get_by_role("button", name="Select all 3 that match").click()
    page.get_by_role("link", name="Retire").click()
    expect(page.get_by_text("2 questions are left out: Teachers can change only questions")).to_be_visible()
    page.get_by_role("button", name="Change 1 question").click()
    assert Question.objects.filter(status="retired").get() == bank.questions[0]
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone by")).to_be_visible()
    assert not Question.objects.filter(status="retired").exists()


def test_formulas_and_folded_answers(plain_page: Page, bank) -> None:
    page = plain_page
    page.goto(f"/questions/{bank.questions[4].pk}/")
    expect(page.locator("mfrac").first).to_be_visible()
    page.get_by_text("Answer and worked solution").click()
    expect(page.get_by_text("Subtract, then divide.")).to_be_visible()
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()


def test_paste_and_save(plain_page: Page, bank) -> None:
    page = plain_page
    page.goto("/paste/")
    page.get_by_label("Question", exact=True).fill(r"Solve the equation $7x + 2 = 30$ for $x$.")
    page.get_by_role("button", name="Analyse").click()
    expect(page.get_by_role("heading", name="Similar questions")).to_be_visible()
    page.get_by_label("Linear equations").check()
    page.get_by_role("button", name="Save to the bank").click()
    expect(page.get_by_text("The question is in the bank.")).to_be_visible()
    assert [tag.concept for tag in Question.objects.latest("pk").tags.all()] == [bank.linear]


def test_write_with_preview_options_and_concepts(plain_page: Page, bank) -> None:
    page = plain_page
    page.goto("/questions/new/")
    page.get_by_label("Question", exact=True).fill(r"What is $\frac{1}{2}$ of 10?")
    page.get_by_role("button", name="Show the preview").click()
    expect(page.locator("#preview mfrac")).to_be_visible()
    page.select_option("[name=kind]", "choice")
    page.get_by_role("button", name="Add an option").click()
    expect(page.get_by_label("Text of option 5")).to_be_visible()
    page.select_option("[name=kind]", "open")
    page.get_by_label("Find a concept").fill("fract")
    page.get_by_role("button", name="Find", exact=True).click()
    page.get_by_label("Fractions").check()
    page.get_by_label("Answer", exact=True).fill("5")
    page.get_by_label("Answer", exact=True).press("Enter")
    expect(page.get_by_text("The question is in the bank.")).to_be_visible()
    assert [tag.concept for tag in Question.objects.latest("pk").tags.all()] == [bank.fraction]


def test_a_job_s_page_reloads_itself(plain_page: Page, bank) -> None:
    page = plain_page
    run = run_create(kind=Run.Kind.EMBED, title="Compute missing vectors", send=False)
    page.goto(f"/jobs/{run.pk}/")
    run_succeed(run=run_start(run_id=run.pk, worker="test worker"))
    expect(page.get_by_text("Finished").first).to_be_visible()


def test_the_theme_and_the_menu(plain_page: Page) -> None:
    page = plain_page
    page.locator(".account > summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_start_and_watch_a_training(open_as, bank, admin_person) -> None:
    page = open_as("admin", java_script_enabled=False)
    page.goto("/models/train/encoder/")
    page.get_by_label("School").check()
    page.get_by_label("Epochs", exact=True).fill("2")
    page.get_by_role("button", name="View these questions").click()
    expect(page.get_by_text("Questions tagged in School.")).to_be_visible()
    page.get_by_label("Epochs", exact=True).press("Enter")
    expect(page.get_by_text("No worker is running for this kind of job.")).to_be_visible()
    run = Run.objects.get(kind=Run.Kind.TRAIN)
    assert asked_of(run) == {"set": {"epochs": "2"}, "hierarchies": ["School"]}
    held = run_start(run_id=run.pk, worker="test worker")
    for step in (10, 20):
        run_metrics(run=held, step=step, metrics={"loss": 3 - step / 10})
    expect(page.get_by_role("img", name="Loss", exact=True)).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The job stops at its next step.")).to_be_visible()
