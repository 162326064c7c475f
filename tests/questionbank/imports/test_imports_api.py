"""Imports and exports over the API."""

from __future__ import annotations

import json

import pytest
from django.core.files.storage import storages

from questionbank.formats import WRITTEN
from questionbank.models import Question, Run, School
from tests.factories import QuestionFactory
from tests.questionbank.api_client import Program
from tests.worker.jobs import work_on_import

pytestmark = pytest.mark.usefixtures("own_uploads")

GIFT = b"::Sum:: How much is 2 + 3? {=5 ~6}\n\n::Product:: How much is 2 * 3? {=6 ~5}\n"


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher)


def test_a_file_is_checked_then_imported_without_being_sent_again(program) -> None:
    checked = program.upload("/imports?source=Sums", GIFT, "sums.gift")
    assert checked.status_code == 202
    run = checked.json()
    assert checked["Location"] == f"/api/v1/runs/{run['id']}"
    work_on_import(run["id"])
    found = program("GET", f"/runs/{run['id']}").json()
    assert (found["state"], found["result"]["created"]) == ("succeeded", 2)
    assert not Question.objects.exists()

    confirmed = program("POST", f"/imports/{run['id']}/confirm", {}).json()
    assert program("POST", f"/imports/{run['id']}/confirm", {}).json()["id"] == confirmed["id"]
    work_on_import(confirmed["id"])
    assert sorted(Question.objects.values_list("source", "status")) == [("Sums", "draft")] * 2
    undone = program("POST", f"/imports/{confirmed['id']}/undo")
    assert (undone.status_code, undone.json()["kind"]) == (202, "undo")


def test_a_program_chooses_who_sees_the_questions(program, teacher) -> None:
    School.objects.create(name="Vale School", slug="vale").people.add(teacher)
    for visible_to in ("private", "vale", "all", ""):
        query = f"dry_run=false&status=draft&visible_to={visible_to}"
        work_on_import(program.upload(f"/imports?{query}", GIFT + visible_to.encode(), "sums.gift").json()["id"])
    shown = Question.unrestricted.order_by("pk").values_list("visibility", "school__slug").distinct()
    assert {*shown} == {("private", None), ("school", "vale"), ("all", None)}


def test_refused_lines_come_with_their_reasons(program) -> None:
    lines = [json.dumps({"text": "How much is $2 + 3$?"}), json.dumps({"text": ""})]
    run = program.upload("/imports", "\n".join(lines).encode(), "sums.jsonl").json()
    work_on_import(run["id"])
    result = program("GET", f"/runs/{run['id']}").json()["result"]
    assert "2" in json.dumps(result["refused"])


def test_a_file_that_is_sent_again_with_its_key_is_imported_once(program) -> None:
    first, again = (program.upload("/imports", GIFT, "sums.gift", Idempotency_Key="a") for _time in range(2))
    assert first.json()["id"] == again.json()["id"]
    assert Run.objects.count() == 1
    other = program.upload("/imports", GIFT + b"\n", "sums.gift", Idempotency_Key="a")
    assert other.status_code == 422


@pytest.mark.parametrize(
    ("query", "content", "name"),
    [
        ("", b"", "empty.gift"),
        ("", b"\x7fELF\x02\x01\x01", "program"),
        ("?format=riddle", GIFT, "sums.gift"),
        ("?scale=hardness", GIFT, "sums.gift"),
        ("?colour=red", GIFT, "sums.gift"),
        ("?status=retired", GIFT, "sums.gift"),
        ("?visible_to=vale", GIFT, "sums.gift"),
    ],
)
def test_what_cannot_be_imported_is_refused_at_once(program, query, content, name) -> None:
    response = program.upload(f"/imports{query}", content, name)
    assert response.status_code == 422
    assert response.json()["error"]["message"]
    assert not Run.objects.exists()
    assert storages["uploads"].listdir("")[1] == [] if storages["uploads"].exists("") else True


def test_a_file_over_the_limit_is_refused(program, settings) -> None:
    settings.IMPORT_UPLOAD_MAX_BYTES = 10
    assert program.upload("/imports", GIFT, "sums.gift").status_code == 413


def test_a_body_that_is_no_form_is_refused(program) -> None:
    response = program("POST", "/imports", {"file": "sums.gift"})
    assert response.status_code == 415
    assert "multipart/form-data" in response.json()["error"]["message"]


@pytest.mark.parametrize("format", sorted(WRITTEN))
def test_questions_that_pass_the_filters_come_in_every_format(program, format) -> None:
    QuestionFactory(text="How much is $2 + 3$?", answer="5", kind="number", grade="7")
    QuestionFactory(text="How much is $2 + 4$?", answer="6", kind="number", grade="8")
    response = program("GET", f"/exports?as={format}&grade=7")
    assert response.status_code == 200
    data = b"".join(response.streaming_content)
    assert data
    if format == "jsonl":
        assert [json.loads(line)["text"] for line in data.splitlines()] == ["How much is $2 + 3$?"]


def test_what_a_format_cannot_hold_is_named(program) -> None:
    question = QuestionFactory(kind="matching", content={"pairs": [{"left": "2", "right": "two"}]})
    report = program("GET", "/exports/losses?as=gift").json()
    assert report["questions"] == 1
    assert all(loss["first"] == [question.pk] for loss in [*report["refused"], *report["lost"]])


def test_others_drafts_are_not_exported(program, admin_person) -> None:
    QuestionFactory(status="draft", created_by=admin_person)
    assert b"".join(program("GET", "/exports?as=jsonl&status=any").streaming_content) == b""


def test_a_format_that_does_not_exist_is_refused(program) -> None:
    for path in ("/exports", "/exports/losses"):
        assert program("GET", f"{path}?as=odt").status_code == 422
        assert program("GET", path).status_code == 422
