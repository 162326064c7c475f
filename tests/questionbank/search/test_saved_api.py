"""Saved searches over the API."""

from __future__ import annotations

import pytest

from questionbank.bank.concept_services import concept_delete
from questionbank.models import SavedSearch
from tests.questionbank.api_client import Program
from tests.questionbank.small_bank import write_question

ROOT = "/saved-searches"


@pytest.fixture
def program(bank, teacher) -> Program:
    return Program(teacher, "read", "write")


def test_a_search_is_saved_listed_read_and_run(program, bank) -> None:
    either = [bank.linear.pk, bank.circle.pk]
    search = {"concepts_any": either, "grade": "7", "order": "hardest"}
    created = program("POST", ROOT, {"name": "Mine", "search": search})
    assert created.status_code == 201
    saved = created.json()
    assert created["Location"].endswith(f"{ROOT}/{saved['id']}")
    assert saved["parameters"] == {"concepts_any": ",".join(map(str, either)), "grade": "7", "order": "hardest"}
    assert (saved["total"], saved["total_is_capped"], saved["problems"]) == (1, False, [])
    assert [one["name"] for one in program("GET", ROOT).json()["items"]] == ["Mine"]
    assert program("GET", f"{ROOT}/{saved['id']}").json() == saved
    found = program("GET", f"{ROOT}/{saved['id']}/questions").json()
    assert [hit["question"]["id"] for hit in found["items"]] == [bank.questions[1].pk]


def test_pages_of_a_saved_search_hold_every_match_once(program) -> None:
    saved = program("POST", ROOT, {"name": "All"}).json()
    seen, cursor = [], ""
    while True:
        page = program("GET", f"{ROOT}/{saved['id']}/questions?limit=2&cursor={cursor}").json()
        seen += [hit["question"]["id"] for hit in page["items"]]
        if not (cursor := page["next"] or ""):
            break
    assert len(seen) == len(set(seen)) == saved["total"] == 6


def test_a_saved_search_is_changed_if_nobody_else_has_changed_it(program) -> None:
    created = program("POST", ROOT, {"name": "Old", "search": {"query": " circle "}})
    address = f"{ROOT}/{created.json()['id']}"
    changed = program("PATCH", address, {"name": "New", "visible_to": "all"}, **{"If-Match": created["ETag"]}).json()
    assert (changed["name"], changed["visible_to"], changed["parameters"]) == ("New", "all", {"q": "circle"})
    assert program("PATCH", address, {"name": "Newer"}, **{"If-Match": created["ETag"]}).status_code == 412
    changed = program("PATCH", address, {"search": {"grade": "8"}}).json()
    assert (changed["name"], changed["visible_to"], changed["parameters"]) == ("New", "all", {"grade": "8"})
    assert program("DELETE", address).status_code == 204
    assert not SavedSearch.objects.exists()


def test_questions_that_others_add_leave_the_tag_of_a_saved_search_alone(program) -> None:
    created = program("POST", ROOT, {"name": "All"})
    address = f"{ROOT}/{created.json()['id']}"
    write_question("How much is $2 + 3$?")
    read = program("GET", address)
    assert read.json()["total"] == created.json()["total"] + 1
    assert read["ETag"] == created["ETag"]
    assert program("PATCH", address, {"name": "Every one"}, **{"If-Match": created["ETag"]}).status_code == 200


def test_a_deleted_concept_is_named(program, bank) -> None:
    saved = program("POST", ROOT, {"name": "Mine", "search": {"concept": bank.circle.pk}}).json()
    concept_delete(user=None, concept=bank.circle, target=bank.fraction)
    sentence = "The concept “Circles” no longer exists, so no question has it."
    assert program("GET", f"{ROOT}/{saved['id']}").json()["problems"] == [sentence]
    found = program("GET", f"{ROOT}/{saved['id']}/questions").json()
    assert (found["items"], found["notice"]) == ([], sentence)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "x" * 121},
        {"name": "Mine", "search": {"order": "best"}},
        {"name": "Mine", "search": {"concept": "x"}},
        {"name": "Mine", "search": {"concept": "1"}},
        {"name": "Mine", "search": {"concepts_none": [True]}},
        {"name": "Mine", "search": {"difficulty_min": True}},
        {"name": "Mine", "visible_to": ""},
        {"name": "Mine", "search": {"concepts_all": list(range(1, 22))}},
        {"name": "Mine", "search": {"query": "a" * 2001}},
    ],
)
def test_what_makes_no_sense_is_refused(program, body) -> None:
    assert program("POST", ROOT, body).status_code == 422
