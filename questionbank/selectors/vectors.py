"""The one place that builds the nearest-neighbour query.

PostgreSQL uses the partial HNSW index of a set only where the query has the index's own cast and the set's
id as a literal; see docs/decisions/0008-embedding-sets-and-one-vector-query.md. Two ways lead to neighbours:
through the index, or by comparing with every candidate, which is exact, and quicker where there are few.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from questionbank.models import EmbeddingSet, Question

Neighbours = list[tuple[int, float]]
Vector = npt.NDArray[np.float32]

EF_SEARCH = 140  # candidates that the index keeps while it searches; recall against time
EXACT_LIMIT = 20_000  # so many candidates are compared one by one sooner than the index finds them
SURELY_MANY = 60_000  # expected candidates that are not counted, unless the index finds too few
_MOST_EF_SEARCH = 1000  # pgvector's own bound
_READY = ("q.status = 'ready'", ())


class Candidates:
    """The questions of a query; how many they are is asked once, however often the nearest of them are looked for.

    Attributes:
        questions: the query, in no order.
    """

    def __init__(self, questions: QuerySet[Question]) -> None:
        self.questions = questions.order_by()
        self._ids: QuerySet[Question, Any] = self.questions.values("pk")

    @cached_property
    def sql(self) -> tuple[str, tuple[Any, ...]] | None:
        """The query with its parameters; None where Django sees that nothing can pass."""
        try:
            query, parameters = self._ids.query.sql_with_params()
        except EmptyResultSet:
            return None
        return query, tuple(parameters)

    @cached_property
    def are_surely_many(self) -> bool:
        """Whether PostgreSQL expects more than are counted, without reading any; it may be wrong."""
        return int(json.loads(self._ids.explain(format="json"))[0]["Plan"]["Plan Rows"]) > SURELY_MANY

    @cached_property
    def are_few(self) -> bool:
        """Whether they are compared one by one."""
        return self._ids[: EXACT_LIMIT + 1].count() <= EXACT_LIMIT


def nearest(
    *,
    embedding_set: EmbeddingSet,
    vector: Vector,
    k: int,
    question_ids: Sequence[int] | QuerySet[Question] | Candidates | None = None,
    exclude: Sequence[int] = (),
    exact: bool = False,
) -> Neighbours:
    """Return the `k` questions of a set whose vectors are nearest, as (question id, cosine), falling.

    Args:
        vector: (dimension,); a vector of zeros has no neighbours.
        question_ids: only among these, a list of ids or a query of questions, as `Candidates` where several searches
            are among the same; by default among all that are ready. The caller decides about drafts and retired
            questions.
        exact: compare with every candidate, whatever it costs.
    """
    if k <= 0 or not np.any(vector):
        return []
    if question_ids is None:
        search = _one_by_one if exact else _through_index
        return search(embedding_set, vector, k, exclude, *_READY)
    if isinstance(question_ids, QuerySet):
        question_ids = Candidates(question_ids)
    if isinstance(question_ids, Candidates):
        if question_ids.sql is None:
            return []
        subquery, parameters = question_ids.sql
        found: Neighbours = []
        if not exact and question_ids.are_surely_many:
            found = _through_index(embedding_set, vector, k, exclude, f"q.id IN ({subquery})", parameters)
        if len(found) == k:
            return found
        if exact or question_ids.are_few:
            condition = f"e.question_id = ANY(ARRAY({subquery}))"
            return _one_by_one(embedding_set, vector, k, exclude, condition, parameters)
        return found or _through_index(embedding_set, vector, k, exclude, f"q.id IN ({subquery})", parameters)
    if not question_ids:
        return []
    return _one_by_one(embedding_set, vector, k, exclude, "e.question_id = ANY(%s)", [list(question_ids)])


def stored_vector(*, embedding_set: EmbeddingSet, question: Question) -> Vector | None:
    """Return a question's vector in a set; None where it has none, or has changed since."""
    return stored_vectors(set_ids=[embedding_set.pk], question=question).get(embedding_set.pk)


def stored_vectors(*, set_ids: Sequence[int], question: Question) -> dict[int, Vector]:
    """Return a question's vectors by the id of their set, without those from before the question changed."""
    # By hand: Django takes several times as long to write it and to make a row of the answer.
    query = """
        SELECT embedding_set_id, vector::text FROM questionbank_questionembedding
        WHERE embedding_set_id = ANY(%s) AND question_id = %s AND content_hash = %s AND vector IS NOT NULL
    """
    with connection.cursor() as cursor:
        cursor.execute(query, [list(set_ids), question.pk, bytes(question.content_hash)])
        rows = cursor.fetchall()
    return {pk: np.array(vector[1:-1].split(","), dtype=np.float32) for pk, vector in rows}


def vectors_of(*, embedding_set: EmbeddingSet, questions: Sequence[Question]) -> dict[int, Vector]:
    """Return the vectors of questions in a set by their ids, without those from before a question changed."""
    query = """
        SELECT embedding.question_id, embedding.vector::text FROM questionbank_questionembedding embedding
        JOIN unnest(%s::bigint[], %s::bytea[]) AS asked (id, content_hash)
            ON asked.id = embedding.question_id AND asked.content_hash = embedding.content_hash
        WHERE embedding.embedding_set_id = %s AND embedding.vector IS NOT NULL
    """
    ids = [question.pk for question in questions]
    hashes = [bytes(question.content_hash) for question in questions]
    with connection.cursor() as cursor:
        cursor.execute(query, [ids, hashes, embedding_set.pk])
        rows = cursor.fetchall()
    return {pk: np.array(vector[1:-1].split(","), dtype=np.float32) for pk, vector in rows}


def _through_index(
    embedding_set: EmbeddingSet,
    vector: Vector,
    k: int,
    exclude: Sequence[int],
    condition: str,
    parameters: Sequence[Any],
) -> Neighbours:
    """Search the HNSW index, which goes on (`iterative_scan`) until enough rows fulfil the condition."""
    dimension = int(embedding_set.dimension)
    # Both statements go to the server in one message, and so in one transaction, for which the settings hold.
    # Twice as many in the inner query: an iterative scan returns its rounds one after the other, so what
    # it found last may be nearer than what it found first.
    query = f"""
        SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true);
        WITH found AS MATERIALIZED (
            SELECT e.question_id, (e.vector::halfvec({dimension})) <=> %s::halfvec({dimension}) AS distance
            FROM questionbank_questionembedding e JOIN questionbank_question q ON q.id = e.question_id
            WHERE e.embedding_set_id = {int(embedding_set.pk)} AND e.question_id <> ALL(%s) AND {condition}
            ORDER BY distance LIMIT {2 * k}
        )
        SELECT question_id, distance FROM found ORDER BY distance, question_id LIMIT {int(k)}
    """  # noqa: S608 - only numbers of ours; what users gave is in the parameters
    kept_candidates = str(min(_MOST_EF_SEARCH, max(EF_SEARCH, 2 * k)))
    with connection.cursor() as cursor:
        cursor.execute(query, [kept_candidates, _literal(vector), list(exclude), *parameters])
        while cursor.nextset():  # the last result is the query's
            pass
        return _scores(cursor.fetchall())


def _one_by_one(
    embedding_set: EmbeddingSet,
    vector: Vector,
    k: int,
    exclude: Sequence[int],
    condition: str,
    parameters: Sequence[Any],
) -> Neighbours:
    """Compare with every candidate; without the index's cast, so that it cannot be used."""
    join = "JOIN questionbank_question q ON q.id = e.question_id" if condition is _READY[0] else ""
    query = f"""
        SELECT e.question_id, e.vector <=> %s::halfvec AS distance
        FROM questionbank_questionembedding e {join}
        WHERE e.embedding_set_id = {int(embedding_set.pk)} AND e.question_id <> ALL(%s) AND {condition}
        ORDER BY distance, e.question_id LIMIT {int(k)}
    """  # noqa: S608 - only numbers of ours
    with connection.cursor() as cursor:
        cursor.execute(query, [_literal(vector), list(exclude), *parameters])
        return _scores(cursor.fetchall())


def _scores(rows: Sequence[tuple[int, float | None]]) -> Neighbours:
    # A stored vector of zeros (a text without content) is at no distance from anything, nor is a missing one.
    return [
        (int(pk), 1.0 - distance)
        for pk, distance in rows
        if distance is not None and not math.isnan(distance)
    ]


def _literal(vector: Vector) -> str:
    return f"[{','.join(f'{value:.5g}' for value in np.asarray(vector).tolist())}]"
