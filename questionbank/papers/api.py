"""Test papers over the API: upload a document, correct what was found in it, import it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Self

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from ninja import File, Query, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import BaseModel, Field, model_validator

from analytics.question_content import as_json
from questionbank.api.access import Access
from questionbank.api.contract import (
    IF_MATCH,
    LARGEST_BATCH,
    Body,
    Choice,
    Fields,
    Id,
    Page,
    PageQuery,
    check_if_match,
    page_by_id,
    tagged,
)
from questionbank.api.people_api import VisibilityItem, VisibilityPatch, shown_fields
from questionbank.api.requests import received_file
from questionbank.bank.list_selectors import own_or_shared
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.formats.limits import SET_LIMIT
from questionbank.imports.services import question_file_format
from questionbank.models import DocumentDraft, Question
from questionbank.papers.forms import TEXT_LIMIT
from questionbank.papers.import_services import document_import_request, document_list_create
from questionbank.papers.paper_lines import Role
from questionbank.papers.review_selectors import paper_item_get, paper_item_outlook, second_reader
from questionbank.papers.selectors import (
    FoundItem,
    document_corrected,
    document_draft_get,
    document_drafts,
    document_questions,
    document_review,
)
from questionbank.papers.services import (
    MOST_POINTS,
    PASTED_NAME,
    document_draft_delete,
    document_draft_paste,
    document_draft_upload,
    document_leave_out,
    document_points_set,
    document_role_set,
    document_step,
    document_text_set,
)
from questionbank.registry.api import RunDetail, run_detail
from questionbank.similar.api import PredictionItem, SimilarItem
from questionbank.similar.file_results import hit_fields, prediction_fields

router = Router(tags=["test papers"])
IMPORT = Access("import")

Key = Annotated[str, Field(max_length=100)]


MayBeSent = Annotated[
    bool,
    Field(
        description="Whether the school's language model, if it is on, reads it too. The text of its lines is sent "
        "there, without pictures and without lines that hold a pupil's name."
    ),
]


class PaperQuery(Fields):
    """How to read a test paper."""

    may_be_sent: MayBeSent = True


class PaperTextBody(Body, PaperQuery):
    """A test paper as text; formulas are LaTeX."""

    text: Annotated[str, Field(min_length=1, max_length=TEXT_LIMIT)]


class CorrectionBody(Body):
    """One change, as on the review page.

    A line gets a role or another text, of which each row that begins with a mark becomes a line of its own. A question
    gets points (its own, then those of each part) or is left out of the import.
    """

    line: Key | None = None
    role: Choice[Role] | None = None
    text: Annotated[str, Field(max_length=TEXT_LIMIT)] | None = None
    question: Key | None = None
    points: list[Annotated[float, Field(ge=0, le=MOST_POINTS)] | None] | None = None
    is_left_out: bool | None = None

    @model_validator(mode="after")
    def _is_one_change(self) -> Self:
        of_line = [self.role is not None, self.text is not None]
        of_question = [self.points is not None, self.is_left_out is not None]
        wanted = of_line if self.line is not None else of_question
        is_one = (self.line is None) != (self.question is None)
        if not is_one or sum(wanted) != 1 or sum(of_line + of_question) != 1:
            raise ValueError("Change the role or text of a line, or the points or is_left_out of a question.")
        return self

    def apply(self, request: HttpRequest, draft: DocumentDraft) -> None:
        """Store the change as a step of the review."""
        step: dict[str, Any] = {"draft": draft, "user": request.user, "key": self.line or self.question}
        write: Callable[[], None]
        if self.role is not None:
            write = partial(document_role_set, **step, role=self.role)
        elif self.text is not None:
            write = partial(document_text_set, **step, text=self.text)
        elif self.points is not None:
            typed = ["" if points is None else f"{points:.12g}" for points in self.points]
            write = partial(document_points_set, **step, points=typed)
        else:
            write = partial(document_leave_out, **step, is_left_out=bool(self.is_left_out))
        write()


class CorrectionsBody(Body):
    """Changes in order; the keys of lines and questions are those of the paper before the first of them."""

    corrections: Annotated[list[CorrectionBody], Field(min_length=1, max_length=LARGEST_BATCH)]


class PaperImportBody(Body):
    """How to import a paper."""

    source: Annotated[str, Field(max_length=SET_LIMIT, description="Name of the set; by default the paper's.")] = ""
    hierarchy: Annotated[
        str, Field(max_length=200, description="Hierarchy in which headings are looked up as concepts.")
    ] = ""
    with_headings: bool = False
    status: Annotated[
        Choice[Question.Status], Field(description="Who sees the questions; drafts for those who may not publish.")
    ] = Question.Status.READY


class PaperListBody(Body):
    """The name of a new list."""

    name: str


class PaperPatch(VisibilityPatch):
    """What to change about a test paper."""


class PaperSummary(VisibilityItem):
    """A test paper; it is deleted a week after its last change."""

    id: int
    name: str
    owner: str
    state: str = Field(description="`reading`, `ready`, `refused` or `imported`.")
    reason: str = Field(description="Why it was refused.")
    run: int | None = Field(description="The job that reads or imports it.")
    may_be_sent: bool = Field(description="Whether the school's language model may read it.")
    model_run: int | None = Field(description="The job in which the language model reads it.")
    created_at: datetime
    updated_at: datetime


class DoubtItem(BaseModel):
    """Something that a person should check."""

    code: str
    sentence: str


class PaperQuestion(BaseModel):
    """A question found in a paper; one with a `refusal` cannot be imported as it is."""

    key: str
    place: int
    number: str = Field(description="As printed.")
    is_left_out: bool
    refusal: str
    doubts: list[DoubtItem]
    kind: str
    text: str
    options: list[dict[str, Any]]
    answer: str
    solution: str
    points: list[float | None] = Field(description="Of the question, then of each part.")
    content: dict[str, Any] = Field(description="As in `/questions`.")


class PaperLine(BaseModel):
    """A line of a paper; `is_corrected` says that a person decided on its role."""

    key: str
    number: str
    text: str
    role: Role
    is_corrected: bool


class PaperDetail(PaperSummary):
    """A test paper after the corrections; lines and questions are there while it is ready to review."""

    notices: list[str] = Field(description="What could not be read.")
    instructions: str
    corrections: int
    can_redo: bool
    questions: list[PaperQuestion]
    lines: list[PaperLine]
    imported: list[int] = Field(description="Questions in the bank that it added or matched.")


class PaperOutlook(BaseModel):
    """What the bank knows about a question of a paper; nothing while it has no vectors."""

    same: list[int] = Field(description="Questions in the bank that are the same.")
    near_copies: list[SimilarItem] = Field(description="Questions that read almost the same.")
    prediction: PredictionItem | None


class MadeList(BaseModel):
    """A new list."""

    id: int
    name: str


# First, because the limits of uploads know an address by the name of its first operation.
@router.post("/papers", auth=IMPORT, response={202: PaperDetail})
def create_paper(
    request: HttpRequest, response: HttpResponse, asked: Query[PaperQuery], file: File[UploadedFile | None] = None
) -> Status:
    """Upload a document (Word, OpenDocument, PDF, RTF, HTML, Markdown, LaTeX, text), which a job reads.

    Ask for the paper until its state is no longer `reading`. Files of questions, such as Moodle XML, go to `/imports`.
    """
    upload = received_file(request, file, limit="DOCUMENT_UPLOAD_MAX_BYTES")
    name = upload.name or ""
    _check_is_paper(upload, name)
    may_be_sent = _may_be_sent(asked)
    draft = document_draft_upload(upload=upload, name=name, user=request.user, may_be_sent=may_be_sent)
    response["Location"] = f"{request.path}/{draft.pk}"
    return Status(202, tagged(response, _detail(request, draft.pk)))


@router.get("/papers", auth=IMPORT, response=Page[PaperSummary])
def list_papers(request: HttpRequest, asked: Query[PageQuery]) -> Page[PaperSummary]:
    """List one's own test papers and those that others share, newest first."""
    return page_by_id(
        own_or_shared(document_drafts(), request.user),
        asked,
        of=f"papers {request.user.pk}",
        represent=lambda drafts: [PaperSummary(**_summary(draft)) for draft in drafts],
    )


@router.post("/papers/text", auth=IMPORT, response={201: PaperDetail})
def create_paper_from_text(request: HttpRequest, response: HttpResponse, body: PaperTextBody) -> Status:
    """Read a test paper from text, at once."""
    _check_is_paper(SimpleUploadedFile(PASTED_NAME, body.text.encode()), PASTED_NAME)
    draft = document_draft_paste(text=body.text, user=request.user, may_be_sent=_may_be_sent(body))
    response["Location"] = f"{request.path.removesuffix('/text')}/{draft.pk}"
    return Status(201, tagged(response, _detail(request, draft.pk)))


@router.get("/papers/{int:paper_id}", auth=IMPORT, response=PaperDetail)
def get_paper(request: HttpRequest, response: HttpResponse, paper_id: Id) -> PaperDetail:
    """Return a test paper with its lines and questions, and what is doubtful about each."""
    return tagged(response, _detail(request, paper_id))


@router.get("/papers/{int:paper_id}/questions/{key}/known", auth=IMPORT, response=PaperOutlook)
def get_paper_outlook(request: HttpRequest, paper_id: Id, key: str) -> PaperOutlook:
    """Say what the bank knows about a question of a paper: copies, likely concepts and difficulty."""
    draft = document_draft_get(draft_id=paper_id, user=request.user)
    known = paper_item_outlook(item=paper_item_get(draft=draft, key=key), user=request.user)
    if known is None:
        return PaperOutlook(same=[], near_copies=[], prediction=None)
    return PaperOutlook(
        same=[question.pk for question in known.same],
        near_copies=[SimilarItem.model_validate(hit_fields(hit)) for hit in known.near],
        prediction=PredictionItem.model_validate(prediction_fields(known.prediction)) if known.prediction else None,
    )


@router.post("/papers/{int:paper_id}/corrections", auth=IMPORT, response=PaperDetail, openapi_extra=IF_MATCH)
def correct_paper(request: HttpRequest, response: HttpResponse, paper_id: Id, body: CorrectionsBody) -> PaperDetail:
    """Correct a test paper; each correction can be undone."""
    draft = _locked(request, paper_id)
    for correction in body.corrections:
        correction.apply(request, draft)
    return tagged(response, _detail(request, paper_id))


@router.post("/papers/{int:paper_id}/undo", auth=IMPORT, response=PaperDetail, openapi_extra=IF_MATCH)
def undo_paper_correction(request: HttpRequest, response: HttpResponse, paper_id: Id) -> PaperDetail:
    """Undo the last correction."""
    return _step(request, response, paper_id, -1)


@router.post("/papers/{int:paper_id}/redo", auth=IMPORT, response=PaperDetail, openapi_extra=IF_MATCH)
def redo_paper_correction(request: HttpRequest, response: HttpResponse, paper_id: Id) -> PaperDetail:
    """Apply the correction that was undone last again."""
    return _step(request, response, paper_id, 1)


@router.post("/papers/{int:paper_id}/import", auth=IMPORT, response={202: RunDetail}, openapi_extra=IF_MATCH)
def import_paper(request: HttpRequest, response: HttpResponse, paper_id: Id, body: PaperImportBody) -> Status:
    """Import the questions of a test paper, except those left out or refused; it is imported once."""
    draft = _locked(request, paper_id)
    run = document_import_request(draft=draft, user=request.user, **body.model_dump())
    response["Location"] = f"/api/v1/runs/{run.pk}"
    return Status(202, run_detail(request, run.pk))


@router.post("/papers/{int:paper_id}/list", auth=IMPORT, response={201: MadeList})
def create_list_of_paper(request: HttpRequest, response: HttpResponse, paper_id: Id, body: PaperListBody) -> Status:
    """Make a list of the questions that an imported paper brought, in its order."""
    draft = document_draft_get(draft_id=paper_id, user=request.user)
    if draft.state != DocumentDraft.State.IMPORTED:
        raise Conflict("This test paper is not imported yet.")
    made = document_list_create(draft=draft, user=request.user, name=body.name)
    response["Location"] = f"/api/v1/lists/{made.pk}"
    return Status(201, MadeList(id=made.pk, name=made.name))


@router.patch("/papers/{int:paper_id}", auth=IMPORT, response=PaperDetail)
def change_paper(request: HttpRequest, response: HttpResponse, paper_id: Id, body: PaperPatch) -> PaperDetail:
    """Choose who sees a test paper; only its owner changes it otherwise."""
    body.show(document_draft_get(draft_id=paper_id, user=request.user), user=request.user)
    return tagged(response, _detail(request, paper_id))


@router.delete("/papers/{int:paper_id}", auth=IMPORT, response={204: None}, openapi_extra=IF_MATCH)
def delete_paper(request: HttpRequest, paper_id: Id) -> Status:
    """Delete a test paper; questions imported from it stay in the bank."""
    document_draft_delete(draft=_locked(request, paper_id), user=request.user)
    return Status(204, None)


def _may_be_sent(asked: PaperQuery) -> bool:
    """Return whether a paper may be sent; while no language model is on, it may not be sent later either."""
    return asked.may_be_sent and second_reader() != ""


def _check_is_paper(upload: Any, name: str) -> None:
    """Refuse a file of questions, which the page would check as an import.

    Raises:
        ValidationFailed: it is one.
    """
    if format := question_file_format(upload, name):
        raise ValidationFailed.beside(
            "file", f"This is a file of questions ({format.label}), not a test paper. Send it to /imports."
        )


def _locked(request: HttpRequest, paper_id: int) -> DocumentDraft:
    """Return one of the caller's papers, provided that it is what ``If-Match`` names; others' changes wait."""
    DocumentDraft.objects.select_for_update().filter(pk=paper_id, owner=request.user).first()
    draft = document_draft_get(draft_id=paper_id, user=request.user, is_own=True)
    check_if_match(request, lambda: _detail(request, paper_id))
    return draft


def _step(request: HttpRequest, response: HttpResponse, paper_id: int, by: int) -> PaperDetail:
    draft = _locked(request, paper_id)
    before = draft.applied
    document_step(draft=draft, user=request.user, by=by)
    if draft.applied == before:
        raise Conflict(f"There is nothing to {'undo' if by < 0 else 'redo'}.")
    return tagged(response, _detail(request, paper_id))


def _summary(draft: DocumentDraft) -> dict[str, Any]:
    run = draft.import_run_id or draft.read_run_id
    same = "name state reason may_be_sent created_at updated_at".split()
    own = {"id": draft.pk, "owner": draft.owner.username, "run": run, "model_run": draft.model_run_id}
    return own | {name: getattr(draft, name) for name in same} | shown_fields(draft)


def _detail(request: HttpRequest, paper_id: int) -> PaperDetail:
    draft = document_draft_get(draft_id=paper_id, user=request.user)
    found: dict[str, Any] = {"notices": list(draft.notices), "instructions": "", "questions": [], "lines": []}
    imported: Sequence[int] = ()
    if draft.state == DocumentDraft.State.READY:
        review = document_review(draft)
        found = {
            "notices": list(review.notices),
            "instructions": review.instructions,
            "questions": list(map(_question, review.items)),
            "lines": [
                PaperLine(
                    key=row.key,
                    number=row.line.number,
                    text=row.line.text,
                    role=row.role,
                    is_corrected=row.is_corrected,
                )
                for row in document_corrected(draft).lines
            ],
        }
    elif draft.state == DocumentDraft.State.IMPORTED:
        imported = [question.pk for question in document_questions(draft=draft, user=request.user)]
    return PaperDetail(
        **_summary(draft),
        **found,
        corrections=draft.applied,
        can_redo=draft.applied < len(draft.corrections),
        imported=imported,
    )


def _question(item: FoundItem) -> PaperQuestion:
    record = item.record
    return PaperQuestion(
        key=item.key,
        place=item.place,
        number=item.found.number,
        is_left_out=item.is_left_out,
        refusal=item.refusal,
        doubts=[DoubtItem(code=doubt.code, sentence=doubt.sentence) for doubt in item.doubts],
        kind=record.kind,
        text=record.text,
        options=as_json(record.options),
        answer=record.answer,
        solution=record.solution,
        points=list(item.points),
        content=as_json(record.content),
    )
