"""Keys over the API: one's own, as on the page of keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field

from questionbank.api.access import Access, Caller
from questionbank.api.contract import Body, Choice, Id, Moment, Page, PageQuery, page_by_id
from questionbank.api.errors import ApiProblem
from questionbank.api.key_services import LARGEST_RATE, api_key_create, api_key_revoke, api_keys
from questionbank.models import ApiKey

router = Router(tags=["me"])
READ, WRITE = Access("read"), Access("read", "write")  # everybody with a role has keys, as on the page


class NewKeyBody(Body):
    """A new key; it allows no more than the key that makes it."""

    name: str
    scopes: Annotated[list[Choice[ApiKey.Scope]], Field(min_length=1)]
    expires_at: Moment | None = Field(default=None, description="By default never.")
    rate_limit: Annotated[int, Field(ge=1, le=LARGEST_RATE, description="Requests per minute.")] = 600


class OwnKey(BaseModel):
    """A key that is not revoked."""

    id: int
    name: str
    beginning: str = Field(description="Its first characters.")
    scopes: list[str]
    rate_limit: int = Field(description="Requests per minute.")
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    made_with: int | None = Field(description="The key that made it, and which it ends with; null if a person made it.")


class NewKey(OwnKey):
    """A key at the only time at which it can be read."""

    key: str


@router.get("/keys", auth=READ, response=Page[OwnKey])
def list_keys(request: HttpRequest, asked: Query[PageQuery]) -> Page[OwnKey]:
    """List one's own keys, newest first, without those that are revoked."""
    return page_by_id(api_keys(owner=request.user), asked, of=f"keys {request.user.pk}", represent=_keys)


@router.post("/keys", auth=WRITE, response={201: NewKey})
def create_key(request: HttpRequest, response: HttpResponse, body: NewKeyBody) -> Status:
    """Make a key. This response is the only one that contains it, so none is kept for an `Idempotency-Key`."""
    _check_against(request.auth, body)  # type: ignore[attr-defined]
    key, secret = api_key_create(user=request.user, **body.model_dump())
    request.response_is_secret = True  # type: ignore[attr-defined] # `questionbank.api.requests` stores none
    response["Location"] = f"{request.path}/{key.pk}"
    return Status(201, NewKey(**dict(_keys([key])[0]), key=secret))


@router.delete("/keys/{int:key_id}", auth=WRITE, response={204: None})
def revoke_key(request: HttpRequest, key_id: Id) -> Status:
    """Revoke a key at once and for good, with the keys that were made with it; web hooks made with any are disabled."""
    api_key_revoke(user=request.user, key_id=key_id)
    return Status(204, None)


def _check_against(caller: Caller, body: NewKeyBody) -> None:
    """Refuse a key that would outdo the one that makes it.

    Raises:
        ApiProblem: it would have another scope, call more often, or last longer.
    """
    key = caller.key
    if key is None:
        return
    if missing := [scope for scope in body.scopes if scope not in key.scopes]:
        raise ApiProblem(403, f"Your own key lacks the scope “{missing[0]}”.", code="scope_missing")
    if body.rate_limit > key.rate_limit:
        raise ApiProblem(403, f"Your own key allows {key.rate_limit} requests per minute.")
    if key.expires_at is not None and (body.expires_at is None or body.expires_at > key.expires_at):
        raise ApiProblem(403, f"Your own key ends at {key.expires_at:%Y-%m-%dT%H:%M:%SZ}: choose an earlier time.")


def _keys(found: Sequence[ApiKey]) -> list[OwnKey]:
    same = "name beginning scopes rate_limit created_at expires_at last_used_at".split()
    return [
        OwnKey(id=key.pk, made_with=key.made_with_id, **{name: getattr(key, name) for name in same}) for key in found
    ]
