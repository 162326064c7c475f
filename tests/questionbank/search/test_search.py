"""The search page: pages by cursor, totals, facets, corrections."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from questionbank.core.errors import ValidationFailed
from questionbank.registry.serving import serving
from questionbank.search import query as queries
from questionbank.search import search
from questionbank.search.search import SearchFilters, matching_questions, search_questions
from tests.questionbank.small_bank import add_concept, add_question, add_set, fill, store_vectors

pytestmark = pytest.mark.django_db


def find(query: str = "", cursor: str = "", page_size: int = 3, order: str = "", **filters):
    return search_questions(
        query=query,
        filters=SearchFilters(**filters),
        serving=serving(),
        cursor=cursor,
        page_size=page_size,
        order=order,
    )


def texts(page):
    return [hit.question.text for hit in page.hits]


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


def test_matches_beyond_the_ranking_follow_it_so_that_every_one_can_be_reached(monkeypatch):
    monkeypatch.setattr(search, "LISTED", 4)
    fill(*(f"red ball {n}" for n in range(9)))
    pages = walk(find("red ball"), "red ball")
    seen = [text for page in pages for text in texts(page)]
    assert len(seen) == len(set(seen)) == pages[0].total == 9
    assert [(page.first_position, page.last_position) for page in pages] == [(1, 3), (4, 6), (7, 9)]


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


def test_totals_and_facets_count_what_holds_all_words_beyond_the_page():
    fill(*(f"red ball {n}" for n in range(6)), kind="choice")
    fill("red box", "green ball")
    page = find("red ball")
    assert page.total == 6
    assert {facet.value: facet.count for facet in page.facets["kind"]} == {"choice": 6}
    assert find("red ball", kind="open").total == 0


def test_what_is_near_without_all_words_follows_the_last_match_under_its_own_heading(monkeypatch):
    monkeypatch.setattr(queries, "_common_tokens", lambda _questions: {})  # PostgreSQL has seen other tests,
    monkeypatch.setattr(queries, "_questions", lambda: 0)  # and may have counted their questions
    monkeypatch.setattr(queries.vocabulary, "_kept", None)
    fill(*(f"red ball {n}" for n in range(4)), "red box", "a ball", "my ball")  # red is the rarer
    first, second = walk(find("red ball"), "red ball")
    assert (len(first.hits), first.closest) == (3, [])
    assert [hit.question.text for hit in second.closest] == ["red box"]
    assert (second.first_position, second.last_position, second.total) == (4, 4, 4)


def test_without_a_match_only_what_is_near_is_listed_and_counted_by_its_values():
    fill("red box", "green ball")
    page = find("red ball")
    assert (page.hits, page.total) == ([], 0)
    assert {hit.question.text for hit in page.closest} == {"red box", "green ball"}
    assert [(facet.value, facet.count) for facet in page.facets["kind"]] == [("open", 2)]


def test_templates_rank_below_whole_questions():
    fill("Use the index laws to simplify $(5myvar1)^2$.")
    fill("Use the index laws twice to simplify the long expression $(5x)^2 \\cdot x^3$.")
    fill("Use the index laws to simplify $(4poly1)^2$.")
    found = texts(find("index laws simplify"))
    assert [("myvar1" in text or "poly1" in text) for text in found] == [False, True, True]


def test_vectors_offer_nothing_that_is_far_in_meaning():
    questions = fill("three red balls are in a box")
    store_vectors(add_set("wording"), questions)
    assert find("zzzzyyyy wwwwqqqq").closest == []
    assert [
        hit.question for hit in find("thre red bals ar in the box").closest + find("thre red bals ar in the box").hits
    ]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("newest", ["red ball d", "red ball c", "red ball b", "red ball a"]),
        ("easiest", ["red ball b", "red ball a", "red ball d", "red ball c"]),
        ("hardest", ["red ball a", "red ball b", "red ball d", "red ball c"]),
        ("answered", ["red ball c", "red ball d", "red ball b", "red ball a"]),
    ],
)
def test_results_come_in_the_order_that_is_asked_for(order, expected):
    add_question("red ball a", difficulty=3, difficulty_scale="0-4")
    add_question("red ball b", difficulty=1, difficulty_scale="0-4")
    add_question("red ball c", responses=9)
    add_question("red ball d")
    for query in ("", "red ball"):
        pages = walk(find(query, order=order), query, order=order)
        assert [text for page in pages for text in texts(page)] == expected
        assert texts(find(query, pages[1].previous_cursor, order=order)) == expected[:3]
        assert [page.first_position for page in pages] == [1, 4]


def test_an_unknown_order_is_the_usual_one():
    fill("one", "two")
    assert find(order="sideways").order == "newest"
    assert find("one", order="sideways").order == "relevance"


def test_all_that_match_are_those_that_a_search_counts():
    fill("red ball 1", "red ball 2", "red box")
    for query, filters in (("red ball", {}), ("", {}), ("ball", {"kind": "open"}), ("qqqq", {})):
        count = matching_questions(query=query, filters=SearchFilters(**filters)).count()
        assert count == find(query, **filters).total


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
    assert "cannot read Chinese" in page.notice
    assert purpose.unknown_shares["zh"] > 0.1
    assert find("triangle").notice == ""


def test_a_search_asks_the_database_a_bounded_number_of_times(django_assert_max_num_queries):
    algebra = add_concept("Algebra")
    questions = fill(*(f"red ball {n}" for n in range(30)), concepts=[algebra])
    store_vectors(add_set("wording"), questions)
    now = serving()
    with django_assert_max_num_queries(23):
        search_questions(query="red ball", filters=SearchFilters(), serving=now, page_size=20)


def test_what_only_vectors_found_is_no_match(monkeypatch):
    question = fill("red ball")[0]
    monkeypatch.setattr(
        search, "rank_by_vectors", lambda *given, **options: SimpleNamespace(ids=[question.pk], notice="")
    )
    page = find("qqqqxxxx")
    assert (page.total, page.hits, [hit.found_by for hit in page.closest]) == (0, [], [("vector",)])
    assert (find("red ball").total, find("red ball").closest) == (1, [])
