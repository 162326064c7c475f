"""Which of two questions on a topic is harder, and where a question ranks among those on its topic.

Pupils' responses decide if both questions have them, otherwise the difficulties published by their sources. If either
is missing for one of them, the order that the probes learned gives the probability (`analytics.inference.demands`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from analytics.inference.demands import CANNOT_TELL, harder_probability
from analytics.languages import primary_language
from analytics.probes.order import LANGUAGE
from analytics.records import ConceptPath
from questionbank.bank.difficulty_selectors import difficulty_step, is_known
from questionbank.bank.vector_selectors import vectors_of
from questionbank.core.cached import KeyedCache
from questionbank.core.wording import percent_text
from questionbank.models import KnowledgeConcept, Question, QuestionTag
from questionbank.registry.serving import Serving
from questionbank.similar.predictions import NOT_READ

SURE = 0.75  # probability from which a question is listed as harder or easier
FEWEST, MOST = 10, 40  # how many other questions a question is ranked among
_CANDIDATES = 2_000  # questions on the topic that these are sampled from
_COMPARED = (  # columns that a comparison by order or difficulty reads
    "text", "options", "content", "content_hash", "language", "kind", "paraphrase_of",
    "difficulty", "difficulty_scale", "difficulty_percent", "facility", "responses", "combined",
)  # fmt: skip

_ScoreKey = tuple[str, int, int, bytes]
"""Checksum of the probes, id of the embedding set, id of the question, and hash of the question's content."""
_scores: KeyedCache[_ScoreKey, float] = KeyedCache(most=8_192)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The probability that a question is harder than another, and a sentence that states it.

    Attributes:
        probability: 1 or 0 if responses or sources show it.
    """

    probability: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A question's rank among others on its topic.

    Attributes:
        share: the share of them that it is expected to be harder than.
        others: their number.
    """

    concept: KnowledgeConcept
    share: float
    others: int

    @property
    def tenths(self) -> int:
        return round(10 * self.share)


def order_scores(questions: Sequence[Question], serving: Serving, hierarchy: str | None = None) -> dict[int, float]:
    """Return the scores by which the probes order questions, by question id; questions without a score are left out.

    A score needs probes that learned an order, a question in their language, and a vector of the question.
    """
    probes = serving.probes_for(hierarchy=hierarchy, language=LANGUAGE)
    if probes is None or probes.heads.order is None:
        return {}
    embedding_set = serving.embedding_set(probes.lens)
    made_by = (serving.probe_artifacts[probes.hierarchy].checksum, embedding_set.pk)
    by_key: dict[_ScoreKey, Question] = {
        (*made_by, question.pk, bytes(question.content_hash)): question
        for question in questions
        if primary_language(question.language) == LANGUAGE and question.kind not in NOT_READ
    }

    def read(keys: list[_ScoreKey]) -> dict[_ScoreKey, float]:
        vectors = vectors_of(embedding_set=embedding_set, questions=[by_key[key] for key in keys])
        present = [key for key in keys if by_key[key].pk in vectors]
        if not present:
            return {}
        predicted = probes.heads.predict(
            np.stack([vectors[by_key[key].pk] for key in present]),
            top=1,
            texts=[by_key[key].analysed_text for key in present],
        )
        scores = zip(present, (prediction.order for prediction in predicted), strict=True)
        return {key: score for key, score in scores if score is not None}

    return {by_key[key].pk: score for key, score in _scores(by_key, read).items()}


def compare(
    question: Question | None, score: float | None, other: Question, other_score: float | None
) -> Comparison | None:
    """Return how probably `other` is harder; None if there is no evidence.

    Args:
        question: None for a text that is not in the bank.
        score: the question's score from `order_scores`.
        other: another question on the same topic.
        other_score: its score.
    """
    if question is not None and (step := difficulty_step(question, other)):
        return Comparison(float(step[0] > 0), step[1])
    if question is not None and is_known(question) and is_known(other):
        return None
    if score is None or other_score is None:
        return None
    probability = harder_probability(other_score, score)
    return Comparison(probability, _sentence(probability))


def _sentence(probability: float) -> str:
    if abs(probability - 0.5) < CANNOT_TELL:
        return "Cannot tell which is harder."
    word = "harder" if probability > 0.5 else "easier"
    return f"Probably {word} ({percent_text(max(probability, 1 - probability))})."


def standing(
    *,
    question: Question | None,
    score: float | None,
    concept_ids: Sequence[int],
    serving: Serving,
    hierarchy: str | None = None,
) -> Standing | None:
    """Return a question's rank on its topic; None if too few others can be compared with it.

    Args:
        question: None for a text that is not in the bank.
        score: the question's score from `order_scores`.
        concept_ids: its concepts; only the first is used. If that has too few questions, its ancestors are tried.
        serving: the models in use.
        hierarchy: the hierarchy of the probes that computed the score.
    """
    concept = KnowledgeConcept.objects.filter(pk__in=concept_ids[:1]).first()
    if concept is None or score is None:
        return None
    above = KnowledgeConcept.objects.filter(path__in=KnowledgeConcept.prefixes(concept.path))
    for topic in above.order_by("-depth"):
        ids = _other_ids(topic, question)
        if len(ids) < FEWEST:
            continue
        others = list(Question.objects.filter(pk__in=ids).only(*_COMPARED))
        scores = order_scores(others, serving, hierarchy)
        compared = [compare(question, score, other, scores.get(other.pk)) for other in others]
        easier = [1 - comparison.probability for comparison in compared if comparison is not None]
        if len(easier) >= FEWEST:
            return Standing(topic, sum(easier) / len(easier), len(easier))
    return None


def _other_ids(topic: KnowledgeConcept, question: Question | None) -> list[int]:
    """Return the ids of other ready questions on a topic, sampled with a fixed seed."""
    tags = QuestionTag.objects.filter(
        concept__path__startswith=topic.path,
        question__status=Question.Status.READY,
        question__paraphrase_of__isnull=True,
    )
    ids = list(tags.order_by("question_id").values_list("question_id", flat=True).distinct()[:_CANDIDATES])
    ids = [pk for pk in ids if question is None or pk != question.pk]
    return Random(0).sample(ids, min(MOST, len(ids)))  # noqa: S311 - nothing secret


def expected_places(
    questions: Sequence[Question],
    scores: Mapping[int, float],
    percents: Mapping[int, float],
    topics: Mapping[int, ConceptPath],
) -> dict[int, float]:
    """Return, for each question, the share of the others that it is expected to be harder than.

    Questions on the same topic are compared with `compare`, others by their difficulty in per cent. Questions with
    neither a score nor a percentage are left out.

    Args:
        questions: in any order.
        scores: as returned by `order_scores`.
        percents: difficulties: observed, published or estimated.
        topics: the questions' topics.
    """
    known = [question for question in questions if question.pk in scores or question.pk in percents]

    def harder(question: Question, other: Question) -> float:
        topic = topics.get(question.pk)
        is_one_topic = topic is not None and topic == topics.get(other.pk)
        comparison = compare(other, scores.get(other.pk), question, scores.get(question.pk)) if is_one_topic else None
        if comparison is not None:
            return comparison.probability
        percent, other_percent = percents.get(question.pk), percents.get(other.pk)
        if percent is None or other_percent is None:
            return 0.5
        return 0.5 + 0.5 * float(np.sign(percent - other_percent))

    return {
        question.pk: sum(harder(question, other) for other in known if other is not question) / max(len(known) - 1, 1)
        for question in known
    }
