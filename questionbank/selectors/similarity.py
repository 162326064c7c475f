"""Similar questions under one lens, for a stored question or a pasted text, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from django.db.models import Q

from analytics.inference.ngrams import HashedNgramEncoder
from analytics.records import ConceptPath
from analytics.text.tokens import detect_language
from questionbank.models import Lens, Question, QuestionEmbedding, QuestionTag
from questionbank.selectors.evidence import Evidence, evidence_of
from questionbank.selectors.likeness import (
    Asked,
    Ranked,
    Vector,
    broad_concepts,
    rank_by_likeness,
    rank_by_wording,
)
from questionbank.selectors.questions import TaggedPath, tagged_paths
from questionbank.selectors.reasons import LOOKS_ALIKE, SAME_IDEA, compare
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


@dataclass(frozen=True, slots=True)
class SimilarHit:
    """A similar question.

    Attributes:
        score: its place's score under the lens, 0 to 1: for wording the cosine, for purpose the mean of both
            cosines, nearer to 1 where concepts are shared.
        reason: one sentence, from what stands in both questions.
        flags: of `SAME_IDEA` and `LOOKS_ALIKE`.
        cosines: by lens, as far as both questions have vectors.
    """

    question: Question
    score: float
    reason: str
    concepts: list[ConceptPath]
    flags: tuple[str, ...]
    cosines: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SimilarResult:
    """Similar questions, nearest first; `notice` says when another lens had to stand in."""

    lens: str
    hits: list[SimilarHit]
    notice: str


def similar_questions(
    *, question: Question, lens: str, serving: Serving, k: int = 10, same_language: bool = True
) -> SimilarResult:
    """The `k` ready questions most similar to a stored one; its own vectors are used where they are up to date.

    Its original and its paraphrases, which stand on its page, are left out.

    Raises:
        ServiceUnavailable: the bank has no vectors for the lens.
    """
    tags = tagged_paths([question.pk]).get(question.pk, [])
    own = _evidence(question, tags)
    rows = QuestionEmbedding.objects.filter(question=question, embedding_set__in=list(serving.sets.values()))
    stored = {
        row.embedding_set_id: np.asarray(row.vector, dtype=np.float32)
        for row in rows
        if bytes(row.content_hash) == bytes(question.content_hash)
    }
    vectors, notice = _vectors(question.text, question.language, lens, serving, stored)
    asked = Asked(
        text=question.text,
        text_language=question.language,
        vectors=vectors,
        tags=tuple(tags),
        concept_ids=tuple(QuestionTag.objects.filter(question=question).values_list("concept_id", flat=True)),
        shape=own.shape,
        language=question.language if same_language else "",
        exclude=tuple(_itself_in_any_words(question)),
    )
    return SimilarResult(lens, _hits(asked, own, _rank(asked, lens, serving, k), lens), notice)


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
    vectors, notice = _vectors(text, language, lens, serving, {})
    asked = Asked(
        text=text, text_language=language, vectors=vectors, language=language if same_language else ""
    )
    own = evidence_of(text, language=language)
    return SimilarResult(lens, _hits(asked, own, _rank(asked, lens, serving, k), lens), notice)


def near_duplicates(*, text: str, serving: Serving, exclude: Question | None = None) -> list[SimilarHit]:
    """Questions, drafts too, that read almost the same; those that differ in numbers only are flagged."""
    if Lens.WORDING not in serving.sets:
        return []
    language = detect_language(text)
    vector = serving.encoder(Lens.WORDING).encode([text])[0]
    found = nearest(
        embedding_set=serving.embedding_set(Lens.WORDING),
        vector=vector,
        k=_DUPLICATES_SHOWN,
        question_ids=Question.objects.exclude(status=Question.Status.RETIRED),
        exclude=[exclude.pk] if exclude else [],
    )
    alike = [Ranked(pk, score, {Lens.WORDING: score}) for pk, score in found if score >= NEAR_DUPLICATE]
    asked = Asked(text=text, text_language=language, vectors={Lens.WORDING: vector})
    return _hits(asked, evidence_of(text, language=language), alike, Lens.WORDING)


def _itself_in_any_words(question: Question) -> list[int]:
    original = question.paraphrase_of_id or question.pk
    same = Question.objects.filter(Q(pk=original) | Q(paraphrase_of=original))
    return list(same.values_list("pk", flat=True))


def _vectors(
    text: str, language: str, lens: str, serving: Serving, stored: Mapping[int, Vector]
) -> tuple[dict[str, Vector], str]:
    """The text's vectors under the lenses that are compared, and the notice where purpose is none of them.

    Args:
        stored: by id of the set; what is missing is encoded.
    """
    wanted, _encoder, notice = serving.lens_for(lens, language, [text])
    sets = {wanted.lens: wanted}
    if lens == Lens.PURPOSE and Lens.WORDING in serving.sets:
        sets[Lens.WORDING] = serving.embedding_set(Lens.WORDING)
    vectors = {}
    for name, embedding_set in sets.items():
        vector = stored.get(embedding_set.pk)
        vectors[name] = serving.encoder(name).encode([text])[0] if vector is None else vector
    return vectors, notice


def _rank(asked: Asked, lens: str, serving: Serving, k: int) -> list[Ranked]:
    rank = rank_by_wording if lens == Lens.WORDING else rank_by_likeness
    return rank(asked, serving.sets, k)


def _hits(asked: Asked, own: Evidence, ranked: Sequence[Ranked], lens: str) -> list[SimilarHit]:
    """Load the questions found and compare each with what was asked; a fixed number of queries."""
    ids = [one.id for one in ranked]
    questions = Question.objects.select_related("equation").defer("search_vector").in_bulk(ids)
    tags = tagged_paths(ids)
    broad = broad_concepts(own.tags) if own.tags else frozenset()
    rarity = vocabulary().rarity
    there = [one for one in ranked if one.id in questions]  # the others: just deleted
    wording = _wording(asked.text, [questions[one.id].text for one in there])
    hits = []
    for one, alike in zip(there, wording, strict=True):
        question, candidate_tags = questions[one.id], tags.get(one.id, [])
        comparison = compare(
            own,
            _evidence(question, candidate_tags),
            lens=lens,
            score=one.score,
            wording=alike,
            rarity=rarity,
            broad=broad,
        )
        hits.append(
            SimilarHit(
                question=question,
                score=round(one.score, 4),
                reason=comparison.reason,
                concepts=[tag.path for tag in candidate_tags],
                flags=comparison.flags,
                cosines={name: round(cosine, 4) for name, cosine in one.cosines.items()},
            )
        )
    return hits


def _evidence(question: Question, tags: Sequence[TaggedPath]) -> Evidence:
    equation = getattr(question, "equation", None)
    return evidence_of(
        question.text,
        language=question.language,
        equation=equation.expression if equation else "",
        numbers=equation.numbers if equation else (),
        tags=tags,
    )


def _wording(text: str, others: Sequence[str]) -> list[float]:
    """How alike the texts read, whichever lens found them."""
    if not others:
        return []
    vectors = HashedNgramEncoder().encode([text, *others])
    return [float(score) for score in vectors[1:] @ vectors[0]]
