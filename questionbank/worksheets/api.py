"""Worksheets over the API: their questions, versions and files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Literal, Self

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field, model_validator

from questionbank.api.access import Access
from questionbank.api.contract import (
    IF_MATCH,
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
from questionbank.bank.list_selectors import (
    items_of_list,
    own_or_shared,
    question_list_get,
    questions_of_list,
    worksheet_use_days,
)
from questionbank.bank.question_selectors import questions_numbered
from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.models import KnowledgeConcept, Question, Worksheet, WorksheetItem
from questionbank.search.filters import USED, SearchFilters
from questionbank.worksheets.mark_selectors import worksheet_expected_mark, worksheet_places
from questionbank.worksheets.print_selectors import (
    ALL_VERSIONS,
    CONTENTS,
    FILES,
    compose_versions,
    version_names,
    worksheet_printed,
)
from questionbank.worksheets.selectors import (
    MOST_FILLED,
    FillUpWish,
    WorksheetRow,
    fill_up,
    worksheet_get,
    worksheet_rows,
)
from questionbank.worksheets.services import (
    INSTRUCTIONS_LIMIT,
    LONGEST_WORKSHEET,
    MOST_SECTIONS,
    TITLE_LIMIT,
    Added,
    worksheet_add,
    worksheet_create,
    worksheet_delete,
    worksheet_draw_anew,
    worksheet_from_list,
    worksheet_order,
    worksheet_rows_replace,
    worksheet_update,
    worksheet_use,
    worksheet_use_forget,
)
from questionbank.worksheets.sheet import MOST_LINES, MOST_POINTS, VERSIONS

router = Router(tags=["worksheets"])
READ, WRITE = Access("read"), Access("read", "write")  # a worksheet's owner changes it: the services check

Letter = Literal[tuple(VERSIONS)]  # type: ignore[valid-type]
Heading = Annotated[str, Field(max_length=TITLE_LIMIT)]
Instructions = Annotated[str, Field(max_length=INSTRUCTIONS_LIMIT)]
Percent = Annotated[float, Field(ge=0, le=100)]


class WorksheetPatch(VisibilityPatch):
    """What to change about a worksheet; versions B to D differ from A as `mixes_...` and `changes_numbers` say."""

    name: str | None = None
    title: Heading | None = Field(default=None, description="At the top of the paper; if empty, the name.")
    instructions: Instructions | None = None
    columns: Literal[1, 2] | None = None
    paper: Choice[Worksheet.Paper] | None = None
    has_name_field: bool | None = None
    versions: Annotated[int, Field(ge=1, le=len(VERSIONS))] | None = None
    mixes_questions: bool | None = None
    mixes_options: bool | None = None
    changes_numbers: bool | None = None

    def given(self) -> dict[str, object]:
        """Return the columns to change, without those that say who sees it."""
        return self.model_dump(exclude_none=True, exclude={*VisibilityPatch.model_fields})


class AddQuestionsBody(Body):
    """Questions to append, by number or from a list; points, lines and sections come from their source."""

    questions: Annotated[list[Id], Field(max_length=LONGEST_WORKSHEET)] = []
    list_: Id | None = Field(default=None, alias="list", description="A list that you can read.")


class WorksheetBody(WorksheetPatch, AddQuestionsBody):
    """A new worksheet."""

    name: str = Field(default="", description="May be left out if it is made from a list, whose name it then takes.")


class EntryBody(Body):
    """A question, or the start of a section that reaches to the next one."""

    question: Id | None = None
    points: Annotated[float, Field(ge=0, le=MOST_POINTS)] | None = None
    answer_lines: Annotated[int, Field(ge=0, le=MOST_LINES)] = 0
    heading: Heading = ""
    instructions: Instructions = ""

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if self.question is not None and (self.heading or self.instructions):
            raise ValueError("An entry is a question or a section, not both.")
        if self.question is None and (self.points is not None or self.answer_lines):
            raise ValueError("A section has neither points nor lines.")
        return self


class EntriesBody(Body):
    """All entries of a worksheet in order."""

    entries: Annotated[list[EntryBody], Field(max_length=LONGEST_WORKSHEET + MOST_SECTIONS)]


class FillUpBody(Body):
    """How many questions to add, and which; they are taken in turn from each concept and what is below it."""

    number: Annotated[int, Field(ge=1, le=MOST_FILLED)]
    concepts: list[Id] = []
    difficulty_min: Percent | None = None
    difficulty_max: Percent | None = None
    kind: Choice[Question.Kind] | None = None
    language: Annotated[str, Field(max_length=12)] = ""
    used: Literal[("", *USED)] = ""  # type: ignore[valid-type]


class FileQuery(Fields):
    """Which file of a worksheet."""

    format: Literal[tuple(FILES)] = Field(alias="as")  # type: ignore[valid-type]
    contents: Literal[tuple(CONTENTS)] = "students"  # type: ignore[valid-type]
    version: Literal[(*VERSIONS, ALL_VERSIONS, "")] = Field(  # type: ignore[valid-type]
        default="", description="A letter or `all`; by default the first one."
    )


class EntryItem(BaseModel):
    """A question or the start of a section; `left_out` says why a question is not printed."""

    question: int | None
    number: int | None = Field(description="As printed in version A.")
    points: float | None
    part_points: str = Field(description="Of its parts, such as `2 + 1`, as far as they are printed.")
    answer_lines: int
    heading: str
    instructions: str
    left_out: str


class WorksheetSummary(VisibilityItem):
    """A worksheet without its entries."""

    id: int
    name: str
    owner: str
    updated_at: datetime


class WorksheetDetail(WorksheetSummary):
    """A worksheet; other people's drafts are left out when it is printed."""

    title: str
    instructions: str
    columns: int
    paper: str
    has_name_field: bool
    versions: int
    mixes_questions: bool
    mixes_options: bool
    changes_numbers: bool
    entries: list[EntryItem]
    used_on: list[date] = Field(description="Days on which it was handed out, the latest first.")


class ChangedWorksheet(WorksheetDetail):
    """A worksheet after questions were added."""

    added: int
    notices: list[str] = Field(description="Why questions were not added.")


class VersionSheet(BaseModel):
    """A version of a worksheet: its questions in printed order."""

    version: str
    questions: list[int]
    changed: list[int] = Field(description="Those whose numbers differ from version A.")
    kept: dict[int, str] = Field(description="Why the others have the numbers of version A, although numbers change.")


class MarkItem(BaseModel):
    """The expected mark with its 90 % interval, from the questions whose difficulty is known."""

    mark: float
    low: float
    high: float
    points: float
    known: int
    unknown: int


@router.get("/worksheets", auth=READ, response=Page[WorksheetSummary])
def list_worksheets(request: HttpRequest, asked: Query[PageQuery]) -> Page[WorksheetSummary]:
    """List your own worksheets and those that others share, newest first."""
    return page_by_id(
        own_or_shared(Worksheet.objects.all(), request.user),
        asked,
        of=f"worksheets {request.user.pk}",
        represent=lambda rows: [WorksheetSummary(**_summary(row)) for row in rows],
    )


@router.post("/worksheets", auth=WRITE, response={201: ChangedWorksheet})
def create_worksheet(request: HttpRequest, response: HttpResponse, body: WorksheetBody) -> Status:
    """Make a worksheet: empty, from a list, from questions, or from a list and questions."""
    if body.list_ is not None and not body.name:
        question_list = question_list_get(list_id=body.list_, user=request.user)
        worksheet, added = worksheet_from_list(user=request.user, question_list=question_list)
        body.list_ = None
    else:
        worksheet, added = worksheet_create(user=request.user, name=body.name), Added(0)
    changed = {name: value for name, value in body.given().items() if name in WorksheetPatch.model_fields}
    changed.pop("name", None)
    worksheet_update(user=request.user, worksheet=worksheet, **changed)
    body.show(worksheet, user=request.user)
    more = _added(request, worksheet, body) if body.questions or body.list_ else Added(0)
    response["Location"] = f"{request.path}/{worksheet.pk}"
    return Status(201, _changed(request, response, worksheet.pk, [added, more]))


@router.get("/worksheets/{int:worksheet_id}", auth=READ, response=WorksheetDetail)
def get_worksheet(request: HttpRequest, response: HttpResponse, worksheet_id: Id) -> WorksheetDetail:
    """Return a worksheet."""
    return tagged(response, _detail(request, worksheet_id))


@router.patch("/worksheets/{int:worksheet_id}", auth=WRITE, response=WorksheetDetail, openapi_extra=IF_MATCH)
def change_worksheet(
    request: HttpRequest, response: HttpResponse, worksheet_id: Id, body: WorksheetPatch
) -> WorksheetDetail:
    """Change the appearance of a worksheet, how its versions differ, and who sees it."""
    worksheet = worksheet_update(user=request.user, worksheet=_locked(request, worksheet_id), **body.given())
    body.show(worksheet, user=request.user)
    return tagged(response, _detail(request, worksheet_id))


@router.delete("/worksheets/{int:worksheet_id}", auth=WRITE, response={204: None}, openapi_extra=IF_MATCH)
def delete_worksheet(request: HttpRequest, worksheet_id: Id) -> Status:
    """Delete a worksheet; its questions, and the days on which they were used, stay in the bank."""
    worksheet_delete(user=request.user, worksheet=_locked(request, worksheet_id))
    return Status(204, None)


@router.put("/worksheets/{int:worksheet_id}/entries", auth=WRITE, response=WorksheetDetail, openapi_extra=IF_MATCH)
def replace_worksheet_entries(
    request: HttpRequest, response: HttpResponse, worksheet_id: Id, body: EntriesBody
) -> WorksheetDetail:
    """Replace all questions and sections of a worksheet, with their order, points and lines."""
    worksheet = _locked(request, worksheet_id)
    rows = [
        WorksheetItem(question_id=entry.question, **entry.model_dump(exclude={"question"})) for entry in body.entries
    ]
    worksheet_rows_replace(user=request.user, worksheet=worksheet, rows=rows)
    return tagged(response, _detail(request, worksheet_id))


@router.post("/worksheets/{int:worksheet_id}/questions", auth=WRITE, response=ChangedWorksheet, openapi_extra=IF_MATCH)
def add_to_worksheet(
    request: HttpRequest, response: HttpResponse, worksheet_id: Id, body: AddQuestionsBody
) -> ChangedWorksheet:
    """Append questions to a worksheet, except those that it has already or that cannot be printed."""
    added = _added(request, _locked(request, worksheet_id), body)
    return _changed(request, response, worksheet_id, [added])


@router.post("/worksheets/{int:worksheet_id}/fill", auth=WRITE, response=ChangedWorksheet, openapi_extra=IF_MATCH)
def fill_worksheet(
    request: HttpRequest, response: HttpResponse, worksheet_id: Id, body: FillUpBody
) -> ChangedWorksheet:
    """Append questions with given concepts and difficulty, all unlike each other."""
    worksheet = _locked(request, worksheet_id)
    if unknown := set(body.concepts) - KnowledgeConcept.objects.in_bulk(body.concepts).keys():
        raise ValidationFailed.beside("concepts", f"There is no concept {min(unknown)}.")
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    filters = SearchFilters(
        difficulty_min=body.difficulty_min,
        difficulty_max=body.difficulty_max,
        kind=body.kind or "",
        language=body.language,
        used=body.used,
    )
    taken = [row.question for row in rows if row.question is not None]
    filled = fill_up(wish=FillUpWish(body.number, tuple(body.concepts), filters), taken=taken, user=request.user)
    added = worksheet_add(user=request.user, worksheet=worksheet, questions=filled.questions)
    if added.number < body.number:
        added.refused.append(f"The bank has only {added.number} such questions that are unlike each other.")
    return _changed(request, response, worksheet_id, [added])


@router.post("/worksheets/{int:worksheet_id}/sort", auth=WRITE, response=WorksheetDetail, openapi_extra=IF_MATCH)
def sort_worksheet(request: HttpRequest, response: HttpResponse, worksheet_id: Id) -> WorksheetDetail:
    """Sort the questions of each section by difficulty, the easiest first."""
    worksheet = _locked(request, worksheet_id)
    places = worksheet_places(worksheet_rows(worksheet=worksheet, user=request.user))
    worksheet_order(user=request.user, worksheet=worksheet, places=places)
    return tagged(response, _detail(request, worksheet_id))


@router.post("/worksheets/{int:worksheet_id}/draw", auth=WRITE, response=list[VersionSheet], openapi_extra=IF_MATCH)
def draw_worksheet(request: HttpRequest, worksheet_id: Id) -> list[VersionSheet]:
    """Draw the versions after A again; their keys change with them."""
    worksheet = worksheet_draw_anew(user=request.user, worksheet=_locked(request, worksheet_id))
    return _versions(request, worksheet)


@router.get("/worksheets/{int:worksheet_id}/versions", auth=READ, response=list[VersionSheet])
def list_worksheet_versions(request: HttpRequest, worksheet_id: Id) -> list[VersionSheet]:
    """List the versions of a worksheet; the same worksheet always gives the same ones."""
    return _versions(request, worksheet_get(worksheet_id=worksheet_id, user=request.user))


@router.get("/worksheets/{int:worksheet_id}/file", auth=READ, response={200: None})
def get_worksheet_file(request: HttpRequest, worksheet_id: Id, asked: Query[FileQuery]) -> HttpResponse:
    """Return a worksheet as a file to print; this alone does not count as a use, which `/uses` records."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    return worksheet_printed(worksheet=worksheet, rows=rows, **asked.model_dump()).response


@router.get("/worksheets/{int:worksheet_id}/mark", auth=READ, response=MarkItem | None)
def get_worksheet_mark(request: HttpRequest, worksheet_id: Id) -> MarkItem | None:
    """Return the expected mark; null if no question's difficulty is known."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    found = worksheet_expected_mark(worksheet_rows(worksheet=worksheet, user=request.user))
    if found is None:
        return None
    return MarkItem(**{name: getattr(found, name) for name in MarkItem.model_fields})


@router.post("/worksheets/{int:worksheet_id}/uses", auth=WRITE, response=WorksheetDetail, openapi_extra=IF_MATCH)
def use_worksheet(request: HttpRequest, response: HttpResponse, worksheet_id: Id) -> WorksheetDetail:
    """Record that a worksheet is handed out today, as a download for students on its page does."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    check_if_match(request, lambda: _detail(request, worksheet_id))
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    composed = compose_versions(worksheet, version_names(worksheet)[:1], rows=rows)
    worksheet_use(user=request.user, worksheet=worksheet, question_ids=composed[0].numbers)
    return tagged(response, _detail(request, worksheet_id))


@router.delete("/worksheets/{int:worksheet_id}/uses/{day}", auth=WRITE, response={204: None}, openapi_extra=IF_MATCH)
def forget_worksheet_use(request: HttpRequest, worksheet_id: Id, day: date) -> Status:
    """Forget that a worksheet was handed out on a day."""
    worksheet = _locked(request, worksheet_id)
    if not worksheet_use_forget(user=request.user, worksheet=worksheet, day=day):
        raise NotFound(f"It was not handed out on {day}.")
    return Status(204, None)


def _locked(request: HttpRequest, worksheet_id: int) -> Worksheet:
    """Return one of the caller's worksheets and hold its lock, provided that it is what ``If-Match`` names."""
    Worksheet.objects.select_for_update().filter(pk=worksheet_id, owner=request.user).first()
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user, is_own=True)
    check_if_match(request, lambda: _detail(request, worksheet_id))
    return worksheet


def _added(request: HttpRequest, worksheet: Worksheet, body: AddQuestionsBody) -> Added:
    """Append the questions that a request names, and those of its list."""
    questions = questions_numbered(numbers=body.questions, user=request.user)
    listed = None
    if body.list_ is not None:
        question_list = question_list_get(list_id=body.list_, user=request.user)
        questions += questions_of_list(question_list=question_list, user=request.user)
        listed = items_of_list(question_list=question_list)
    return worksheet_add(user=request.user, worksheet=worksheet, questions=questions, listed=listed)


def _summary(row: Worksheet) -> dict[str, object]:
    own = {"id": row.pk, "owner": row.owner.username, "name": row.name, "updated_at": row.updated_at}
    return own | shown_fields(row)


def _detail(request: HttpRequest, worksheet_id: int) -> WorksheetDetail:
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    columns = WorksheetDetail.model_fields.keys() - {*WorksheetSummary.model_fields, "entries", "used_on"}
    return WorksheetDetail(
        **_summary(worksheet) | {name: getattr(worksheet, name) for name in columns},
        entries=[_entry(row) for row in worksheet_rows(worksheet=worksheet, user=request.user)],
        used_on=[day for day, _count in worksheet_use_days(worksheet=worksheet)],
    )


def _entry(row: WorksheetRow) -> EntryItem:
    return EntryItem(
        question=row.item.question_id,
        number=row.number,
        part_points=row.part_points,
        left_out=row.reason,
        **{name: getattr(row.item, name) for name in ("points", "answer_lines", "heading", "instructions")},
    )


def _changed(
    request: HttpRequest, response: HttpResponse, worksheet_id: int, added: Sequence[Added]
) -> ChangedWorksheet:
    detail = tagged(response, _detail(request, worksheet_id))
    known = sum(one.known for one in added)
    notices = [sentence for one in added for sentence in one.refused]
    notices += [f"{known} were on the worksheet already."] if known else []
    return ChangedWorksheet(**dict(detail), added=sum(one.number for one in added), notices=notices)


def _versions(request: HttpRequest, worksheet: Worksheet) -> list[VersionSheet]:
    names = version_names(worksheet)
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    return [
        VersionSheet(
            version=name,
            questions=list(composed.numbers),
            changed=sorted(composed.changed),
            kept={number: reason for number, reason in composed.kept.items() if reason},
        )
        for name, composed in zip(names, compose_versions(worksheet, names, rows=rows), strict=True)
    ]
