"""Vectors of questions: what is missing, storing them, and the index of a set.

A set is brought up to date by whoever runs `embedding_pending` -> encode -> `embedding_store`; both may
run twice or stop anywhere, because what is pending is always asked anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from django.db import connection, transaction
from psycopg import sql

from questionbank.models import EmbeddingSet, Lens, Question, QuestionEmbedding, Run
from questionbank.services.runs import run_create

if TYPE_CHECKING:
    from psycopg import Cursor

__all__ = [
    "UNKNOWN_SHARE_LIMIT",
    "PendingQuestion",
    "embedding_count_pending",
    "embedding_index_build",
    "embedding_index_drop",
    "embedding_index_exists",
    "embedding_pending",
    "embedding_request",
    "embedding_set_finish",
    "embedding_set_sample",
    "embedding_set_save_unknown_shares",
    "embedding_store",
    "languages_served",
]

UNKNOWN_SHARE_LIMIT = 0.10  # above it an encoder does not know the language (MiniLM on Chinese: 0.51)
SAMPLE_SIZE = 300


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question whose vector is missing or out of date."""

    id: int
    text: str
    content_hash: bytes


@transaction.atomic
def embedding_request() -> Run | None:
    """Ask for missing vectors to be computed: one waiting run at most, however often it is called.

    The waiting run is locked until our transaction commits, so it cannot start without seeing our rows.
    """
    waiting = Run.objects.select_for_update().filter(kind=Run.Kind.EMBED, state=Run.State.QUEUED)
    if waiting.exists():
        return None
    return run_create(kind=Run.Kind.EMBED, capability="encoder", title="Compute missing vectors")


def languages_served(embedding_set: EmbeddingSet) -> list[str]:
    """Languages of the bank that the set's encoder knows (the n-grams know every one)."""
    known = Question.objects.values_list("language", flat=True).distinct().order_by("language")
    shares = embedding_set.unknown_shares
    return [
        language
        for language in known
        if embedding_set.lens == Lens.WORDING or shares.get(language, 0.0) <= UNKNOWN_SHARE_LIMIT
    ]


def embedding_set_sample(*, language: str) -> list[str]:
    """Texts of up to 300 questions of a language, to measure how well an encoder knows it."""
    rows = Question.objects.filter(language=language).order_by("content_hash")[:SAMPLE_SIZE]
    return list(rows.values_list("text", flat=True))


def embedding_set_save_unknown_shares(*, embedding_set: EmbeddingSet, shares: dict[str, float]) -> None:
    """Remember the share of unknown tokens of each language."""
    embedding_set.unknown_shares = {**embedding_set.unknown_shares, **shares}
    embedding_set.save(update_fields=["unknown_shares"])


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
        columns=sql.SQL(columns),  # type: ignore[arg-type]  # two literals of this module
        set_id=sql.Literal(embedding_set.pk),
        languages=sql.Literal(languages_served(embedding_set)),
    )


def embedding_count_pending(*, embedding_set: EmbeddingSet) -> int:
    """Number of questions whose vector in the set is missing or out of date."""
    with connection.cursor() as cursor:
        cursor.execute(_pending_query(embedding_set, "count(*)"))
        return int(cursor.fetchone()[0])


def embedding_pending(
    *, embedding_set: EmbeddingSet, batch_size: int = 4096
) -> Iterator[list[PendingQuestion]]:
    """Questions whose vector is missing or out of date, in batches by ascending id."""
    last = 0
    while True:
        with connection.cursor() as cursor:
            query = _pending_query(embedding_set, "q.id, q.text, q.content_hash")
            cursor.execute(
                query
                + sql.SQL(" AND q.id > {last} ORDER BY q.id LIMIT {size}").format(
                    last=sql.Literal(last), size=sql.Literal(batch_size)
                )
            )
            rows = [PendingQuestion(pk, text, bytes(digest)) for pk, text, digest in cursor.fetchall()]
        if not rows:
            return
        yield rows
        last = rows[-1].id


@transaction.atomic
def embedding_store(
    *, embedding_set: EmbeddingSet, questions: Sequence[PendingQuestion], vectors: npt.NDArray[np.float32]
) -> int:
    """Store one vector a question, replacing an old one; questions deleted meanwhile are left out.

    Args:
        vectors: (questions, dimension), stored as half precision.

    Raises:
        ValueError: the vectors' shape does not fit.
    """
    if vectors.shape != (len(questions), embedding_set.dimension):
        raise ValueError(f"expected {(len(questions), embedding_set.dimension)}, got {vectors.shape}")
    with connection.cursor() as django_cursor:
        cursor: Cursor = django_cursor.cursor
        cursor.execute(
            "CREATE TEMPORARY TABLE staged_embedding (question_id bigint, vector halfvec, content_hash bytea)"
            " ON COMMIT DROP"
        )
        # COPY's binary format, because formatting 384 decimals a row costs more than computing them.
        header = np.array([embedding_set.dimension, 0], dtype=">u2").tobytes()
        rows = vectors.astype(">f2")
        with cursor.copy("COPY staged_embedding FROM STDIN (FORMAT binary)") as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
            for question, row in zip(questions, rows, strict=True):
                copy.write(
                    b"\x00\x03"
                    + _field(question.id.to_bytes(8, "big"))
                    + _field(header + row.tobytes())
                    + _field(question.content_hash)
                )
            copy.write(b"\xff\xff")
        cursor.execute(
            sql.SQL(
                """
                INSERT INTO questionbank_questionembedding
                    (embedding_set_id, question_id, vector, content_hash)
                SELECT {set_id}, s.question_id, s.vector, s.content_hash
                FROM staged_embedding s JOIN questionbank_question q ON q.id = s.question_id
                ON CONFLICT (embedding_set_id, question_id)
                DO UPDATE SET vector = excluded.vector, content_hash = excluded.content_hash
                """
            ).format(set_id=sql.Literal(embedding_set.pk))
        )
        stored = cursor.rowcount
        cursor.execute("DROP TABLE staged_embedding")
    return stored


def _field(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


def embedding_index_exists(*, embedding_set: EmbeddingSet) -> bool:
    """Whether the set's HNSW index is there and valid."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid"
            " WHERE c.relname = %s",
            [embedding_set.index_name],
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def embedding_index_drop(*, embedding_set: EmbeddingSet) -> None:
    """Drop the set's index, before a bulk load: building it once is quicker than inserting into it."""
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("DROP INDEX IF EXISTS {name}").format(name=sql.Identifier(embedding_set.index_name))
        )


def embedding_index_build(*, embedding_set: EmbeddingSet, m: int = 16, ef_construction: int = 64) -> None:
    """Build the set's partial HNSW index without blocking writers; must be called outside a transaction.

    PostgreSQL uses it only for the same cast and a literal set id: `questionbank.selectors.vectors`.
    """
    if embedding_index_exists(embedding_set=embedding_set):
        return
    embedding_index_drop(embedding_set=embedding_set)  # an invalid one, left by a killed build
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '512MB'")
        try:
            cursor.execute(
                sql.SQL(
                    "CREATE INDEX CONCURRENTLY {name} ON questionbank_questionembedding"
                    " USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops)"
                    " WITH (m = {m}, ef_construction = {ef}) WHERE embedding_set_id = {set_id}"
                ).format(
                    name=sql.Identifier(embedding_set.index_name),
                    dimension=sql.Literal(embedding_set.dimension),
                    m=sql.Literal(m),
                    ef=sql.Literal(ef_construction),
                    set_id=sql.Literal(embedding_set.pk),
                )
            )
        finally:
            cursor.execute("RESET maintenance_work_mem")


def embedding_set_finish(*, embedding_set: EmbeddingSet) -> None:
    """Index a set that is complete and mark it ready."""
    embedding_index_build(embedding_set=embedding_set)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE questionbank_questionembedding")
    EmbeddingSet.objects.filter(pk=embedding_set.pk, state=EmbeddingSet.State.BUILDING).update(
        state=EmbeddingSet.State.READY
    )


def embedding_set_size(*, embedding_set: EmbeddingSet) -> int:
    """Number of vectors in the set."""
    return QuestionEmbedding.objects.filter(embedding_set=embedding_set).count()
