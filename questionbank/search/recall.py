"""Index recall: how many of the true neighbours the HNSW index finds."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

import numpy as np

from questionbank.bank.vector_selectors import nearest
from questionbank.models import EmbeddingSet, QuestionEmbedding

_TIE = 1e-6  # cosines closer than this count as equal: which of them is found is chance


@dataclass(frozen=True, slots=True)
class IndexRecall:
    """The measurements for one embedding set.

    Attributes:
        recall: share of the true `k` nearest questions that the index finds, 1.0 for an empty set.
        p95_ms: 95th percentile of the time of one query through the index.
        exact_p50_ms: median time of the same query without the index.
    """

    k: int
    recall: float
    queries: int
    p50_ms: float
    p95_ms: float
    exact_p50_ms: float

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


def index_recall(*, embedding_set: EmbeddingSet, queries: int = 100, k: int = 10) -> IndexRecall:
    """Compare the index's neighbours of `queries` questions with those of an exact search."""
    ids = np.fromiter(
        QuestionEmbedding.objects.filter(embedding_set=embedding_set, vector__isnull=False, question__status="ready")
        .order_by("question_id")
        .values_list("question_id", flat=True),
        dtype=np.int64,
    )
    chosen = np.random.default_rng(0).permutation(ids)[:queries]
    rows = QuestionEmbedding.objects.filter(embedding_set=embedding_set, question_id__in=chosen.tolist())
    shares, quick, slow = [], [], []
    for row in rows.order_by("question_id"):
        vector = np.asarray(row.vector, dtype=np.float32)
        started = time.perf_counter()
        indexed = nearest(embedding_set=embedding_set, vector=vector, k=k, exclude=[row.question_id])
        between = time.perf_counter()
        true = nearest(embedding_set=embedding_set, vector=vector, k=k, exclude=[row.question_id], exact=True)
        slow.append(time.perf_counter() - between)
        quick.append(between - started)
        if true:
            true_ids, last = {pk for pk, _ in true}, true[-1][1] - _TIE
            hits = sum(pk in true_ids or score >= last for pk, score in indexed)
            shares.append(hits / len(true))
    return IndexRecall(
        k=k,
        recall=round(float(np.mean(shares)), 4) if shares else 1.0,
        queries=len(shares),
        p50_ms=_milliseconds(quick, 0.5),
        p95_ms=_milliseconds(quick, 0.95),
        exact_p50_ms=_milliseconds(slow, 0.5),
    )


def _milliseconds(seconds: list[float], quantile: float) -> float:
    return round(1000 * float(np.quantile(seconds, quantile)), 2) if seconds else 0.0
