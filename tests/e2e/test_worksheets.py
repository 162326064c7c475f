"""From a list to a printed worksheet by keyboard alone, and every page of it checked by axe in both sizes."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from questionbank.bank.list_services import question_list_add, question_list_create
from questionbank.models import QuestionUse, Worksheet
from questionbank.worksheets.print_selectors import WorksheetFile
from tests.e2e.accessibility import faults


def _press(page: Page, role: str, name: str, key: str = "Enter") -> None:
    control = page.get_by_role(role, name=name)
    control.focus()
    control.press(key)


def test_a_list_is_printed_in_two_versions_by_keyboard(teacher_page: Page, bank, teacher, monkeypatch) -> None:
    page = teacher_page
    monkeypatch.setattr(
        "questionbank.worksheets.print_selectors.FILES",
        {"pdf": WorksheetFile("PDF", ".pdf", "application/pdf", lambda sheets: b"%PDF")},
    )
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=bank.questions[:3])
    page.goto(f"/lists/{question_list.pk}/")
    _press(page, "button", "Make a worksheet")
    expect(page.locator(".worksheet-row")).to_have_count(3)
    worksheet = Worksheet.objects.get()
    first = page.locator(".worksheet-row").first
    name = first.get_attribute("data-row")
    first.get_by_label("Points").evaluate("field => { field.style.width = '4rem' }")  # as resizing a field does
    handle = first.locator("[data-row-handle]")
    handle.focus()
    handle.press("End")
    expect(page.locator(".worksheet-row").last).to_have_attribute("data-row", name)
    expect(page.locator("[data-row-handle]:focus")).to_have_count(1)
    points = page.get_by_label("Points").first
    points.fill("2.5")
    with page.expect_response(lambda answer: "/items/" in answer.url and answer.request.method == "POST"):
        points.press("Tab")
    page.get_by_label("Heading").last.fill("Part two")
    _press(page, "button", "Add the section")
    expect(page.locator(".worksheet-section")).to_have_count(1)
    assert faults(page) == []

    _press(page, "link", "Fill up from the bank")
    expect(page.get_by_role("heading", name="Fill up the worksheet")).to_be_visible()
    assert faults(page) == []
    page.get_by_label("Number of questions").fill("1")
    _press(page, "button", "Add the questions")
    expect(page.locator(".worksheet-row")).to_have_count(5)

    _press(page, "link", "Layout and versions")
    page.get_by_label("Versions").select_option("2")
    assert faults(page) == []
    _press(page, "button", "Save")
    expect(page.get_by_role("article", name="Preview")).to_contain_text("Friday")
    expect(page.get_by_text("Expected mark:")).to_be_visible()
    page.locator("#view-version").select_option("B")
    page.locator("#view-contents").select_option("solutions")
    _press(page, "button", "Preview")
    expect(page.get_by_role("article", name="Preview")).to_contain_text("Key")
    assert faults(page) == []
    page.get_by_label("Contents").select_option("students")
    with page.expect_download() as download:
        _press(page, "button", "PDF")
    assert download.value.suggested_filename == "friday.pdf"
    assert QuestionUse.objects.filter(worksheet=worksheet).count() == 4
