"""Keys of the API, as their owners and admins see them."""

from __future__ import annotations

from django.db.models import QuerySet

from questionbank.core.database import get_or_not_found
from questionbank.models import ApiKey, User


def api_keys(*, owner: User | None = None) -> QuerySet[ApiKey]:
    """Return the keys that are not revoked, newest first: those of a person, or all of them with their owners."""
    keys = ApiKey.objects.filter(revoked_at=None)
    return (
        keys.select_related("owner", "made_with")
        if owner is None
        else keys.select_related("made_with").filter(owner=owner)
    )


def api_key_get(*, owner: User, key_id: int) -> ApiKey:
    """Return one of a person's keys that is not revoked."""
    return get_or_not_found(api_keys(owner=owner).filter(pk=key_id), f"You have no key {key_id}.")
