"""Tools that change nothing."""

from __future__ import annotations

from typing import Annotated, Self

from django.http import HttpRequest
from pydantic import BaseModel, Field, model_validator

from questionbank.api.contract import Body, Id, Page
from questionbank.api.texts import QuestionText, TextBody, TextsBody
from questionbank.bank import concept_api
from questionbank.bank.question_representation import QuestionItem, question_item
from questionbank.bank.question_selectors import exact_duplicates, numbered_question_records, question_get, visible_to
from questionbank.core.errors import ValidationFailed
from questionbank.formats import WRITTEN
from questionbank.imports.export_services import export_losses, export_pieces, with_figures
from questionbank.models import Question
from questionbank.registry import api as registry_api
from questionbank.registry.serving import serving
from questionbank.responses import api as responses_api
from questionbank.search import api as search_api
from questionbank.similar import api as similar_api
from questionbank.similar.similarity import near_duplicates
from questionbank.solving import api as solving_api

MOST_AT_ONCE = 100  # questions


class QuestionArgument(Body):
    """A question of the bank."""

    question: Id = Field(description="Number of the question.")


class QuestionOrText(Body):
    """A question of the bank or a text that is not in it."""

    question: Id | None = Field(default=None, description="Number of a question; leave it out to send a text.")
    text: QuestionText | None = Field(default=None, description="Text of a question, with formulas as LaTeX.")
    language: Annotated[str, Field(max_length=12, description="Language of the text; by default detected.")] = ""

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.question is None) == (self.text is None):
            raise ValueError("Send either “question” or “text”.")
        return self

    @property
    def texts(self) -> list[TextBody]:
        return [] if self.text is None else [TextBody(text=self.text, language=self.language)]


class SearchArguments(search_api.SearchQuery):
    """What to search for."""

    limit: Annotated[int, Field(ge=1, le=50, description="Questions per page.")] = 10


class SimilarArguments(QuestionOrText, similar_api.SimilarQuery):
    """What to compare with, and how."""

    k: Annotated[int, Field(ge=1, le=50, description="How many questions to return.")] = 10


class Solved(BaseModel):
    """How a problem is solved; `question` for one of the bank, `text` for a text. Null: it is not a word problem."""

    question: solving_api.QuestionSolutionItem | None = None
    text: solving_api.SolutionItem | None = None


class DuplicateItem(BaseModel):
    """A question of the bank; `similarity` is 1 if it asks exactly the same."""

    question: int
    text: str
    status: str
    similarity: float


class Duplicates(BaseModel):
    """Questions that ask the same or read almost the same, including the key owner's drafts."""

    same: list[DuplicateItem]
    near: list[DuplicateItem]


class ExportArguments(Body):
    """Which questions to export, and how."""

    questions: Annotated[list[Id], Field(min_length=1, max_length=MOST_AT_ONCE, description="Numbers, in order.")]
    format: str = Field(description=f"One of {', '.join(WRITTEN)}.")


class ExportedFile(BaseModel):
    """A file; `refused` and `lost` say what the format cannot hold, with the numbers of the questions."""

    file_name: str
    content: str
    refused: dict[str, list[int]]
    lost: dict[str, list[int]]


class JobArgument(Body):
    """A job."""

    job: Id = Field(description="Number of the job.")


def search_questions(request: HttpRequest, asked: SearchArguments) -> search_api.SearchResult:
    """Search the bank by words, a concept's name, a formula or a whole question, with filters.

    Difficulties are in per cent: 0 is the easiest. `closest` holds questions that are only close in meaning.
    """
    return search_api.search(request, asked)


def get_question(request: HttpRequest, asked: QuestionArgument) -> QuestionItem:
    """Return a question with its answer, solution, concepts and difficulty."""
    return question_item(question_get(question_id=asked.question, user=request.user))


def find_similar(request: HttpRequest, asked: SimilarArguments) -> similar_api.SimilarItems:
    """Find the questions most similar to a question of the bank or to a text, each with a reason.

    The lens says what is compared: `purpose` (the default), `structure` (what a word problem computes) or `wording`.
    With `difficulty` only easier or only harder questions are returned; the reason then says how sure that is.
    `copies` are questions that differ in their numbers alone.
    """
    how = asked.model_dump(include={"lens", "k", "difficulty"})
    if asked.question is not None:
        query = similar_api.SimilarQuery(**how)
        return similar_api.find_similar_to_question(request, asked.question, query)
    return similar_api.find_similar_to_texts(request, similar_api.SimilarBody(texts=asked.texts, **how))[0]


def predict(request: HttpRequest, asked: similar_api.PredictBody) -> similar_api.Predictions:
    """Predict the concepts and the difficulty of texts, in their order."""
    return similar_api.predict_texts(request, asked)


def solve(request: HttpRequest, asked: QuestionOrText) -> Solved:
    """Solve a word problem: its equation, its value, the steps and the probability that they are right."""
    if asked.question is not None:
        return Solved(question=solving_api.get_question_solution(request, asked.question))
    return Solved(text=solving_api.solve_texts(request, TextsBody(texts=asked.texts))[0])


def check_duplicates(request: HttpRequest, asked: QuestionOrText) -> Duplicates:
    """Find questions of the bank that ask the same as a text or a question, or read almost the same."""
    question = None if asked.question is None else question_get(question_id=asked.question, user=request.user)
    text = asked.text or "" if question is None else question.text
    options = [] if question is None else question.options
    same = list(exact_duplicates(text=text, options=options, exclude=question, user=request.user)[:MOST_AT_ONCE])
    same_ids = {row.pk for row in same}
    analysed = text if question is None else question.analysed_text
    near = near_duplicates(text=analysed, serving=serving(), exclude=question, user=request.user)
    return Duplicates(
        same=[_duplicate(row, 1.0) for row in same],
        near=[_duplicate(hit.question, hit.score) for hit in near if hit.question.pk not in same_ids],
    )


def _duplicate(question: Question, similarity: float) -> DuplicateItem:
    return DuplicateItem(
        question=question.pk, text=question.analysed_text, status=question.status, similarity=similarity
    )


def list_concepts(request: HttpRequest, asked: concept_api.ConceptQuery) -> Page[concept_api.ConceptDetail]:
    """List concepts with their paths, newest first; search_questions takes their numbers as a filter."""
    return concept_api.list_concepts(request, asked)


def export_questions(request: HttpRequest, asked: ExportArguments) -> ExportedFile:
    """Return questions as the text of a file, such as GIFT or Moodle XML."""
    if asked.format not in WRITTEN:
        raise ValidationFailed.beside("format", f"Use one of {', '.join(WRITTEN)} as the format.")
    numbers = dict.fromkeys(asked.questions)
    visible = Question.objects.filter(visible_to(request.user), pk__in=numbers)
    records = dict(with_figures(numbered_question_records(visible, originals_of=asked.format), user=request.user))
    if missing := [number for number in numbers if number not in records]:
        raise ValidationFailed.beside("questions", f"There is no question {missing[0]}.")
    losses = export_losses(records=[(number, records[number]) for number in numbers], format=asked.format)
    data = b"".join(export_pieces(records=[records[number] for number in numbers], format=asked.format))
    chosen = WRITTEN[asked.format]
    try:
        content = data.decode()
    except UnicodeDecodeError:
        sentence = f"{chosen.label} is not a text. Choose another format, or download the file over the REST API."
        raise ValidationFailed.beside("format", sentence) from None
    return ExportedFile(
        file_name=chosen.file_name("questions", chosen.ending(data)),
        content=content,
        refused={what: [number for number, _text in losses.first[what]] for what in losses.refused},
        lost={what: [number for number, _text in losses.first[what]] for what in losses.lost},
    )


def item_statistics(request: HttpRequest, asked: QuestionArgument) -> responses_api.StatisticsOfQuestion:
    """Return what the responses of pupils say about a question; single pupils are never shown.

    `overall` is null if too few pupils have answered it.
    """
    return responses_api.get_question_statistics(request, asked.question)


def get_job(request: HttpRequest, asked: JobArgument) -> registry_api.RunDetail:
    """Return the state of a job, and what it did: for a check of a file the questions and the refused lines."""
    return registry_api.run_detail(request, asked.job)
