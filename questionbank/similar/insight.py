"""What is known about a stored or pasted question: prediction, difficulty, solution and similar questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet

from analytics.catalog import FALLBACK_LENS
from analytics.languages import LANGUAGE_NAMES, primary_language
from analytics.question_content import EMPTY, Option, QuestionContent, content_of
from analytics.records import ConceptPath
from questionbank.bank.concept_selectors import HierarchyChoice, TagView, hierarchy_choice, question_tags
from questionbank.bank.difficulty_selectors import (
    DifficultyFigure,
    combined_difficulty,
    observed_difficulty,
    published_difficulty,
)
from questionbank.bank.history_selectors import HistoryEntry, question_history
from questionbank.bank.list_selectors import question_uses
from questionbank.bank.question_selectors import exact_duplicates, questions_sharing_text
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.core.wording import percent_text
from questionbank.models import ParaphrasePair, Question, QuestionUse, User
from questionbank.registry.serving import Serving, serving
from questionbank.review.pair_selectors import ParaphraseOrigin, paraphrase_origin, question_paraphrases
from questionbank.similar.kinship import (
    BOTH,
    SEARCHED,
    LensColumn,
    Standing,
    compared_hits,
    lens_columns,
    standing,
    with_comparisons,
)
from questionbank.similar.predictions import NOT_READ, QuestionPrediction, predict
from questionbank.similar.similarity import LIKELY, SimilarHit, SimilarResult, near_duplicates, similar_by_lens
from questionbank.solving.solutions import SolvedText, solved_or_none

MOST_SAME = 5  # most questions with exactly the same text that are named
# Kinds with a single answer that an equation can give, and the kind with several, which is reported as not solved.
_SOLVED = ("open", "number", "short", "choice", "true_false", "parts")


def predict_or_none(
    text: str, serving: Serving, language: str = "", hierarchy: str = ""
) -> tuple[QuestionPrediction | None, str]:
    """Return the prediction in a hierarchy, or None and a sentence with the reason."""
    try:
        return predict(text=text, serving=serving, language=language, hierarchy=hierarchy or None), ""
    except (ServiceUnavailable, ValidationFailed) as error:  # the hierarchy may have been deleted meanwhile
        return None, str(error)


def tagged_hierarchies(tags: Iterable[TagView], serving: Serving) -> list[str]:
    """Return the hierarchies in which a question is tagged, those with a model first."""
    names = dict.fromkeys(tag.hierarchy for tag in tags)
    return sorted(names, key=lambda name: name not in serving.probe_artifacts)


def difficulty_figures(question: Question | None, prediction: QuestionPrediction | None) -> list[DifficultyFigure]:
    """Return the combined, observed, estimated and published difficulty as far as known: evidence before labels."""
    combined = combined_difficulty(question.combined) if question else None
    observed = observed_difficulty(question) if question else None
    published = published_difficulty(question) if question else None
    is_read = question is None or question.kind not in NOT_READ
    estimated = _estimated(prediction) if is_read else None
    return [figure for figure in (combined, observed, estimated, published) if figure is not None]


def _estimated(prediction: QuestionPrediction | None) -> DifficultyFigure | None:
    estimate = prediction.difficulty if prediction else None
    if prediction is None or estimate is None:
        return None
    return DifficultyFigure(
        label="Estimated",
        percent=estimate.percent,
        low=estimate.low_percent,
        high=estimate.high_percent,
        basis=prediction.basis,
        is_estimate=True,
        middle=estimate.middle_percent,
    )


def standing_of(
    question: Question | None, prediction: QuestionPrediction | None, tags: Sequence[TagView], models: Serving
) -> Standing | None:
    """Return the rank of a question or text on its topic: that of its tag, otherwise its likeliest concept."""
    if prediction is None or prediction.order is None:
        return None
    likely = [each.concept_id for each in prediction.concepts if each.probability >= LIKELY and each.concept_id]
    own = [tag.concept_id for tag in tags if tag.hierarchy == prediction.hierarchy]
    return standing(
        question=question,
        score=prediction.order,
        concept_ids=own or likely,
        serving=models,
        hierarchy=prediction.hierarchy,
    )


@dataclass(frozen=True)
class QuestionInsight:
    """Everything that the bank knows about one of its questions, except similar questions.

    Attributes:
        origin: the question that it paraphrases, and the pair; None if it is not a paraphrase.
        choice: the hierarchy of the prediction, and those that can be chosen.
        prediction: its concepts and difficulty, or None, with the reason in `no_prediction`.
    """

    question: Question
    origin: ParaphraseOrigin | None
    paraphrases: QuerySet[ParaphrasePair]
    tags: list[TagView]
    choice: HierarchyChoice
    prediction: QuestionPrediction | None
    no_prediction: str
    figures: list[DifficultyFigure]
    standing: Standing | None
    solved: SolvedText | None
    duplicates: list[Question]
    sharing: list[Question]
    uses: QuerySet[QuestionUse]
    history: list[HistoryEntry]


def question_insight(*, question: Question, user: User, models: Serving, hierarchy: str = "") -> QuestionInsight:
    """Return everything that the bank knows about a question, except similar questions.

    Args:
        user: the person viewing; other people's drafts are not named.
        models: those in use.
        hierarchy: to predict in; by default the question's own, otherwise the person's choice.
    """
    tags = question_tags(question=question)
    choice = hierarchy_choice(user=user, own=tagged_hierarchies(tags, models), requested=hierarchy)
    prediction, no_prediction = predict_or_none(question.analysed_text, models, question.language, choice.name)
    solved = solved_or_none(question.text, question.language, question)
    duplicates = exact_duplicates(
        text=question.text,
        options=question.options,
        content=content_of(question.content),
        answer=question.answer,
        exclude=question,
        user=user,
    )
    return QuestionInsight(
        question=question,
        origin=paraphrase_origin(question=question),
        paraphrases=question_paraphrases(question=question),
        tags=tags,
        choice=choice,
        prediction=prediction,
        no_prediction=no_prediction,
        figures=difficulty_figures(question, prediction),
        standing=standing_of(question, prediction, tags, models),
        solved=solved if solved and (solved.shown or question.kind in _SOLVED) else None,
        duplicates=list(duplicates[:MOST_SAME]),
        sharing=questions_sharing_text(question=question, user=user),
        uses=question_uses(question=question),
        history=question_history(question=question),
    )


@dataclass(frozen=True, slots=True)
class AskedText:
    """A question that is not in the bank.

    Attributes:
        question: the analysed text that models read.
        text: the question alone; with `options`, `content` and `answer` it determines which questions are the same.
        language: its language tag; if no model reads the language, only the wording is compared.
    """

    question: str
    text: str
    language: str
    options: Sequence[Option | Mapping[str, Any]]
    content: QuestionContent = EMPTY
    answer: str = ""

    @property
    def is_predictable(self) -> bool:
        """Whether there are models for the language."""
        return primary_language(self.language) in LANGUAGE_NAMES


@dataclass(frozen=True)
class TextOutlook:
    """A summary of what the bank knows about a text.

    Attributes:
        prediction: its concepts and difficulty, or None, with the reason in `no_prediction`.
    """

    prediction: QuestionPrediction | None
    no_prediction: str
    figures: list[DifficultyFigure]
    same: list[Question]
    near: list[SimilarHit]


@dataclass(frozen=True)
class TextInsight(TextOutlook):
    """Everything that the bank knows about a text that is not in it."""

    solved: SolvedText | None
    columns: list[LensColumn]
    standing: Standing | None


def text_outlook(asked: AskedText, *, hierarchy: str, user: User, models: Serving | None = None) -> TextOutlook:
    """Return concepts, difficulty and duplicates of a text.

    Args:
        user: the person viewing; other people's drafts are not named.
        models: those in use, if already loaded.

    Raises:
        ServiceUnavailable: the bank has no vectors yet.
    """
    models = models or serving()
    prediction, no_prediction = None, "No concepts are suggested in this language."
    if asked.is_predictable:
        prediction, no_prediction = predict_or_none(asked.question, models, asked.language, hierarchy)
    same = exact_duplicates(
        text=asked.text, options=asked.options, content=asked.content, answer=asked.answer, user=user
    )
    return TextOutlook(
        prediction=prediction,
        no_prediction=no_prediction,
        figures=difficulty_figures(None, prediction),
        same=list(same[:MOST_SAME]),
        near=near_copies(text=asked.question, user=user, models=models),
    )


def text_insight(asked: AskedText, *, hierarchy: str, user: User) -> TextInsight:
    """Return everything that the bank knows about a pasted text; arguments and errors as in `text_outlook`."""
    models = serving()
    outlook = text_outlook(asked, hierarchy=hierarchy, user=user, models=models)
    solved = solved_or_none(asked.question, asked.language) if asked.is_predictable else None
    results = similar_by_lens(asked=asked.question, serving=models, language=asked.language, solved=solved, k=SEARCHED)
    likely = _likely_concepts(outlook.prediction)
    results = with_comparisons(results, compared_hits(results, None, models, outlook.prediction))
    reasoned = {lens: _with_predicted_reasons(result, likely) for lens, result in results.items()}
    return TextInsight(
        **vars(outlook),
        solved=solved,
        columns=[
            column
            for column in lens_columns(reasoned)
            if asked.is_predictable or column.lens in (FALLBACK_LENS.word, BOTH)
        ],
        standing=standing_of(None, outlook.prediction, (), models),
    )


def _likely_concepts(prediction: QuestionPrediction | None) -> dict[ConceptPath, float]:
    concepts = prediction.concepts if prediction is not None else []
    return {concept.path: concept.probability for concept in concepts if concept.probability >= LIKELY}


def _with_predicted_reasons(result: SimilarResult, likely: Mapping[ConceptPath, float]) -> SimilarResult:
    """Use a concept predicted for the text as the reason for each similar question that has no other reason."""

    def reason(hit: SimilarHit) -> str:
        path = next((path for path in likely if path in hit.concepts), None)
        if path is None:
            return ""
        return f"It is about {path[-1]}, which is predicted for this text ({percent_text(likely[path])})."

    return replace(result, hits=[hit if hit.reason else replace(hit, reason=reason(hit)) for hit in result.hits])


def near_copies(
    *, text: str, user: User, exclude: Question | None = None, models: Serving | None = None
) -> list[SimilarHit]:
    """Return the near copies that people see before they save a text; none while the bank has no vectors."""
    try:
        return near_duplicates(text=text, serving=models or serving(), exclude=exclude, user=user)
    except ServiceUnavailable:
        return []
