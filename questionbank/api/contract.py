"""What all resources of the API share: values in requests and responses, texts, ETags and pages of lists."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from analytics.json_lines import TEXT_LIMIT
from analytics.languages import detect_language
from questionbank.api.errors import ApiProblem
from questionbank.core.errors import ValidationFailed
from questionbank.formats.answer_files import BATCH, InputQuestion

LARGEST_ID = 2**63 - 1
LARGEST_PAGE = 100
LARGEST_BATCH = 256
LONGEST_IDEMPOTENCY_KEY = 255
_CURSOR = "api-cursor"


def _in_utc(moment: datetime) -> datetime:
    """Return the time in UTC, because PostgreSQL takes no offset of 16 hours or more."""
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("Choose a time in the years 1 to 9999.") from error


Moment = Annotated[AwareDatetime, Field(strict=False), AfterValidator(_in_utc)]
Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
Limit = Annotated[int, Field(ge=1, le=LARGEST_PAGE, description="Items per page.")]
Cursor = Annotated[str, Field(max_length=2000, description="The `next` of the previous page.")]

Value = TypeVar("Value")
Choice = Annotated[Value, Field(strict=False)]
"""A member of an enumeration, which JSON names by its text."""
Item = TypeVar("Item", bound=BaseModel)
Row = TypeVar("Row", bound=Model)


class Fields(BaseModel):
    """What a client sends as texts, in an address or a form; fields that the API does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class Body(Fields):
    """What a client sends as JSON, whose values have types: the number 0 and the text "false" are not `false`."""

    model_config = ConfigDict(strict=True)


class Problem(BaseModel):
    """What went wrong."""

    code: str
    message: str
    fields: dict[str, list[str]]
    request_id: str


class Failure(BaseModel):
    """Every response with a status of 400 or above."""

    error: Problem


class Page(BaseModel, Generic[Item]):
    """One page of a list; `next` is the cursor of the next page, null on the last."""

    items: list[Item]
    next: str | None


class PageQuery(Fields):
    """The part of a list that is asked for."""

    limit: Limit = 50
    cursor: Cursor = ""


def page_by_id(
    rows: QuerySet[Row], asked: PageQuery, *, of: str, represent: Callable[[Sequence[Row]], list[Item]]
) -> Page[Item]:
    """Return a page of rows, newest first; rows added meanwhile are on none of the following pages.

    Args:
        of: what the list contains and how it is filtered; a cursor of another list is refused.
        represent: returns the items of some rows.

    Raises:
        ValidationFailed: the cursor belongs to another list.
    """
    if asked.cursor:
        rows = rows.filter(pk__lt=_last_id(asked.cursor, of))
    found = list(rows.order_by("-pk")[: asked.limit + 1])
    shown = found[: asked.limit]
    is_last = len(found) <= asked.limit
    return Page(items=represent(shown), next=None if is_last else _pack(shown[-1].pk, of))


def _pack(last_id: int, of: str) -> str:
    return signing.dumps([last_id, hashlib.sha256(of.encode()).hexdigest()[:16]], salt=_CURSOR)


def _last_id(cursor: str, of: str) -> int:
    try:
        last_id, digest = signing.loads(cursor, salt=_CURSOR)
    except signing.BadSignature:
        digest = ""
    if digest != hashlib.sha256(of.encode()).hexdigest()[:16]:
        raise ValidationFailed.beside("cursor", "This cursor belongs to another list.")
    return int(last_id)


def etag_of(item: BaseModel) -> str:
    """Return the ETag of a resource's representation, which changes with anything in it."""
    return f'"{hashlib.sha256(item.model_dump_json().encode()).hexdigest()[:32]}"'


def tagged(response: HttpResponse, item: Item) -> Item:
    """Return the representation, and put its ETag into the response."""
    response["ETag"] = etag_of(item)
    return item


def _header(name: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": description, "schema": {"type": "string", **schema}}


IF_MATCH = {
    "parameters": [
        _header("If-Match", "The `ETag` of what you read: if it has changed since then, the request is refused (412).")
    ]
}
"""For `openapi_extra` of operations that call `check_if_match`."""

IDEMPOTENCY_KEY = _header(
    "Idempotency-Key",
    "Any text of your own: if the same request comes again within 24 hours, it returns the first response.",
    pattern="^[!-~]+$",
    maxLength=LONGEST_IDEMPOTENCY_KEY,
)


def check_if_match(request: HttpRequest, current: Callable[[], BaseModel]) -> None:
    """Compare ``If-Match`` with a resource, if the request has this header; the caller holds the resource's lock.

    Raises:
        ApiProblem: the resource is no longer the one that the client read (412).
    """
    wanted = request.headers.get("If-Match", "").strip()
    if not wanted or wanted == "*":
        return
    etags = {etag.strip() for etag in wanted.split(",")}
    if etag_of(current()) not in etags:
        raise ApiProblem(412)


QuestionText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TEXT_LIMIT)]


class TextBody(Body):
    """A question's text; formulas are LaTeX."""

    text: QuestionText
    language: Annotated[str, Field(max_length=12)] = Field(
        default="", description="A language tag such as `en`; by default detected."
    )

    def language_or_detected(self) -> str:
        """Return the language, detected if it was not given."""
        return self.language or detect_language(self.text)


class TextsBody(Body):
    """Up to 256 texts; results come in the same order."""

    texts: Annotated[list[TextBody], Field(min_length=1, max_length=BATCH)]


def input_questions(texts: Sequence[TextBody]) -> list[InputQuestion]:
    """Return texts as the commands for files take them, numbered from 0."""
    return [InputQuestion(number, asked.text, asked.language_or_detected()) for number, asked in enumerate(texts)]
