"""Searching over the API."""

from __future__ import annotations

import pytest

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
