"""The caller of the API and what they may do; and who sees a list, worksheet, test paper or set of responses."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, Field

from questionbank.api.access import Access, Caller
from questionbank.api.contract import Body
from questionbank.core.errors import ValidationFailed
from questionbank.models import DocumentDraft, QuestionList, ResponseSet, User, Visibility, Worksheet
from questionbank.people.owned import row_show
from questionbank.people.permissions import is_admin, roles_of
from questionbank.people.school_selectors import schools_seen, usual_visible_to

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


Row = QuestionList | Worksheet | DocumentDraft | ResponseSet


class VisibilityItem(BaseModel):
    """Who sees it."""

    is_shared: bool = Field(description="Whether people other than its owner may read it.")
    visibility: str = Field(description="Who sees it: `all`, `school` (that of `school`) or `private` (its owner).")
    school: str | None = Field(description="Short name of the school that sees it.")


class VisibilityPatch(Body):
    """Who may see it; what is left out stays as it is."""

    visible_to: Annotated[str, Field(min_length=1, max_length=60)] | None = Field(
        default=None, description="`all`, `private` (its owner) or the short name of one of your schools."
    )
    is_shared: bool | None = Field(
        default=None,
        description="True shows it to your school if you have exactly one, else to everybody; false only to its owner.",
    )

    def show(self, row: Row, *, user: User) -> None:
        """Show a row to those named in the request, if any.

        Raises:
            ValidationFailed: the request sets both fields, or the school is not one of the person's.
            NotAllowed: the row belongs to somebody else, and the person is not an admin.
        """
        if self.visible_to is not None and self.is_shared is not None:
            raise ValidationFailed.beside("is_shared", "Send either “visible_to” or “is_shared”.")
        if self.visible_to is not None:
            row_show(user=user, row=row, visible_to=self.visible_to)
        elif self.is_shared is not None and self.is_shared != row.is_shared:
            wanted = usual_visible_to(user) if self.is_shared else Visibility.PRIVATE.value
            row_show(user=user, row=row, visible_to=wanted)


def shown_fields(row: Row) -> dict[str, Any]:
    """Return the fields of `VisibilityItem`."""
    school = row.school.slug if row.school is not None else None
    return {"is_shared": row.is_shared, "visibility": row.visibility, "school": school}
