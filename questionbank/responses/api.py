"""Responses of pupils over the API: import, sets and figures; never what a single pupil did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path, PurePath
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import File, Query, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import BaseModel, Field

from questionbank.api.access import Access
from questionbank.api.contract import LARGEST_BATCH, Fields, Id, Page, PageQuery, page_by_id
from questionbank.api.people_api import VisibilityItem, VisibilityPatch, shown_fields
from questionbank.api.requests import received_file
from questionbank.bank.bulk_selectors import merged_numbers
from questionbank.bank.list_selectors import question_list_get
from questionbank.bank.question_selectors import question_get
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import ValidationFailed
from questionbank.core.storage import scratch_folder, upload_name
from questionbank.models import ItemStatistics, ResponseSet, Worksheet
from questionbank.responses.response_table import ResponseTable
from questionbank.responses.set_selectors import (
    order_of_list,
    order_of_worksheet,
    question_statistics,
    response_set_get,
    response_sets,
    set_statistics,
)
from questionbank.responses.set_services import (
    ImportPlan,
    SetDetails,
    response_set_delete,
    responses_import,
    responses_plan,
    responses_read,
)
from questionbank.responses.shown_figures import flag_text

router = Router(tags=["responses"])
READ, IMPORT = Access("responses_read"), Access("responses_import")
DELETE = Access("responses_read", "write")  # its owner or an admin: the service checks

PROBLEMS_SHOWN = 100  # as on the page
Choice = Annotated[str, Field(pattern=r"^\d{1,4}:\d{1,18}$")]


class ResponsesQuery(Fields):
    """How to import a file of responses."""

    dry_run: bool = Field(default=True, description="Say what the file would bring; write and keep nothing.")
    title: Annotated[str, Field(max_length=120, description="By default the file's name.")] = ""
    class_label: Annotated[str, Field(max_length=60, description="For example `7b, 2026`.")] = ""
    day: date | None = Field(
        default=None, description="When the test was written; the questions are those of that day."
    )
    list_: Id | None = Field(default=None, alias="list", description="Your list, if the file's numbers are its places.")
    worksheet: Id | None = Field(default=None, description="Your worksheet, if the file's numbers are its places.")
    counts_unreached: bool | None = Field(
        default=None,
        description="Whether a question without a response counts as 0 marks; by default if most cells are filled.",
    )
    choose: Annotated[list[Choice], Field(max_length=LARGEST_BATCH)] = Field(
        default=[],
        description="`INDEX:QUESTION` matches a question of the file (from 0) with one of the bank; 0 leaves it out.",
    )

    def order(self, request: HttpRequest) -> list[int]:
        """Return the questions of the list or worksheet in order.

        Raises:
            NotFound: it is not the caller's.
        """
        if self.list_ is not None:
            question_list_get(list_id=self.list_, user=request.user, is_own=True)
            return order_of_list(list_id=self.list_)
        if self.worksheet is not None:
            own = Worksheet.objects.filter(pk=self.worksheet, owner=request.user)
            get_or_not_found(own, "There is no such worksheet, or it is not yours.")
            return order_of_worksheet(worksheet_id=self.worksheet)
        return []

    def chosen(self) -> dict[int, int]:
        """Return the question chosen for each of the file's, by index."""
        pairs = [pair.split(":") for pair in self.choose]
        return {int(index): int(question) for index, question in pairs}


class MatchItem(BaseModel):
    """A question of the file, and the question of the bank that matches it."""

    index: int
    name: str
    question: int | None
    how: str = Field(description="How it was found, or why it was not.")


class UnusedLine(BaseModel):
    """A line that is not used."""

    line: int
    reason: str


class ResponsesPreview(BaseModel):
    """What an import of a file would bring."""

    layout: str
    responses: int
    pupils: int
    questions: list[MatchItem]
    unused: int
    unused_lines: list[UnusedLine] = Field(description=f"The first {PROBLEMS_SHOWN}.")
    notes: list[str]


class ResponseSetPatch(VisibilityPatch):
    """What to change about a set."""


class ResponseSetItem(VisibilityItem):
    """The responses of one file; figures are missing for fewer than five pupils."""

    id: int
    title: str
    class_label: str
    day: date | None
    owner: str | None
    layout: str
    pupils: int
    counts_unreached: bool
    figures: dict[str, Any] = Field(description="Of the test, such as `mean`, `sd` and `consistency` (alpha).")
    created_at: datetime


class OptionStatistics(BaseModel):
    """How many of the weakest, middle and strongest third chose an option; the empty label is for no answer."""

    label: str
    weight: float
    thirds: list[int]


class FlagItem(BaseModel):
    """Something conspicuous."""

    code: str
    sentence: str


class QuestionStatistics(BaseModel):
    """Figures of a question in a set of responses, or in all sets together (`set` is null)."""

    question: int
    set: int | None
    version: int = Field(description="Of the question, as the pupils saw it.")
    pupils: int
    figures: dict[str, Any] = Field(description="Such as `facility`, `discrimination` and `difficulty`.")
    options: list[OptionStatistics]
    flags: list[FlagItem] = Field(description="The most important first.")


class StatisticsOfQuestion(BaseModel):
    """Figures of a question in each set, the latest first, and over all sets; a job computes these, null until then.

    Among the sets are those in which pupils saw a question that was merged into it; `question` tells.
    """

    overall: QuestionStatistics | None
    sets: list[QuestionStatistics]


# First, because the limits of uploads know an address by the name of its first operation.
@router.post("/responses", auth=IMPORT, response={200: ResponsesPreview, 201: ResponseSetItem})
def create_response_set(
    request: HttpRequest, response: HttpResponse, asked: Query[ResponsesQuery], file: File[UploadedFile | None] = None
) -> Status:
    """Check a file of responses (200), or import it with `dry_run=false` (201).

    Pupils become keyed hashes as the file is read, and neither it nor a name in it is kept.
    """
    upload = received_file(request, file, limit="REVIEW_UPLOAD_MAX_BYTES")
    name = upload_name(upload.name or "") or "responses.csv"
    table = _table(upload, name)
    chosen = asked.chosen()
    if beyond := [index for index in chosen if index >= len(table.questions)]:
        raise ValidationFailed.beside("choose", f"The file has no question {beyond[0]}.")
    plan = responses_plan(table=table, user=request.user, order=asked.order(request), chosen=chosen, day=asked.day)
    if asked.dry_run:
        return Status(200, _preview(plan))
    title = asked.title.strip() or PurePath(name).stem[:120]
    details = SetDetails(
        title=title, class_label=asked.class_label, day=asked.day, counts_unreached=asked.counts_unreached
    )
    response_set = responses_import(plan=plan, details=details, user=request.user)
    response["Location"] = f"{request.path}/{response_set.pk}"
    return Status(201, _sets([response_set_get(set_id=response_set.pk)])[0])


@router.get("/responses", auth=READ, response=Page[ResponseSetItem])
def list_response_sets(request: HttpRequest, asked: Query[PageQuery]) -> Page[ResponseSetItem]:  # noqa: ARG001
    """List the sets of responses, newest first."""
    return page_by_id(response_sets(), asked, of="responses", represent=_sets)


@router.get("/responses/{int:set_id}", auth=READ, response=ResponseSetItem)
def get_response_set(request: HttpRequest, set_id: Id) -> ResponseSetItem:  # noqa: ARG001 - django-ninja passes it
    """Return a set of responses with the figures of the test."""
    return _sets([response_set_get(set_id=set_id)])[0]


@router.get("/responses/{int:set_id}/statistics", auth=READ, response=list[QuestionStatistics])
def list_set_statistics(request: HttpRequest, set_id: Id) -> list[QuestionStatistics]:
    """List the figures of a set's questions, flagged ones first."""
    return [*map(_statistics, set_statistics(response_set=response_set_get(set_id=set_id), user=request.user))]


@router.patch("/responses/{int:set_id}", auth=DELETE, response=ResponseSetItem)
def change_response_set(request: HttpRequest, set_id: Id, body: ResponseSetPatch) -> ResponseSetItem:
    """Choose who sees a set; its owner and admins may."""
    response_set = response_set_get(set_id=set_id)
    body.show(response_set, user=request.user)
    return _sets([response_set])[0]


@router.delete("/responses/{int:set_id}", auth=DELETE, response={204: None})
def delete_response_set(request: HttpRequest, set_id: Id) -> Status:
    """Delete a set with its responses and figures."""
    response_set_delete(response_set=response_set_get(set_id=set_id), user=request.user)
    return Status(204, None)


@router.get("/questions/{int:question_id}/statistics", auth=READ, response=StatisticsOfQuestion)
def get_question_statistics(request: HttpRequest, question_id: Id) -> StatisticsOfQuestion:
    """Return the figures of a question."""
    question = question_get(question_id=question_id, user=request.user)
    overall, sets = question_statistics(question=question, merged=merged_numbers(question=question))
    return StatisticsOfQuestion(
        overall=None if overall is None else _statistics(overall), sets=[*map(_statistics, sets)]
    )


def _table(upload: UploadedFile, name: str) -> ResponseTable:
    """Return what a file holds, with keyed hashes in place of names."""
    with scratch_folder(prefix="responses-") as folder:
        path = Path(folder) / name
        with path.open("wb") as local:
            for chunk in upload.chunks():
                local.write(chunk)
        return responses_read(path=path)


def _preview(plan: ImportPlan) -> ResponsesPreview:
    return ResponsesPreview(
        layout=plan.table.kind,
        responses=len(plan.rows),
        pupils=plan.people,
        questions=[
            MatchItem(
                index=index,
                name=match.reference.name,
                question=match.question.id if match.question is not None else None,
                how=match.how,
            )
            for index, match in enumerate(plan.matches)
        ],
        unused=len(plan.problems),
        unused_lines=[
            UnusedLine(line=problem.line, reason=problem.reason) for problem in plan.problems[:PROBLEMS_SHOWN]
        ],
        notes=list(plan.table.notes),
    )


def _sets(rows: Sequence[ResponseSet]) -> list[ResponseSetItem]:
    same = "title class_label day layout counts_unreached figures created_at".split()
    return [
        ResponseSetItem(
            id=row.pk,
            owner=row.owner.username if row.owner else None,
            pupils=row.people,
            **{name: getattr(row, name) for name in same} | shown_fields(row),
        )
        for row in rows
    ]


def _statistics(row: ItemStatistics) -> QuestionStatistics:
    return QuestionStatistics(
        question=row.question_id,
        set=row.response_set_id,
        version=row.version,
        pupils=row.people,
        figures=row.figures,
        options=[OptionStatistics.model_validate(option) for option in row.options],
        flags=[FlagItem(code=flag["code"], sentence=f"{flag_text(flag)}.") for flag in row.flags],
    )
