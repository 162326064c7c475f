"""Lists of questions over the API: one's own, and those that others share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import Field

from questionbank.api.access import Access
from questionbank.api.contract import IF_MATCH, Body, Id, Page, PageQuery, check_if_match, page_by_id, tagged
from questionbank.api.people_api import VisibilityItem, VisibilityPatch, shown_fields
from questionbank.bank.list_selectors import own_or_shared, question_list_get, questions_of_list
from questionbank.bank.list_services import (
    LONGEST_LIST,
    question_list_add,
    question_list_create,
    question_list_delete,
    question_list_move,
    question_list_remove,
    question_list_rename,
)
from questionbank.bank.question_selectors import questions_numbered
from questionbank.core.errors import NotFound
from questionbank.models import QuestionList

router = Router(tags=["lists"])
READ, WRITE = Access("read"), Access("read", "write")  # a list's owner changes it: the services check


class ListBody(Body):
    """A new list."""

    name: str


class ListPatch(VisibilityPatch):
    """What to change about a list."""

    name: str | None = None


class AddBody(Body):
    """Questions to append; those that are on the list already stay where they are."""

    questions: Annotated[list[Id], Field(min_length=1, max_length=LONGEST_LIST)]


class PlaceBody(Body):
    """A place on a list, counted from 1; beyond the end means the last one."""

    position: Annotated[int, Field(ge=1, le=LONGEST_LIST)]


class ListSummary(VisibilityItem):
    """A list without its questions."""

    id: int
    name: str
    owner: str
    updated_at: datetime


class ListItem(ListSummary):
    """A list; `questions` are numbers in the list's order, without those that you may not see."""

    instructions: str
    questions: list[int]


@router.get("/lists", auth=READ, response=Page[ListSummary])
def list_lists(request: HttpRequest, asked: Query[PageQuery]) -> Page[ListSummary]:
    """List one's own lists and those that others share, newest first."""
    readable = own_or_shared(QuestionList.objects.all(), request.user)
    return page_by_id(readable, asked, of=f"lists {request.user.pk}", represent=_summaries)


@router.post("/lists", auth=WRITE, response={201: ListItem})
def create_list(request: HttpRequest, response: HttpResponse, body: ListBody) -> Status:
    """Add an empty list."""
    question_list = question_list_create(user=request.user, name=body.name)
    response["Location"] = f"{request.path}/{question_list.pk}"
    return Status(201, tagged(response, _item(request, question_list.pk)))


@router.get("/lists/{int:list_id}", auth=READ, response=ListItem)
def get_list(request: HttpRequest, response: HttpResponse, list_id: Id) -> ListItem:
    """Return a list."""
    return tagged(response, _item(request, list_id))


@router.patch("/lists/{int:list_id}", auth=WRITE, response=ListItem, openapi_extra=IF_MATCH)
def change_list(request: HttpRequest, response: HttpResponse, list_id: Id, body: ListPatch) -> ListItem:
    """Rename a list, share it, or stop sharing it."""
    question_list = _locked(request, list_id)
    if body.name is not None:
        question_list_rename(user=request.user, question_list=question_list, name=body.name)
    body.show(question_list, user=request.user)
    return tagged(response, _item(request, list_id))


@router.delete("/lists/{int:list_id}", auth=WRITE, response={204: None}, openapi_extra=IF_MATCH)
def delete_list(request: HttpRequest, list_id: Id) -> Status:
    """Delete a list; its questions stay in the bank."""
    question_list_delete(user=request.user, question_list=_locked(request, list_id))
    return Status(204, None)


@router.post("/lists/{int:list_id}/questions", auth=WRITE, response=ListItem, openapi_extra=IF_MATCH)
def add_to_list(request: HttpRequest, response: HttpResponse, list_id: Id, body: AddBody) -> ListItem:
    """Append questions to a list."""
    question_list = _locked(request, list_id)
    questions = questions_numbered(numbers=dict.fromkeys(body.questions), user=request.user)
    question_list_add(user=request.user, question_list=question_list, questions=questions, with_templates=True)
    return tagged(response, _item(request, list_id))


@router.put("/lists/{int:list_id}/questions/{int:question_id}", auth=WRITE, response=ListItem, openapi_extra=IF_MATCH)
def move_in_list(
    request: HttpRequest, response: HttpResponse, list_id: Id, question_id: Id, body: PlaceBody
) -> ListItem:
    """Move a question to another place on its list."""
    question_list = _locked(request, list_id)
    if not question_list.items.filter(question_id=question_id).exists():
        raise NotFound(f"Question {question_id} is not on this list.")
    question_list_move(user=request.user, question_list=question_list, question_id=question_id, position=body.position)
    return tagged(response, _item(request, list_id))


@router.delete(
    "/lists/{int:list_id}/questions/{int:question_id}", auth=WRITE, response=ListItem, openapi_extra=IF_MATCH
)
def remove_from_list(request: HttpRequest, response: HttpResponse, list_id: Id, question_id: Id) -> ListItem:
    """Take a question off a list."""
    question_list = _locked(request, list_id)
    if not question_list_remove(user=request.user, question_list=question_list, question_id=question_id):
        raise NotFound(f"Question {question_id} is not on this list.")
    return tagged(response, _item(request, list_id))


def _locked(request: HttpRequest, list_id: int) -> QuestionList:
    """Return one of the caller's lists and hold its lock, provided that it is what ``If-Match`` names."""
    QuestionList.objects.select_for_update().filter(pk=list_id, owner=request.user).first()
    question_list = question_list_get(list_id=list_id, user=request.user, is_own=True)
    check_if_match(request, lambda: _item(request, list_id))
    return question_list


def _item(request: HttpRequest, list_id: int) -> ListItem:
    row = question_list_get(list_id=list_id, user=request.user)
    return ListItem(
        **_summary(row),
        instructions=row.instructions,
        questions=[question.pk for question in questions_of_list(question_list=row, user=request.user)],
    )


def _summaries(rows: Sequence[QuestionList]) -> list[ListSummary]:
    return [ListSummary(**_summary(row)) for row in rows]


def _summary(row: QuestionList) -> dict[str, Any]:
    own = {"id": row.pk, "name": row.name, "owner": row.owner.username, "updated_at": row.updated_at}
    return own | shown_fields(row)
