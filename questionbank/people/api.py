"""The caller of the API: who they are and what they may do."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, Field

from questionbank.api.access import Access, Caller
from questionbank.people.permissions import is_admin, roles_of
from questionbank.people.school_selectors import schools_seen

router = Router(tags=["me"])


class KeyItem(BaseModel):
    """The key through which a program calls."""

    name: str
    scopes: list[str]
    rate_limit: int = Field(description="Requests per minute.")
    expires_at: datetime | None


class MeItem(BaseModel):
    """The person in whose name the request is made; `key` is null in a browser."""

    id: int
    username: str
    name: str
    roles: list[str]
    is_admin: bool
    schools: list[str] = Field(description="Short names of the schools that can be shown something.")
    key: KeyItem | None


@router.get("/me", auth=Access("read"), response=MeItem)
def get_me(request: HttpRequest) -> MeItem:
    """Return who calls, and what their key may do."""
    caller: Caller = request.auth  # type: ignore[attr-defined]
    user, key = caller.user, caller.key
    return MeItem(
        id=user.pk,
        username=user.username,
        name=str(user),
        roles=roles_of(user),
        is_admin=bool(is_admin(user)),
        schools=list(schools_seen().values_list("slug", flat=True)),
        key=None
        if key is None
        else KeyItem(name=key.name, scopes=key.scopes, rate_limit=key.rate_limit, expires_at=key.expires_at),
    )
