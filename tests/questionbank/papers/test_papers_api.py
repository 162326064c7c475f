"""Test papers over the API: the same steps as the review page, and the same import."""

from __future__ import annotations

import pytest

from questionbank.jobs.run_services import run_start, run_succeed
from questionbank.models import DocumentDraft, Question, QuestionList, Run
from questionbank.papers.import_services import run_document_import
from questionbank.papers.services import run_document_read
from tests.questionbank.api_client import Program
from tests.questionbank.papers.pdf_files import black, line, written_pdf
from tests.worker.jobs import Reporter

pytestmark = pytest.mark.usefixtures("own_attachments", "own_uploads")

PAPER = """1. Which number is $2 + 3$?
A. 4
B. 5
Answer: B
2. How many sides does a hexagon have?
A. 6
B. 8
3. What is a prime?
Answer: 4
"""


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher)


def put_in(program: Program, text: str = PAPER) -> tuple[str, dict]:
    made = program("POST", "/papers/text", {"text": text})
    assert made.status_code == 201, made.content
    return made["Location"].removeprefix("/api/v1"), made.json()


def work(run_id: int, job) -> None:
    """Do what the worker does."""
    run = run_start(run_id=run_id, worker="test")
    run_succeed(run=run, result=job(run, Reporter()))


def test_a_document_is_read_by_a_job(program) -> None:
    made = program.upload("/papers", PAPER.encode(), "test.txt")
    assert made.status_code == 202
    path, paper = made["Location"].removeprefix("/api/v1"), made.json()
    assert (paper["state"], paper["questions"], paper["lines"]) == ("reading", [], [])
    work(paper["run"], run_document_read)
    ready = program("GET", path).json()
    assert (ready["state"], ready["name"]) == ("ready", "test.txt")
    assert [question["number"] for question in ready["questions"]] == ["1.", "2.", "3."]
    assert [one["name"] for one in program("GET", "/papers").json()["items"]] == ["test.txt"]


def test_what_is_doubtful_is_named(program) -> None:
    _path, paper = put_in(program)
    first, second, _third = paper["questions"]
    assert (first["kind"], first["answer"], first["doubts"]) == ("choice", "B", [])
    assert [option["text"] for option in first["options"]] == ["4", "5"]
    assert "unanswered" in [doubt["code"] for doubt in second["doubts"]]
    assert all(doubt["sentence"] for doubt in second["doubts"])
    assert [line["role"] for line in paper["lines"]][:4] == ["question", "option", "option", "answer"]


def test_corrections_are_the_steps_of_the_review_and_can_be_undone(program) -> None:
    path, paper = put_in(program)
    first, second, third = paper["questions"]
    option = next(line["key"] for line in paper["lines"] if line["text"] == "6")
    corrected = program(
        "POST",
        f"{path}/corrections",
        {
            "corrections": [
                {"line": option, "role": "right option"},
                {"line": first["key"], "text": "1. Which number is $2 + 4$?"},
                {"question": second["key"], "points": [2.5]},
                {"question": third["key"], "is_left_out": True},
            ]
        },
    )
    assert corrected.status_code == 200, corrected.content
    now = corrected.json()
    assert now["questions"][1]["answer"] == "A"
    assert now["questions"][0]["text"] == "Which number is $2 + 4$?"
    assert now["questions"][1]["points"] == [2.5]
    assert now["questions"][2]["is_left_out"]
    assert (now["corrections"], now["can_redo"]) == (4, False)
    undone = program("POST", f"{path}/undo").json()
    assert (undone["questions"][2]["is_left_out"], undone["can_redo"]) == (False, True)
    assert program("POST", f"{path}/redo").json()["questions"] == now["questions"]
    assert program("POST", f"{path}/redo").status_code == 409


def test_what_the_bank_knows_about_a_question_is_what_its_page_says(bank, program) -> None:
    path, paper = put_in(program, f"1. {bank.questions[0].text}\n2. Why is the sky blue?\n")
    first, second = paper["questions"]
    known = program("GET", f"{path}/questions/{first['key']}/known").json()
    assert known["same"] == [bank.questions[0].pk]
    assert bank.questions[0].pk in [copy["id"] for copy in known["near_copies"]]
    other = program("GET", f"{path}/questions/{second['key']}/known").json()
    assert (other["same"], other["near_copies"]) == ([], [])
    assert program("GET", f"{path}/questions/999/known").status_code == 404


def test_a_paper_is_imported_once_and_becomes_a_list(program, teacher) -> None:
    path, paper = put_in(program)
    program(
        "POST",
        f"{path}/corrections",
        {"corrections": [{"question": paper["questions"][2]["key"], "is_left_out": True}]},
    )
    assert program("POST", f"{path}/list", {"name": "Friday"}).status_code == 409
    accepted = program("POST", f"{path}/import", {"source": "Spring test"})
    assert accepted.status_code == 202
    assert program("POST", f"{path}/import", {}).json()["id"] == accepted.json()["id"]
    assert program("POST", f"{path}/undo").status_code == 409
    work(accepted.json()["id"], run_document_import)
    questions = list(Question.objects.order_by("pk"))
    assert [(question.source, question.status, question.created_by) for question in questions] == [
        ("Spring test", "ready", teacher)
    ] * 2
    imported = program("GET", path).json()
    assert (imported["state"], imported["imported"]) == ("imported", [question.pk for question in questions])
    made = program("POST", f"{path}/list", {"name": "Friday"})
    assert made.status_code == 201
    assert QuestionList.objects.get(pk=made.json()["id"]).items.count() == 2
    assert program("DELETE", path).status_code == 204
    assert Question.objects.count() == 2


@pytest.mark.parametrize(
    "correction",
    [
        {},
        {"line": "0"},
        {"line": "0", "role": "riddle"},
        {"line": "0", "role": "option", "text": "A. 4"},
        {"line": "0", "points": [1]},
        {"line": "0", "question": "0", "role": "option"},
        {"line": "0", "text": " "},
        {"question": "0", "role": "option"},
        {"question": "0", "points": [-1]},
        {"question": "0", "points": [1], "is_left_out": True},
        {"question": "0", "points": ["many"]},
    ],
)
def test_a_correction_that_makes_no_sense_is_refused_and_none_is_kept(program, correction) -> None:
    path, _paper = put_in(program)
    right = {"line": "0", "role": "nothing"}
    response = program("POST", f"{path}/corrections", {"corrections": [right, correction]})
    assert response.status_code == 422
    assert DocumentDraft.objects.get().corrections == []


def test_a_line_or_question_that_is_not_there_is_a_conflict(program) -> None:
    path, paper = put_in(program)
    for correction in ({"line": "999", "role": "nothing"}, {"question": "999", "is_left_out": True}):
        assert program("POST", f"{path}/corrections", {"corrections": [correction]}).status_code == 409
    points = {"question": paper["questions"][0]["key"], "points": [1, 2]}  # it has no parts
    assert program("POST", f"{path}/corrections", {"corrections": [points]}).status_code == 409


def test_a_paper_that_changed_in_between_is_not_overwritten(program) -> None:
    path, _paper = put_in(program)
    etag = program("GET", path)["ETag"]
    change = {"corrections": [{"line": "0", "role": "nothing"}]}
    assert program("POST", f"{path}/corrections", change, If_Match=etag).status_code == 200
    for method, part, body in (("POST", "/corrections", change), ("POST", "/import", {}), ("DELETE", "", {})):
        assert program(method, path + part, body, If_Match=etag).status_code == 412


@pytest.mark.parametrize(
    ("content", "name", "status"),
    [
        (b"", "empty.txt", 422),
        (b"::Sum:: How much is 2 + 3? {=5 ~6}\n", "sums.gift", 422),
        (written_pdf(["q 595 0 0 842 0 0 cm /I Do Q"], images={"I": black(60, 80)}), "scan.pdf", 422),
    ],
)
def test_what_is_no_test_paper_is_refused_at_once(program, content, name, status) -> None:
    response = program.upload("/papers", content, name)
    assert response.status_code == status
    assert list(response.json()["error"]["fields"]) == ["file"]
    assert not DocumentDraft.objects.exists()


def test_a_document_with_text_on_its_pages_is_taken(program) -> None:
    page = "".join(line(f"{number}. How much is {number} + 1?", y=700 - 20 * number) for number in range(1, 9))
    assert program.upload("/papers", written_pdf([page]), "test.pdf").status_code == 202


def test_a_document_over_the_limit_or_that_is_no_form_is_refused(program, settings) -> None:
    settings.DOCUMENT_UPLOAD_MAX_BYTES = 10
    assert program.upload("/papers", PAPER.encode(), "test.txt").status_code == 413
    assert program("POST", "/papers", {"file": "test.txt"}).status_code == 415
    assert not Run.objects.exists()


def test_nobody_else_sees_a_paper(program, admin_person) -> None:
    path, _paper = put_in(program)
    other = Program(admin_person)
    assert other("GET", "/papers").json()["items"] == []
    for method, part in (("GET", ""), ("DELETE", ""), ("POST", "/undo"), ("POST", "/import")):
        assert other(method, path + part, {} if method == "POST" else None).status_code == 404
