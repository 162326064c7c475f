"""The pages of responses: upload, preview, import, figures, deleting; and that no name survives."""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.conf import settings
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse
from psycopg import sql

from questionbank.models import ItemStatistics, QuestionList, QuestionListItem, ResponseSet
from questionbank.responses.set_services import SetDetails, responses_import, responses_plan, responses_read
from tests.cases import each_case
from tests.questionbank.responses.conftest import PUPILS, waiting_figures_compute

pytestmark = pytest.mark.usefixtures("own_uploads")


def uploaded(client, path: Path) -> str:
    """Upload a file and return the address of its preview."""
    file = SimpleUploadedFile(path.name, path.read_bytes())
    response = client.post(reverse("response_upload"), {"file": file})
    assert response.status_code == 302
    return response.url


@pytest.fixture
def response_set(questions, letters, teacher) -> ResponseSet:
    plan = responses_plan(table=responses_read(path=letters), user=teacher)
    return responses_import(plan=plan, details=SetDetails("Test 3", "7b"), user=teacher)


def page(client, name: str, *arguments: object, **data: object) -> str:
    return client.get(reverse(name, args=arguments), data).content.decode()


def test_a_file_is_previewed_and_then_imported(as_teacher, questions, letters):
    address = uploaded(as_teacher, letters)
    preview = as_teacher.get(address).content.decode()
    assert "28 responses of 7 pupils to 4" in " ".join(preview.split())
    assert "What is the area of triangle number 1?</a>" in preview
    assert 'value="Test 3"' in preview
    assert not ResponseSet.objects.exists()
    sent = {"title": "Unit test", "class_label": "7b", "day": "2026-05-01", "action": "import"}
    shown = as_teacher.post(address, sent, follow=True).content.decode()
    assert "28 responses were imported." in shown
    stored = ResponseSet.objects.get()
    assert (stored.title, stored.class_label, str(stored.day), stored.people) == ("Unit test", "7b", "2026-05-01", 7)
    assert storages["uploads"].listdir("")[1] == []


def test_a_column_that_is_not_matched_is_asked_for(as_teacher, questions, letters):
    letters.write_text("Name,Area,t-2\nA,1,A\nB,0,B\n", encoding="utf-8")
    address = uploaded(as_teacher, letters)
    assert "1 of 2 is not matched." in as_teacher.get(address).content.decode()
    chosen = {"title": "Test", "question-0": questions[3].pk, "action": "check"}
    assert "All questions are matched." in as_teacher.post(address, chosen).content.decode()
    assert not ResponseSet.objects.exists()
    as_teacher.post(address, chosen | {"action": "import"})
    assert set(ResponseSet.objects.get().responses.values_list("question", flat=True)) == {
        questions[1].pk,
        questions[3].pk,
    }


@pytest.mark.parametrize("day", ["0026-05-01", "2206-05-01"])
def test_a_day_that_nobody_wrote_a_test_on_is_a_typing_mistake(as_teacher, questions, letters, day):
    sent = {"title": "Unit test", "day": day, "action": "import"}
    page = as_teacher.post(uploaded(as_teacher, letters), sent)
    assert page.context["form"].errors == {"day": ["Enter a day in the years 1950 to 2149."]}
    assert not ResponseSet.objects.exists()


def test_numbers_are_places_on_a_list_of_the_person(as_teacher, teacher, questions, letters):
    chosen = QuestionList.objects.create(owner=teacher, name="Friday")
    QuestionListItem.objects.create(question_list=chosen, question=questions[2], position=1)
    letters.write_text("Name,1,2\nA,1,1\nB,0,1\n", encoding="utf-8")
    address = uploaded(as_teacher, letters)
    assert "the list “Friday”" in as_teacher.get(address).content.decode()
    as_teacher.post(address, {"title": "Test", "order": f"list-{chosen.pk}", "action": "import"})
    assert set(ResponseSet.objects.get().responses.values_list("question", flat=True)) == {questions[2].pk}


def test_a_preview_belongs_to_its_person_and_can_be_cancelled(as_teacher, questions, letters, admin_person, client):
    address = uploaded(as_teacher, letters)
    as_teacher.post(address, {"action": "forget"})
    assert storages["uploads"].listdir("")[1] == []
    assert as_teacher.get(address).url == reverse("response_upload")
    address = uploaded(as_teacher, letters)
    client.force_login(admin_person)
    assert client.get(address).url == reverse("response_upload")


def test_a_file_that_cannot_be_read_is_refused_with_its_lines(as_teacher, questions, letters):
    letters.write_text("Name,t-1 (1)\nA,5\n", encoding="utf-8")
    file = SimpleUploadedFile(letters.name, letters.read_bytes())
    response = as_teacher.post(reverse("response_upload"), {"file": file})
    assert response.status_code == 422
    assert "Line 2: t-1: the mark 5 is above the maximum, 1" in response.content.decode()


def test_the_page_of_a_set_lists_flagged_questions_first_and_sorts(as_teacher, response_set, questions):
    shown = page(as_teacher, "response_set_detail", response_set.pk)
    assert "Internal consistency (alpha)" in shown
    order = [shown.index(reverse("question_detail", args=[question.pk])) for question in questions]
    by_facility = page(as_teacher, "response_set_detail", response_set.pk, sort="facility")
    assert 'aria-sort="ascending"' in by_facility
    assert len(set(order)) == 4
    assert "Facility and discrimination, from the hardest to the easiest question" in shown
    upwards, downwards = (
        re.findall(r'<a href="/questions/(\d+)/"', page(as_teacher, "response_set_detail", response_set.pk, sort=name))
        for name in ("question", "-question")
    )
    assert upwards == downwards[::-1] == [str(question.pk) for question in questions]


def test_questions_to_look_at_are_listed_with_suspected_keys_first(as_teacher, response_set, questions):
    waiting_figures_compute()
    rows = ItemStatistics.objects.filter(response_set=None)
    rows.filter(question=questions[0]).update(flags=[{"code": "too easy", "evidence": 0.97, "option": ""}])
    for question, evidence in ((questions[1], 1.4), (questions[2], 3.2)):
        flags = [{"code": "check key", "evidence": evidence, "option": "C"}]
        rows.filter(question=question).update(flags=flags)
    rows.filter(question=questions[3]).update(flags=[])
    shown = page(as_teacher, "response_questions")
    listed = re.findall(r'<a href="/questions/(\d+)/"', shown)
    assert listed == [str(questions[place].pk) for place in (2, 1, 0)]
    assert "The stronger pupils chose C: check the key (3.2 standard errors)" in shown
    assert "3 questions to look at" in page(as_teacher, "response_set_list")
    rows.update(flags=[])
    assert "Nothing to look at" in page(as_teacher, "response_questions")


def test_questions_whose_responses_contradict_the_text_are_listed(as_teacher, response_set, questions):
    figures = {
        "text_percent": 20.0,
        "text_low": 5.0,
        "text_high": 50.0,
        "percent": 71.4,
        "percent_low": 60,
        "percent_high": 80,
    }
    for question, surprise in zip(questions, (2.6, -4.0, 1.0, 2.4), strict=True):
        ItemStatistics.objects.create(question=question, people=40, figures=figures | {"surprise": surprise})
    shown = page(as_teacher, "response_questions").partition("contradict the text most</h2>")[2]
    assert re.findall(r'<a href="/questions/(\d+)/"', shown) == [str(questions[1].pk), str(questions[0].pk)]
    assert "20% wrong" in shown
    assert "71% wrong" in shown
    card = page(as_teacher, "question_detail", questions[1].pk)
    assert "Easier for pupils than its text suggests" in card


def test_the_address_of_a_preview_does_not_hold_the_files_name(as_teacher, questions, letters):
    address = uploaded(as_teacher, letters.rename(letters.with_name("Ada Lovelace.csv")))
    token = unquote(address).partition("file=")[2].partition(":")[0]
    readable = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    assert b"Lovelace" not in readable
    assert "Ada Lovelace" in as_teacher.get(address).content.decode()


def test_figures_are_written_as_csv(as_teacher, response_set, questions):
    rows = page(as_teacher, "response_set_csv", response_set.pk).splitlines()
    assert rows[0].startswith("\ufeffquestion,pupils,facility,")
    assert rows[1].startswith(f"{questions[0].pk},7,0.714")
    waiting_figures_compute()
    overall = page(as_teacher, "response_figures_csv").splitlines()
    assert overall[0].startswith(
        "\ufeffquestion,pupils,facility,discrimination,guess,sets,slope,slope_error,difficulty"
    )
    assert overall[1].startswith(f"{questions[0].pk},7,0.714")
    assert len(overall) == 5


def test_the_page_of_a_question_shows_what_its_responses_say(as_teacher, response_set, questions):
    assert "The figures over all tests are being computed." in page(as_teacher, "question_detail", questions[0].pk)
    waiting_figures_compute()
    shown = page(as_teacher, "question_detail", questions[0].pk)
    assert "Options by third of ability" in shown
    assert "71% of the marks, 7 pupils" in shown


def test_a_reviewer_sees_no_responses(as_reviewer, response_set, questions):
    assert "responses-heading" not in page(as_reviewer, "question_detail", questions[0].pk)
    assert as_reviewer.get(reverse("response_set_detail", args=[response_set.pk])).status_code == 403


@each_case("responses", "sparse")
def test_a_set_without_much_to_compute_has_a_page(as_teacher, teacher, questions, letters, text, said):
    letters.write_text(text, encoding="utf-8")
    plan = responses_plan(table=responses_read(path=letters), user=teacher)
    sparse = responses_import(plan=plan, details=SetDetails("Sparse"), user=teacher)
    assert said in page(as_teacher, "response_set_detail", sparse.pk)
    assert as_teacher.get(reverse("question_detail", args=[questions[0].pk])).status_code == 200


def test_the_owner_deletes_a_set_and_nobody_else_but_an_admin(as_teacher, response_set):
    address = reverse("response_set_delete", args=[response_set.pk])
    assert "cannot be brought back" in as_teacher.get(address).content.decode()
    as_teacher.post(address)
    assert not ResponseSet.objects.exists()
    assert "No responses yet" in page(as_teacher, "response_set_list")


def test_no_name_of_the_file_is_in_a_table_log_or_file(as_teacher, questions, letters, log):
    lines = letters.read_text(encoding="utf-8").splitlines()
    lines[0] = "Name,Email," + lines[0].partition(",")[2]
    rows = [line.replace(",", f",pupil{place}@school.example,", 1) for place, line in enumerate(lines[1:])]
    letters.write_text("\n".join([lines[0], *rows, "Zoe Zeta,,Q,F,F,F"]) + "\n", encoding="utf-8")
    address = uploaded(as_teacher, letters)
    preview = as_teacher.get(address).content.decode()
    waiting = storages["uploads"].listdir("")[1]
    kept = "".join(gzip.decompress(Path(storages["uploads"].path(name)).read_bytes()).decode() for name in waiting)
    as_teacher.post(address, {"title": "Test", "action": "import"})
    response_set = ResponseSet.objects.get()
    pages = [page(as_teacher, name, response_set.pk) for name in ("response_set_detail", "response_set_csv")]
    tables = []
    with connection.cursor() as cursor:
        for name in sorted(connection.introspection.django_table_names(only_existing=True)):
            every_row = sql.SQL("SELECT coalesce(string_agg(t::text, ' '), '') FROM {} t")
            cursor.execute(every_row.format(sql.Identifier(name)))
            tables.append(cursor.fetchone()[0])
    written = "\n".join([preview, *pages, log.getvalue(), *tables, kept]).casefold()
    words = [*PUPILS, "Lovelace", "school.example", "Zeta"]
    assert waiting
    assert [word for word in words if word.casefold() in written] == []
    assert storages["uploads"].listdir("")[1] == []
    assert list((Path(settings.VAR_DIR) / "scratch").glob("responses-*")) == []


def test_an_edit_of_an_answered_question_asks_about_its_responses(as_teacher, response_set, questions, teacher):
    question = questions[0]
    question.created_by = teacher
    question.save()
    form = page(as_teacher, "question_edit", question.pk)
    assert "Earlier responses of pupils" in form
    fields = ("text", "kind", "language", "answer", "status", "version")
    sent = {name: getattr(question, name) for name in fields} | {"series": "keep", "action": "save", "answer": "A"}
    sent |= {f"option_{name}": [row[name] for row in question.options] for name in ("label", "text")}
    as_teacher.post(reverse("question_edit", args=[question.pk]), sent)
    assert not question.response_series.exists()
    sent |= {"series": "new", "version": question.version + 1}
    as_teacher.post(reverse("question_edit", args=[question.pk]), sent)
    assert question.response_series.get().version == question.version + 2
    shown = page(as_teacher, "question_detail", question.pk)
    assert "Before the question was changed" in shown
    assert "nobody has answered it since" in shown


def test_a_pupil_is_deleted_after_confirmation_and_the_name_is_not_shown_again(as_teacher, response_set):
    address = reverse("response_deletion")
    shown = as_teacher.post(address, {"pupil": "ada lovelace"}).content.decode()
    assert "4 responses in" in shown
    assert "lovelace" not in shown.casefold()
    assert response_set.responses.count() == 28
    token = shown.partition('name="confirmed" value="')[2].partition('"')[0]
    assert "4 responses are deleted." in as_teacher.post(address, {"confirmed": token}, follow=True).content.decode()
    assert response_set.responses.count() == 24
    assert as_teacher.post(address, {"confirmed": "forged"}).status_code == 409
    assert "There are no such responses" in as_teacher.post(address, {"pupil": "Nobody"}).content.decode()
    assert as_teacher.post(address, {}).status_code == 422
    detail = page(as_teacher, "response_set_detail", response_set.pk)
    assert "1 pupil was deleted since these figures were computed" in detail
