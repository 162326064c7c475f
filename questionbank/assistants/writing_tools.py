"""Tools that write: drafts, and a worksheet of the person whose key is used."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from pydantic import BaseModel, Field, model_validator

from questionbank.api.contract import Body, Id
from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import Conflict
from questionbank.imports import api as imports_api
from questionbank.jobs.run_selectors import run_get
from questionbank.models import Question
from questionbank.problem_writing.decision_services import variant_keep_as_draft
from questionbank.problem_writing.services import MOST_WRITTEN, variants_reverse, variants_write
from questionbank.registry.api import RunDetail
from questionbank.worksheets import api as worksheets_api
from questionbank.worksheets.services import INSTRUCTIONS_LIMIT, LONGEST_WORKSHEET, TITLE_LIMIT

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
        default=None, description="Text of the file: GIFT, Moodle XML, CSV, JSON Lines or another format of imports."
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
