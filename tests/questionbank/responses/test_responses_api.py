"""Responses over the API: the same import and figures as the pages, and nothing about a single pupil."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from questionbank.models import ApiRequest, QuestionList, QuestionListItem, Response, ResponseSet
from tests.questionbank.api_client import Program
from tests.questionbank.responses.conftest import LETTERS, PUPILS, waiting_figures_compute

pytestmark = pytest.mark.usefixtures("own_uploads")


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher)


@pytest.fixture
def path(program, questions, letters) -> str:
    made = program.upload("/responses?dry_run=false&class_label=7b&day=2026-05-01", letters.read_bytes(), letters.name)
    assert made.status_code == 201, made.content
    return made["Location"].removeprefix("/api/v1")


def test_a_file_is_checked_and_then_imported(program, questions, letters) -> None:
    checked = program.upload("/responses", letters.read_bytes(), letters.name)
    assert checked.status_code == 200
    preview = checked.json()
    assert (preview["responses"], preview["pupils"], preview["unused"]) == (28, 7, 0)
    assert [match["question"] for match in preview["questions"]] == [question.pk for question in questions]
    assert not ResponseSet.objects.exists()
    made = program.upload("/responses?dry_run=false", letters.read_bytes(), letters.name)
    assert made.status_code == 201
    assert (made.json()["title"], made.json()["pupils"]) == ("Test 3", 7)
    assert Response.objects.count() == 28
    assert program("GET", made["Location"].removeprefix("/api/v1")).json() == made.json()


def test_figures_are_those_of_the_pages(program, path, questions, as_teacher) -> None:
    found = program("GET", f"{path}/statistics").json()
    assert {row["question"]: row["pupils"] for row in found} == {question.pk: 7 for question in questions}
    first = next(row for row in found if row["question"] == questions[0].pk)
    rights = sum(row[0] == "B" for row in LETTERS)
    assert first["figures"]["facility"] == pytest.approx(rights / 7)
    assert {option["label"]: sum(option["thirds"]) for option in first["options"] if option["label"]} == {
        "A": 7 - rights, "B": rights, "C": 0,
    }  # fmt: skip
    page = as_teacher.get(reverse("response_set_detail", args=[ResponseSet.objects.get().pk])).content.decode()
    assert all(flag["sentence"].rstrip(".") in page for row in found for flag in row["flags"])
    waiting_figures_compute()
    of_question = program("GET", f"/questions/{questions[0].pk}/statistics").json()
    assert of_question["sets"] == [first]
    assert of_question["overall"]["set"] is None


def test_no_response_names_or_numbers_a_pupil(program, path, questions, letters) -> None:
    program.upload("/responses?dry_run=true", letters.read_bytes(), letters.name, Idempotency_Key="a")
    person = bytes(Response.objects.first().person).hex()
    addresses = ["/responses", path, f"{path}/statistics", f"/questions/{questions[0].pk}/statistics"]
    said = [program("GET", address).content.decode() for address in addresses]
    said += [bytes(kept.body).decode() for kept in ApiRequest.objects.all()]
    assert [name for name in (*PUPILS, person) if any(name in text for text in said)] == []


def test_fewer_than_five_pupils_have_no_figures(program, questions, letters) -> None:
    few = "\n".join(letters.read_text(encoding="utf-8").splitlines()[:5]).encode()
    made = program.upload("/responses?dry_run=false", few, letters.name).json()
    assert (made["pupils"], made["figures"]) == (4, {})
    assert program("GET", f"/responses/{made['id']}/statistics").json() == []
    assert program("GET", f"/questions/{questions[0].pk}/statistics").json() == {"overall": None, "sets": []}


def test_questions_are_chosen_or_are_places_on_a_list_of_ones_own(program, teacher, admin_person, questions) -> None:
    named = b"Name,Area,t-2\nA,1,A\nB,0,B\n"
    assert program.upload("/responses", named, "a.csv").json()["questions"][0]["question"] is None
    chosen = program.upload(f"/responses?choose=0:{questions[3].pk}&choose=1:0", named, "a.csv").json()["questions"]
    assert [match["question"] for match in chosen] == [questions[3].pk, None]
    numbered = b"Name,1,2\nA,1,1\nB,0,1\n"
    for owner, status in ((teacher, 200), (admin_person, 404)):
        row = QuestionList.objects.create(owner=owner, name="Friday")
        QuestionListItem.objects.create(question_list=row, question=questions[2], position=1)
        found = program.upload(f"/responses?list={row.pk}", numbered, "a.csv")
        assert found.status_code == status
        if status == 200:
            assert found.json()["questions"][0]["question"] == questions[2].pk
    assert program.upload("/responses?worksheet=999999", numbered, "a.csv").status_code == 404


@pytest.mark.parametrize(
    ("query", "content", "name"),
    [
        ("", b"", "empty.csv"),
        ("", b"\x7fELF\x02\x01\x01", "program.csv"),
        ("", b"Name\nAda\n", "names.csv"),
        ("?dry_run=false", b"Name,z-1\nAda,1\n", "unknown.csv"),
        ("?choose=a:b", b"Name,t-1\nAda,A\n", "a.csv"),
        ("?day=friday", b"Name,t-1\nAda,A\n", "a.csv"),
        ("?colour=red", b"Name,t-1\nAda,A\n", "a.csv"),
    ],
)
def test_what_cannot_be_imported_is_refused_in_a_sentence(program, questions, query, content, name) -> None:
    refused = program.upload(f"/responses{query}", content, name)
    assert refused.status_code == 422
    assert refused.json()["error"]["message"]
    assert not ResponseSet.objects.exists()


def test_a_choice_for_a_question_that_the_file_lacks_is_refused(program, questions, letters) -> None:
    refused = program.upload(f"/responses?choose=9:{questions[0].pk}", letters.read_bytes(), letters.name)
    assert refused.status_code == 422
    assert list(refused.json()["error"]["fields"]) == ["choose"]


def test_a_file_over_the_limit_or_that_is_no_form_is_refused(program, settings, letters) -> None:
    settings.REVIEW_UPLOAD_MAX_BYTES = 10
    assert program.upload("/responses", letters.read_bytes(), "a.csv").status_code == 413
    assert program("POST", "/responses", {}).status_code == 415


def test_only_its_owner_or_an_admin_deletes_a_set(program, path, django_user_model, reviewer, admin_person) -> None:
    teacher = program.key.owner
    colleague = django_user_model.objects.create_user("colleague")
    colleague.groups.set(teacher.groups.all())
    assert Program(colleague)("DELETE", path).status_code == 403
    assert Program(reviewer)("GET", path).status_code == 403
    assert Program(admin_person)("DELETE", path).status_code == 204
    assert not Response.objects.exists()


def test_the_statistics_of_others_drafts_are_not_shown(program, path, questions, admin_person) -> None:
    questions[0].status, questions[0].created_by = "draft", admin_person
    questions[0].save()
    assert program("GET", f"/questions/{questions[0].pk}/statistics").status_code == 404
    assert questions[0].pk not in [row["question"] for row in json.loads(program("GET", f"{path}/statistics").content)]
