"""Bringing embedding sets up to date: pending questions -> encoder -> stored vectors."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db.models import F

from analytics.capability import Lens
from analytics.catalog import CAPABILITIES, FALLBACK_LENS, lenses
from analytics.inference.encode import TextEncoder, VocabularyEncoder
from analytics.inference.ngrams import HashedNgramEncoder
from analytics.inference.vocabulary import UNKNOWN_SHARE_LIMIT
from analytics.retrieval import Encode
from questionbank.capabilities.catalog import lens_name, set_name
from questionbank.models import EmbeddingSet
from questionbank.selectors.registry.artifacts import artifact_folder
from questionbank.selectors.registry.embeddings import (
    PendingQuestion,
    embedding_count_pending,
    embedding_pending,
    embedding_set_sample,
    embedding_set_size,
    languages_meant,
)
from questionbank.services import embeddings
from worker.catalog import worker_capability
from worker.near_duplicates import LOOKED_AT, near_duplicates_among
from worker.reporting import RunReporter

# So few questions are encoded by ONNX Runtime in the time that importing PyTorch would take.
SMALL_JOB = 256
# Beyond this share of a set, building its index anew is quicker than inserting into it.
BULK_SHARE = 0.3
WAIT_SECONDS = 1.0
NAMED_PAIRS = 10


def embed_pending(reporter: RunReporter, *, sets: Sequence[EmbeddingSet] | None = None) -> dict[str, int]:
    """Compute every missing vector of the given sets (by default those in use), then index them.

    May stop anywhere and be called again: what is stored is not computed twice. Waits for its turn where
    another process (a worker, a command) does the same.

    Returns:
        Number of vectors stored, by lens.
    """

    def wait() -> None:
        reporter.check()
        reporter.progress(0, 0, "Waiting for another job that computes vectors")
        time.sleep(WAIT_SECONDS)

    stored: dict[str, int] = {}
    with embeddings.embedding_turn(wait=wait):
        rows = EmbeddingSet.objects.select_related("artifact")
        chosen = (
            rows.filter(is_current=True)
            if sets is None
            else rows.filter(pk__in=[given_set.pk for given_set in sets])
        )
        for embedding_set in chosen.order_by(
            F("artifact").asc(nulls_first=True), "pk"
        ):  # the quick n-grams first
            lens = embedding_set.lens
            stored[lens] = stored.get(lens, 0) + _embed_set(reporter, embedding_set)
    return stored


def _embed_set(reporter: RunReporter, embedding_set: EmbeddingSet) -> int:
    if embedding_set.scope and not languages_meant(embedding_set):
        embeddings.embedding_set_finish(embedding_set=embedding_set)
        return 0  # its encoder need not be loaded
    query_encoder = _query_encoder(embedding_set)
    if isinstance(query_encoder, VocabularyEncoder):
        _measure_languages(reporter, embedding_set, query_encoder)
    pending = embedding_count_pending(embedding_set=embedding_set)
    if not pending:
        embeddings.embedding_set_finish(embedding_set=embedding_set)
        return 0
    if pending > BULK_SHARE * (embedding_set_size(embedding_set=embedding_set) + pending):
        embeddings.embedding_index_drop(embedding_set=embedding_set)
    encode = _bulk_encode(embedding_set, reporter) if pending > SMALL_JOB else None
    label = set_name(embedding_set.lens, embedding_set.scope)
    lens = lenses()[embedding_set.lens]
    done = looked_at = 0
    new: list[int] = []
    for batch in embedding_pending(embedding_set=embedding_set):
        reporter.check()
        reporter.progress(looked_at, pending, f"{label}: {looked_at:,} of {pending:,}")
        compared, others = _parted(batch, lens)
        if compared:
            texts = [question.text for question in compared]
            vectors = encode(texts) if encode else query_encoder.encode(texts)
            embeddings.embedding_turn_check()
            done += embeddings.embedding_store(
                embedding_set=embedding_set, questions=compared, vectors=vectors
            )
        if others:
            embeddings.embedding_store_none(embedding_set=embedding_set, questions=others)
        looked_at += len(batch)
        reporter.saved_work()
        if len(new) < LOOKED_AT:
            new += [question.id for question in batch]
    reporter.progress(pending, pending, f"{label}: building the index")
    embeddings.embedding_turn_check()
    embeddings.embedding_set_finish(embedding_set=embedding_set)
    reporter.log(f"{label}: {done:,} vectors by {embedding_set.encoder_name}.")
    if embedding_set.lens == FALLBACK_LENS.word:
        _report_near_duplicates(reporter, embedding_set, new[:LOOKED_AT])
    return done


def _parted(
    questions: Sequence[PendingQuestion], lens: Lens
) -> tuple[list[PendingQuestion], list[PendingQuestion]]:
    """Return the questions that a lens compares, and those that it does not."""
    compared: list[PendingQuestion] = []
    others: list[PendingQuestion] = []
    for question in questions:
        (compared if lens.takes(question.text) else others).append(question)
    return compared, others


def _report_near_duplicates(
    reporter: RunReporter, embedding_set: EmbeddingSet, question_ids: Sequence[int]
) -> None:
    pairs = near_duplicates_among(embedding_set=embedding_set, question_ids=question_ids)
    if not pairs:
        return
    shown = "; ".join(f"{first} and {second} ({score:.2f})" for first, second, score in pairs[:NAMED_PAIRS])
    more = f"; and {len(pairs) - NAMED_PAIRS:,} more pairs" if len(pairs) > NAMED_PAIRS else ""
    reporter.log(
        f"Near-duplicates among {len(question_ids):,} new questions: {shown}{more}.", level="warning"
    )


def _query_encoder(embedding_set: EmbeddingSet) -> TextEncoder:
    artifact = embedding_set.artifact
    if artifact is None:
        return HashedNgramEncoder(embedding_set.dimension)
    encoder: TextEncoder = CAPABILITIES[artifact.capability].load(artifact_folder(artifact))
    return encoder


def _bulk_encode(embedding_set: EmbeddingSet, reporter: RunReporter) -> Encode | None:
    """Return the capability's own encoder of many texts, where it has one; else None: the query encoder is used."""
    artifact = embedding_set.artifact
    return worker_capability(artifact.capability).encode(artifact, reporter) if artifact else None


def _measure_languages(
    reporter: RunReporter, embedding_set: EmbeddingSet, encoder: VocabularyEncoder
) -> None:
    """Measure how much of each language that the set is for the encoder does not know.

    Anew each time: a language's first question may hold nothing but a formula.
    """
    shares = {}
    stand_in = lenses()[embedding_set.lens].stand_in
    consequence = (
        f"its questions are compared by {lens_name(stand_in).lower()} only."
        if stand_in
        else "it gives its questions no vectors."
    )
    for language in languages_meant(embedding_set):
        before = embedding_set.unknown_shares.get(language)
        share = round(encoder.unknown_share(embedding_set_sample(language=language)), 4)
        if share == before:
            continue
        shares[language] = share
        if share > UNKNOWN_SHARE_LIMIT and (before is None or before <= UNKNOWN_SHARE_LIMIT):
            reporter.log(
                f"{encoder.name} does not know {share:.0%} of the tokens in language"
                f" {language!r}: {consequence}",
                level="warning",
            )
    if shares:
        embeddings.embedding_set_save_unknown_shares(embedding_set=embedding_set, shares=shares)
