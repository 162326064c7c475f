"""Keeping the measured recall of a set's index, for the health page."""

from __future__ import annotations

from django.utils import timezone

from questionbank.models import EmbeddingSet
from questionbank.selectors.search.recall import IndexRecall, index_recall


def recall_measure(*, embedding_set: EmbeddingSet, queries: int = 100, k: int = 10) -> IndexRecall:
    """Measure a set's index against exact search and save the figure with the set."""
    measured = index_recall(embedding_set=embedding_set, queries=queries, k=k)
    embedding_set.recall = measured.as_dict() | {"measured_at": timezone.now().isoformat(timespec="seconds")}
    embedding_set.save(update_fields=["recall"])
    return measured
