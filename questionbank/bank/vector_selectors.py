"""Sets of vectors: contents, missing vectors and neighbours; no other module builds the nearest-neighbour query."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core.cache import cache
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet, Sum
from psycopg import sql

from analytics.analysed_text import stored_text
from analytics.catalog import lenses, main_lens
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT
from analytics.languages import primary_language
from questionbank.core.database import database_now
from questionbank.jobs.run_selectors import vectors_awaited
from questionbank.models import EmbeddingSet, FacetCount, Question, QuestionEmbedding, User
from questionbank.models.visibility import EVERYBODY, seen_sql, viewer_audiences

Neighbours = list[tuple[int, float]]
Vector = npt.NDArray[np.float32]

EF_SEARCH = 140  # size of the index's candidate list during a search; trades time for recall
EXACT_LIMIT = 20_000  # up to this many candidates, an exact search is faster than the index
SURELY_MANY = 60_000  # above this estimate, candidates are counted only if the index finds too few
_MOST_EF_SEARCH = 1000  # pgvector's limit


class Candidates:
    """The candidate questions of searches; they are counted at most once, however many searches use them.

    Attributes:
        questions: the query, unordered.
    """

    def __init__(self, questions: QuerySet[Question]) -> None:
        self.questions = questions.order_by()
        self._ids: QuerySet[Question, Any] = self.questions.values("pk")

    @cached_property
    def sql(self) -> tuple[str, tuple[Any, ...]] | None:
        """The query with its parameters; None if Django can tell that it is empty."""
        try:
            query, parameters = self._ids.query.sql_with_params()
        except EmptyResultSet:
            return None
        return query, tuple(parameters)

    @cached_property
    def are_surely_many(self) -> bool:
        """Whether PostgreSQL estimates too many to count, without reading any rows; it may be wrong."""
        return int(json.loads(self._ids.explain(format="json"))[0]["Plan"]["Plan Rows"]) > SURELY_MANY

    @cached_property
    def are_few(self) -> bool:
        """Whether there are few enough for an exact search."""
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
    """Return the `k` questions of a set with the nearest vectors as (question id, cosine), in descending order.

    Args:
        vector: (dimension,); a zero vector has no neighbours.
        question_ids: search only these: a list of ids, a query of questions, or `Candidates` if several searches share
            the query; by default all ready questions. The caller decides about drafts and retired questions. Of all
            these, only those that the viewer may see.
        exact: compare with every candidate, whatever the cost.
    """
    if k <= 0 or not np.any(vector):
        return []
    if question_ids is None and _is_of_a_school():
        question_ids = Question.objects.filter(status=Question.Status.READY)
    seen = seen_sql("q")
    if question_ids is None:
        search = _one_by_one if exact else _through_index
        return search(embedding_set, vector, k, exclude, f"q.status = 'ready' AND {seen}", ())
    if isinstance(question_ids, QuerySet):
        question_ids = Candidates(question_ids)
    if isinstance(question_ids, Candidates):
        return _nearest_among(question_ids, embedding_set, vector, k, exclude, exact=exact)
    if not question_ids:
        return []
    return _one_by_one(embedding_set, vector, k, exclude, f"q.id = ANY(%s) AND {seen}", [list(question_ids)])


def _nearest_among(
    candidates: Candidates, embedding_set: EmbeddingSet, vector: Vector, k: int, exclude: Sequence[int], *, exact: bool
) -> Neighbours:
    if candidates.sql is None:
        return []
    subquery, parameters = candidates.sql
    found: Neighbours = []
    if not exact and candidates.are_surely_many:
        found = _through_index(embedding_set, vector, k, exclude, f"q.id IN ({subquery})", parameters)
    if len(found) == k:
        return found
    if exact or candidates.are_few:
        condition = f"e.question_id = ANY(ARRAY({subquery}))"
        return _one_by_one(embedding_set, vector, k, exclude, condition, parameters)
    return found or _through_index(embedding_set, vector, k, exclude, f"q.id IN ({subquery})", parameters)


def _is_of_a_school() -> bool:
    """Return whether the viewer sees questions of schools, which may be so few that the index finds none of them."""
    return any(audience > EVERYBODY for audience in viewer_audiences() or ())


def stored_vector(*, embedding_set: EmbeddingSet, question: Question) -> Vector | None:
    """Return a question's vector in a set; None if it has none or has changed since it was computed."""
    return stored_vectors(set_ids=[embedding_set.pk], question=question).get(embedding_set.pk)


def stored_vectors(*, set_ids: Sequence[int], question: Question) -> dict[int, Vector]:
    """Return a question's vectors by set id, without outdated ones."""
    # Raw SQL: Django takes several times as long to build the query and the rows.
    query = """
        SELECT embedding_set_id, vector::text FROM questionbank_questionembedding
        WHERE embedding_set_id = ANY(%s) AND question_id = %s AND content_hash = %s AND vector IS NOT NULL
    """
    with connection.cursor() as cursor:
        cursor.execute(query, [list(set_ids), question.pk, bytes(question.content_hash)])
        rows = cursor.fetchall()
    return {pk: np.array(vector[1:-1].split(","), dtype=np.float32) for pk, vector in rows}


def vectors_of(*, embedding_set: EmbeddingSet, questions: Sequence[Question]) -> dict[int, Vector]:
    """Return the vectors of questions in a set by question id, without outdated ones."""
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
    """Search the HNSW index, which continues (`iterative_scan`) until enough rows fulfil the condition."""
    dimension = int(embedding_set.dimension)
    # Both statements are sent in one message, and so run in one transaction, to which the settings apply.
    # The inner query fetches twice as many: an iterative scan returns one round after another, so what
    # it finds last may be nearer than what it found first.
    query = f"""
        SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true);
        WITH found AS MATERIALIZED (
            SELECT e.question_id, (e.vector::halfvec({dimension})) <=> %s::halfvec({dimension}) AS distance
            FROM questionbank_questionembedding e JOIN questionbank_question q ON q.id = e.question_id
            WHERE e.embedding_set_id = {int(embedding_set.pk)} AND e.question_id <> ALL(%s) AND {condition}
            ORDER BY distance LIMIT {2 * k}
        )
        SELECT question_id, distance FROM found ORDER BY distance, question_id LIMIT {int(k)}
    """  # noqa: S608 - only our own numbers; user input is in the parameters
    kept_candidates = str(min(_MOST_EF_SEARCH, max(EF_SEARCH, 2 * k)))
    with connection.cursor() as cursor:
        cursor.execute(query, [kept_candidates, _literal(vector), list(exclude), *parameters])
        while cursor.nextset():  # the last result belongs to the query
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
    """Compare with every candidate; without the index's cast, so that the index cannot be used."""
    join = "JOIN questionbank_question q ON q.id = e.question_id" if condition.startswith("q.") else ""
    query = f"""
        SELECT e.question_id, e.vector <=> %s::halfvec AS distance
        FROM questionbank_questionembedding e {join}
        WHERE e.embedding_set_id = {int(embedding_set.pk)} AND e.question_id <> ALL(%s) AND {condition}
        ORDER BY distance, e.question_id LIMIT {int(k)}
    """  # noqa: S608 - only our own numbers
    with connection.cursor() as cursor:
        cursor.execute(query, [_literal(vector), list(exclude), *parameters])
        return _scores(cursor.fetchall())


def _scores(rows: Sequence[tuple[int, float | None]]) -> Neighbours:
    # The distance to a zero vector (a text without content) is NaN, and to a missing vector NULL.
    return [(int(pk), 1.0 - distance) for pk, distance in rows if distance is not None and not math.isnan(distance)]


def _literal(vector: Vector) -> str:
    return f"[{','.join(f'{value:.5g}' for value in np.asarray(vector).tolist())}]"


SAMPLE_SIZE = 300
COUNTED_LIVE = 50_000  # questions; in a larger bank, counting takes most of a second
MISSING_KEPT = 3600  # seconds; the scheduler recounts before that


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question whose vector is missing or out of date.

    Attributes:
        text: `Question.analysed_text`.
    """

    id: int
    text: str
    content_hash: bytes


def languages_served(embedding_set: EmbeddingSet) -> list[str]:
    """Return the bank's languages that the set is for and its encoder knows (n-grams know every language)."""
    shares = embedding_set.unknown_shares
    return [
        language
        for language in languages_meant(embedding_set)
        if lenses()[embedding_set.lens].knows_every_language or shares.get(language, 0.0) <= UNKNOWN_SHARE_LIMIT
    ]


def languages_meant(embedding_set: EmbeddingSet) -> list[str]:
    """Return the set's own language or, for the general set, every language of the bank that has no set of its own."""
    languages = bank_languages()
    if embedding_set.scope:
        return [language for language in languages if primary_language(language) == embedding_set.scope]
    in_use = EmbeddingSet.objects.filter(lens=embedding_set.lens, is_current=True).exclude(scope="")
    elsewhere = set(in_use.values_list("scope", flat=True))
    return [language for language in languages if primary_language(language) not in elsewhere]


def bank_languages() -> list[str]:
    """Return the languages of the bank's questions."""
    counts = FacetCount.objects.values("language").annotate(number=Sum("questions")).filter(number__gt=0)
    return sorted(counts.values_list("language", flat=True))


def map_set() -> EmbeddingSet | None:
    """Return the set in use from which the map is drawn: that of the commonest language, else the general one."""
    in_use = {row.scope: row for row in EmbeddingSet.objects.filter(lens=main_lens().word, is_current=True)}
    commonest = FacetCount.objects.values("language").annotate(number=Sum("questions")).order_by("-number").first()
    return in_use.get(primary_language(commonest["language"]) if commonest else "") or in_use.get("")


def embedding_set_sample(*, language: str) -> list[str]:
    """Return the texts of up to 300 questions in a language, to measure how well an encoder knows it."""
    rows = Question.objects.filter(language=language).only("text", "options", "content")
    return [question.analysed_text for question in rows.order_by("content_hash")[:SAMPLE_SIZE]]


# Retired questions keep their vectors but get no new ones.
_PENDING = sql.SQL(
    """
    SELECT {columns} FROM questionbank_question q
    LEFT JOIN questionbank_questionembedding e ON e.question_id = q.id AND e.embedding_set_id = {set_id}
    WHERE q.status <> 'retired' AND q.language = ANY({languages})
      AND (e.id IS NULL OR e.content_hash <> q.content_hash)
    """
)


def _pending_query(embedding_set: EmbeddingSet, columns: str) -> sql.Composed:
    return _PENDING.format(
        columns=sql.SQL(columns),
        set_id=sql.Literal(embedding_set.pk),
        languages=sql.Literal(languages_served(embedding_set)),
    )


def embedding_count_pending(*, embedding_set: EmbeddingSet) -> int:
    """Return the number of questions whose vector in the set is missing or out of date.

    Until the encoder has processed a question, it counts even if it will get no vector because the lens excludes it.
    """
    with connection.cursor() as cursor:
        # As plain text, because in a request pghistory inspects every statement and only understands strings.
        cursor.execute(_pending_query(embedding_set, "count(*)").as_string())
        return int(cursor.fetchone()[0])


def embedding_missing(*, embedding_set: EmbeddingSet, anew: bool = False) -> tuple[int, datetime | None]:
    """Return `embedding_count_pending` and, for a large bank, when it was counted: at most `MISSING_KEPT` ago.

    Args:
        anew: count now, and cache the result.
    """
    if (FacetCount.objects.aggregate(number=Sum("questions"))["number"] or 0) <= COUNTED_LIVE:
        return embedding_count_pending(embedding_set=embedding_set), None
    key = f"missing-vectors:{embedding_set.pk}"
    counted: tuple[int, datetime] | None = None if anew else cache.get(key)
    if counted is None:
        counted = embedding_count_pending(embedding_set=embedding_set), database_now()
        cache.set(key, counted, MISSING_KEPT)
    return counted


def embedding_pending_ids(*, embedding_set: EmbeddingSet, above: int = 0) -> list[int]:
    """Return the ids of questions whose vector is missing or out of date, ascending, if they are above `above`."""
    ordered = sql.SQL(" AND q.id > {} ORDER BY q.id").format(sql.Literal(above))
    with connection.cursor() as cursor:
        cursor.execute(_pending_query(embedding_set, "q.id") + ordered)
        return [row[0] for row in cursor.fetchall()]


def embedding_pending(*, embedding_set: EmbeddingSet, first: int, last: int) -> list[PendingQuestion]:
    """Return the pending questions with ids from `first` to `last`, inclusive, with their texts, by ascending id."""
    return _pending_where(
        embedding_set, sql.SQL("q.id BETWEEN {} AND {}").format(sql.Literal(first), sql.Literal(last))
    )


def embedding_pending_among(*, embedding_set: EmbeddingSet, question_ids: Sequence[int]) -> list[PendingQuestion]:
    """Return the pending questions among these ids, with their texts, by ascending id."""
    return _pending_where(embedding_set, sql.SQL("q.id = ANY({})").format(sql.Literal(list(question_ids))))


def _pending_where(embedding_set: EmbeddingSet, condition: sql.Composed) -> list[PendingQuestion]:
    query = _pending_query(embedding_set, "q.id, q.text, q.options, q.content, q.content_hash")
    ordered = query + sql.SQL(" AND ") + condition + sql.SQL(" ORDER BY q.id")
    with connection.cursor() as cursor:
        cursor.execute(ordered.as_string())  # as plain text, as above
        return [
            PendingQuestion(pk, stored_text(text, json.loads(options), json.loads(content)), bytes(digest))
            for pk, text, options, content, digest in cursor.fetchall()
        ]


def question_vectors_awaited(*, question: Question, user: User) -> str:
    """Return a sentence on what a question's missing vectors are waiting for; empty if none is missing or expected."""
    if not (sentence := vectors_awaited(user=user)):
        return ""
    sets = EmbeddingSet.objects.filter(is_current=True)
    lacks_some = any(embedding_pending_among(embedding_set=served, question_ids=[question.pk]) for served in sets)
    return sentence if lacks_some else ""


def embedding_index_exists(*, embedding_set: EmbeddingSet) -> bool:
    """Return whether the set's HNSW index exists and is valid."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relname = %s",
            [embedding_set.index_name],
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def embedding_set_size(*, embedding_set: EmbeddingSet) -> int:
    """Return the number of vectors in the set."""
    return QuestionEmbedding.objects.filter(embedding_set=embedding_set, vector__isnull=False).count()
