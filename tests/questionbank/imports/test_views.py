"""Importing through the page: check, then import."""

from __future__ import annotations

import gzip
import json
import re
from html import escape

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.imports.services import run_import
from questionbank.imports.undo_services import run_import_undo
from questionbank.jobs.run_services import run_fail, run_start, run_succeed
from questionbank.models import Question, Run
from tests.questionbank.formats.test_sheets import workbook
from tests.worker.jobs import Reporter

pytestmark = pytest.mark.usefixtures("own_uploads")


def upload(client, lines, **fields):
    content = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    file = SimpleUploadedFile("mine.jsonl", content.encode())
    return client.post(reverse("import_create"), {"file": file} | fields)


def work(run: Run) -> Run:
    """What a worker does with a run."""
    held = run_start(run_id=run.pk, worker="test")
    reporter = Reporter()
    try:
        run_succeed(run=held, result=run_import(held, reporter))
    except Exception as error:  # noqa: BLE001 - as the worker does
        run_fail(run=held, error=str(error), result=reporter.result)
    run.refresh_from_db()
    return run


GOOD = [{"id": "a", "text": "What is $1+1$?"}, {"id": "b", "text": "What is $2+2$?"}]


def test_an_upload_is_checked_first_and_one_click_imports(db, as_admin) -> None:
    response = upload(as_admin, GOOD)
    checked = Run.objects.get()
    assert response["Location"] == reverse("run_detail", args=[checked.pk])
    assert checked.parameters["dry_run"] is True
    work(checked)
    assert Question.objects.count() == 0
    page = as_admin.get(reverse("run_detail", args=[checked.pk])).content.decode()
    assert "What an import would do" in page
    assert "Import 2 questions" in page
    response = as_admin.post(reverse("import_confirm", args=[checked.pk]))
    run = Run.objects.exclude(pk=checked.pk).get(kind="import")
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    work(run)
    assert Question.objects.count() == 2
    assert "View these questions" in as_admin.get(response["Location"]).content.decode()


def test_refused_lines_are_listed_with_number_and_reason_and_can_be_left_out(db, as_admin) -> None:
    upload(as_admin, [GOOD[0], "{not json", GOOD[1], {"id": "d", "text": 7}])
    checked = work(Run.objects.get())
    page = as_admin.get(reverse("run_detail", args=[checked.pk])).content.decode()
    assert [problem["line"] for problem in checked.result["refused"]] == [2, 4]
    for problem in checked.result["refused"]:
        assert re.search(
            rf'{re.escape(escape(problem["reason"]))}\s*</td>\s*<td class="small">\s*{problem["line"]}\s', page
        )
    assert "Import 2 questions" not in page
    assert "without the refused lines" in page
    as_admin.post(reverse("import_confirm", args=[checked.pk]), {"skip_invalid": "1"})
    work(Run.objects.exclude(pk=checked.pk).get(kind="import"))
    assert Question.objects.count() == 2


def test_a_file_that_turns_out_unreadable_leads_to_the_choice_of_another(db, as_admin) -> None:
    content = b'<?xml version="1.0"?>\n<quiz>\n<question type="shortanswer"><name><text>A'
    as_admin.post(reverse("import_create"), {"file": SimpleUploadedFile("cut.xml", content)})
    checked = work(Run.objects.get())
    checked.result |= {Run.REFUSAL: True}  # as the worker's task does
    checked.save()
    page = as_admin.get(reverse("run_detail", args=[checked.pk])).content.decode()
    assert "Choose another file" in page


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("broken.jsonl.gz", b"\x1f\x8b this is no gzip", "The gzip data of broken.jsonl.gz is damaged."),
        ("bank.xml", b'<?xml version="1.0"?><assessmentTest/>', "is a test of QTI without its items"),
        ("sheet.csv", b"PK\x03\x04......xl/workbook.xml", "sheet.csv is damaged: it cannot be unpacked"),
        ("paper.csv", b"%PDF-1.7", "is a PDF: open Import a test paper"),
        ("sum.pg", b"DOCUMENT();", "is from WeBWorK, which Kindred does not read"),
    ],
)
def test_a_file_of_another_kind_is_refused_at_once_with_what_to_do(as_admin, name, content, reason) -> None:
    response = as_admin.post(reverse("import_create"), {"file": SimpleUploadedFile(name, content)})
    assertContains(response, reason, status_code=422)
    assert not Run.objects.exists()
    assert not any(storages["uploads"].listdir(""))


def test_a_job_of_a_format_that_went_is_refused_and_its_page_still_shown(as_admin) -> None:
    upload(as_admin, GOOD)
    Run.objects.update(parameters=Run.objects.get().parameters | {"format": "webwork"})
    run = work(Run.objects.get())
    assert "The format 'webwork' is not known; use one of auto, jsonl" in run.error
    assertContains(as_admin.get(reverse("run_detail", args=[run.pk])), "The format &#x27;webwork&#x27; is not known")


def test_a_file_that_is_damaged_further_down_fails_with_one_sentence(db, as_admin) -> None:
    packed = gzip.compress("".join(f'{{"text": "{n * 7919}"}}\n' for n in range(50_000)).encode())
    file = SimpleUploadedFile("broken.jsonl.gz", packed[: len(packed) // 2])
    as_admin.post(reverse("import_create"), {"file": file})
    run = work(Run.objects.get())
    page = as_admin.get(reverse("run_detail", args=[run.pk])).content.decode()
    assert run.error in page
    assert "Traceback" not in page
    assert "Import the rest" not in page
    assert "Nothing was written" in page
    assert "refused lines" not in page  # no counts where nothing was read


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.csv"])
def test_an_empty_file_is_refused_at_once(db, as_admin, name) -> None:
    response = as_admin.post(reverse("import_create"), {"file": SimpleUploadedFile(name, b"")})
    assertContains(response, "This file is empty.", status_code=422)
    assert not Run.objects.exists()


def test_without_a_file_the_form_says_so(db, as_admin) -> None:
    assertContains(as_admin.post(reverse("import_create"), {}), "Choose a file first.", status_code=422)


def test_a_file_over_the_limit_is_refused_with_the_limit(db, as_admin, settings) -> None:
    settings.IMPORT_UPLOAD_MAX_BYTES = 100
    assertContains(upload(as_admin, GOOD * 20), "larger than 100", status_code=422)
    assert not Run.objects.exists()


def test_a_file_far_over_the_limit_is_dropped_on_the_way(db, as_admin, settings) -> None:
    settings.IMPORT_UPLOAD_MAX_BYTES = 100
    file = SimpleUploadedFile("large.jsonl", b"x" * 1_200_000)
    response = as_admin.post(reverse("import_create"), {"file": file})
    assertContains(response, "larger than 100", status_code=422)


def test_a_check_whose_file_is_gone_says_so(db, as_admin) -> None:
    run = Run.objects.create(kind="import", state="succeeded", parameters={"upload": "gone", "name": "x"})
    response = as_admin.post(reverse("import_confirm", args=[run.pk]), follow=True)
    assert "upload it again" in response.content.decode()


def test_an_import_is_undone_from_its_page(as_admin, bank) -> None:
    upload(as_admin, [{"text": "How much is 7 + 8?", "concepts": [["Sums"]]}, {"text": "How much is 8 + 9?"}])
    work(Run.objects.get())
    as_admin.post(reverse("import_confirm", args=[Run.objects.get().pk]))
    imported = work(Run.objects.latest("pk"))
    assert Question.objects.count() == 8
    kept = Question.objects.latest("pk")
    kept.status = "retired"
    kept.save()

    here = reverse("import_undo", args=[imported.pk])
    assert here in as_admin.get(reverse("run_detail", args=[imported.pk])).content.decode()
    page = as_admin.get(here).content.decode()
    assert "Remove 1 question" in page
    assert f"Question {kept.pk}" in page
    assert "edited" in page

    response = as_admin.post(here)
    undo = Run.objects.latest("pk")
    assert response["Location"] == reverse("run_detail", args=[undo.pk])
    held = run_start(run_id=undo.pk, worker="test")
    run_succeed(run=held, result=run_import_undo(held, Reporter()))
    assert set(Question.objects.values_list("pk", flat=True)) == {*(q.pk for q in bank.questions), kept.pk}
    page = as_admin.get(reverse("run_detail", args=[undo.pk])).content.decode()
    assert "What was removed" in page
    assert f"Question {kept.pk}" in page
    assert "Undone on" in as_admin.get(reverse("run_detail", args=[imported.pk])).content.decode()
    assert "Nothing to remove" in as_admin.get(here).content.decode()


def upload_csv(client, content: bytes, name: str = "mine.csv", **fields):
    response = client.post(reverse("import_create"), {"file": SimpleUploadedFile(name, content)} | fields)
    assert response.status_code == 302
    return response["Location"]


SHEET = (
    "Frage;Question;Correct answer;Topic;Autor\n1;Wie groß ist $x$ in $x + 1 = 3$?;2;Algebra;Jo\n"
    "2;Was ist $\\frac{1}{$?;;;\n"
)


def test_the_columns_of_a_csv_file_are_guessed_shown_and_can_be_changed(as_admin) -> None:
    here = upload_csv(as_admin, SHEET.encode("windows-1252"), source="Blatt")
    response = as_admin.get(here)
    page = response.content.decode()
    form = response.context["form"]
    assert (form["encoding"].value(), form["delimiter"].value()) == ("windows-1252", "semicolon")
    assert [field.value() for field in form.mapped()] == ["", "text", "answer", "concepts", ""]
    assert "Wie groß ist" in page
    assert "<math" in page
    assert "cannot be drawn" in page
    assert "Not read:" in page
    assert not Run.objects.exists()

    columns = {f"column-{place}": field for place, field in enumerate(("id", "text", "answer", "concepts", "grade"))}
    sent = {"encoding": "windows-1252", "delimiter": "semicolon", "header": response.context["header"]} | columns
    preview = as_admin.post(here, sent | {"action": "preview"})
    assert preview.status_code == 200
    assert [row.question.grade for row in preview.context["rows"]] == ["Jo", ""]

    checked = work_on_answer(as_admin.post(here, sent | {"action": "check"}))
    assert checked.parameters["layout"]["fields"] == ["id", "text", "answer", "concepts", "grade"]
    assert [group["lines"] for group in checked.result["warnings"] if group["field"] == "formula"] == [[3], [3]]
    as_admin.post(reverse("import_confirm", args=[checked.pk]))
    imported = work(Run.objects.latest("pk"))
    assert imported.result["created"] == 2
    question = Question.objects.get(source="Blatt", source_id="1")
    assert (question.text, question.answer, question.grade) == ("Wie groß ist $x$ in $x + 1 = 3$?", "2", "Jo")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_the_unicode_text_of_a_spreadsheet_is_read_by_columns(as_admin, encoding) -> None:
    sheet = "\ufeffQuestion\tCorrect answer\r\n求 $x$，若 $x + 1 = 3$\t2\r\n"
    here = upload_csv(as_admin, sheet.encode(encoding), name="unicode.csv", source="Sheet")
    response = as_admin.get(here)
    form = response.context["form"]
    assert (form["delimiter"].value(), [field.value() for field in form.mapped()]) == ("tab", ["text", "answer"])
    sent = {
        "encoding": form["encoding"].value(),
        "delimiter": "tab",
        "header": response.context["header"],
        "column-0": "text",
        "column-1": "answer",
        "action": "check",
    }
    checked = work_on_answer(as_admin.post(here, sent))
    as_admin.post(reverse("import_confirm", args=[checked.pk]))
    work(Run.objects.latest("pk"))
    assert Question.objects.get(source="Sheet").text == "求 $x$，若 $x + 1 = 3$"


def work_on_answer(response) -> Run:
    assert response.status_code == 302
    run = Run.objects.latest("pk")
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    return work(run)


def test_another_sheet_of_a_workbook_makes_other_columns(as_admin, tmp_path) -> None:
    head = ["Frage", "Antwort"]
    sheets = ("Klasse 7", [head, ["1 + 1?", 2]]), ("Klasse 8", [["Aufgabe"], ["2 + 2?"]])
    path = workbook(tmp_path / "bank.xlsx", *sheets)
    response = as_admin.post(reverse("import_create"), {"file": SimpleUploadedFile(path.name, path.read_bytes())})
    page = as_admin.get(response["Location"]).content.decode()
    assert "1 + 1?" in page
    assert "The sheet &#x27;Klasse 8&#x27; is not read." in page
    assert 'name="encoding"' not in page
    sent = {"sheet": "Klasse 8", "header_line": "1", "header": "Frage|Antwort", "action": "check"}
    page = as_admin.post(response["Location"], sent).content.decode()
    assert "2 + 2?" in page
    as_admin.post(response["Location"], sent | {"header": "Aufgabe", "column-0": "text"})
    checked = work(Run.objects.get())
    assert checked.result["read_as"] == "Workbook, sheet 'Klasse 8', header in row 1"
    as_admin.post(reverse("import_confirm", args=[checked.pk]))
    work(Run.objects.exclude(pk=checked.pk).get(kind="import"))
    assert [question.text for question in Question.objects.all()] == ["2 + 2?"]


def test_another_delimiter_makes_other_columns(as_admin) -> None:
    here = upload_csv(as_admin, b"text,a;b\n1 + 1,2\n")
    first = as_admin.get(here)
    sent = {"encoding": "utf-8", "delimiter": "semicolon", "header": first.context["header"], "column-0": "text"}
    again = as_admin.post(here, sent | {"action": "preview"})
    assert [field.label for field in again.context["form"].mapped()] == ["text,a", "b"]


def test_a_check_needs_a_column_with_the_question_and_each_field_once(as_admin) -> None:
    here = upload_csv(as_admin, b"x,y\n1,2\n")
    page = as_admin.get(here)
    assert "Choose the column that holds the question." in page.content.decode()
    sent = {"encoding": "utf-8", "delimiter": "comma", "header": "x|y", "action": "check"}
    for columns in ({}, {"column-0": "text", "column-1": "text"}, {"column-0": "no such field"}):
        assert as_admin.post(here, sent | columns).status_code == 422
    assert not Run.objects.exists()


def test_the_columns_page_is_its_uploader_s_alone(client, as_admin, django_user_model) -> None:
    here = upload_csv(as_admin, b"text\n1 + 1\n")
    second_admin = django_user_model.objects.create_superuser("root", password="correct horse battery")
    client.force_login(second_admin)
    assert client.get(here)["Location"] == reverse("import_create")
    assert client.get(reverse("import_columns") + "?file=junk")["Location"] == reverse("import_create")


@pytest.mark.parametrize("content", [b"\0\1\2", b"", b'"'])
def test_a_file_named_csv_that_is_none_is_refused_with_a_sentence(as_admin, content) -> None:
    response = as_admin.post(reverse("import_create"), {"file": SimpleUploadedFile("mine.csv", content)}, follow=True)
    assert response.status_code in (200, 422)
    assert not Run.objects.exists()


def test_a_column_that_cannot_be_read_is_left_out_by_a_button(as_admin) -> None:
    sheet = "Frage;Antwort;Schwierigkeit\n" + "".join(
        f"Was ist {n} + 1?;{n + 1};{'75%' if n % 2 else 'schwer'}\n" for n in range(20)
    )
    here = upload_csv(as_admin, sheet.encode(), source="Blatt")
    response = as_admin.get(here)
    sent = {"encoding": "utf-8", "delimiter": "semicolon", "header": response.context["header"], "action": "check"}
    sent |= {f"column-{place}": field for place, field in enumerate(("text", "answer", "difficulty"))}
    checked = work_on_answer(as_admin.post(here, sent))
    assert [(group["count"], group["values"]) for group in checked.result["reasons"]] == [(20, ["'75%'"])]
    page = as_admin.get(reverse("run_detail", args=[checked.pk])).content.decode()
    assert "difficulty (20 lines)" in page
    assert "Frage → text" in page

    again = work_on_answer(as_admin.post(reverse("import_confirm", args=[checked.pk]), {"without": "difficulty"}))
    assert (again.parameters["dry_run"], again.parameters["without"]) == (True, ["difficulty"])
    assert "Import 20 questions" in as_admin.get(reverse("run_detail", args=[again.pk])).content.decode()
    imported = work_on_answer(as_admin.post(reverse("import_confirm", args=[again.pk])))
    assert imported.result["created"] == 20
    assert not Question.objects.filter(source="Blatt", difficulty__isnull=False).exists()


def test_the_fields_of_json_are_shown_where_they_are_not_ours(as_admin) -> None:
    file = SimpleUploadedFile("set.json", json.dumps([{"aufgabe1": "2 + 2?", "answer": 4}]).encode())
    here = as_admin.post(reverse("import_create"), {"file": file})["Location"]
    page = as_admin.get(here)
    assert "Choose the column that holds the question." in page.content.decode()
    sent = {"encoding": "utf-8", "header": page.context["header"], "action": "check"}
    checked = work_on_answer(as_admin.post(here, sent | {"column-0": "text", "column-1": "answer"}))
    assert (checked.result["created"], checked.result["refused_count"]) == (1, 0)
