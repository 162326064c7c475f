"""What is missing in a set of vectors, and what the set holds.

Pending questions are always asked anew, so a job that computes vectors may stop anywhere and run twice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache
from django.db import connection
from django.db.models import Sum
from psycopg import sql

from analytics.analysed_text import stored_text
from analytics.catalog import lenses, main_lens
from analytics.inference.vocabulary import UNKNOWN_SHARE_LIMIT
from analytics.languages import primary_language
from questionbank.database_clock import database_now
from questionbank.models import EmbeddingSet, FacetCount, Question, QuestionEmbedding, User
from questionbank.selectors.registry.runs import vectors_awaited

SAMPLE_SIZE = 300
COUNTED_LIVE = 50_000  # questions; in a larger bank counting takes most of a second
MISSING_KEPT = 3600  # seconds; the clock counts anew before that


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
    """Return the languages of the bank that the set is for and its encoder knows (the n-grams know every one)."""
    shares = embedding_set.unknown_shares
    return [
        language
        for language in languages_meant(embedding_set)
        if lenses()[embedding_set.lens].knows_every_language
        or shares.get(language, 0.0) <= UNKNOWN_SHARE_LIMIT
    ]


def languages_meant(embedding_set: EmbeddingSet) -> list[str]:
    """Return the bank's languages that the set is for: its own; of the general set all without one of their own."""
    languages = bank_languages()
    if embedding_set.scope:
        return [language for language in languages if primary_language(language) == embedding_set.scope]
    in_use = EmbeddingSet.objects.filter(lens=embedding_set.lens, is_current=True).exclude(scope="")
    elsewhere = set(in_use.values_list("scope", flat=True))
    return [language for language in languages if primary_language(language) not in elsewhere]


def bank_languages() -> list[str]:
    """Return the languages in which the bank has questions."""
    counts = FacetCount.objects.values("language").annotate(number=Sum("questions")).filter(number__gt=0)
    return sorted(counts.values_list("language", flat=True))


def map_set() -> EmbeddingSet | None:
    """Return the set in use that the map of the bank is drawn from."""
    return EmbeddingSet.objects.filter(lens=main_lens().word, is_current=True).first()


def embedding_set_sample(*, language: str) -> list[str]:
    """Return the texts of up to 300 questions of a language, to measure how well an encoder knows it."""
    rows = Question.objects.filter(language=language).only("text", "options", "content")
    return [question.analysed_text for question in rows.order_by("content_hash")[:SAMPLE_SIZE]]


# Retired questions keep the vectors they have and get no new ones.
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

    A question counts until the set's encoder has looked at it, also where its lens will not compare it.
    """
    with connection.cursor() as cursor:
        # As plain text: in a request pghistory looks at every statement, and knows strings only.
        cursor.execute(_pending_query(embedding_set, "count(*)").as_string())
        return int(cursor.fetchone()[0])


def embedding_missing(*, embedding_set: EmbeddingSet, anew: bool = False) -> tuple[int, datetime | None]:
    """Return `embedding_count_pending` and, of a large bank, when it was counted: at most `MISSING_KEPT` ago.

    Args:
        anew: count now, and keep it for who asks next.
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
    """Return the questions with an id above this whose vector is missing or out of date, by ascending id."""
    ordered = sql.SQL(" AND q.id > {} ORDER BY q.id").format(sql.Literal(above))
    with connection.cursor() as cursor:
        cursor.execute(_pending_query(embedding_set, "q.id") + ordered)
        return [row[0] for row in cursor.fetchall()]


def embedding_pending(*, embedding_set: EmbeddingSet, first: int, last: int) -> list[PendingQuestion]:
    """Return those of a range of ids, both ends included, with their texts, by ascending id."""
    return _pending_where(
        embedding_set, sql.SQL("q.id BETWEEN {} AND {}").format(sql.Literal(first), sql.Literal(last))
    )


def embedding_pending_among(
    *, embedding_set: EmbeddingSet, question_ids: Sequence[int]
) -> list[PendingQuestion]:
    """Return those of these ids, with their texts, by ascending id."""
    return _pending_where(embedding_set, sql.SQL("q.id = ANY({})").format(sql.Literal(list(question_ids))))


def _pending_where(embedding_set: EmbeddingSet, condition: sql.Composed) -> list[PendingQuestion]:
    query = _pending_query(embedding_set, "q.id, q.text, q.options, q.content, q.content_hash")
    ordered = query + sql.SQL(" AND ") + condition + sql.SQL(" ORDER BY q.id")
    with connection.cursor() as cursor:
        cursor.execute(ordered.as_string())  # as plain text, likewise
        return [
            PendingQuestion(pk, stored_text(text, json.loads(options), json.loads(content)), bytes(digest))
            for pk, text, options, content, digest in cursor.fetchall()
        ]


def question_vectors_awaited(*, question: Question, user: User) -> str:
    """Return what a question's missing vectors wait for, as a sentence; empty where it has them, or never will."""
    if not (sentence := vectors_awaited(user=user)):
        return ""
    sets = EmbeddingSet.objects.filter(is_current=True)
    lacks_some = any(
        embedding_pending_among(embedding_set=served, question_ids=[question.pk]) for served in sets
    )
    return sentence if lacks_some else ""


def embedding_index_exists(*, embedding_set: EmbeddingSet) -> bool:
    """Return whether the set's HNSW index is there and valid."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid"
            " WHERE c.relname = %s",
            [embedding_set.index_name],
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def embedding_set_size(*, embedding_set: EmbeddingSet) -> int:
    """Return the number of vectors in the set."""
    return QuestionEmbedding.objects.filter(embedding_set=embedding_set, vector__isnull=False).count()
