"""The search page: pages by cursor, totals, facets, corrections."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from questionbank.errors import ValidationFailed
from questionbank.selectors import search
from questionbank.selectors.search import SearchFilters, search_questions
from questionbank.selectors.serving import serving
from questionbank.services.search_index import vocabulary_refresh
from tests.questionbank.small_bank import add_concept, add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db


def find(query: str = "", cursor: str = "", page_size: int = 3, **filters):
    return search_questions(
        query=query,
        filters=SearchFilters(**filters),
        serving=serving(),
        cursor=cursor,
        page_size=page_size,
    )


def texts(page):
    return [hit.question.text for hit in page.hits]


def fill(*names: str, **fields):
    questions = [add_question(name, **fields) for name in names]
    vocabulary_refresh()
    return questions


def walk(first, query="", **filters):
    """Every page from the first to the last."""
    pages = [first]
    while pages[-1].next_cursor:
        pages.append(find(query, pages[-1].next_cursor, **filters))
    return pages


def test_without_a_query_the_newest_come_first():
    fill("one", "two", "three", "four")
    page = find()
    assert texts(page) == ["four", "three", "two"]
    assert (page.total, page.sort, page.corrected) == (4, "browse", "")
    assert page.hits[0].score == 0
    assert page.hits[0].found_by == ()


def test_browsing_forth_and_back_shows_each_question_once():
    fill(*(f"question {n}" for n in range(8)))
    pages = walk(find())
    assert [texts(page) for page in pages] == [
        ["question 7", "question 6", "question 5"],
        ["question 4", "question 3", "question 2"],
        ["question 1", "question 0"],
    ]
    back = find(cursor=pages[2].previous_cursor)
    assert texts(back) == texts(pages[1])
    first = find(cursor=back.previous_cursor)
    assert texts(first) == texts(pages[0])
    assert first.previous_cursor == ""
    assert pages[2].next_cursor == ""


def test_new_questions_do_not_move_the_pages_that_follow():
    fill(*(f"question {n}" for n in range(5)))
    cursor = find().next_cursor
    fill("brand new")
    assert texts(find(cursor=cursor)) == ["question 1", "question 0"]


def test_a_ranking_is_paged_without_gaps_or_repeats():
    questions = fill(*(f"red ball number {'x' * n}" for n in range(1, 9)))
    store_vectors(add_set("wording"), questions)
    pages = walk(find("red ball"), "red ball")
    seen = [text for page in pages for text in texts(page)]
    assert len(seen) == len(set(seen)) == 8
    assert [page.first_position for page in pages] == [1, 4, 7]
    back = find("red ball", pages[2].previous_cursor)
    assert texts(back) == texts(pages[1])
    assert find("red ball", back.previous_cursor).previous_cursor == ""


def test_a_ranking_ends_where_it_is_no_longer_worth_reading(monkeypatch):
    monkeypatch.setattr(search, "LISTED", 4)
    fill(*(f"red ball {n}" for n in range(9)))
    pages = walk(find("red ball"), "red ball")
    assert sum(len(page.hits) for page in pages) == 4
    assert pages[0].total == 9


@pytest.mark.parametrize("cursor", ["x", "a:b:c", "." * 4000, "WyJhIiwxXQ:1sabc:x", "\x00"])
def test_a_cursor_that_is_none_is_refused_with_a_sentence(cursor):
    with pytest.raises(ValidationFailed, match="not known"):
        find("red", cursor)


def test_a_cursor_of_another_search_is_refused():
    fill(*(f"red ball {n}" for n in range(5)))
    cursor = find("red").next_cursor
    assert texts(find("red", cursor))
    for query, filters in (("ball", {}), ("red", {"grade": "7"}), ("", {})):
        with pytest.raises(ValidationFailed, match="another search"):
            find(query, cursor, **filters)


def test_misspelt_words_are_searched_for_as_they_were_meant():
    fill("the area of a triangle", "the speed of a train")
    page = find("tringle aera")
    assert page.corrected == "triangle area"
    assert texts(page)[0] == "the area of a triangle"
    assert find("triangle area").corrected == ""


def test_totals_and_facets_count_what_matches_beyond_the_page():
    fill(*(f"red ball {n}" for n in range(6)), kind="choice")
    fill("red box", "green ball")
    page = find("red ball")
    assert page.total == 8
    assert {one.value: one.count for one in page.facets["kind"]} == {"choice": 6, "open": 2}
    assert find("red ball", kind="choice").total == 6


def test_filters_narrow_both_rankings():
    algebra = add_concept("Algebra")
    right = fill("red ball", concepts=[algebra])
    wrong = fill("red ball again", "a red balloon")
    store_vectors(add_set("wording"), [*right, *wrong])
    page = find("red ball", concept=algebra.pk)
    assert texts(page) == ["red ball"]
    assert page.hits[0].found_by == ("text", "vector")
    assert page.hits[0].concepts == [("Algebra",)]
    assert page.total == 1


def test_drafts_are_found_where_they_are_asked_for():
    questions = fill("red ball", status="draft")
    store_vectors(add_set("wording"), questions)
    assert find("red ball").hits == []
    assert texts(find("red ball", status="draft")) == ["red ball"]
    assert texts(find(status="draft")) == ["red ball"]


def test_a_concept_that_is_gone_finds_nothing():
    fill("red ball")
    page = find("red ball", concept=4711)
    assert (page.hits, page.total, page.next_cursor) == ([], 0, "")
    assert find(concept=4711).hits == []


def test_words_that_nobody_has_written_find_nothing():
    fill("red ball")
    page = find("qqqqxxxx")
    assert (page.hits, page.total) == ([], 0)


@pytest.mark.parametrize("query", ["' & | ! ( ) <-> :* \\", "%s %(x)s {0}", "\\", "$", "''''", "5" * 3999])
def test_no_query_is_an_error(query):
    fill("red ball")
    assert find(query).total == 0


def test_the_page_size_is_bounded():
    fill(*(f"question {n}" for n in range(4)))
    assert len(find(page_size=0).hits) == 1
    assert len(find(page_size=10_000).hits) == 4


def test_a_language_that_no_model_knows_is_told():
    purpose = add_set("purpose", 16, unknown_shares={"en": 0.0, "zh": 0.5})
    questions = fill("三角形的面积", language="zh")
    store_vectors(add_set("wording"), questions)
    page = find("三角形")
    assert texts(page) == ["三角形的面积"]
    assert "language" in page.notice
    assert purpose.unknown_shares["zh"] > 0.1
    assert find("triangle").notice == ""


def test_a_search_asks_the_database_a_bounded_number_of_times(django_assert_max_num_queries):
    algebra = add_concept("Algebra")
    questions = fill(*(f"red ball {n}" for n in range(30)), concepts=[algebra])
    store_vectors(add_set("wording"), questions)
    now = serving()
    with django_assert_max_num_queries(16):
        search_questions(query="red ball", filters=SearchFilters(), serving=now, page_size=20)


def test_results_that_only_vectors_found_say_so(monkeypatch):
    one = fill("red ball")[0]
    monkeypatch.setattr(
        search, "rank_by_vectors", lambda *given, **options: SimpleNamespace(ids=[one.pk], notice="")
    )
    assert "No question holds these words" in find("qqqqxxxx").notice
    assert find("red ball").notice == ""
