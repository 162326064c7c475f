"""Synonym groups, texts of searches too long for a URL, and the recall of an index.

The recall is the share of the true neighbours that the HNSW index finds.
"""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np
from django.db import transaction
from django.utils import timezone

from analytics.text.tokens import search_tokens
from questionbank.bank.vector_selectors import nearest
from questionbank.core.errors import ValidationFailed
from questionbank.models import EmbeddingSet, LongQuery, QuestionEmbedding, SynonymGroup, User
from questionbank.people.permissions import require

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


TERM_LIMIT = 80  # characters
_MOST_TERMS = 30


@transaction.atomic
def synonym_group_save(*, user: User, terms: Iterable[str], group: SynonymGroup | None = None) -> SynonymGroup:
    """Add a group of synonymous terms, or replace a group's terms.

    Raises:
        ValidationFailed: fewer than two terms, one that is too long, or one that belongs to another group.
        NotAllowed: the person is not an admin.
    """
    require(user, "concepts_edit", "Only admins change synonyms.")
    group = group or SynonymGroup()
    group.terms = _checked(terms, SynonymGroup.objects.exclude(pk=group.pk))
    group.save()
    return group


@transaction.atomic
def synonym_group_delete(*, user: User, group: SynonymGroup) -> None:
    """Delete a group; its terms stay in the history.

    Raises:
        NotAllowed: the person is not an admin.
    """
    require(user, "concepts_edit", "Only admins change synonyms.")
    group.delete()


def _checked(terms: Iterable[str], others: Iterable[SynonymGroup]) -> list[str]:
    """Return the terms stripped of surrounding spaces, each once.

    Two terms are the same if a search treats them alike, regardless of case and plural.
    """
    tidy = (" ".join(line.split()) for line in terms)
    by_meaning = {tokens: term for term in tidy if (tokens := tuple(search_tokens(term)))}
    distinct = list(by_meaning.values())
    problems = []
    if len(distinct) < 2:
        problems.append("A group needs two different terms, each on its own line.")
    if len(distinct) > _MOST_TERMS:
        problems.append(f"A group has at most {_MOST_TERMS} terms.")
    problems += [
        f"“{term[:20]}…” is longer than {TERM_LIMIT} characters." for term in distinct if len(term) > TERM_LIMIT
    ]
    for group in others:
        problems += [
            f"“{term}” is in the group “{group}”." for term in group.terms if tuple(search_tokens(term)) in by_meaning
        ]
    if problems:
        raise ValidationFailed(problems[0], {"terms": problems})
    return distinct


def long_query_keep(text: str) -> str:
    """Store a text and return its key, equal for equal texts."""
    digest = hashlib.blake2b(text.encode(), digest_size=12).digest()
    key = base64.urlsafe_b64encode(digest).decode()
    LongQuery.objects.update_or_create(key=key, defaults={"text": text})
    return key


def recall_measure(*, embedding_set: EmbeddingSet, queries: int = 100, k: int = 10) -> IndexRecall:
    """Measure a set's index against exact search and store the result with the set."""
    measured = index_recall(embedding_set=embedding_set, queries=queries, k=k)
    embedding_set.recall = measured.as_dict() | {"measured_at": timezone.now().isoformat(timespec="seconds")}
    embedding_set.save(update_fields=["recall"])
    return measured
