"""Predictions, similar questions and worked exemplars over the API."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import BaseModel, Field

from analytics.catalog import main_lens
from questionbank.api.access import Access
from questionbank.api.contract import Fields, Id, TextBody, TextsBody, input_questions
from questionbank.bank.question_selectors import question_get
from questionbank.models import Question
from questionbank.registry.serving import serving
from questionbank.similar.exemplars import WorkedExemplars, question_exemplars, text_exemplars
from questionbank.similar.file_results import check_lens, hit_fields, question_predictions
from questionbank.similar.insight import solved_or_none
from questionbank.similar.kinship import EASIER, HARDER, similar_of_difficulty
from questionbank.similar.similarity import fold_copies, similar_questions, similar_to_text

router = Router(tags=["analysis"])
READ = Access("read")


class SimilarQuery(Fields):
    """What to compare by, and how many questions to return."""

    lens: str = Field(default_factory=lambda: main_lens().word, description="`purpose`, `structure` or `wording`.")
    k: Annotated[int, Field(ge=1, le=100)] = 10
    difficulty: Literal[(EASIER, HARDER)] | None = Field(  # type: ignore[valid-type]
        default=None, description="Return only those that are `easier` or `harder`, certainly or probably."
    )


class SimilarBody(TextsBody, SimilarQuery):
    """Texts to find similar questions of."""


class PredictBody(TextsBody):
    """Texts to predict concepts and difficulty of."""

    hierarchy: str | None = Field(default=None, max_length=300, description="By default the bank's.")


class SimilarItem(BaseModel):
    """A similar question; `copies` are ids of questions with the same text but for numbers."""

    id: int
    text: str
    concepts: list[list[str]]
    score: float
    reason: str
    copies: list[int]


class SimilarItems(BaseModel):
    """Similar questions, nearest first; `lens` is another one if the wanted lens does not know such a text."""

    lens: str
    notice: str
    items: list[SimilarItem]


class LikelyConcept(BaseModel):
    """A concept and the probability that the question requires it."""

    path: list[str]
    probability: float


class LikelyDifficulty(BaseModel):
    """A difficulty with its interval, on a scale."""

    value: float
    low: float
    high: float
    scale: str


class PredictionItem(BaseModel):
    """What is predicted of a text, most probable concepts first; nothing for a text that is not mathematics."""

    concepts: list[LikelyConcept]
    difficulty: LikelyDifficulty | None
    notice: str = ""


class Predictions(BaseModel):
    """Predictions in the order of the texts."""

    items: list[PredictionItem]
    notices: list[str]


class ExemplarItem(BaseModel):
    """A solved problem that helps to solve a text."""

    id: int
    text: str
    equation: str
    answer: str
    similarity: float
    has_same_graph: bool
    reason: str


class ExemplarItems(BaseModel):
    """Worked exemplars, the most helpful first; `shape` is what the text computes, in letters, if that is known."""

    lens: str
    notice: str
    shape: str
    items: list[ExemplarItem]


@router.post("/predict", auth=READ, response=Predictions)
def predict_texts(request: HttpRequest, body: PredictBody) -> Predictions:  # noqa: ARG001 - django-ninja passes both
    """Predict the concepts and the difficulty of texts."""
    notices: set[str] = set()
    questions = input_questions(body.texts)
    rows = question_predictions(questions, hierarchy=body.hierarchy, serving=serving(), notices=notices)
    return Predictions(items=[PredictionItem.model_validate(row) for row in rows], notices=sorted(notices))


@router.post("/similar", auth=READ, response=list[SimilarItems])
def find_similar_to_texts(request: HttpRequest, body: SimilarBody) -> list[SimilarItems]:  # noqa: ARG001
    """Find the questions of the bank that are most similar to each text."""
    return [_similar_to(asked.text, body, asked.language) for asked in body.texts]


@router.get("/questions/{int:question_id}/similar", auth=READ, response=SimilarItems)
def find_similar_to_question(request: HttpRequest, question_id: Id, asked: Query[SimilarQuery]) -> SimilarItems:
    """Find the questions of the bank that are most similar to one of them."""
    return _similar_to(question_get(question_id=question_id, user=request.user), asked)


@router.post("/exemplars", auth=READ, response=list[ExemplarItems])
def find_exemplars_for_texts(request: HttpRequest, body: TextsBody) -> list[ExemplarItems]:  # noqa: ARG001
    """Find solved problems of the bank that help to solve each text."""
    models = serving()

    def found(asked: TextBody) -> WorkedExemplars:
        language = asked.language_or_detected()
        solved = solved_or_none(asked.text, language)
        return text_exemplars(text=asked.text, language=language, solved=solved, serving=models)

    return [_exemplars(found(asked)) for asked in body.texts]


@router.get("/questions/{int:question_id}/exemplars", auth=READ, response=ExemplarItems)
def find_exemplars_for_question(request: HttpRequest, question_id: Id) -> ExemplarItems:
    """Find solved problems that help to solve a question of the bank."""
    question = question_get(question_id=question_id, user=request.user)
    solved = solved_or_none(question.analysed_text, question.language, question)
    return _exemplars(question_exemplars(question=question, solved=solved, serving=serving()))


def _similar_to(question: Question | str, asked: SimilarQuery, language: str = "") -> SimilarItems:
    """Return the questions that are similar to one of the bank or to a text in a language."""
    lens, models = check_lens(asked.lens), serving()
    if asked.difficulty is not None:
        result = similar_of_difficulty(
            asked=question, wanted=asked.difficulty, lens=lens, serving=models, language=language, k=asked.k
        )
    elif isinstance(question, Question):
        result = similar_questions(question=question, lens=lens, serving=models, k=asked.k)
    else:
        result = similar_to_text(text=question, lens=lens, serving=models, language=language, k=asked.k)
    hits = fold_copies(result.hits)
    return SimilarItems(
        lens=result.lens, notice=result.notice, items=[SimilarItem.model_validate(hit_fields(hit)) for hit in hits]
    )


def _exemplars(found: WorkedExemplars) -> ExemplarItems:
    items = [
        ExemplarItem(
            id=exemplar.question.pk,
            text=exemplar.problem.text,
            equation=exemplar.problem.equation,
            answer=str(exemplar.problem.answer or ""),
            similarity=exemplar.similarity,
            has_same_graph=exemplar.has_same_graph,
            reason=exemplar.reason,
        )
        for exemplar in found.exemplars
    ]
    return ExemplarItems(lens=found.lens, notice=found.notice, shape=found.shape, items=items)
