"""Importing vectors that `python -m analytics embed` computed elsewhere into the bank's set of the same encoder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.backbone.sources import encoder_hash
from analytics.bulk.files import finished_manifest, read_results, vectors_of
from analytics.bulk.jobs import Embed
from analytics.catalog import CAPABILITIES, FALLBACK_LENS
from analytics.errors import DataError
from analytics.question_content import content_digest
from questionbank.bank import vector_services as embeddings
from questionbank.bank.vector_selectors import (
    PendingQuestion,
    embedding_pending,
    embedding_pending_among,
    embedding_pending_ids,
)
from questionbank.core.errors import NotFound
from questionbank.jobs.block_services import block_ranges
from questionbank.models import EmbeddingSet, ModelArtifact, Question
from worker.embedding import (
    LOOKED_AT,
    VectorBlocks,
    make_room,
    pending_in_known_languages,
    report_near_duplicates,
    set_turn,
)
from worker.reporting import RunReporter

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
