"""Bringing embedding sets up to date: pending questions -> blocks -> encoder -> stored vectors.

Vectors that `python -m analytics embed` computed elsewhere are imported into the set of the same encoder.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection
from django.db.models import F
from psycopg import sql

from analytics.backbone.sources import encoder_hash
from analytics.bulk.files import finished_manifest, read_results, vectors_of
from analytics.bulk.jobs import Embed
from analytics.capability import Lens
from analytics.catalog import CAPABILITIES, FALLBACK_LENS, lenses
from analytics.errors import DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, Encode, HashedNgramEncoder, TextEncoder, VocabularyEncoder
from analytics.question_content import content_digest
from questionbank.bank import vector_services as embeddings
from questionbank.bank.search_index import search_text_fill
from questionbank.bank.vector_selectors import (
    PendingQuestion,
    embedding_pending,
    embedding_pending_among,
    embedding_pending_ids,
    embedding_set_sample,
    embedding_set_size,
    languages_meant,
    nearest,
)
from questionbank.core.capability_catalog import lens_name, set_name
from questionbank.core.errors import NotFound
from questionbank.jobs.resume_services import BlockRange, block_ranges, blocks_plan, turn
from questionbank.jobs.run_selectors import block_sums
from questionbank.models import EmbeddingSet, ModelArtifact, Question, QuestionEmbedding, WorkBlock
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.similar.similarity import NEAR_DUPLICATE
from worker.blocks import BlockJob, work_in_blocks
from worker.reporting import RunReporter

LOOKED_AT = 2_000  # at most this many new questions are compared, at a few milliseconds each


def near_duplicates_among(*, embedding_set: EmbeddingSet, question_ids: Sequence[int]) -> list[tuple[int, int, float]]:
    """Return near-duplicates as (earlier, later, cosine of n-grams), each pair once, most similar first.

    Args:
        embedding_set: the set of the wording lens.
        question_ids: the new questions; at most `LOOKED_AT` of them are compared.
    """
    ready = Question.objects.filter(pk__in=question_ids[:LOOKED_AT], status=Question.Status.READY)
    rows = QuestionEmbedding.objects.filter(embedding_set=embedding_set, question__in=ready)
    pairs: dict[tuple[int, int], float] = {}
    for question_id, vector in rows.values_list("question_id", "vector"):
        if vector is None:
            continue
        for neighbour, score in nearest(embedding_set=embedding_set, vector=vector, k=1, exclude=[question_id]):
            if score >= NEAR_DUPLICATE:
                pairs[min(question_id, neighbour), max(question_id, neighbour)] = score
    triples = [(earlier, later, score) for (earlier, later), score in pairs.items()]
    return sorted(triples, key=lambda pair: (-pair[2], pair[0]))


# ONNX Runtime encodes this many questions in the time that importing PyTorch takes.
SMALL_JOB = 256
# Beyond this share of a set, rebuilding its index is faster than inserting into it.
BULK_SHARE = 0.3
BLOCK_SIZE = 512  # questions: seconds of work, so that people wait no longer and a dying worker loses little
WAIT_SECONDS = 1.0
NAMED_PAIRS = 10


def embed_pending(reporter: RunReporter, *, sets: Sequence[EmbeddingSet] | None = None) -> dict[str, int]:
    """Compute all missing vectors of the given sets, then index them; by default of the sets in use.

    Without `sets`, missing search text is written first. It may stop anywhere and be called again. Several
    processes may call it at once: they share the blocks.

    Returns:
        Number of vectors stored, by lens.
    """
    if sets is None and (filled := search_text_fill(before_each=reporter.check)):
        reporter.log(f"{filled:,} questions now have search text.")
    rows = EmbeddingSet.objects.select_related("artifact")
    chosen = rows.filter(is_current=True) if sets is None else rows.filter(pk__in=[given_set.pk for given_set in sets])
    stored: dict[str, int] = {}
    in_order = list(chosen.order_by(F("artifact").asc(nulls_first=True), "pk"))  # the fast n-grams first
    for number, embedding_set in enumerate(in_order, start=1):
        reporter.parts_left = len(in_order) - number
        lens = embedding_set.lens
        stored[lens] = stored.get(lens, 0) + _embed_set(reporter, embedding_set)
    return stored


def _embed_set(reporter: RunReporter, embedding_set: EmbeddingSet) -> int:
    label = set_name(embedding_set.lens, embedding_set.scope)
    job = VectorBlocks(embedding_set)
    stored = 0
    new: list[int] = []
    while pending := _plan(reporter, job, label):
        stored += work_in_blocks(reporter, job, label=label).stored
        new += pending[: LOOKED_AT - len(new)]
    if stored:
        reporter.log(f"{label}: {stored:,} vectors by {embedding_set.encoder_name}.")
    if new and embedding_set.lens == FALLBACK_LENS.word:
        report_near_duplicates(reporter, embedding_set, new)
    return stored


def _plan(reporter: RunReporter, job: VectorBlocks, label: str) -> list[int]:
    """Plan the blocks of a set unless it has unfinished ones; return the questions without a vector.

    If the set is complete, build its index instead.
    """
    embedding_set = job.embedding_set
    with set_turn(reporter, embedding_set):
        pending = pending_in_known_languages(reporter, job)
        if pending and block_sums(job=job.name).unfinished:
            return pending
        if pending:
            make_room(embedding_set, len(pending))
            blocks_plan(job=job.name, ranges=block_ranges(pending, BLOCK_SIZE))
            return pending
        reporter.progress(0, 0, f"{label}: building the index")
        blocks_plan(job=job.name, ranges=())
        embeddings.embedding_set_finish(embedding_set=embedding_set)
        return []


@contextmanager
def set_turn(reporter: RunReporter, embedding_set: EmbeddingSet) -> Iterator[None]:
    """Hold the lock on planning and indexing a set.

    Otherwise one process would drop the index that another is building, and all searches would have to wait for it.
    """

    def wait() -> None:
        reporter.check()
        reporter.progress(0, 0, "Waiting for another job that computes vectors")
        time.sleep(WAIT_SECONDS)

    with turn(f"set/{embedding_set.pk}", wait=wait):
        yield


def pending_in_known_languages(reporter: RunReporter, job: VectorBlocks) -> list[int]:
    """Measure which languages the encoder knows, then return the questions without a vector."""
    if job.embedding_set.scope and not languages_meant(job.embedding_set):
        return []  # no need to load the encoder
    if isinstance(job.encoder, VocabularyEncoder):
        _measure_languages(reporter, job.embedding_set, job.encoder)
    return embedding_pending_ids(embedding_set=job.embedding_set)


def make_room(embedding_set: EmbeddingSet, count: int) -> None:
    """Drop a set's index if so many vectors will be added that rebuilding it is faster."""
    if count > BULK_SHARE * (embedding_set_size(embedding_set=embedding_set) + count):
        embeddings.embedding_index_drop(embedding_set=embedding_set)


class VectorBlocks(BlockJob):
    """The missing vectors of a set; a block is a range of questions."""

    word = "vectors"

    def __init__(self, embedding_set: EmbeddingSet) -> None:
        self.embedding_set = embedding_set
        self.name = embedding_set.job_name
        self._lens = lenses()[embedding_set.lens]
        self._cancel: Callable[[], bool] = lambda: False

    @classmethod
    def named(cls, argument: str) -> VectorBlocks | None:
        """Return the job of a set; None if the set no longer exists."""
        embedding_set = EmbeddingSet.objects.select_related("artifact").filter(pk=int(argument)).first()
        return cls(embedding_set) if embedding_set else None

    @cached_property
    def encoder(self) -> TextEncoder:
        """The query encoder, which loads quickly."""
        return query_encoder(self.embedding_set)

    @cached_property
    def _bulk_encode(self) -> Encode | None:
        """The capability's bulk encoder; None for n-grams, for which bulk encoding is no faster."""
        artifact = self.embedding_set.artifact
        if artifact is None:
            return None
        capability = CAPABILITIES[artifact.capability]
        return capability.encode_many(artifact_folder(artifact), lambda: self._cancel())

    def ranges_above(self, last: int) -> Sequence[BlockRange]:
        """Return blocks of the questions that were added since the plan."""
        return block_ranges(embedding_pending_ids(embedding_set=self.embedding_set, above=last), BLOCK_SIZE)

    def compute(self, block: WorkBlock, cancel: Callable[[], bool]) -> Callable[[], int]:
        """Encode the questions in a range that have no vector."""
        self.embedding_set.refresh_from_db(fields=["unknown_shares"])  # languages are measured before each plan
        questions = embedding_pending(embedding_set=self.embedding_set, first=block.first, last=block.last)
        compared, others = _parted(questions, self._lens)
        self._cancel = cancel
        is_small = block_sums(job=self.name).total <= SMALL_JOB
        encode = self.encoder.encode if is_small else self._bulk_encode or self.encoder.encode
        vectors = encode([question.text for question in compared]) if compared else None

        def store() -> int:
            if others:
                embeddings.embedding_store_none(embedding_set=self.embedding_set, questions=others)
            if vectors is None:
                return 0
            return embeddings.embedding_store(embedding_set=self.embedding_set, questions=compared, vectors=vectors)

        return store


def _parted(questions: Sequence[PendingQuestion], lens: Lens) -> tuple[list[PendingQuestion], list[PendingQuestion]]:
    """Split questions into those that a lens compares and those that it does not."""
    compared: list[PendingQuestion] = []
    others: list[PendingQuestion] = []
    for question in questions:
        (compared if lens.takes(question.text) else others).append(question)
    return compared, others


def report_near_duplicates(reporter: RunReporter, embedding_set: EmbeddingSet, question_ids: Sequence[int]) -> None:
    """Log which new questions are near-duplicates of another one."""
    pairs = near_duplicates_among(embedding_set=embedding_set, question_ids=question_ids)
    if not pairs:
        return
    named_pairs = "; ".join(f"{first} and {second} ({score:.2f})" for first, second, score in pairs[:NAMED_PAIRS])
    more = f"; and {len(pairs) - NAMED_PAIRS:,} more pairs" if len(pairs) > NAMED_PAIRS else ""
    reporter.log(f"Near-duplicates among {len(question_ids):,} new questions: {named_pairs}{more}.", level="warning")


def query_encoder(embedding_set: EmbeddingSet) -> TextEncoder:
    """Return the encoder of a set that loads quickly, for few texts."""
    artifact = embedding_set.artifact
    if artifact is None:
        return HashedNgramEncoder(embedding_set.dimension)
    encoder: TextEncoder = CAPABILITIES[artifact.capability].load(artifact_folder(artifact))
    return encoder


def _measure_languages(reporter: RunReporter, embedding_set: EmbeddingSet, encoder: VocabularyEncoder) -> None:
    """Measure how much of each of the set's languages the encoder does not know.

    Repeated each time, because the first question in a language may contain nothing but a formula.
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
                f"{encoder.name} does not know {share:.0%} of the tokens in language {language!r}: {consequence}",
                level="warning",
            )
    if shares:
        embeddings.embedding_set_save_unknown_shares(embedding_set=embedding_set, shares=shares)


def set_vectors(embedding_set: EmbeddingSet) -> dict[int, npt.NDArray[np.float32]]:
    """Return every vector of the set by question id, read in the server's binary format (parsing text is slow)."""
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL(
                "SELECT question_id, halfvec_send(vector) FROM questionbank_questionembedding"
                " WHERE embedding_set_id = {} AND vector IS NOT NULL"
            ).format(sql.Literal(embedding_set.pk))
        )
        return {
            question: np.frombuffer(bytes(raw), dtype=">f2", offset=4).astype(np.float32)
            for question, raw in cursor.fetchall()
        }


_READ_TOGETHER = 10_000  # questions


def import_vectors(reporter: RunReporter, folder: Path) -> dict[str, Any]:
    """Store the vectors of every question without one whose text is in the folder, then index the set.

    May stop anywhere and be repeated. Questions are matched by text, as `content_digest` hashes it: a question whose
    text has changed since gets no vector.

    Returns:
        ``{"encoder", "stored", "missing", "changed"}``: number of vectors stored, number of questions still without
        one, and how many of these have the id of a row with another text.

    Raises:
        DataError: the folder is incomplete or damaged, or its vectors have another dimension.
        NotFound: no model of the bank is their encoder.
    """
    manifest = finished_manifest(folder, Embed.word)
    embedding_set = _set_of(manifest["about"], folder)
    stored: list[int] = []
    identifiers: set[str] = set()
    for table in read_results(folder, manifest):  # validate all of them before the index is dropped
        _check_dimension(embedding_set, table)
        identifiers.update(table["id"].to_pylist())
    with set_turn(reporter, embedding_set):
        pending = pending_in_known_languages(reporter, VectorBlocks(embedding_set))
        texts = _TextIndex(embedding_set, pending)
        make_room(embedding_set, min(len(pending), manifest["rows"]))
        for done, table in enumerate(read_results(folder, manifest)):
            reporter.check()
            reporter.progress(done, len(manifest["blocks"]), f"{len(stored):,} vectors are stored")
            stored += _store(embedding_set, table, texts)
        missing = embedding_pending_ids(embedding_set=embedding_set)
        if not missing:
            embeddings.embedding_set_finish(embedding_set=embedding_set)
        elif embedding_set.is_current:
            embeddings.embedding_index_build(embedding_set=embedding_set)
    if stored and embedding_set.lens == FALLBACK_LENS.word:
        report_near_duplicates(reporter, embedding_set, stored[:LOOKED_AT])
    sources = Question.objects.filter(pk__in=missing).exclude(source_id="").values_list("source_id", flat=True)
    return {
        "encoder": embedding_set.encoder_name,
        "stored": len(stored),
        "missing": len(missing),
        "changed": sum(source in identifiers for source in sources.iterator()),
    }


def _set_of(about: dict[str, Any], folder: Path) -> EmbeddingSet:
    """Return the set of the model that made the vectors; if there are several such models, the one in use."""
    sets = EmbeddingSet.objects.filter(artifact=None, encoder_name=about["encoder_hash"])  # the n-grams
    if found := sets.order_by("-is_current").first():
        return found
    with_lens = [word for word, capability in CAPABILITIES.items() if capability.lens]
    same = [
        artifact
        for artifact in ModelArtifact.objects.filter(capability__in=with_lens).order_by("-pk")
        if encoder_hash(artifact.capability, artifact.manifest.get("files", {}), artifact.manifest["extra"])
        == about["encoder_hash"]
    ]
    if not same:
        raise NotFound(
            f"The vectors in {folder} are by {about['encoder']}, which is no model of the bank: import it with"
            " import_model, or compute them with a model that export_model has written."
        )
    return embeddings.embedding_set_ensure(
        artifact=min(same, key=lambda artifact: artifact.state != ModelArtifact.State.CHAMPION)
    )


def _check_dimension(embedding_set: EmbeddingSet, table: Any) -> None:
    dimension = table.schema.field("vector").type.list_size
    if dimension != embedding_set.dimension:
        raise DataError(
            f"The vectors have {dimension} numbers, those of {embedding_set.encoder_name} {embedding_set.dimension}."
        )


class _TextIndex:
    """Index of the questions without a vector by their text, 16 bytes per question."""

    def __init__(self, embedding_set: EmbeddingSet, pending: list[int]) -> None:
        keys, ids = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for part in block_ranges(pending, _READ_TOGETHER):
            questions = embedding_pending(embedding_set=embedding_set, first=part.first, last=part.last)
            keys.append(_keys(content_digest([question.text]) for question in questions))
            ids.append(np.array([question.id for question in questions], np.int64))
        all_keys = np.concatenate(keys)
        order = np.argsort(all_keys, kind="stable")
        self._keys, self._ids = all_keys[order], np.concatenate(ids)[order]

    def questions(self, digests: Iterable[bytes]) -> list[int]:
        """Return the questions that may have one of these texts."""
        keys = np.unique(_keys(digests))
        begins, ends = (np.searchsorted(self._keys, keys, side) for side in ("left", "right"))
        return [
            int(question)
            for begin, end in zip(begins[begins < ends], ends[begins < ends], strict=True)
            for question in self._ids[begin:end]
        ]


def _keys(digests: Iterable[bytes]) -> npt.NDArray[np.uint64]:
    """Return the first 8 bytes of each digest; full digests are compared before anything is stored."""
    return np.array([int.from_bytes(digest[:8], "big") for digest in digests], np.uint64)


def _store(embedding_set: EmbeddingSet, table: Any, texts: _TextIndex) -> list[int]:
    """Store the vectors of a block's texts for every question with one of them; return the questions' ids."""
    values, has_vector = vectors_of(table)
    rows = {digest: row for row, digest in enumerate(table["text_hash"].to_pylist())}
    compared: list[tuple[PendingQuestion, int]] = []
    others: list[PendingQuestion] = []
    candidates = texts.questions(rows)
    for question in embedding_pending_among(embedding_set=embedding_set, question_ids=candidates):
        row = rows.get(content_digest([question.text]))
        if row is not None and has_vector[row]:
            compared.append((question, row))
        elif row is not None:
            others.append(question)
    if others:
        embeddings.embedding_store_none(embedding_set=embedding_set, questions=others)
    if not compared:
        return []
    questions = [question for question, _row in compared]
    vectors = values[[row for _question, row in compared]].astype(np.float32)
    embeddings.embedding_store(embedding_set=embedding_set, questions=questions, vectors=vectors)
    return [question.id for question in questions]
