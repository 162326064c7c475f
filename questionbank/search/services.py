"""Synonym groups, texts of searches too long for a URL, and the measured recall of an index."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from analytics.text.tokens import search_tokens
from questionbank.core.errors import ValidationFailed
from questionbank.models import EmbeddingSet, LongQuery, SynonymGroup, User
from questionbank.people.permissions import require
from questionbank.search.recall import IndexRecall, index_recall

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
