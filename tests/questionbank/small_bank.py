"""Small banks for tests: questions, concepts, vectors by character n-grams (which need no weights)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from django.utils import timezone

from analytics.inference.ngrams import HashedNgramEncoder
from questionbank.models import (
    EmbeddingSet,
    KnowledgeConcept,
    KnowledgeHierarchy,
    Question,
    QuestionEmbedding,
    QuestionTag,
)

__all__ = ["add_concept", "add_question", "add_set", "store_vectors"]


def add_question(text: str, *, concepts: Iterable[KnowledgeConcept] = (), **fields: object) -> Question:
    """A ready question, tagged with the concepts."""
    values = {"content_hash": hashlib.sha256(text.encode()).digest(), "created_at": timezone.now(), **fields}
    question = Question.objects.create(text=text, **values)
    for concept in concepts:
        QuestionTag.objects.create(question=question, concept=concept)
    return question


def add_concept(*path: str, hierarchy: str = "Test hierarchy") -> KnowledgeConcept:
    """The concept at the end of a path; whatever is missing above it is made too."""
    owner = KnowledgeHierarchy.objects.get_or_create(name=hierarchy)[0]
    node = None
    for name in path:
        siblings = node.get_children() if node else KnowledgeConcept.get_root_nodes().filter(hierarchy=owner)
        found = siblings.filter(name=name).first()
        if found is None:
            parent = KnowledgeConcept.objects.get(pk=node.pk) if node else None
            found = (
                parent.add_child(name=name, hierarchy=owner)
                if parent
                else KnowledgeConcept.add_root(name=name, hierarchy=owner)
            )
        node = found
    assert node is not None
    return node


def add_set(lens: str = "wording", dimension: int = 512, **fields: object) -> EmbeddingSet:
    """A set in use, without vectors."""
    values = {"encoder_name": f"char-ngrams-{dimension}", "is_current": True, "state": "ready", **fields}
    return EmbeddingSet.objects.create(lens=lens, dimension=dimension, **values)


def store_vectors(
    embedding_set: EmbeddingSet, questions: Sequence[Question], vectors: np.ndarray | None = None
) -> None:
    """Store one vector a question, by character n-grams where none are given."""
    if vectors is None:
        encoder = HashedNgramEncoder(embedding_set.dimension)
        vectors = encoder.encode([question.text for question in questions])
    QuestionEmbedding.objects.bulk_create(
        QuestionEmbedding(
            embedding_set=embedding_set,
            question=question,
            vector=vector.tolist(),
            content_hash=question.content_hash,
        )
        for question, vector in zip(questions, vectors, strict=True)
    )
