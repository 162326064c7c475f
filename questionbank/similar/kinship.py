"""Similar questions as people see them: one list per lens, the kinds that a teacher looks for, and which is harder.

Pupils' responses tell which of two questions is harder if both have them, otherwise the difficulties published by their
sources. If either is missing for one of them, the order that the probes learned gives the probability
(`analytics.inference.demands`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from analytics.catalog import lenses, main_lens
from analytics.inference.demands import CANNOT_TELL, harder_probability
from analytics.languages import primary_language
from analytics.probes.order import LANGUAGE
from analytics.records import ConceptPath
from questionbank.bank.difficulty_selectors import difficulty_step, is_known
from questionbank.bank.vector_selectors import vectors_of
from questionbank.core.cached import KeyedCache
from questionbank.core.capability_catalog import kinship_rows, lens_name, lens_texts
from questionbank.core.capability_contract import KinshipRow
from questionbank.core.wording import percent_text
from questionbank.models import KnowledgeConcept, Question, QuestionTag
from questionbank.registry.serving import Serving
from questionbank.similar.predictions import NOT_READ, QuestionPrediction, predict
from questionbank.similar.reasons import LOOKS_ALIKE, SAME_IDEA
from questionbank.similar.similarity import (
    SimilarHit,
    SimilarResult,
    fold_copies,
    similar_by_lens,
    similar_questions,
    similar_to_text,
)
from questionbank.solving.computations import Computation

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


EASIER, HARDER = "easier", "harder"
SEARCHED = 30  # number of most similar questions searched under each lens
SEARCHED_FOR_DIFFICULTY = 100  # likewise where only easier or harder ones are wanted


@dataclass(frozen=True, slots=True)
class Kin:
    """The similar questions of a question.

    Attributes:
        kinds: the non-empty ones of `SAME_IDEA`, `LOOKS_ALIKE`, `EASIER` and `HARDER`, the most similar first.
    """

    results: dict[str, SimilarResult]
    kinds: dict[str, list[SimilarHit]]


def kin_of(*, question: Question, serving: Serving) -> Kin:
    """Return the most similar questions under each lens, grouped by kind."""
    results = similar_by_lens(asked=question, serving=serving, k=SEARCHED)
    comparisons = compared_hits(results, question, serving)
    main = main_lens().word
    by_main = results[main].hits
    others = [hit for lens, result in results.items() if lens != main for hit in result.hits]
    every = {hit.question.pk: hit for hit in (*others, *by_main)}
    flagged = sorted(every.values(), key=lambda hit: (-hit.score, hit.question.pk))
    kinds = {
        SAME_IDEA: [hit for hit in flagged if SAME_IDEA in hit.flags],
        LOOKS_ALIKE: [hit for hit in flagged if LOOKS_ALIKE in hit.flags],
        EASIER: list(_of_another_difficulty(comparisons, by_main, sign=-1)),
        HARDER: list(_of_another_difficulty(comparisons, by_main, sign=1)),
    }
    results = with_comparisons(results, comparisons)
    return Kin(results, {kind: hits for kind, hits in kinds.items() if hits})


def similar_of_difficulty(
    *, asked: Question | str, wanted: str, lens: str, serving: Serving, language: str = "", k: int
) -> SimilarResult:
    """Return the `k` most similar questions that are easier or harder, certainly or probably; the reason says why.

    Args:
        wanted: `EASIER` or `HARDER`.
        language: of a text.

    Raises:
        ServiceUnavailable: the bank has no vectors for the lens.
    """
    prediction = None
    if isinstance(asked, Question):
        result = similar_questions(question=asked, lens=lens, serving=serving, k=SEARCHED_FOR_DIFFICULTY)
    else:
        prediction = predict(text=asked, serving=serving, language=language)
        result = similar_to_text(text=asked, lens=lens, serving=serving, language=language, k=SEARCHED_FOR_DIFFICULTY)
    question = asked if isinstance(asked, Question) else None
    comparisons = compared_hits({lens: result}, question, serving, prediction)
    hits = list(_of_another_difficulty(comparisons, result.hits, sign=-1 if wanted == EASIER else 1))
    notice = result.notice if hits else result.notice or f"No similar question is known to be {wanted}."
    return replace(result, hits=hits[:k], notice=notice)


def compared_hits(
    results: Mapping[str, SimilarResult],
    question: Question | None,
    serving: Serving,
    prediction: QuestionPrediction | None = None,
) -> dict[int, Comparison]:
    """Return how similar questions compare in difficulty with a question, by question id, as far as known.

    Args:
        results: the similar questions under each lens.
        question: None for a text that is not in the bank.
        serving: the models in use.
        prediction: of the text.
    """
    others = {hit.question.pk: hit.question for result in results.values() for hit in result.hits}
    asked = [] if question is None else [question]
    scores = order_scores([*asked, *others.values()], serving, prediction.hierarchy if prediction else None)
    asked_score = prediction.order if prediction is not None else None
    score = asked_score if question is None else scores.get(question.pk)
    comparisons = {pk: compare(question, score, other, scores.get(pk)) for pk, other in others.items()}
    return {pk: comparison for pk, comparison in comparisons.items() if comparison is not None}


def with_comparisons(
    results: Mapping[str, SimilarResult], comparisons: Mapping[int, Comparison]
) -> dict[str, SimilarResult]:
    """Return the similar questions, each with a sentence on whether it is harder."""

    def compared(hit: SimilarHit) -> SimilarHit:
        comparison = comparisons.get(hit.question.pk)
        return replace(hit, comparison=comparison.sentence) if comparison is not None else hit

    return {lens: replace(result, hits=[compared(hit) for hit in result.hits]) for lens, result in results.items()}


def _of_another_difficulty(
    comparisons: Mapping[int, Comparison], hits: Sequence[SimilarHit], *, sign: int
) -> Iterable[SimilarHit]:
    """Yield those that are easier (-1) or harder (1), certainly or probably, with that sentence before the reason."""
    for hit in hits:
        comparison = comparisons.get(hit.question.pk)
        if comparison is not None and (comparison.probability - 0.5) * sign >= SURE - 0.5:
            yield replace(hit, reason=f"{comparison.sentence} {hit.reason}".strip())


SHOWN = 5
NEARLY_THE_SAME = 4  # of the first five questions, how many both lenses must share to be shown as one list
BOTH = "both"


@dataclass(frozen=True, slots=True)
class LensColumn:
    """The similar questions under one lens, or under two merged lenses.

    Attributes:
        cosines_shown: whether every question shows its score under each lens.
        graphs_shown: whether the graph of every question, if known, can be expanded.
    """

    lens: str
    name: str
    explanation: str
    hits: tuple[SimilarHit, ...]
    notice: str
    cosines_shown: bool = False
    graphs_shown: bool = False
    computation: Computation | None = None


BOTH_EXPLANATION = (
    "Purpose and wording find nearly the same questions. The score is their mean, raised by shared concepts and"
    " computations."
)


def kinds_shown(kin: Kin) -> dict[str, KinshipRow]:
    """Return the non-empty kinds of similar questions, in display order."""
    return {
        slug: row
        for slug, row in kinship_rows().items()
        if (kin.kinds.get(row.kind) if row.kind else row.lens in kin.results and kin.results[row.lens].hits)
    }


def lens_columns(results: Mapping[str, SimilarResult]) -> list[LensColumn]:
    """Return one column per lens.

    The main lens and its stand-in share one column if their first questions are nearly the same, or if only the
    stand-in can compare them.
    """
    main = main_lens()
    main_result = results[main.word]
    folded = {lens: fold_copies(result.hits)[:SHOWN] for lens, result in results.items()}
    first, second = folded[main.word], folded[main.stand_in]
    shared = {hit.question.pk for hit in first} & {hit.question.pk for hit in second}
    only_stand_in = bool(main_result.notice and main_result.hits)
    columns = {lens: lens_column(lens, result, folded[lens]) for lens, result in results.items()}
    if only_stand_in or (first and len(shared) >= min(NEARLY_THE_SAME, len(first), len(second))):
        del columns[main.word], columns[main.stand_in]
        columns = {BOTH: lens_column(BOTH, main_result, first), **columns}
    said: set[str] = set()
    return [_once(column, said) for column in columns.values()]


def _once(column: LensColumn, said: set[str]) -> LensColumn:
    """Return a column without a notice that another one shows; a notice that replaces the questions is kept."""
    if column.notice in said and column.hits:
        return replace(column, notice="")
    said.add(column.notice)
    return column


def lens_column(lens: str, result: SimilarResult, hits: Sequence[SimilarHit]) -> LensColumn:
    """Return the column for some of a result's questions."""
    is_both = lens == BOTH and not result.notice
    return LensColumn(
        lens=lens,
        name="Most similar" if lens == BOTH else lens_name(lens),
        explanation=str((BOTH_EXPLANATION if is_both else "") if lens == BOTH else lens_texts()[lens].explanation),
        hits=tuple(hits),
        notice=result.notice,
        cosines_shown=is_both,
        graphs_shown=lens != BOTH and lenses()[lens].by_graph,
        computation=result.computation,
    )
