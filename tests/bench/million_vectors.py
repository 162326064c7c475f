# ruff: noqa: T201 - a benchmark prints
"""Vectors of a bank of a million questions, in the sets that its pages read, and their indexes as the bank builds them.

Some questions are encoded by the sets' own encoders; every other one gets the vector of one of them plus noise, so that
the vectors lie in clusters as those of real questions do. Stopped and started again it goes on where it was.
"""

from __future__ import annotations

import time

import numpy as np

from tests.bench.memory import peak_of_server
from tests.bench.vectors import BLOCK, noisy


def fill_vectors(encoded: int) -> None:
    """Compute the vectors of the first questions, make the others up, and index every set in use.

    Args:
        encoded: questions that the encoders read; fewer have a vector in sets of one language.
    """
    from questionbank.models import EmbeddingSet

    for embedding_set in (
        EmbeddingSet.objects.filter(is_current=True).select_related("artifact").order_by("pk")
    ):
        if embedding_set.state == EmbeddingSet.State.BUILDING:
            began = time.perf_counter()
            real = _encoded(embedding_set, encoded)
            print(
                f"{embedding_set.word}: {len(real):,} encoded: {time.perf_counter() - began:.0f} s",
                flush=True,
            )
            _make_up(embedding_set, real)
            _index(embedding_set)


def _encoded(embedding_set, encoded: int) -> np.ndarray:
    """Return the vectors of the first questions that the set compares, computed in blocks as a worker does it."""
    from questionbank.models import QuestionEmbedding
    from questionbank.selectors.registry.embeddings import embedding_pending_ids
    from questionbank.services.blocks import block_ranges, blocks_plan
    from worker.blocks import do_block
    from worker.embedding import BLOCK_SIZE, VectorBlocks

    job = VectorBlocks(embedding_set)
    stored = QuestionEmbedding.objects.filter(embedding_set=embedding_set)
    if (missing := encoded - stored.count()) > 0:
        pending = embedding_pending_ids(embedding_set=embedding_set)[:missing]
        blocks_plan(job=job.name, ranges=block_ranges(pending, BLOCK_SIZE))
        while do_block(job):
            pass
    rows = stored.order_by("question_id").values_list("vector", flat=True)[:encoded]
    return np.array([vector for vector in rows.iterator(5000) if vector is not None], dtype=np.float32)


def _make_up(embedding_set, real: np.ndarray) -> None:
    """Store a vector of every question that the set compares and that has none."""
    from analytics.catalog import lenses
    from questionbank.selectors.registry.embeddings import embedding_pending, embedding_pending_ids
    from questionbank.services.embeddings import embedding_store, embedding_store_none

    began = time.perf_counter()
    takes = lenses()[embedding_set.lens].takes
    rng = np.random.default_rng(2026)
    pending = embedding_pending_ids(embedding_set=embedding_set)
    made = 0
    for start in range(0, len(pending), BLOCK):
        ids = pending[start : start + BLOCK]
        questions = embedding_pending(embedding_set=embedding_set, first=ids[0], last=ids[-1])
        compared = [question for question in questions if takes(question.text)]
        others = [question for question in questions if not takes(question.text)]
        embedding_store_none(embedding_set=embedding_set, questions=others)
        vectors = noisy(real, made, len(compared), rng)
        made += embedding_store(embedding_set=embedding_set, questions=compared, vectors=vectors)
    print(
        f"{embedding_set.word}: {made:,} made up and stored: {time.perf_counter() - began:.0f} s", flush=True
    )


def _index(embedding_set) -> None:
    """Index a set as the bank does, and print what that takes."""
    from django.db import connection

    from questionbank.services.embeddings import embedding_set_finish

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE questionbank_questionembedding")
    began = time.perf_counter()
    with peak_of_server() as peak:
        embedding_set_finish(embedding_set=embedding_set)
    seconds = time.perf_counter() - began
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s) >> 20", [embedding_set.index_name])
        (megabytes,) = cursor.fetchone()
        cursor.execute("SHOW maintenance_work_mem")
        (allowed,) = cursor.fetchone()
    print(
        f"{embedding_set.word}: indexed in {seconds:.0f} s, {megabytes:,} MB; the server's process held"
        f" {peak[0]:,} MB with its buffers, maintenance_work_mem {allowed}",
        flush=True,
    )
