"""Responses in the browser: marks pasted without JavaScript, and every page about them in both themes."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from questionbank.models import ItemStatistics, ResponseSet, Worksheet
from tests.e2e.accessibility import faults
from tests.questionbank.responses.conftest import waiting_figures_compute

PUPILS = 9


@pytest.fixture
def worksheet(bank, teacher) -> Worksheet:
    """A worksheet of six questions."""
    worksheet = Worksheet.objects.create(owner=teacher, name="Equations")
    for position, question in enumerate(bank.questions[:6], start=1):
        worksheet.items.create(position=position, question=question, points=2)
    return worksheet


def paste_marks(page: Page, worksheet: Worksheet) -> ResponseSet:
    """Paste the marks of a class into the grid's page and import them."""
    rows = [
        "\t".join([f"Pupil {n}", *("1,5" if (n + place) % 4 == 0 else "2" if n > place else "0" for place in range(6))])
        for n in range(PUPILS)
    ]
    page.goto(reverse("worksheet_after_use", args=[worksheet.pk]))
    page.get_by_role("link", name="Type in marks").click()
    page.get_by_label("Or paste rows from a spreadsheet").fill("\n".join(rows))
    page.get_by_role("button", name="Check the marks").click()
    expect(page.get_by_text("All questions are matched.")).to_be_visible()
    page.get_by_label("Class").fill("7b")
    page.get_by_role("button", name=f"Import {PUPILS * 6} responses").click()
    expect(page.get_by_text(f"{PUPILS * 6} responses were imported.")).to_be_visible()
    return ResponseSet.objects.get()


def test_marks_are_pasted_without_javascript(plain_page, worksheet):
    assert paste_marks(plain_page, worksheet).worksheet == worksheet
    plain_page.goto(reverse("worksheet_after_use", args=[worksheet.pk]))
    expect(plain_page.get_by_role("cell", name="7b")).to_have_count(0)
    expect(plain_page.get_by_role("columnheader", name="7b")).to_be_visible()


def test_pages_about_responses_are_accessible_and_fit_their_windows(teacher_page, worksheet):
    response_set = paste_marks(teacher_page, worksheet)
    waiting_figures_compute()
    flags = [{"code": "check key", "evidence": 2.4, "option": "C"}, {"code": "left out", "evidence": 0.2, "option": ""}]
    ItemStatistics.objects.filter(question=worksheet.items.get(position=2).question).update(flags=flags)
    ResponseSet.objects.update(removed=1, withheld=[worksheet.items.get(position=3).question_id])
    pages = {
        "list": reverse("response_set_list"),
        "upload": reverse("response_upload"),
        "set": reverse("response_set_detail", args=[response_set.pk]),
        "questions": reverse("response_questions"),
        "deletion": reverse("response_deletion"),
        "after use": reverse("worksheet_after_use", args=[worksheet.pk]),
        "marks": reverse("worksheet_marks", args=[worksheet.pk]),
        "question": reverse("question_detail", args=[worksheet.items.get(position=2).question_id]),
    }
    found = {}
    for name, address in pages.items():
        teacher_page.goto(address)
        found[name] = faults(teacher_page)
    assert {name: problems for name, problems in found.items() if problems} == {}
