"""Lists of questions over the API."""

from __future__ import annotations

import pytest

from questionbank.bank.list_services import LONGEST_LIST
from questionbank.models import QuestionList
from tests.factories import QuestionFactory
from tests.questionbank.api_client import Program


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher)


def test_a_list_is_made_filled_ordered_and_deleted(program) -> None:
    first, second, third = (QuestionFactory().pk for _question in range(3))
    made = program("POST", "/lists", {"name": " Friday "})
    path = made["Location"].removeprefix("/api/v1")
    assert (made.json()["name"], made.json()["questions"]) == ("Friday", [])
    assert program("POST", f"{path}/questions", {"questions": [first, second, first, third]}).json()["questions"] == [
        first, second, third,
    ]  # fmt: skip
    assert program("PUT", f"{path}/questions/{third}", {"position": 1}).json()["questions"] == [third, first, second]
    assert program("DELETE", f"{path}/questions/{first}").json()["questions"] == [third, second]
    assert program("DELETE", f"{path}/questions/{first}").status_code == 404
    assert program("PUT", f"{path}/questions/{first}", {"position": 1}).status_code == 404
    assert program("DELETE", path).status_code == 204
    assert not QuestionList.objects.exists()


def test_a_shared_list_is_read_by_others_without_drafts_and_changed_by_its_owner(program, reviewer, teacher) -> None:
    draft, ready = QuestionFactory(status="draft", created_by=teacher), QuestionFactory()
    path = f"/lists/{program('POST', '/lists', {'name': 'Friday'}).json()['id']}"
    program("POST", f"{path}/questions", {"questions": [draft.pk, ready.pk]})
    colleague = Program(reviewer)
    assert colleague("GET", path).status_code == 404
    assert colleague("GET", "/lists").json()["items"] == []
    program("PATCH", path, {"is_shared": True})
    assert colleague("GET", path).json()["questions"] == [ready.pk]
    assert [one["name"] for one in colleague("GET", "/lists").json()["items"]] == ["Friday"]
    assert colleague("PATCH", path, {"name": "Mine"}).status_code == 404


def test_others_drafts_and_missing_questions_are_refused_alike(program, admin_person) -> None:
    draft = QuestionFactory(status="draft", created_by=admin_person)
    path = f"/lists/{program('POST', '/lists', {'name': 'Friday'}).json()['id']}/questions"
    for pk in (draft.pk, 10**9):
        response = program("POST", path, {"questions": [pk]})
        assert response.status_code == 422
        assert response.json()["error"]["message"] == f"There is no question {pk}."
    assert program("POST", path, {"questions": [1] * (LONGEST_LIST + 1)}).status_code == 422


def test_a_list_that_changed_in_between_is_not_overwritten(program) -> None:
    path = f"/lists/{program('POST', '/lists', {'name': 'Friday'}).json()['id']}"
    etag = program("GET", path)["ETag"]
    program("POST", f"{path}/questions", {"questions": [QuestionFactory().pk]})
    assert program("PATCH", path, {"name": "Monday"}, If_Match=etag).status_code == 412
    assert program("DELETE", path, If_Match=etag).status_code == 412
    assert QuestionList.objects.get().name == "Friday"


def test_a_name_is_used_once(program) -> None:
    program("POST", "/lists", {"name": "Friday"})
    response = program("POST", "/lists", {"name": "Friday"})
    assert response.status_code == 422
    assert list(response.json()["error"]["fields"]) == ["name"]
