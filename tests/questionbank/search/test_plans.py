"""How PostgreSQL answers the pages of a large bank: from indexes and kept counts, not by reading every question.

The test bank is tiny, where reading all is quickest; so scans are made expensive, and what is left shows which index
can answer. `tests.bench.million` measures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from questionbank.bank.concept_selectors import bank_overview
from questionbank.bank.vector_selectors import languages_meant
from questionbank.registry.serving import Serving
from questionbank.search.filters import SearchFilters
from questionbank.search.search import search_questions
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def school():
    """Questions whose words and concepts a search names."""
    hierarchy = HierarchyFactory(name="School")
    area = ConceptFactory(hierarchy=hierarchy, names=("Geometry", "Area"))
    triangle = ConceptFactory(hierarchy=hierarchy, names=("Geometry", "Triangles"))
    for number in range(20):
        QuestionFactory(text=f"How large is the area of triangle {number}?", concepts=[area, triangle][: number % 3])
    analyze()
    return hierarchy


@pytest.fixture
def among_others(school):
    """Many more questions, so that few of all have the words that are looked for."""
    for number in range(100, 220):
        QuestionFactory(text=f"Draw a kite of size {number}.")
    analyze()


def analyze() -> None:
    """Tell the planner what is in the tables."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE questionbank_question, questionbank_questiontag, questionbank_knowledgeconcept")


def plans(act: Callable[[], object]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each statement that reads questions, with the nodes of its plan when scans are expensive."""
    asked: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        act()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for sql, params in asked:
            if "questionbank_question" in sql and ";" not in sql:
                cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
                plan = cursor.fetchone()[0]
                yield sql, list(nodes((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def reads_every_question(node: dict[str, Any]) -> bool:
    """Whether a node goes through all questions: without an index, or to ask of each whether another table has it."""
    if node.get("Relation Name") != "questionbank_question":
        return False
    found_by = node.get("Index Cond", "") + node.get("Recheck Cond", "")
    asks_another_table = "SubPlan" in node.get("Filter", "")
    is_led_there = "id = " in found_by or "search_vector @@" in found_by
    return node["Node Type"] == "Seq Scan" or (asks_another_table and not is_led_there)


@pytest.mark.parametrize(
    "query", ["area triangle", "area of a triangle", "triangles", "how large is area", "area $x^2$", "17"]
)
def test_a_search_reads_no_question_that_neither_its_words_nor_its_concepts_lead_to(among_others, query):
    explained = list(plans(lambda: search_questions(query=query, filters=SearchFilters(), serving=Serving({}, {}))))
    assert explained
    assert [sql for sql, parts in explained if any(map(reads_every_question, parts))] == []


def test_which_ranked_questions_match_is_asked_of_these_alone_where_more_match_than_are_counted(school, monkeypatch):
    monkeypatch.setattr("questionbank.search.facets.COUNTED", 1)
    explained = plans(lambda: search_questions(query="area", filters=SearchFilters(), serving=Serving({}, {})))
    ((_sql, parts),) = [one for one in explained if "few AS" in one[0]]
    conditions = [
        part.get("Index Cond", part.get("Recheck Cond", ""))
        for part in parts
        if part.get("Relation Name") == "questionbank_question"
    ]
    assert conditions
    assert [condition for condition in conditions if "id = " not in condition] == []


@pytest.mark.parametrize(
    ("order", "index"),
    [("easiest", "question_rated"), ("hardest", "question_rated"), ("answered", "question_observed")],
)
def test_browsing_reads_each_order_from_its_index(school, order, index):
    explained = plans(lambda: search_questions(query="", filters=SearchFilters(), serving=Serving({}, {}), order=order))
    assert index in {part.get("Index Name") for _sql, parts in explained for part in parts}


def test_such_a_plan_is_noticed(school):
    from questionbank.search.concept_search import tagged
    from questionbank.search.filters import Condition, holding

    joined = holding("'area'") | tagged(["0001"])
    ((_sql, parts),) = plans((Condition("status = 'ready'") & joined).ids)
    assert any(map(reads_every_question, parts))


def test_the_figures_of_the_home_page_come_from_kept_counts_and_a_small_index(school):
    ((_sql, parts),) = plans(bank_overview)
    assert {part.get("Index Name") for part in parts} >= {"question_observed"}
    assert bank_overview().questions == 20


def test_the_tree_of_concepts_reads_neither_questions_nor_tags(school, as_teacher):
    statements: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        assert as_teacher.get("/concepts/", {"hierarchy": school.pk}).status_code == 200
    assert not [sql for sql in statements if "questionbank_question" in sql]


def test_the_languages_of_the_bank_come_from_kept_counts(school):
    from questionbank.models import EmbeddingSet

    QuestionFactory(text="一共有多少人", language="zh").delete()
    QuestionFactory(text="Wie viele sind es?", language="de")
    assert languages_meant(EmbeddingSet(lens="wording")) == ["de", "en"]
    assert not list(plans(lambda: languages_meant(EmbeddingSet(lens="wording"))))
