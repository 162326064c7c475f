"""Keys of the API, as their owners and admins see them."""

from __future__ import annotations

from django.db.models import QuerySet

from questionbank.models import ApiKey, User


def api_keys(*, owner: User | None = None) -> QuerySet[ApiKey]:
    """Return the keys that are not revoked, newest first: those of a person, or all of them with their owners."""
    keys = ApiKey.objects.filter(revoked_at=None)
    return (
        keys.select_related("owner", "made_with")
        if owner is None
        else keys.select_related("made_with").filter(owner=owner)
    )
