"""The nearest-neighbour query: order, filters, exactness, and that it uses the set's own index."""

from __future__ import annotations

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.bank import vector_selectors as vectors
from questionbank.bank import vector_services as embeddings
from questionbank.bank.vector_selectors import nearest, stored_vector
from questionbank.models import Question
from tests.questionbank.small_bank import add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db

DIMENSION = 8


def unit(values: np.ndarray) -> np.ndarray:
    return (values / np.linalg.norm(values, axis=-1, keepdims=True)).astype(np.float32)


def make_bank(count: int = 40, *, seed: int = 3):
    """A set with random unit vectors; question `n` says its number."""
    embedding_set = add_set("purpose", DIMENSION)
    questions = [add_question(f"Question {number}") for number in range(count)]
    table = unit(np.random.default_rng(seed).normal(size=(count, DIMENSION)))
    store_vectors(embedding_set, questions, table)
    return embedding_set, questions, table


def naive(questions, table, vector, k):
    """The definition: sort by cosine."""
    order = np.argsort(-(table @ vector))[:k]
    return [questions[index].pk for index in order]


def ids(neighbours):
    return [pk for pk, _ in neighbours]


@pytest.mark.parametrize("exact", [False, True])
def test_neighbours_come_by_falling_cosine(exact):
    embedding_set, questions, table = make_bank()
    query = unit(np.arange(DIMENSION) - 3.0)
    neighbours = nearest(embedding_set=embedding_set, vector=query, k=5, exact=exact)
    assert ids(neighbours) == naive(questions, table, query, 5)
    best = questions.index(next(question for question in questions if question.pk == neighbours[0][0]))
    assert neighbours[0][1] == pytest.approx(float(table[best] @ query), abs=2e-3)


def test_a_stored_vector_is_the_set_s_own_and_of_the_present_text():
    embedding_set, questions, table = make_bank(2)
    vector = stored_vector(embedding_set=embedding_set, question=questions[1])
    assert vector.dtype == np.float32
    np.testing.assert_array_equal(vector, table[1].astype(np.float16))
    assert stored_vector(embedding_set=add_set("wording", DIMENSION), question=questions[1]) is None
    questions[1].content_hash = b"changed"
    assert stored_vector(embedding_set=embedding_set, question=questions[1]) is None


@pytest.mark.parametrize("exact", [False, True])
def test_drafts_retired_and_excluded_questions_are_left_out(exact):
    embedding_set, questions, table = make_bank()
    first, second, third, fourth = naive(questions, table, table[0], 4)
    Question.objects.filter(pk=second).update(status="retired")
    Question.objects.filter(pk=third).update(status="draft")
    neighbours = nearest(embedding_set=embedding_set, vector=table[0], k=1, exclude=[first], exact=exact)
    assert ids(neighbours) == [fourth]


@pytest.mark.parametrize(("limit", "surely_many"), [(0, 1000), (1000, 1000), (0, -1), (1000, -1)])
def test_a_filter_gives_the_nearest_that_pass_whichever_way_is_taken(limit, surely_many, monkeypatch):
    monkeypatch.setattr(vectors, "EXACT_LIMIT", limit)
    monkeypatch.setattr(vectors, "SURELY_MANY", surely_many)
    embedding_set, questions, table = make_bank()
    wanted = questions[::3]
    Question.objects.filter(pk__in=[question.pk for question in wanted]).update(grade="7", status="draft")
    neighbours = nearest(
        embedding_set=embedding_set,
        vector=table[1],
        k=6,
        question_ids=Question.objects.filter(grade="7").order_by("-pk"),
    )
    assert ids(neighbours) == naive(wanted, table[::3], table[1], 6)


@pytest.mark.parametrize(("k", "are_counted"), [(3, False), (9, True)])
def test_what_passes_is_counted_only_where_few_are_expected_or_found(k, are_counted, monkeypatch):
    monkeypatch.setattr(vectors, "SURELY_MANY", -1)
    embedding_set, questions, table = make_bank(6)
    with CaptureQueriesContext(connection) as asked:
        neighbours = nearest(embedding_set=embedding_set, vector=table[1], k=k, question_ids=Question.objects.all())
    assert ids(neighbours) == naive(questions, table, table[1], k)
    assert any("COUNT(" in query["sql"] for query in asked) == are_counted


def test_a_list_of_ids_is_a_filter_and_an_empty_one_passes_nothing():
    embedding_set, questions, table = make_bank()
    some = [question.pk for question in questions[5:9]]
    neighbours = nearest(embedding_set=embedding_set, vector=table[0], k=10, question_ids=some)
    assert set(ids(neighbours)) == set(some)
    assert nearest(embedding_set=embedding_set, vector=table[0], k=10, question_ids=[]) == []
    nobody = Question.objects.none()
    assert nearest(embedding_set=embedding_set, vector=table[0], k=10, question_ids=nobody) == []


def test_vectors_of_zeros_have_no_neighbours_and_are_none():
    embedding_set, questions, table = make_bank(3)
    blank = add_question("Nothing")
    store_vectors(embedding_set, [blank], np.zeros((1, DIMENSION), dtype=np.float32))
    assert nearest(embedding_set=embedding_set, vector=np.zeros(DIMENSION, np.float32), k=3) == []
    neighbours = nearest(embedding_set=embedding_set, vector=table[0], k=10, exact=True)
    assert sorted(ids(neighbours)) == [question.pk for question in questions]


def test_sets_do_not_mix():
    _embedding_set, _questions, table = make_bank()
    wording_set = add_set("wording", DIMENSION)
    alone = add_question("Alone")
    store_vectors(wording_set, [alone], table[:1])
    assert ids(nearest(embedding_set=wording_set, vector=table[0], k=5)) == [alone.pk]


def plan_of(**arguments) -> str:
    """EXPLAIN of the query that `nearest` sends (a handful of rows would else be read in sequence)."""
    with CaptureQueriesContext(connection) as captured:
        nearest(**arguments)
    sent = next(statement["sql"] for statement in captured.captured_queries if "<=>" in statement["sql"])
    query = sent.rpartition(";")[2]  # behind the settings
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        cursor.execute("SET enable_bitmapscan = off")
        cursor.execute("SET enable_sort = off")
        try:
            cursor.execute("EXPLAIN " + query)
            return "\n".join(line for (line,) in cursor.fetchall())
        finally:
            cursor.execute("RESET enable_seqscan")
            cursor.execute("RESET enable_bitmapscan")
            cursor.execute("RESET enable_sort")


@pytest.mark.django_db(transaction=True)
def test_the_sets_own_hnsw_index_is_used_and_exact_search_leaves_it(monkeypatch):
    embedding_set, _questions, table = make_bank()
    embeddings.embedding_set_finish(embedding_set=embedding_set)
    index = f"Index Scan using {embedding_set.index_name}"
    ask = {"embedding_set": embedding_set, "vector": table[0], "k": 5}
    assert index in plan_of(**ask)
    assert index not in plan_of(**ask, exact=True)
    monkeypatch.setattr(vectors, "EXACT_LIMIT", 0)
    filtered = Question.objects.filter(language="en", status="ready")
    assert index in plan_of(**ask, question_ids=filtered)


@pytest.mark.django_db(transaction=True)
def test_the_index_is_searched_with_our_settings_and_they_end_with_the_query(monkeypatch):
    embedding_set, _questions, table = make_bank()
    embeddings.embedding_set_finish(embedding_set=embedding_set)
    with CaptureQueriesContext(connection) as captured:
        nearest(embedding_set=embedding_set, vector=table[0], k=200)
    said = " ".join(statement["sql"] for statement in captured.captured_queries)
    assert "'hnsw.ef_search', '400'" in said
    assert "'hnsw.iterative_scan', 'relaxed_order'" in said
    with connection.cursor() as cursor:
        cursor.execute("SHOW hnsw.ef_search")
        assert cursor.fetchone() == ("40",)
