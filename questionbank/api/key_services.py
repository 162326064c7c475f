"""Listing, making, checking and revoking keys of the API."""

from __future__ import annotations

import hashlib
import secrets
import string
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from questionbank.core.database import get_or_not_found
from questionbank.core.errors import NotAllowed, ValidationFailed
from questionbank.core.wording import counted
from questionbank.models import ApiKey, Hook, User
from questionbank.people.owned import checked_name
from questionbank.people.permissions import require


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


PREFIX = "kdr_"
RANDOM_LENGTH = 40
MOST_KEYS = 50  # open keys of a person
LARGEST_RATE = 6000  # requests per minute
_BEGINNING = 8  # characters of a key that are stored
_LETTERS = string.ascii_letters + string.digits
_USE_NOTED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class RevokedKey:
    """A key that is revoked, and how much of what was made with it ended too."""

    key: ApiKey
    keys: int
    hooks: int

    @property
    def others(self) -> str:
        """A sentence about what ended with it; empty if nothing did."""
        keys = [counted(self.keys, "key", "keys")] if self.keys else []
        hooks = [counted(self.hooks, "web hook", "web hooks")] if self.hooks else []
        return f"What it created has ended too: {' and '.join(keys + hooks)}." if keys + hooks else ""


def key_digest(secret: str) -> str:
    """Return the SHA-256 of a key in hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


@transaction.atomic
def api_key_create(
    *,
    user: User,
    name: str,
    scopes: Collection[str],
    expires_at: datetime | None = None,
    rate_limit: int = ApiKey._meta.get_field("rate_limit").default,
) -> tuple[ApiKey, str]:
    """Make a key for a person, and return it with its secret, which is not stored.

    Raises:
        ValidationFailed: holds the problems by field.
        NotAllowed: the person has no role, or the key through which they act was just revoked.
    """
    require(user, "read", "You need a role before you can make keys.")
    made_with = acting_key(user=user)
    own = ApiKey.objects.filter(owner=user, revoked_at=None)
    name = checked_name(own, name, noun="key")
    problems: dict[str, list[str]] = {}
    if not scopes or not set(scopes) <= set(ApiKey.Scope.values):
        problems["scopes"] = [f"Choose one or more of {', '.join(ApiKey.Scope.values)}."]
    if expires_at is not None and expires_at <= timezone.now():
        problems["expires_at"] = ["Choose a time in the future."]
    if not 1 <= rate_limit <= LARGEST_RATE:
        problems["rate_limit"] = [f"Enter a number from 1 to {LARGEST_RATE}."]
    if own.count() >= MOST_KEYS:
        problems["name"] = [f"You have {MOST_KEYS} keys. Revoke one that you no longer use."]
    if problems:
        raise ValidationFailed.of(problems)
    secret = PREFIX + "".join(secrets.choice(_LETTERS) for _position in range(RANDOM_LENGTH))
    key = ApiKey.objects.create(
        owner=user,
        made_with=made_with,
        name=name,
        digest=key_digest(secret),
        beginning=secret[:_BEGINNING],
        scopes=[scope for scope in ApiKey.Scope.values if scope in scopes],
        expires_at=expires_at,
        rate_limit=rate_limit,
    )
    return key, secret


def acting_key(*, user: User) -> ApiKey | None:
    """Return the key through which a person acts; None on a page. It is not revoked before the transaction ends.

    Raises:
        NotAllowed: it was just revoked.
    """
    key: ApiKey | None = getattr(user, "api_key", None)
    if key is not None and not ApiKey.objects.select_for_update().filter(pk=key.pk, revoked_at=None).exists():
        raise NotAllowed("This key was just revoked.")
    return key


@transaction.atomic
def api_key_revoke(*, user: User | None, key_id: int) -> RevokedKey:
    """Revoke a key at once and for good, with the keys that were made with it, and disable the web hooks of all these.

    Whoever got hold of a key may have made more with it. A key that is revoked already stays as it is.

    Args:
        user: the owner; None is the system itself, which may revoke every key.

    Raises:
        NotFound: the person has no such key.
    """
    keys = ApiKey.objects.select_related("owner")
    key = get_or_not_found(
        keys.filter(pk=key_id) if user is None else keys.filter(pk=key_id, owner=user), f"There is no key {key_id}."
    )
    family = _family(key)
    if not ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=Now()):
        return RevokedKey(key, 0, 0)
    ended = ApiKey.objects.filter(pk__in=family, revoked_at=None).update(revoked_at=Now())
    disabled = Hook.objects.filter(made_with__in=family, is_active=True).update(
        is_active=False, disabled_because="The key with which it was made was revoked."
    )
    return RevokedKey(key, ended, disabled)


def _family(key: ApiKey) -> set[int]:
    """Return the ids of a key and of all that were made with it, directly or not; none of them can make another."""
    family: set[int] = set()
    found = {key.pk}
    while found:
        family |= found
        list(ApiKey.objects.select_for_update().filter(pk__in=found).order_by("pk").values_list("pk"))
        found = set(ApiKey.objects.filter(made_with__in=found).values_list("pk", flat=True)) - family
    return family


def api_key_use(*, secret: str) -> ApiKey | None:
    """Return the key with this secret and note its use; None if it is unknown, expired, revoked or its owner's closed.

    The time of use is written at most once a minute.
    """
    now = timezone.now()
    key = ApiKey.objects.select_related("owner").filter(digest=key_digest(secret), revoked_at=None).first()
    if key is None or not key.owner.is_active or (key.expires_at is not None and key.expires_at <= now):
        return None
    if key.last_used_at is None or key.last_used_at < now - _USE_NOTED_EVERY:
        unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_NOTED_EVERY)
        ApiKey.objects.filter(unnoted, pk=key.pk).update(last_used_at=now)
    return key
