"""Worksheets over the API: the same rows, versions and files as the pages."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from questionbank.bank.list_services import question_list_add, question_list_create
from questionbank.models import QuestionUse, Worksheet
from questionbank.worksheets.print_selectors import FILES, WorksheetFile
from tests.factories import QuestionFactory
from tests.questionbank.api_client import Program


@pytest.fixture
def program(bank, teacher) -> Program:
    return Program(teacher)


@pytest.fixture
def printed(monkeypatch) -> list:
    """Sheets that were sent to the printer, which writes nothing here."""
    sent: list = []
    file = WorksheetFile("PDF", ".pdf", "application/pdf", lambda sheets: sent.append(list(sheets)) or b"%PDF")
    monkeypatch.setattr("questionbank.worksheets.print_selectors.FILES", FILES | {"pdf": file})
    return sent


def made(program: Program, **body: object) -> str:
    response = program("POST", "/worksheets", {"name": "Friday test", **body})
    assert response.status_code == 201, response.content
    return response["Location"].removeprefix("/api/v1")


def numbers(worksheet: dict) -> list[int]:
    return [entry["question"] for entry in worksheet["entries"] if entry["question"]]


def test_a_worksheet_is_made_read_changed_and_deleted(program, bank) -> None:
    first, second = (question.pk for question in bank.questions[:2])
    opaque = QuestionFactory(kind="opaque").pk
    response = program(
        "POST", "/worksheets", {"name": " Friday  test ", "questions": [first, opaque, second, first], "versions": 2}
    )
    new = response.json()
    assert (new["name"], new["versions"], new["added"], numbers(new)) == ("Friday test", 2, 2, [first, second])
    assert [f"Question {opaque}" in notice for notice in new["notices"]] == [True]
    path = response["Location"].removeprefix("/api/v1")
    assert program("GET", path).json().items() <= new.items()
    changed = program("PATCH", path, {"title": "Test 1", "columns": 2}).json()
    assert (changed["title"], changed["columns"], changed["versions"]) == ("Test 1", 2, 2)
    assert [one["name"] for one in program("GET", "/worksheets").json()["items"]] == ["Friday test"]
    assert program("DELETE", path).status_code == 204
    assert program("GET", path).status_code == 404


def test_a_list_becomes_a_worksheet_as_on_its_page(program, teacher, bank) -> None:
    question_list = question_list_create(user=teacher, name="Friday")
    question_list_add(user=teacher, question_list=question_list, questions=bank.questions[:3])
    for name in ("Friday", "Friday (2)"):
        new = program("POST", "/worksheets", {"list": question_list.pk}).json()
        assert (new["name"], numbers(new)) == (name, [question.pk for question in bank.questions[:3]])
    assert Worksheet.objects.filter(source_list=question_list).count() == 2
    assert program("POST", "/worksheets", {"list": 10**9}).status_code == 404
    assert program("POST", "/worksheets", {}).status_code == 422
    assert Worksheet.objects.count() == 2


def test_entries_are_replaced_with_order_points_lines_and_sections(program, bank) -> None:
    first, second, third = (question.pk for question in bank.questions[:3])
    path = made(program, questions=[first, second])
    entries = [
        {"heading": "Part A", "instructions": "Without a calculator."},
        {"question": third, "points": 2.5, "answer_lines": 3},
        {"question": first},
    ]
    found = program("PUT", f"{path}/entries", {"entries": entries}).json()["entries"]
    assert [(entry["question"], entry["number"], entry["points"], entry["answer_lines"]) for entry in found] == [
        (None, None, None, 0), (third, 1, 2.5, 3), (first, 2, None, 0),
    ]  # fmt: skip
    assert (found[0]["heading"], found[0]["instructions"]) == ("Part A", "Without a calculator.")
    assert program("PUT", f"{path}/entries", {"entries": []}).json()["entries"] == []


def test_what_is_gone_may_stay_and_come_back_with_the_entries(program, bank) -> None:
    question = bank.questions[0]
    path = made(program, questions=[question.pk])
    question.status = "retired"
    question.save()
    found = program("GET", path).json()["entries"]
    assert found[0]["left_out"] == f"Question {question.pk} is retired."
    assert program("PUT", f"{path}/entries", {"entries": [{"question": question.pk}]}).status_code == 200
    program("PUT", f"{path}/entries", {"entries": []})
    assert program("PUT", f"{path}/entries", {"entries": [{"question": question.pk}]}).status_code == 422


@pytest.mark.parametrize(
    "entries",
    [
        [{}],
        [{"question": 10**9}],
        [{"question": "first"}, {"question": "first"}],
        [{"question": "draft"}],
        [{"question": "first", "heading": "Part A"}],
        [{"heading": "Part A", "points": 1}],
        [{"question": "first", "points": -1}],
        [{"question": "first", "points": 1001}],
        [{"question": "first", "answer_lines": 41}],
        [{"heading": "x" * 201}],
        [{"heading": f"Part {number}"} for number in range(51)],
        [{"question": "first", "colour": "red"}],
    ],
)
def test_entries_that_make_no_sense_are_refused_and_change_nothing(program, bank, admin_person, entries) -> None:
    known = {"first": bank.questions[0].pk, "draft": QuestionFactory(status="draft", created_by=admin_person).pk}
    path = made(program, questions=[bank.questions[1].pk])
    named = [entry | {"question": known.get(entry["question"], entry["question"])} if "question" in entry else entry
             for entry in entries]  # fmt: skip
    assert program("PUT", f"{path}/entries", {"entries": named}).status_code == 422
    assert numbers(program("GET", path).json()) == [bank.questions[1].pk]


def test_questions_are_added_filled_up_and_sorted(program, bank) -> None:
    path = made(program)
    first, second = bank.questions[0], bank.questions[1]
    added = program("POST", f"{path}/questions", {"questions": [first.pk, second.pk]}).json()
    again = program("POST", f"{path}/questions", {"questions": [first.pk]}).json()
    assert (added["added"], again["added"], again["notices"]) == (2, 0, ["1 were on the worksheet already."])
    filled = program("POST", f"{path}/fill", {"number": 1, "concepts": [bank.circle.pk]}).json()
    assert filled["added"] == 1
    assert program("POST", f"{path}/fill", {"number": 50}).json()["notices"]
    assert program("POST", f"{path}/fill", {"number": 51}).status_code == 422
    assert program("POST", f"{path}/fill", {"number": 1, "concepts": [10**9]}).status_code == 422
    before = program("GET", path).json()
    ordered = program("POST", f"{path}/sort").json()
    assert sorted(numbers(ordered)) == sorted(numbers(before))


def test_versions_stay_until_they_are_drawn_again(program, bank, teacher) -> None:
    path = made(program, questions=[question.pk for question in bank.questions], versions=3)
    versions = program("GET", f"{path}/versions").json()
    assert [one["version"] for one in versions] == ["A", "B", "C"]
    assert versions[0]["questions"] == [question.pk for question in bank.questions]
    assert versions == program("GET", f"{path}/versions").json()
    seed = Worksheet.objects.get().seed
    assert len(program("POST", f"{path}/draw").json()) == 3
    assert Worksheet.objects.get().seed != seed


def test_a_file_is_the_page_s_and_counts_as_used_only_when_it_is_said(program, bank, as_teacher, printed) -> None:
    path = made(program, questions=[bank.questions[0].pk], versions=2)
    worksheet = Worksheet.objects.get()
    from_api = program("GET", f"{path}/file?as=pdf&version=B")
    assert not QuestionUse.objects.exists()
    from_page = as_teacher.post(
        reverse("worksheet_download", args=[worksheet.pk]), {"format": "pdf", "version": "B", "contents": "students"}
    )
    for name in ("Content-Type", "Content-Disposition"):
        assert from_api[name] == from_page[name]
    assert printed[0] == printed[1]
    QuestionUse.objects.all().delete()
    used = program("POST", f"{path}/uses").json()
    today = timezone.localdate().isoformat()
    assert used["used_on"] == [today]
    assert QuestionUse.objects.get().question_id == bank.questions[0].pk
    assert program("DELETE", f"{path}/uses/{today}").status_code == 204
    assert program("DELETE", f"{path}/uses/{today}").status_code == 404
    assert program("DELETE", f"{path}/uses/friday").status_code == 422


@pytest.mark.parametrize("query", ["", "as=odt", "as=pdf&version=C", "as=pdf&contents=all", "as=pdf&version=b"])
def test_a_file_that_does_not_exist_is_refused(program, printed, query) -> None:
    assert program("GET", f"{made(program, versions=2)}/file?{query}").status_code in (404, 422)
    assert printed == []


@pytest.mark.parametrize("format", ["latex", "html"])
def test_other_files_are_written(program, bank, format) -> None:
    response = program("GET", f"{made(program, questions=[bank.questions[0].pk])}/file?as={format}&contents=solutions")
    assert response.status_code == 200
    assert response.content
    assert "friday-test-solutions" in response["Content-Disposition"]


def test_the_expected_mark_names_what_is_unknown(program) -> None:
    question = QuestionFactory(difficulty=2, difficulty_scale="1-5").pk
    mark = program("GET", f"{made(program, questions=[question])}/mark").json()
    assert (mark["mark"], mark["points"], mark["known"], mark["unknown"]) == (0.75, 1.0, 1, 0)
    assert program("GET", f"{made(program, name='Empty')}/mark").json() is None


def test_a_shared_worksheet_is_read_by_others_and_changed_by_its_owner(program, reviewer, bank) -> None:
    path = made(program, questions=[bank.questions[0].pk])
    colleague = Program(reviewer)
    assert colleague("GET", path).status_code == 404
    program("PATCH", path, {"is_shared": True})
    assert colleague("GET", path).json()["owner"] == "teacher"
    assert colleague("GET", f"{path}/file?as=html").status_code == 200
    for method, part in (("PATCH", ""), ("DELETE", ""), ("PUT", "/entries"), ("POST", "/sort"), ("POST", "/draw")):
        body = {"entries": []} if part == "/entries" else {}
        assert colleague(method, path + part, body).status_code == 404
    assert Worksheet.objects.get().items.count() == 1


def test_a_worksheet_that_changed_in_between_is_not_overwritten(program, bank) -> None:
    path = made(program)
    etag = program("GET", path)["ETag"]
    program("POST", f"{path}/questions", {"questions": [bank.questions[0].pk]})
    for method, part, body in (("PATCH", "", {"title": "x"}), ("PUT", "/entries", {"entries": []}), ("DELETE", "", {})):
        assert program(method, path + part, body, If_Match=etag).status_code == 412
    assert Worksheet.objects.get().items.count() == 1
