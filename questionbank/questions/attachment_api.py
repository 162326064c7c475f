"""Pictures of a question over the API, which its texts name as ``![description](name)``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import File, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import BaseModel, Field

from analytics.question_content import QuestionContent, as_json, content_of, content_texts
from questionbank.api.access import Access
from questionbank.api.contract import IF_MATCH, Id, tagged
from questionbank.api.requests import received_file
from questionbank.bank.answer_content_forms import PICTURES_LIMIT, add_pictures
from questionbank.bank.question_representation import QuestionItem
from questionbank.bank.question_selectors import picture_bytes, question_get
from questionbank.bank.question_services import question_update
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.formats.pictures import picture_names
from questionbank.models import Attachment, Question
from questionbank.people.permissions import require
from questionbank.questions.api import EDIT, present_fields, question_locked, question_shown

router = Router(tags=["questions"])
READ = Access("read")


class AttachmentItem(BaseModel):
    """A picture of a question."""

    name: str
    sha256: str
    media_type: str
    size: int = Field(description="Bytes.")
    width: int
    height: int
    is_named: bool = Field(description="Whether a text of the question shows it.")


# First, because the limits of uploads know an address by the name of its first operation.
@router.post(
    "/questions/{int:question_id}/attachments", auth=EDIT, response={201: QuestionItem}, openapi_extra=IF_MATCH
)
def create_attachment(
    request: HttpRequest, response: HttpResponse, question_id: Id, file: File[UploadedFile | None] = None
) -> Status:
    """Add a picture (PNG, JPEG, GIF, WebP), or replace the one of the same name.

    The question's text shows it at its end, unless a text of the question names it already.
    """
    question = _editable(request, question_id)
    upload = received_file(request, file, limit="REVIEW_UPLOAD_MAX_BYTES")
    content = content_of(question.content)
    before = [{"name": picture.name, "sha256": picture.sha256} for picture in content.pictures]
    problems: list[str] = []
    rows = add_pictures(before, [upload], problems)
    if problems:
        raise ValidationFailed.beside("file", problems[0])
    if len(rows) > PICTURES_LIMIT:
        raise ValidationFailed.beside("file", f"A question has up to {PICTURES_LIMIT} pictures.")
    added = rows[-1]
    text = question.text if added["name"] in _named(question) else f"{question.text.rstrip()}\n\n![]({added['name']})"
    widths = {(picture.name, picture.sha256): picture.width for picture in content.pictures}
    pictures = [row | {"width": widths.get((row["name"], row["sha256"]), 0.0)} for row in rows]
    _update(request, question, content_of(as_json(content) | {"pictures": pictures}), text=text)
    response["Location"] = f"{request.path}/{added['name']}"
    return Status(201, tagged(response, question_shown(request, question_id)))


@router.get("/questions/{int:question_id}/attachments", auth=READ, response=list[AttachmentItem])
def list_attachments(request: HttpRequest, question_id: Id) -> list[AttachmentItem]:
    """List the pictures of a question."""
    question = question_get(question_id=question_id, user=request.user)
    pictures, named = content_of(question.content).pictures, _named(question)
    rows = Attachment.objects.in_bulk([picture.sha256 for picture in pictures])
    same = ("sha256", "media_type", "size", "width", "height")
    return [
        AttachmentItem(name=picture.name, is_named=picture.name in named, **{name: getattr(row, name) for name in same})
        for picture in pictures
        if (row := rows.get(picture.sha256)) is not None
    ]


@router.get("/questions/{int:question_id}/attachments/{path:name}", auth=READ, response={200: None})
def get_attachment(request: HttpRequest, question_id: Id, name: str) -> HttpResponse:
    """Return a picture of a question."""
    question = question_get(question_id=question_id, user=request.user)
    attachment = Attachment.objects.filter(pk=_sha256(question, name)).first()
    data = picture_bytes(attachment.pk) if attachment is not None else None
    if attachment is None or data is None:
        raise NotFound("The file of this picture is not stored.")
    return HttpResponse(data, content_type=attachment.media_type)


@router.delete(
    "/questions/{int:question_id}/attachments/{path:name}", auth=EDIT, response=QuestionItem, openapi_extra=IF_MATCH
)
def delete_attachment(request: HttpRequest, response: HttpResponse, question_id: Id, name: str) -> QuestionItem:
    """Take a picture from a question, once none of its texts names it any more."""
    question = _editable(request, question_id)
    _sha256(question, name)
    if name in _named(question):
        raise Conflict(f"A text of this question shows “{name}”. Take it out of the text first.")
    content = content_of(question.content)
    kept = tuple(picture for picture in content.pictures if picture.name != name)
    _update(request, question, replace(content, pictures=kept))
    return tagged(response, question_shown(request, question_id))


def _editable(request: HttpRequest, question_id: int) -> Question:
    question = question_locked(request, question_id)
    require(request.user, "question_edit", "You may not change this question.", question)
    return question


def _named(question: Question) -> dict[str, None]:
    """Return the names of the pictures that the texts of a question show."""
    options = [option.get(name, "") for option in question.options for name in ("text", "feedback")]
    return picture_names([question.text, question.solution, *options, *content_texts(content_of(question.content))])


def _sha256(question: Question, name: str) -> str:
    for picture in content_of(question.content).pictures:
        if picture.name == name and picture.sha256:
            return picture.sha256
    raise NotFound("This question has no such picture.")


def _update(request: HttpRequest, question: Question, content: QuestionContent, **fields: Any) -> None:
    changed = present_fields(question) | {"content": content} | fields
    question_update(user=request.user, question=question, version=question.version, **changed)
