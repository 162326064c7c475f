"""Vectors of questions: requesting and storing them, the index of a set, and the map that is drawn from them.

A set is updated in blocks: `bank.vector_selectors.embedding_pending` -> encode -> `embedding_store`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from django.db import connection, transaction
from django.utils import timezone
from psycopg import sql

from analytics.catalog import CAPABILITIES
from questionbank.bank.vector_selectors import PendingQuestion, embedding_index_exists, map_set
from questionbank.core.database import advisory_lock
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.jobs.run_services import run_create, run_create_alone
from questionbank.models import EmbeddingSet, ModelArtifact, Projection, Question, Run, User

if TYPE_CHECKING:
    from psycopg import Cursor


@transaction.atomic
def embedding_request() -> Run | None:
    """Request the computation of missing vectors; at most one run waits, however often this is called.

    The waiting run is locked until our transaction commits, so it cannot start without seeing our rows.
    """
    waiting = Run.objects.select_for_update().filter(kind=Run.Kind.EMBED, state=Run.State.QUEUED)
    if waiting.exists():
        return None
    return run_create(kind=Run.Kind.EMBED, capability="encoder", title="Compute missing vectors")


def embedding_request_outdated() -> Run | None:
    """Request search text and vectors if a new release derives more from questions; None if nothing is outdated."""
    outdated = Question.objects.filter(search_vector__isnull=True)
    return embedding_request() if outdated.exists() else None


@transaction.atomic
def embedding_set_ensure(*, artifact: ModelArtifact) -> EmbeddingSet:
    """Return a model's set of vectors for its capability's lens.

    Creates an empty set, beside the one in use, unless the model already has one.

    Probes find their set by its encoder's name, so these names are unique.

    Raises:
        ValidationFailed: models of this kind do not produce vectors.
    """
    row = CAPABILITIES.get(artifact.capability)
    if row is None or row.lens is None:
        raise ValidationFailed("Models of this kind give questions no vectors.")
    advisory_lock("embedding sets")
    embedding_set = EmbeddingSet.objects.filter(artifact=artifact, lens=row.lens.word).order_by("-pk").first()
    if embedding_set is not None:
        return embedding_set
    name = artifact.name[:100]
    choices = [name, f"{name} ({artifact.checksum[:8]})", f"{name} (model {artifact.pk})"]
    taken = set(EmbeddingSet.objects.filter(encoder_name__in=choices).values_list("encoder_name", flat=True))
    return EmbeddingSet.objects.create(
        lens=row.lens.word,
        scope=artifact.scope,
        artifact=artifact,
        encoder_name=next(choice for choice in choices if choice not in taken),
        dimension=artifact.manifest["extra"]["dimension"],
    )


def embedding_set_save_unknown_shares(*, embedding_set: EmbeddingSet, shares: dict[str, float]) -> None:
    """Store each language's share of unknown tokens."""
    embedding_set.unknown_shares = {**embedding_set.unknown_shares, **shares}
    embedding_set.save(update_fields=["unknown_shares"])


@transaction.atomic
def embedding_store(
    *, embedding_set: EmbeddingSet, questions: Sequence[PendingQuestion], vectors: npt.NDArray[np.float32]
) -> int:
    """Store one vector per question, replacing old ones; questions deleted in the meantime are skipped.

    Args:
        vectors: (questions, dimension), stored in half precision.

    Raises:
        ValueError: the shape of the vectors does not match.
    """
    if vectors.shape != (len(questions), embedding_set.dimension):
        raise ValueError(f"expected {(len(questions), embedding_set.dimension)}, got {vectors.shape}")
    with connection.cursor() as django_cursor:
        cursor: Cursor = django_cursor.cursor
        cursor.execute(
            "CREATE TEMPORARY TABLE staged_embedding (question_id bigint, vector halfvec, content_hash bytea)"
            " ON COMMIT DROP"
        )
        # COPY's binary format, because formatting 384 decimals per row costs more than computing them.
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


def embedding_store_none(*, embedding_set: EmbeddingSet, questions: Sequence[PendingQuestion]) -> None:
    """Record that the set's lens does not compare these questions: they have no vector and are not pending."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO questionbank_questionembedding (embedding_set_id, question_id, vector, content_hash)
            SELECT %s, q.id, NULL, s.content_hash
            FROM unnest(%s::bigint[], %s::bytea[]) AS s (question_id, content_hash)
            JOIN questionbank_question q ON q.id = s.question_id
            ON CONFLICT (embedding_set_id, question_id)
            DO UPDATE SET vector = NULL, content_hash = excluded.content_hash
            """,
            [
                embedding_set.pk,
                [question.id for question in questions],
                [question.content_hash for question in questions],
            ],
        )


def _field(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


def embedding_index_drop(*, embedding_set: EmbeddingSet) -> None:
    """Drop the set's index before a bulk load: building it once is faster than inserting into it."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP INDEX IF EXISTS {name}").format(name=sql.Identifier(embedding_set.index_name)))


def embedding_index_build(*, embedding_set: EmbeddingSet) -> None:
    """Build the set's partial HNSW index without blocking writers; must be called outside a transaction.

    It is fast if the server's `maintenance_work_mem` can hold the graph.
    PostgreSQL uses the index only for the same cast and a literal set id; see `questionbank.bank.vector_selectors`.
    """
    if embedding_index_exists(embedding_set=embedding_set):
        return
    embedding_index_drop(embedding_set=embedding_set)  # an invalid index left by an interrupted build
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL(
                "CREATE INDEX CONCURRENTLY {name} ON questionbank_questionembedding"
                " USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops)"
                " WITH (m = 16, ef_construction = 64) WHERE embedding_set_id = {set_id}"
            ).format(
                name=sql.Identifier(embedding_set.index_name),
                dimension=sql.Literal(embedding_set.dimension),
                set_id=sql.Literal(embedding_set.pk),
            )
        )


def embedding_set_finish(*, embedding_set: EmbeddingSet) -> None:
    """Index a complete set and mark it as ready."""
    embedding_index_build(embedding_set=embedding_set)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE questionbank_questionembedding")
    EmbeddingSet.objects.filter(pk=embedding_set.pk, state=EmbeddingSet.State.BUILDING).update(
        state=EmbeddingSet.State.READY
    )


_LARGEST = 65_535
FEWEST_POINTS = 100  # a smaller bank needs no map; an admin may still request one
GROWTH = 2  # a map is redrawn when the set has this many times its points


@transaction.atomic
def projection_request(*, user: User | None = None) -> Run:
    """Request a map of the encoder in use.

    Raises:
        Conflict: a map is already requested, or the bank has no vectors yet.
    """
    current = map_set()
    if current is None or not current.embeddings.exists():
        raise Conflict("The bank has no vectors yet, so there is nothing to draw.")
    return run_create_alone(
        "The map is being drawn already.",
        kind="project",
        capability="probes",
        parameters={},
        title="Draw the map of the bank",
        requested_by=user,
    )


def projection_request_missing() -> Run | None:
    """Request a map if the encoder in use has none or the bank has outgrown it; None if there is nothing to do."""
    current = map_set()
    if current is None:
        return None
    drawn = Projection.objects.filter(embedding_set=current).values_list("questions", flat=True).first()
    if current.embeddings.count() < max(FEWEST_POINTS, GROWTH * (drawn or 0)):
        return None
    with suppress(Conflict):  # somebody else requested it
        return projection_request()
    return None


@transaction.atomic
def projection_store(
    *,
    embedding_set: EmbeddingSet,
    question_ids: npt.NDArray[np.int64],
    coordinates: npt.NDArray[np.float32],
    method: str,
    settings: Mapping[str, Any],
) -> Projection:
    """Store a map, replacing the set's previous one.

    Args:
        question_ids: (points,).
        coordinates: (points, 2) within -1..1.

    Raises:
        ValueError: the shapes do not match, or an id needs more than 32 bits.
    """
    if coordinates.shape != (len(question_ids), 2):
        raise ValueError(f"expected {(len(question_ids), 2)}, got {coordinates.shape}")
    if len(question_ids) and int(question_ids.max()) >= 2**32:
        raise ValueError("question ids beyond 32 bits do not fit the map's format")
    order = np.argsort(question_ids)
    places = np.rint((coordinates[order].clip(-1, 1) + 1) / 2 * _LARGEST)
    return Projection.objects.update_or_create(
        embedding_set=embedding_set,
        defaults={
            "method": method,
            "settings": dict(settings),
            "questions": len(question_ids),
            "question_ids": question_ids[order].astype("<u4").tobytes(),
            "coordinates": places.astype("<u2").tobytes(),
            "created_at": timezone.now(),
        },
    )[0]
