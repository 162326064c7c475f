"""Questions over the API: list, read in any format, write, retire, restore, versions, tags and pictures.

A question's texts name its pictures as ``![description](name)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import File, Query, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import BaseModel, Field

from analytics.json_lines import TEXT_LIMIT
from analytics.question_content import QuestionContent, as_json, content_of, content_texts
from questionbank.api.access import Access
from questionbank.api.contract import IF_MATCH, Body, Choice, Fields, Id, Page, check_if_match, page_by_id, tagged
from questionbank.api.requests import received_file
from questionbank.bank.answer_content_forms import PICTURES_LIMIT, add_pictures
from questionbank.bank.history_selectors import question_history
from questionbank.bank.question_fields import ConceptItem, QuestionItem, latex_warnings, question_item, question_items
from questionbank.bank.question_selectors import numbered_question_records, picture_bytes, question_get
from questionbank.bank.question_services import (
    question_create,
    question_restore,
    question_retire,
    question_revert,
    question_set_tags,
    question_update,
)
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.formats import WRITTEN
from questionbank.formats.pictures import picture_names
from questionbank.imports.export_services import export_losses, export_pieces, with_figures
from questionbank.models import Attachment, KnowledgeConcept, Question, User
from questionbank.people.permissions import require
from questionbank.search.api import FilterQuery
from questionbank.search.filters import filtered_questions
from questionbank.similar.api import SimilarItem
from questionbank.similar.file_results import hit_fields
from questionbank.similar.insight import near_copies

router = Router(tags=["questions"])
READ, CREATE = Access("read"), Access("question_create")
EDIT, TAG = Access("read", "write"), Access("tags_edit")  # a question's author or an admin edits it: services check

OptionText = Annotated[str, Field(max_length=TEXT_LIMIT)]


class OptionBody(Body):
    """An option of a question."""

    label: OptionText
    text: OptionText
    misconception: OptionText = ""
    weight: Annotated[float, Field(ge=-1, le=1)] | None = None
    feedback: OptionText = ""


class QuestionBody(Body):
    """A question to write; what is left out is empty."""

    text: str
    language: str = "en"
    kind: Choice[Question.Kind] = Question.Kind.OPEN
    options: list[OptionBody] = []
    answer: str = ""
    solution: str = ""
    equation: str = ""
    grade: str = ""
    status: Choice[Question.Status] = Question.Status.READY
    concepts: list[Id] = Field(default=[], description="Numbers of concepts.")
    content: dict[str, Any] = Field(default={}, description="Data for grading, as the export format `jsonl` has it.")
    visible_to: Annotated[str, Field(max_length=60)] = Field(
        default="",
        description="Who sees it: `all`, `private` (its author) or the short name of a school. If it is left out, a new"
        " question is seen by your school, or by everybody if you have none or several; another one stays as it is.",
    )


class QuestionPatch(QuestionBody):
    """Fields of a question to change; the others stay."""

    text: str = ""
    language: str = ""


class TagsBody(Body):
    """All concepts of a question."""

    concepts: list[Id]


class RevertBody(Body):
    """The change before which a question's earlier version is."""

    event: Id


class ChangedField(BaseModel):
    """A field before and after a change."""

    field: str = Field(description="The field's name as pages show it.")
    before: str
    after: str


class CreatedQuestion(QuestionItem):
    """A new question, with what the page would have said before saving it."""

    warnings: list[str] = Field(description="What looks wrong in its formulas.")
    near_copies: list[SimilarItem] = Field(description="Questions that read almost the same.")


class VersionItem(BaseModel):
    """A change of a question; `event` brings back what was before it, null if nothing can be brought back."""

    at: datetime
    who: str
    event: int | None
    changes: list[ChangedField]


class FormatQuery(Fields):
    """The representation of a question."""

    format: str = Field(default="", alias="as", description="An export format such as `gift`; by default JSON.")


@router.get("/questions", auth=READ, response=Page[QuestionItem])
def list_questions(request: HttpRequest, asked: Query[FilterQuery]) -> Page[QuestionItem]:
    """List questions, newest first, with the filters of the search page. Others' drafts are for admins only."""
    filters = asked.filters().seen_by(request.user)
    questions = filtered_questions(filters).defer("search_vector", "content_hash")
    return page_by_id(questions, asked, of=f"questions {filters.to_query()}", represent=question_items)


@router.post("/questions", auth=CREATE, response={201: CreatedQuestion})
def create_question(request: HttpRequest, response: HttpResponse, body: QuestionBody) -> Status:
    """Add a question. It is added even if the bank has a near copy: look at `near_copies`, and retire it if need be."""
    question = question_create(user=request.user, **_service_fields(body.model_dump()))
    response["Location"] = f"{request.path}/{question.pk}"
    parts = [body.text, body.solution, *(option.text for option in body.options)]
    shown = tagged(response, question_shown(request, question.pk))
    return Status(
        201,
        CreatedQuestion(
            **dict(shown),
            warnings=list(dict.fromkeys(warning for part in parts for warning in latex_warnings(part))),
            near_copies=[
                SimilarItem.model_validate(hit_fields(hit))
                for hit in near_copies(text=question.analysed_text, user=request.user, exclude=question)
            ],
        ),
    )


@router.get("/questions/{int:question_id}", auth=READ, response=QuestionItem)
def get_question(request: HttpRequest, response: HttpResponse, question_id: Id, asked: Query[FormatQuery]) -> Any:
    """Return a question, as JSON or as a file in one of the export formats."""
    question = question_get(question_id=question_id, user=request.user)
    if not asked.format:
        return tagged(response, question_item(question))
    return _file(question, asked.format, request.user)


@router.put("/questions/{int:question_id}", auth=EDIT, response=QuestionItem, openapi_extra=IF_MATCH)
def replace_question(request: HttpRequest, response: HttpResponse, question_id: Id, body: QuestionBody) -> QuestionItem:
    """Replace a question; fields that are left out become empty."""
    return _update(request, response, question_id, body.model_dump())


@router.patch("/questions/{int:question_id}", auth=EDIT, response=QuestionItem, openapi_extra=IF_MATCH)
def change_question(request: HttpRequest, response: HttpResponse, question_id: Id, body: QuestionPatch) -> QuestionItem:
    """Change some fields of a question."""
    return _update(request, response, question_id, body.model_dump(exclude_unset=True))


@router.post("/questions/{int:question_id}/retire", auth=EDIT, response=QuestionItem, openapi_extra=IF_MATCH)
def retire_question(request: HttpRequest, response: HttpResponse, question_id: Id) -> QuestionItem:
    """Take a question out of searches; it stays in the bank."""
    question = question_locked(request, question_id)
    question_retire(user=request.user, question=question)
    return tagged(response, question_shown(request, question_id))


@router.post("/questions/{int:question_id}/restore", auth=EDIT, response=QuestionItem, openapi_extra=IF_MATCH)
def restore_question(request: HttpRequest, response: HttpResponse, question_id: Id) -> QuestionItem:
    """Bring a retired question back into searches."""
    question = question_locked(request, question_id)
    if question.status != Question.Status.RETIRED:
        raise Conflict("This question is not retired.")
    question_restore(user=request.user, question=question)
    return tagged(response, question_shown(request, question_id))


@router.get("/questions/{int:question_id}/versions", auth=READ, response=list[VersionItem])
def list_question_versions(request: HttpRequest, question_id: Id) -> list[VersionItem]:
    """List the latest changes of a question, newest first."""
    question = question_get(question_id=question_id, user=request.user)
    return [
        VersionItem(
            at=entry.when,
            who=entry.who,
            event=entry.event,
            changes=[
                ChangedField(field=change.field, before=change.before, after=change.after) for change in entry.changes
            ],
        )
        for entry in question_history(question=question)
    ]


@router.post("/questions/{int:question_id}/revert", auth=EDIT, response=QuestionItem, openapi_extra=IF_MATCH)
def revert_question(request: HttpRequest, response: HttpResponse, question_id: Id, body: RevertBody) -> QuestionItem:
    """Bring back a question's wording, grading and grade from before a change."""
    question = question_locked(request, question_id)
    question_revert(user=request.user, question=question, event=body.event, version=question.version)
    return tagged(response, question_shown(request, question_id))


@router.get("/questions/{int:question_id}/tags", auth=READ, response=list[ConceptItem])
def list_question_tags(request: HttpRequest, question_id: Id) -> list[ConceptItem]:
    """List the concepts of a question."""
    return question_item(question_get(question_id=question_id, user=request.user)).concepts


@router.put("/questions/{int:question_id}/tags", auth=TAG, response=QuestionItem, openapi_extra=IF_MATCH)
def replace_question_tags(
    request: HttpRequest, response: HttpResponse, question_id: Id, body: TagsBody
) -> QuestionItem:
    """Tag a question with exactly these concepts. Everybody who writes questions may tag any question."""
    question = question_locked(request, question_id)
    question_set_tags(user=request.user, question=question, concepts=_concepts(body.concepts))
    return tagged(response, question_shown(request, question_id))


def question_locked(request: HttpRequest, question_id: int) -> Question:
    """Return a question that the caller may see, and which stays as it is until the end of the transaction.

    Raises:
        NotFound: there is no such question, or it is somebody else's draft.
        ApiProblem: it is not the version that ``If-Match`` names (412).
    """
    question_get(question_id=question_id, user=request.user)
    rows = Question.objects.select_for_update().filter(pk=question_id)
    question = get_or_not_found(rows, f"There is no question {question_id}.")
    check_if_match(request, lambda: question_shown(request, question_id))
    return question


def question_shown(request: HttpRequest, question_id: int) -> QuestionItem:
    """Return a question that the caller may see."""
    return question_item(question_get(question_id=question_id, user=request.user))


def _update(request: HttpRequest, response: HttpResponse, question_id: int, given: dict[str, Any]) -> QuestionItem:
    question = question_locked(request, question_id)
    fields = present_fields(question) | _service_fields(given)
    question_update(user=request.user, question=question, version=question.version, **fields)
    return tagged(response, question_shown(request, question_id))


def present_fields(question: Question) -> dict[str, Any]:
    """Return a question's fields as `question_update` takes them."""
    equation = getattr(question, "equation", None)
    same = ("text", "language", "kind", "options", "answer", "solution", "grade", "status")
    return {name: getattr(question, name) for name in same} | {
        "equation": equation.expression if equation else "",
        "content": content_of(question.content),
        "concepts": list(KnowledgeConcept.objects.filter(question_tags__question=question)),
    }


def _service_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a request as `question_create` and `question_update` take them."""
    fields = dict(given)
    if "concepts" in fields:
        fields["concepts"] = _concepts(fields["concepts"])
    if "content" in fields:
        fields["content"] = _content(fields["content"])
    return fields


def _concepts(ids: Sequence[int]) -> list[KnowledgeConcept]:
    found = KnowledgeConcept.objects.in_bulk(ids)
    if missing := [pk for pk in ids if pk not in found]:
        raise ValidationFailed.beside("concepts", f"There is no concept {missing[0]}.")
    return list(found.values())


def _content(given: dict[str, Any]) -> QuestionContent:
    try:
        content = content_of(given)
    except ValueError as error:
        raise ValidationFailed.beside("content", str(error)) from error
    pictures = {picture.sha256 for picture in content.pictures if picture.sha256}
    if unknown := pictures - set(Attachment.objects.filter(pk__in=pictures).values_list("pk", flat=True)):
        raise ValidationFailed.beside("content", f"The bank has no picture {min(unknown)}.")
    return content


def _file(question: Question, format: str, user: User) -> HttpResponse:
    """Return a question as a file, with the figures that the person may see.

    Raises:
        ValidationFailed: there is no such format, or it cannot hold the question.
    """
    if format not in WRITTEN:
        raise ValidationFailed.beside("as", f"Use one of {', '.join(WRITTEN)}.")
    records = list(with_figures(numbered_question_records([question], originals_of=format), user=user))
    losses = export_losses(records=records, format=format)
    if losses.refused:
        raise ValidationFailed.beside("as", next(iter(losses.refused)))
    data = b"".join(export_pieces(records=[record for _pk, record in records], format=format))
    return HttpResponse(data, headers=WRITTEN[format].headers(f"question-{question.pk}", data))


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
    _update_pictures(request, question, content_of(as_json(content) | {"pictures": pictures}), text=text)
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
    """Take a picture from a question, once none of its texts names it."""
    question = _editable(request, question_id)
    _sha256(question, name)
    if name in _named(question):
        raise Conflict(f"A text of this question shows “{name}”. Take it out of the text first.")
    content = content_of(question.content)
    kept = tuple(picture for picture in content.pictures if picture.name != name)
    _update_pictures(request, question, replace(content, pictures=kept))
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


def _update_pictures(request: HttpRequest, question: Question, content: QuestionContent, **fields: Any) -> None:
    changed = present_fields(question) | {"content": content} | fields
    question_update(user=request.user, question=question, version=question.version, **changed)
