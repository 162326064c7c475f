"""What people can take back, or are kept from: an import and its undo, the last admin's role."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from questionbank.models import KnowledgeHierarchy, Question, Run
from tests.e2e.accessibility import faults
from worker.tasks import import_questions, import_undo

SHEET = (
    "Nr;Question;Correct answer;Topic\n1;Wie groß ist $x$ in $x + 1 = 3$?;2;Algebra\n"
    "2;Work out $4 \\cdot 5$.;20;Algebra\n"
)


def work() -> Run:
    """Do the latest job, as a worker would."""
    run = Run.objects.latest("pk")
    task = import_undo if run.kind == "undo" else import_questions
    task(run.pk)
    run.refresh_from_db()
    return run


def test_import_a_foreign_table_and_undo_it(admin_page: Page, bank, settings, tmp_path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(SHEET.encode("windows-1252"))
    page = admin_page
    page.goto("/import/")
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_role("button", name="Check the file").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Columns of sheet.csv")
    expect(page.get_by_label("Encoding")).to_have_value("windows-1252")
    expect(page.get_by_label("Correct answer")).to_have_value("answer")
    expect(page.get_by_label("Nr")).to_have_value("id")
    page.get_by_role("button", name="Update the preview").click()
    expect(page.get_by_role("cell", name="Wie groß ist")).to_be_visible()
    expect(page.get_by_label("Nr")).to_have_value("id")
    assert not faults(page)
    page.get_by_role("button", name="Check the file").click()
    page.wait_for_url(re.compile(r"/jobs/\d+/"))
    work()
    page.reload()
    page.get_by_role("button", name="Import 2 questions").click()
    page.wait_for_url(re.compile(r"/jobs/\d+/"))
    imported = work()
    assert Question.objects.count() == 8
    page.reload()

    page.get_by_role("link", name="Undo this import").click()
    expect(page.get_by_text("The hierarchy “sheet”")).to_be_visible()
    page.get_by_role("button", name="Remove 2 questions").click()
    page.wait_for_url(re.compile(r"/jobs/\d+/"))
    work()
    page.reload()
    expect(page.get_by_role("heading", name="What was removed")).to_be_visible()
    assert Question.objects.count() == 6
    assert not KnowledgeHierarchy.objects.filter(name="sheet").exists()
    page.goto(f"/jobs/{imported.pk}/")
    expect(page.get_by_role("link", name=re.compile("Undone on"))).to_be_visible()
    page.goto("/changes/?kind=imports")
    expect(page.get_by_role("link", name="undid an import and removed 2 questions")).to_be_visible()


def test_the_last_admin_keeps_the_role(admin_page: Page, admin_person) -> None:
    page = admin_page
    page.goto(f"/people/{admin_person.pk}/")
    page.locator("input[name=roles][value=admin]").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("This is the last admin.")).to_be_visible()
    assert admin_person.groups.filter(name="admin").exists()
