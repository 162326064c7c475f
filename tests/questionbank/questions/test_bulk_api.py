"""Changes of many questions over the API: what the page does, with the same rules."""

from __future__ import annotations

import pytest

from questionbank.models import BulkChange, Question
from tests.factories import ConceptFactory, QuestionFactory
from tests.questionbank.api_client import Program

pytestmark = pytest.mark.django_db


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher)


def test_a_change_is_previewed_made_and_undone(program, teacher) -> None:
    own = [QuestionFactory(created_by=teacher, grade="7").pk for _question in range(2)]
    others = QuestionFactory(grade="7").pk
    body = {"kind": "grade", "questions": [*own, others], "values": {"grade": "8"}}
    preview = program("POST", "/changes/preview", body).json()
    assert (preview["selected"], preview["changing"], list(preview["refused"].values())) == (3, 2, [1])
    made = program("POST", "/changes", body | {"fingerprint": preview["fingerprint"]})
    assert (made.status_code, made.json()["changed"], made.json()["description"]) == (201, 2, "Set the grade: 8")
    assert set(Question.objects.filter(pk__in=own).values_list("grade", flat=True)) == {"8"}
    path = made["Location"].removeprefix("/api/v1")
    assert program("GET", "/changes").json()["items"] == [program("GET", path).json()]
    assert program("POST", f"{path}/undo").json()["undone_at"] is not None
    assert set(Question.objects.values_list("grade", flat=True)) == {"7"}
    assert program("POST", f"{path}/undo").status_code == 409


def test_all_that_pass_the_filters_are_changed(program, teacher) -> None:
    concept = ConceptFactory()
    chosen, other = QuestionFactory(created_by=teacher, grade="7"), QuestionFactory(created_by=teacher, grade="8")
    body = {"kind": "concepts", "filters": {"grade": "7"}, "values": {"add": concept.pk}}
    assert program("POST", "/changes", body).json()["changed"] == 1
    assert [tag.concept for tag in chosen.tags.all()] == [concept]
    assert not other.tags.exists()


def test_a_change_of_other_questions_than_previewed_is_refused(program, teacher) -> None:
    body = {"kind": "retire", "filters": {}}
    QuestionFactory(created_by=teacher)
    fingerprint = program("POST", "/changes/preview", body).json()["fingerprint"]
    QuestionFactory(created_by=teacher)
    assert program("POST", "/changes", body | {"fingerprint": fingerprint}).status_code == 409
    assert not BulkChange.objects.exists()


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"kind": "translate"}, "kind"),
        ({"filters": {}}, ""),
        ({"questions": None}, ""),
        ({"questions": []}, "questions"),
        ({"questions": [10**9]}, "questions"),
        ({"values": {}}, "values.grade"),
        ({"values": {"grade": "x" * 100}}, "values.grade"),
        ({"values": {"grade": "8", "source": "x"}}, "values.source"),
        ({"kind": "concepts", "values": {}}, "values"),
        ({"kind": "concepts", "values": {"add": 10**9}}, "values"),
        ({"kind": "difficulty", "values": {"difficulty": 9, "difficulty_scale": "1-5"}}, "values.difficulty"),
        ({"kind": "difficulty", "values": {"difficulty": 9, "difficulty_scale": "x"}}, "values.difficulty_scale"),
        ({"kind": "retire"}, "values.grade"),
    ],
)
def test_a_change_that_makes_no_sense_is_refused(program, teacher, changed, field) -> None:
    body = {"kind": "grade", "questions": [QuestionFactory(created_by=teacher).pk], "values": {"grade": "8"}} | changed
    for path in ("/changes/preview", "/changes"):
        refused = program("POST", path, body)
        assert refused.status_code == 422
        assert list(refused.json()["error"]["fields"]) == [field]
    assert not BulkChange.objects.exists()


def test_nobody_changes_others_drafts_or_sees_others_changes(program, admin_person) -> None:
    hidden = QuestionFactory(status="draft", created_by=admin_person)
    body = {"kind": "publish", "questions": [hidden.pk]}
    assert program("POST", "/changes", body).status_code == 422
    made = Program(admin_person)("POST", "/changes", body)
    assert made.status_code == 201
    assert program("GET", made["Location"].removeprefix("/api/v1")).status_code == 404
    assert program("GET", "/changes").json()["items"] == []
