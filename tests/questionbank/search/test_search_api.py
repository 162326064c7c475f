"""Searching over the API."""

from __future__ import annotations

import pytest

from questionbank.models import KnowledgeConcept, Question
from tests.questionbank.api_client import Program


@pytest.fixture
def program(bank, teacher) -> Program:
    return Program(teacher, "read")


def test_words_find_what_the_page_finds(program, bank, as_teacher) -> None:
    found = program("GET", "/search?query=circle&exact=true").json()
    assert [hit["question"]["id"] for hit in found["items"]] == [bank.questions[3].pk]
    assert "text" in found["items"][0]["found_by"] or "concept" in found["items"][0]["found_by"]
    assert found["total"] == 1
    assert f"/questions/{bank.questions[3].pk}/" in as_teacher.get("/questions/?q=circle").content.decode()


def test_filters_narrow_a_search(program, bank) -> None:
    found = program("GET", "/search?query=equation&grade=7").json()
    assert {hit["question"]["grade"] for hit in found["items"]} == {"7"}


def test_pages_of_a_search_hold_every_match_once(program) -> None:
    seen, cursor = [], ""
    while True:
        page = program("GET", f"/search?limit=2&order=hardest&cursor={cursor}").json()
        seen += [hit["question"]["id"] for hit in page["items"]]
        if not (cursor := page["next"] or ""):
            break
    assert len(seen) == len(set(seen)) == 6


@pytest.mark.parametrize("query", ["order=best", "cursor=x", "query=" + "a" * 2001, "exact=perhaps"])
def test_what_makes_no_sense_is_refused(program, query) -> None:
    assert program("GET", f"/search?{query}").status_code == 422


def test_lists_and_searches_combine_concepts(program, bank) -> None:
    both = [bank.linear.pk, bank.circle.pk]
    either = program("GET", f"/questions?concepts_any={both[0]}&concepts_any={both[1]}").json()["items"]
    tagged = Question.objects.filter(tags__concept__in=both).distinct()
    assert {item["id"] for item in either} == {question.pk for question in tagged}
    found = program("GET", f"/search?concepts_any={both[0]}&concepts_any={both[1]}&concepts_none={both[0]}").json()
    assert {hit["question"]["id"] for hit in found["items"]} == {
        question.pk for question in tagged.exclude(tags__concept=both[0])
    }
    assert program("GET", f"/questions?concepts_all={both[0]}&concepts_all={both[1]}").json()["items"] == []


def test_concepts_that_exclude_each_other_are_refused_in_one_sentence(program, bank) -> None:
    above = KnowledgeConcept.objects.get(name="Equations")
    response = program("GET", f"/questions?concept={bank.linear.pk}&concepts_none={above.pk}")
    sentence = f"No question can match: “{bank.linear}” is required, but left out with “{above}”, which contains it."
    assert response.status_code == 422
    assert response.json()["error"]["fields"] == {"concepts_none": [sentence]}
