"""Tools that search, read and predict, and tools that write drafts and worksheets of the person whose key is used."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from pydantic import BaseModel, Field, model_validator

from questionbank.api.contract import Body, Id, Page, QuestionText, TextBody, TextsBody
from questionbank.bank.question_fields import QuestionItem, question_item
from questionbank.bank.question_selectors import exact_duplicates, numbered_question_records, question_get, visible_to
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.formats import WRITTEN
from questionbank.imports import api as imports_api
from questionbank.imports.export_services import export_losses, export_pieces, with_figures
from questionbank.jobs.run_selectors import run_get
from questionbank.models import Question
from questionbank.problem_writing.services import MOST_WRITTEN, variant_keep_as_draft, variants_reverse, variants_write
from questionbank.questions import concept_api
from questionbank.registry import api as registry_api
from questionbank.registry.api import RunDetail
from questionbank.registry.serving import serving
from questionbank.responses import api as responses_api
from questionbank.search import api as search_api
from questionbank.similar import api as similar_api
from questionbank.similar.similarity import near_duplicates
from questionbank.solving import api as solving_api
from questionbank.worksheets import api as worksheets_api
from questionbank.worksheets.services import INSTRUCTIONS_LIMIT, LONGEST_WORKSHEET, TITLE_LIMIT

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
        file_name=chosen.file_name("questions", data),
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


LONGEST_FILE = 1_500_000  # characters; a whole request has at most 2 MB
DRAFT = Question.Status.DRAFT.value


class VariantArguments(Body):
    """Which variants to write."""

    question: Id = Field(description="Number of a word problem whose equation is known.")
    kind: Literal["similar", "reversed"] = Field(
        default="similar",
        description="`similar`: another story, or other names and numbers, with the same computation."
        " `reversed`: the same story asks for another number.",
    )
    number: Annotated[int, Field(ge=1, le=MOST_WRITTEN)] = 3


class VariantItem(BaseModel):
    """A new draft."""

    question: int
    text: str
    equation: str
    answer: str
    url: str


class Variants(BaseModel):
    """The new drafts; `notice` says why there are none."""

    items: list[VariantItem]
    notice: str = ""


class ImportArguments(Body):
    """A file to check, or the number of a check whose file is to be imported."""

    content: Annotated[str, Field(min_length=1, max_length=LONGEST_FILE)] | None = Field(
        default=None, description="Text of the file: GIFT, Moodle XML, CSV, JSON Lines or another import format."
    )
    file_name: Annotated[str, Field(max_length=120, description="With its ending, such as `sums.gift`.")] = ""
    source: Annotated[str, Field(max_length=120, description="Name of the set; by default the file's.")] = ""
    hierarchy: Annotated[str, Field(max_length=200, description="Where its concepts belong.")] = ""
    checked_job: Id | None = Field(default=None, description="Number of the job that has checked the file.")
    skip_invalid: bool = Field(default=False, description="Import the other lines if some are refused.")

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.content is None) == (self.checked_job is None):
            raise ValueError("Send “content” to check a file, or “checked_job” to import one that was checked.")
        if self.content is not None and not self.file_name:
            raise ValueError("Send “file_name” with the content, such as “sums.gift”.")
        return self


class WorksheetArguments(Body):
    """A new worksheet."""

    name: str = Field(description="Name among the person's worksheets.")
    questions: Annotated[list[Id], Field(min_length=1, max_length=LONGEST_WORKSHEET, description="Numbers, in order.")]
    title: Annotated[str, Field(max_length=TITLE_LIMIT, description="Printed at the top.")] = ""
    instructions: Annotated[str, Field(max_length=INSTRUCTIONS_LIMIT)] = ""


class NewWorksheet(BaseModel):
    """A worksheet; `left_out` says which questions cannot be printed, and why."""

    worksheet: int
    name: str
    questions: int
    left_out: list[str]
    url: str = Field(description="Page where the person changes and prints it.")


def make_variant(request: HttpRequest, asked: VariantArguments) -> Variants:
    """Write variants of a word problem. They become drafts of the person, and reviewers see them as proposals."""
    question = question_get(question_id=asked.question, user=request.user)
    if asked.kind == "reversed":
        written = variants_reverse(question=question, user=request.user)[: asked.number]
    else:
        written = variants_write(question=question, each=asked.number, user=request.user)
    items = []
    for variant in written:
        draft = variant_keep_as_draft(variant=variant, user=request.user)
        url = request.build_absolute_uri(reverse("question_detail", args=[draft.pk]))
        items.append(
            VariantItem(question=draft.pk, text=variant.text, equation=variant.equation, answer=variant.answer, url=url)
        )
    return Variants(items=items, notice="" if items else "The rules know no further variant of this question.")


def import_questions(request: HttpRequest, asked: ImportArguments) -> RunDetail:
    """Import questions from the text of a file as drafts, in two steps.

    First send `content` and `file_name`: a job checks the file and writes nothing. Read it with get_job until it has
    succeeded, show the person what it would do, then send its number as `checked_job`: another job imports the file.
    """
    response = HttpResponse()
    if asked.checked_job is None:
        file = SimpleUploadedFile(asked.file_name, (asked.content or "").encode())
        query = imports_api.ImportQuery(source=asked.source, hierarchy=asked.hierarchy, status=DRAFT)
        return imports_api.create_import(request, response, query, file).value  # type: ignore[no-any-return]
    checked = run_get(run_id=asked.checked_job)
    if checked.parameters.get("status") != DRAFT:
        raise Conflict("This job has not checked a file whose questions become drafts. Send the content again.")
    body = imports_api.ConfirmBody(skip_invalid=asked.skip_invalid, update=False)
    return imports_api.confirm_import(request, response, checked.pk, body).value  # type: ignore[no-any-return]


def make_worksheet(request: HttpRequest, asked: WorksheetArguments) -> NewWorksheet:
    """Make a worksheet of questions, in their order. The person changes, shares and prints it on its page."""
    made = worksheets_api.create_worksheet(request, HttpResponse(), worksheets_api.WorksheetBody(**asked.model_dump()))
    worksheet = made.value
    return NewWorksheet(
        worksheet=worksheet.id,
        name=worksheet.name,
        questions=worksheet.added,
        left_out=worksheet.notices,
        url=request.build_absolute_uri(reverse("worksheet_detail", args=[worksheet.id])),
    )
