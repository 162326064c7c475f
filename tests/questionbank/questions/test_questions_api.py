"""Questions over the API: the same rules, rows and history as the pages."""

from __future__ import annotations

import pytest
from django.urls import reverse

from questionbank.formats import WRITTEN
from questionbank.models import Question, QuestionTag, Run
from tests.factories import ConceptFactory, QuestionFactory
from tests.questionbank.api_client import Program

TIMES = ("created_at", "updated_at", "visible_since")
WHOLE = {
    "text": "Which is a prime number?",
    "language": "en",
    "kind": "choice",
    "options": [{"label": "A", "text": "4"}, {"label": "B", "text": "7", "feedback": "Yes."}],
    "answer": "B",
    "solution": "7 has no divisors.",
    "grade": "6",
    "status": "draft",
    "content": {"title": "Primes", "points": 2.0},
}


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher)


@pytest.fixture
def others_draft(admin_person) -> Question:
    return QuestionFactory(status="draft", created_by=admin_person)


def test_a_question_comes_back_as_it_was_written(program, teacher) -> None:
    concept = ConceptFactory(names=("Number", "Primes"))
    written = program("POST", "/questions", WHOLE | {"concepts": [concept.pk]})
    assert written.status_code == 201
    found = program("GET", written["Location"].removeprefix("/api/v1"))
    assert found.json() | {"warnings": [], "near_copies": []} == written.json()
    assert found["ETag"] == written["ETag"]
    question = found.json()
    assert {name: question[name] for name in WHOLE if name != "options"} == {
        name: value for name, value in WHOLE.items() if name != "options"
    }
    assert question["options"][1] == {
        "label": "B", "text": "7", "misconception": "", "weight": None, "feedback": "Yes.",
    }  # fmt: skip
    assert question["concepts"] == [
        {"id": concept.pk, "hierarchy": concept.hierarchy.name, "path": ["Number", "Primes"], "set_by": "person"}
    ]
    assert (question["author"], question["version"]) == ("teacher", 1)


def test_a_near_copy_and_an_open_formula_are_named_as_on_the_page(bank, program) -> None:
    text = bank.questions[0].text
    created = program("POST", "/questions", {"text": text, "solution": "If $x=2, it is 3."}).json()
    assert bank.questions[0].pk in [copy["id"] for copy in created["near_copies"]]
    assert created["id"] not in [copy["id"] for copy in created["near_copies"]]
    assert len(created["warnings"]) == 1
    assert program("POST", "/questions", {"text": "What is a rhombus?"}).json()["near_copies"] == []


def test_the_service_s_problems_are_named(program) -> None:
    response = program("POST", "/questions", WHOLE | {"answer": "C", "language": "?"})
    assert response.status_code == 422
    assert set(response.json()["error"]["fields"]) == {"answer", "language"}


@pytest.mark.parametrize(
    ("query", "grades"),
    [
        ("", ["8", "7", "6"]),
        ("grade=7", ["7"]),
        ("kind=number", ["8"]),
        ("difficulty_min=20&difficulty_max=40", ["6"]),
        ("language=de", []),
        ("status=any", ["9", "8", "7", "6"]),
        ("status=retired", ["9"]),
        ("used=never&figure=none&numbers=given", ["8", "7", "6"]),
    ],
)
def test_lists_are_filtered_as_the_search_page_filters(program, query, grades) -> None:
    QuestionFactory(grade="6", difficulty=2, difficulty_scale="1-5")
    QuestionFactory(grade="7")
    QuestionFactory(grade="8", kind="number")
    QuestionFactory(grade="9", status="retired")
    found = program("GET", f"/questions?{query}").json()
    assert [question["grade"] for question in found["items"]] == grades


@pytest.mark.parametrize(
    "query", ["concept=x", "concept=0", "difficulty_min=101", "kind=riddle", "status=lost", "used=often", "owner=-1"]
)
def test_a_filter_that_makes_no_sense_is_refused(program, query) -> None:
    response = program("GET", f"/questions?{query}")
    assert response.status_code == 422
    assert list(response.json()["error"]["fields"]) == [query.partition("=")[0]]


def test_concepts_filter_with_what_is_below_them(bank, program) -> None:
    found = program("GET", f"/questions?concept={bank.linear.pk}").json()["items"]
    assert {question["id"] for question in found} == {question.pk for question in bank.questions[:3]}


def test_a_list_takes_a_fixed_number_of_statements(bank, program, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(12):
        assert len(program("GET", "/questions").json()["items"]) == 6


def test_others_drafts_are_for_admins(program, admin_person, others_draft) -> None:
    path = f"/questions/{others_draft.pk}"
    assert program("GET", path).status_code == 404
    assert program("GET", "/questions?status=draft").json()["items"] == []
    as_admin = Program(admin_person)
    assert as_admin("GET", path).status_code == 200
    assert len(as_admin("GET", "/questions?status=draft").json()["items"]) == 1


@pytest.mark.parametrize(
    ("method", "part", "body"),
    [
        ("PUT", "", {"text": "b"}),
        ("PATCH", "", {"text": "b"}),
        ("POST", "/retire", None),
        ("POST", "/restore", None),
        ("POST", "/revert", {"event": 1}),
    ],
)
def test_only_its_author_or_an_admin_changes_a_question(program, admin_person, method, part, body) -> None:
    question = QuestionFactory(created_by=admin_person, status="retired" if part == "/restore" else "ready")
    response = program(method, f"/questions/{question.pk}{part}", body)
    assert response.status_code == 403
    assert Program(admin_person)(method, f"/questions/{question.pk}{part}", body).status_code in (200, 404)


@pytest.mark.parametrize("format", sorted(WRITTEN))
def test_a_question_comes_in_every_export_format(program, format) -> None:
    question = QuestionFactory(text="How much is $2 + 3$?", answer="5", kind="number")
    response = program("GET", f"/questions/{question.pk}?as={format}")
    assert response.status_code == 200
    assert response.content
    assert f"question-{question.pk}" in response["Content-Disposition"]


def test_a_format_that_does_not_exist_is_refused(program) -> None:
    response = program("GET", f"/questions/{QuestionFactory().pk}?as=odt")
    assert response.status_code == 422
    assert "gift" in response.json()["error"]["message"]


def test_a_patch_changes_what_it_names_and_a_replacement_everything(program, teacher) -> None:
    concept = ConceptFactory()
    path = f"/questions/{program('POST', '/questions', WHOLE | {'concepts': [concept.pk]}).json()['id']}"
    before = program("GET", path).json()
    patched = program("PATCH", path, {"grade": "7"}).json()
    changing = {"grade", "version", "updated_at"}
    assert {name for name in before if before[name] != patched[name]} == changing
    replaced = program("PUT", path, {"text": "What is a prime?"}).json()
    assert (replaced["kind"], replaced["options"], replaced["content"], replaced["concepts"]) == ("open", [], {}, [])
    assert replaced["version"] == 3


def test_an_empty_patch_is_a_change_of_nothing(program) -> None:
    path = f"/questions/{program('POST', '/questions', WHOLE).json()['id']}"
    assert program("PATCH", path, {}).json()["text"] == WHOLE["text"]


def test_a_retired_question_comes_back_once(program, teacher) -> None:
    path = f"/questions/{QuestionFactory(created_by=teacher).pk}"
    assert program("POST", f"{path}/retire").json()["status"] == "retired"
    assert program("POST", f"{path}/restore").json()["status"] == "ready"
    assert program("POST", f"{path}/restore").status_code == 409


def test_an_earlier_version_comes_back(program, teacher) -> None:
    path = f"/questions/{QuestionFactory(text='First?', created_by=teacher).pk}"
    program("PATCH", path, {"text": "Second?"})
    (change,) = program("GET", f"{path}/versions").json()
    assert change["changes"] == [{"field": "question", "before": "First?", "after": "Second?"}]
    assert change["who"] == "teacher through Program"
    assert program("POST", f"{path}/revert", {"event": change["event"]}).json()["text"] == "First?"
    assert program("POST", f"{path}/revert", {"event": 10**9}).status_code == 404


def test_the_history_knows_the_key(program, teacher) -> None:
    question = QuestionFactory(created_by=teacher)
    program("PATCH", f"/questions/{question.pk}", {"text": "Second?"})
    context = question.events.get(pgh_label="update").pgh_context.metadata
    assert (context["user"], context["api_key"]) == (teacher.pk, "Program")


def test_a_questions_page_says_through_which_key_it_came(program, as_teacher) -> None:
    made = program("POST", "/questions", {"text": "How much is $2 + 3$?"}).json()
    page = as_teacher.get(reverse("question_detail", args=[made["id"]])).content.decode()
    assert "teacher through Program wrote it on" in page
    run = Run.objects.create(kind="import", requested_by=program.key.owner, through="Nightly")
    imported = QuestionFactory(created_by=program.key.owner, import_run=run)
    page = as_teacher.get(reverse("question_detail", args=[imported.pk])).content.decode()
    assert "by teacher through Nightly" in page
    written = QuestionFactory(created_by=program.key.owner)
    assert "teacher wrote it on" in as_teacher.get(reverse("question_detail", args=[written.pk])).content.decode()


def test_writers_tag_any_question(program, reviewer) -> None:
    first, second = ConceptFactory(), ConceptFactory()
    question = QuestionFactory(concepts=[first])
    path = f"/questions/{question.pk}/tags"
    etag = program("GET", f"/questions/{question.pk}")["ETag"]
    tagged = program("PUT", path, {"concepts": [second.pk]}, If_Match=etag)
    assert [concept["id"] for concept in tagged.json()["concepts"]] == [second.pk]
    assert program("GET", path).json() == tagged.json()["concepts"]
    assert program("PUT", path, {"concepts": []}, If_Match=etag).status_code == 412
    assert program("PUT", path, {"concepts": [10**9]}).status_code == 422
    assert Program(reviewer)("PUT", path, {"concepts": []}).status_code == 403
    assert list(QuestionTag.objects.values_list("concept_id", flat=True)) == [second.pk]


def test_a_key_that_only_reads_writes_nothing(teacher) -> None:
    reader = Program(teacher, "read")
    question = QuestionFactory(created_by=teacher)
    assert reader("GET", f"/questions/{question.pk}").status_code == 200
    for method, path, body in (
        ("POST", "/questions", WHOLE),
        ("PATCH", f"/questions/{question.pk}", {"text": "b"}),
        ("POST", f"/questions/{question.pk}/retire", None),
        ("PUT", f"/questions/{question.pk}/tags", {"concepts": []}),
    ):
        response = reader(method, path, body)
        assert response.status_code == 403
        assert response.json()["error"]["code"] == "scope_missing"
    question.refresh_from_db()
    assert (question.version, question.status) == (1, "ready")


def test_the_api_and_the_page_leave_the_same_row(program, as_teacher) -> None:
    fields = {"text": "How much is $2 + 3$?", "kind": "number", "answer": "5", "language": "en", "status": "ready"}
    # The page comes first: it warns of a question that the bank has.
    assert as_teacher.post(reverse("question_create"), fields | {"action": "save"}).status_code == 302
    assert program("POST", "/questions", fields).status_code == 201
    rows = Question.objects.order_by("pk").values()
    by_page, by_program = (
        {**row, "submission": None, "through": ""} | dict.fromkeys(("id", *TIMES), 0) for row in rows
    )
    assert by_page == by_program
