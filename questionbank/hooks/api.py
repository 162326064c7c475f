"""A person's web hooks over the API."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field

from questionbank.api.access import Access
from questionbank.api.contract import IF_MATCH, Body, Choice, Id, Page, PageQuery, check_if_match, page_by_id, tagged
from questionbank.hooks.selectors import hook_deliveries, hook_get, hooks_of
from questionbank.hooks.services import delivery_replay, hook_create, hook_delete, hook_set_active, hook_test
from questionbank.models import Hook, HookDelivery

router = Router(tags=["web hooks"])
READ, WRITE = Access("read"), Access("read", "write")  # everybody manages their own hooks


class HookBody(Body):
    """A new web hook."""

    address: str = Field(description="It begins with `https://` or `http://` and leads to a public address.")
    events: Annotated[list[Choice[Hook.Event]], Field(min_length=1)]


class HookPatch(Body):
    """What to change about a web hook."""

    is_active: bool


class HookItem(BaseModel):
    """A web hook."""

    id: int
    address: str
    events: list[str]
    is_active: bool
    failing_since: datetime | None = Field(description="When the first attempt since the last delivery failed.")
    disabled_because: str = Field(description="Why Kindred disabled it; empty otherwise.")
    created_at: datetime
    made_with: int | None = Field(description="The key that made it, and which it ends with; null if a person made it.")


class NewHook(HookItem):
    """A new web hook with its secret, which is never shown again."""

    secret: str


class DeliveryItem(BaseModel):
    """A message to a web hook, and every attempt to deliver it."""

    id: int
    message_id: str = Field(description="Sent as `webhook-id`.")
    type: str
    state: str = Field(description="`waiting`, `delivered` or `failed`.")
    body: dict[str, Any]
    attempts: list[dict[str, Any]]
    due_at: datetime | None
    created_at: datetime


@router.get("/hooks", auth=READ, response=Page[HookItem])
def list_hooks(request: HttpRequest, asked: Query[PageQuery]) -> Page[HookItem]:
    """List one's own web hooks, newest first."""
    own = hooks_of(owner=request.user)
    return page_by_id(own, asked, of=f"hooks {request.user.pk}", represent=lambda rows: list(map(_item, rows)))


@router.post("/hooks", auth=WRITE, response={201: NewHook})
def create_hook(request: HttpRequest, response: HttpResponse, body: HookBody) -> Status:
    """Make a web hook. This response alone contains its secret, so none is kept for an `Idempotency-Key`."""
    site = request.build_absolute_uri("/")
    hook, secret = hook_create(user=request.user, address=body.address, events=body.events, site=site)
    request.response_is_secret = True  # type: ignore[attr-defined] # `questionbank.api.requests` stores none
    response["Location"] = f"{request.path}/{hook.pk}"
    tagged(response, _item(hook))
    return Status(201, NewHook(**_item(hook).model_dump(), secret=secret))


@router.get("/hooks/{int:hook_id}", auth=READ, response=HookItem)
def get_hook(request: HttpRequest, response: HttpResponse, hook_id: Id) -> HookItem:
    """Return a web hook."""
    return tagged(response, _item(hook_get(user=request.user, hook_id=hook_id)))


@router.patch("/hooks/{int:hook_id}", auth=WRITE, response=HookItem, openapi_extra=IF_MATCH)
def change_hook(request: HttpRequest, response: HttpResponse, hook_id: Id, body: HookPatch) -> HookItem:
    """Disable a web hook, or enable it again."""
    _check_locked(request, hook_id)
    return tagged(response, _item(hook_set_active(user=request.user, hook_id=hook_id, is_active=body.is_active)))


@router.delete("/hooks/{int:hook_id}", auth=WRITE, response={204: None}, openapi_extra=IF_MATCH)
def delete_hook(request: HttpRequest, hook_id: Id) -> Status:
    """Delete a web hook with its deliveries."""
    _check_locked(request, hook_id)
    hook_delete(user=request.user, hook_id=hook_id)
    return Status(204, None)


@router.post("/hooks/{int:hook_id}/test", auth=WRITE, response={202: DeliveryItem})
def test_hook(request: HttpRequest, hook_id: Id) -> Status:
    """Send a message of the type `hook.test`, once; its delivery shows the response."""
    return Status(202, _delivery(hook_test(user=request.user, hook_id=hook_id)))


@router.get("/hooks/{int:hook_id}/deliveries", auth=READ, response=Page[DeliveryItem])
def list_hook_deliveries(request: HttpRequest, hook_id: Id, asked: Query[PageQuery]) -> Page[DeliveryItem]:
    """List the messages to a web hook, newest first, with what the receiver answered."""
    deliveries = hook_deliveries(hook=hook_get(user=request.user, hook_id=hook_id))
    return page_by_id(deliveries, asked, of=f"deliveries {hook_id}", represent=_deliveries)


@router.post("/hooks/{int:hook_id}/deliveries/{int:delivery_id}/replay", auth=WRITE, response={202: DeliveryItem})
def replay_hook_delivery(request: HttpRequest, hook_id: Id, delivery_id: Id) -> Status:
    """Send a message again, with the same id and body."""
    return Status(202, _delivery(delivery_replay(user=request.user, hook_id=hook_id, delivery_id=delivery_id)))


def _check_locked(request: HttpRequest, hook_id: int) -> None:
    """Lock one of the caller's hooks, provided that its state is the one that ``If-Match`` names."""
    Hook.objects.select_for_update().filter(pk=hook_id, owner=request.user).first()
    check_if_match(request, lambda: _item(hook_get(user=request.user, hook_id=hook_id)))


def _item(hook: Hook) -> HookItem:
    same = "address events is_active failing_since disabled_because created_at".split()
    return HookItem(id=hook.pk, made_with=hook.made_with_id, **{name: getattr(hook, name) for name in same})


def _deliveries(rows: Sequence[HookDelivery]) -> list[DeliveryItem]:
    return list(map(_delivery, rows))


def _delivery(delivery: HookDelivery) -> DeliveryItem:
    return DeliveryItem(
        id=delivery.pk,
        message_id=f"msg_{delivery.message_id.hex}",
        type=delivery.kind,
        state=delivery.state,
        body=json.loads(delivery.body),
        attempts=delivery.attempts,
        due_at=delivery.due_at,
        created_at=delivery.created_at,
    )
