"""Small banks for tests: concepts by path, and sets of vectors by character n-grams, which need no weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from analytics.inference.encode import HashedNgramEncoder
from questionbank.bank.question_services import equation_graph_key, question_create
from questionbank.bank.search_index import vocabulary_refresh
from questionbank.models import (
    EmbeddingSet,
    KnowledgeConcept,
    KnowledgeHierarchy,
    Question,
    QuestionEmbedding,
    QuestionEquation,
    QuestionTag,
)
from tests.factories import ConceptFactory, QuestionFactory, with_derived


def add_question(text: str, *, equation: str = "", **fields: object) -> Question:
    """A ready question; ``concepts=[...]`` tags it."""
    question = QuestionFactory(text=text, **fields)
    if equation:
        QuestionEquation.objects.create(
            question=question, expression=equation, graph_key=equation_graph_key(text=text, expression=equation)
        )
    return question


def write_question(text: str, **fields: Any) -> Question:
    """A question as the service creates it, with all that is derived; without other fields an open one in English."""
    usual = {
        "language": "en", "kind": "open", "options": [], "answer": "", "solution": "", "grade": "",
        "status": "ready", "concepts": [], "equation": "",
    }  # fmt: skip
    return question_create(user=None, **{**usual, "text": text, **fields})


def fill(*texts: str, **fields: Any) -> list[Question]:
    """Ready questions, whose words the vocabulary knows."""
    questions = [add_question(text, **fields) for text in texts]
    vocabulary_refresh()
    return questions


def add_questions(rows: Iterable[Mapping[str, Any]]) -> list[Question]:
    """Many questions by a handful of statements; a row is what `add_question` takes."""
    fields, tags, equations = [], [], []
    for row in rows:
        fields.append({"language": "en", **row})
        tags.append(fields[-1].pop("concepts", ()))
        equations.append(fields[-1].pop("equation", ""))
    made = Question.objects.bulk_create(with_derived(Question(**values)) for values in fields)
    QuestionTag.objects.bulk_create(
        QuestionTag(question=question, concept=concept)
        for question, concepts in zip(made, tags, strict=True)
        for concept in concepts
    )
    QuestionEquation.objects.bulk_create(
        QuestionEquation(
            question=question,
            expression=equation,
            graph_key=equation_graph_key(text=question.text, expression=equation),
        )
        for question, equation in zip(made, equations, strict=True)
        if equation
    )
    return made


def add_concept(*path: str, hierarchy: str = "Test hierarchy") -> KnowledgeConcept:
    """The concept at the end of a path; whatever is missing above it is made too."""
    owner = KnowledgeHierarchy.objects.get_or_create(name=hierarchy)[0]
    return ConceptFactory(hierarchy=owner, names=path)


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
            embedding_set=embedding_set, question=question, vector=vector.tolist(), content_hash=question.content_hash
        )
        for question, vector in zip(questions, vectors, strict=True)
    )
