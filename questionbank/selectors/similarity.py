"""Similar questions under one lens, for a stored question or a pasted text, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from django.db.models import Q

from analytics.inference.ngrams import HashedNgramEncoder
from analytics.records import ConceptPath
from analytics.text.tokens import detect_language
from questionbank.models import EmbeddingSet, Lens, Question, QuestionEmbedding, QuestionTag
from questionbank.selectors.evidence import LOOKS_ALIKE, SAME_IDEA, Evidence, compare, evidence_of
from questionbank.selectors.questions import concept_paths
from questionbank.selectors.serving import Serving
from questionbank.selectors.spelling import vocabulary
from questionbank.selectors.vectors import nearest

__all__ = [
    "LOOKS_ALIKE",
    "NEAR_DUPLICATE",
    "SAME_IDEA",
    "SimilarHit",
    "SimilarResult",
    "near_duplicates",
    "similar_questions",
    "similar_to_text",
]

NEAR_DUPLICATE = 0.9  # cosine of the character n-grams from which a saved question is named as a duplicate
_DUPLICATES_SHOWN = 5

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SimilarHit:
    """A similar question.

    Attributes:
        score: cosine under the lens.
        reason: one sentence, from what stands in both questions.
        flags: of `SAME_IDEA` and `LOOKS_ALIKE`.
    """

    question: Question
    score: float
    reason: str
    concepts: list[ConceptPath]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SimilarResult:
    """Similar questions, nearest first; `notice` says when another lens had to stand in."""

    lens: str
    hits: list[SimilarHit]
    notice: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question that others are compared with, stored or not."""

    text: str
    vector: Vector
    evidence: Evidence


def similar_questions(
    *, question: Question, lens: str, serving: Serving, k: int = 10, same_language: bool = True
) -> SimilarResult:
    """The `k` ready questions most similar to a stored one; its own vector is used where it is up to date.

    Its original and its paraphrases, which stand on its page, are left out.

    Raises:
        ServiceUnavailable: the bank has no vectors for the lens.
    """
    embedding_set, encoder, notice = serving.lens_for(lens, question.language, [question.text])
    vector = _stored_vector(question, embedding_set)
    if vector is None:
        vector = encoder.encode([question.text])[0]
    asked = _Asked(
        text=question.text,
        vector=vector,
        evidence=_evidence(
            question,
            concept_paths([question.pk]).get(question.pk, []),
            _hierarchies([question.pk]).get(question.pk, []),
        ),
    )
    language = question.language if same_language else ""
    found = _near(asked, embedding_set, k, language=language, exclude=_itself_in_any_words(question))
    return SimilarResult(lens=lens, hits=_hits(asked, found, lens), notice=notice)


def similar_to_text(
    *, text: str, lens: str, serving: Serving, language: str = "", k: int = 10, same_language: bool = True
) -> SimilarResult:
    """The `k` ready questions most similar to a text that is not in the bank.

    Args:
        language: of the text; detected where it is not given.

    Raises:
        ServiceUnavailable: the bank has no vectors for the lens.
    """
    language = language or detect_language(text)
    embedding_set, encoder, notice = serving.lens_for(lens, language, [text])
    asked = _Asked(
        text=text,
        vector=encoder.encode([text])[0],
        evidence=evidence_of(text, language=language),
    )
    found = _near(asked, embedding_set, k, language=language if same_language else "", exclude=[])
    return SimilarResult(lens=lens, hits=_hits(asked, found, lens), notice=notice)


def near_duplicates(*, text: str, serving: Serving, exclude: Question | None = None) -> list[SimilarHit]:
    """Questions, drafts too, that read almost the same; those that differ in numbers only are flagged."""
    if Lens.WORDING not in serving.sets:
        return []
    language = detect_language(text)
    asked = _Asked(
        text=text,
        vector=serving.encoder(Lens.WORDING).encode([text])[0],
        evidence=evidence_of(text, language=language),
    )
    found = nearest(
        embedding_set=serving.embedding_set(Lens.WORDING),
        vector=asked.vector,
        k=_DUPLICATES_SHOWN,
        question_ids=Question.objects.exclude(status=Question.Status.RETIRED),
        exclude=[exclude.pk] if exclude else [],
    )
    alike = [(pk, score) for pk, score in found if score >= NEAR_DUPLICATE]
    return _hits(asked, alike, Lens.WORDING)


def _itself_in_any_words(question: Question) -> list[int]:
    original = question.paraphrase_of_id or question.pk
    same = Question.objects.filter(Q(pk=original) | Q(paraphrase_of=original))
    return list(same.values_list("pk", flat=True))


def _stored_vector(question: Question, embedding_set: EmbeddingSet) -> Vector | None:
    row = QuestionEmbedding.objects.filter(embedding_set=embedding_set, question=question).first()
    if row is None or bytes(row.content_hash) != bytes(question.content_hash):
        return None
    return np.asarray(row.vector, dtype=np.float32)


def _near(
    asked: _Asked, embedding_set: EmbeddingSet, k: int, *, language: str, exclude: Sequence[int]
) -> list[tuple[int, float]]:
    among = Question.objects.filter(status=Question.Status.READY, language=language) if language else None
    return nearest(embedding_set=embedding_set, vector=asked.vector, k=k, question_ids=among, exclude=exclude)


def _hits(asked: _Asked, found: Sequence[tuple[int, float]], lens: str) -> list[SimilarHit]:
    """Load the questions found and compare each with what was asked; five queries for any number."""
    ids = [pk for pk, _ in found]
    questions = Question.objects.select_related("equation").defer("search_vector").in_bulk(ids)
    paths, hierarchies = concept_paths(ids), _hierarchies(ids)
    rarity = vocabulary().rarity
    there = [(questions[pk], score) for pk, score in found if pk in questions]  # the others: just deleted
    wording = _wording(asked.text, [question.text for question, _ in there])
    hits = []
    for (question, score), alike in zip(there, wording, strict=True):
        concepts = paths.get(question.pk, [])
        comparison = compare(
            asked.evidence,
            _evidence(question, concepts, hierarchies.get(question.pk, [])),
            lens=lens,
            score=score,
            wording=alike,
            rarity=rarity,
        )
        hits.append(
            SimilarHit(
                question=question,
                score=round(score, 4),
                reason=comparison.reason,
                concepts=concepts,
                flags=comparison.flags,
            )
        )
    return hits


def _evidence(question: Question, concepts: list[ConceptPath], hierarchies: list[int]) -> Evidence:
    equation = getattr(question, "equation", None)
    return evidence_of(
        question.text,
        language=question.language,
        equation=equation.expression if equation else "",
        numbers=equation.numbers if equation else (),
        concepts=concepts,
        hierarchies=hierarchies,
    )


def _wording(text: str, others: Sequence[str]) -> list[float]:
    """How alike the texts read, whichever lens found them."""
    if not others:
        return []
    vectors = HashedNgramEncoder().encode([text, *others])
    return [float(score) for score in vectors[1:] @ vectors[0]]


def _hierarchies(question_ids: Sequence[int]) -> dict[int, list[int]]:
    """The hierarchies that each question's tags belong to."""
    rows = QuestionTag.objects.filter(question_id__in=question_ids).values_list(
        "question_id", "concept__hierarchy_id"
    )
    found: dict[int, list[int]] = {}
    for question_id, hierarchy_id in rows.distinct():
        found.setdefault(question_id, []).append(hierarchy_id)
    return found
