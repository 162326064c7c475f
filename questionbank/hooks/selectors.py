"""Web hooks and their deliveries, as their owner sees them."""

from __future__ import annotations

from django.db.models import QuerySet

from questionbank.core.database import get_or_not_found
from questionbank.models import Hook, HookDelivery, User


def hooks_of(*, owner: User) -> QuerySet[Hook]:
    """Return a person's web hooks, newest first."""
    return Hook.objects.filter(owner=owner)


def hook_get(*, user: User, hook_id: int) -> Hook:
    """Return one of a person's web hooks."""
    return get_or_not_found(hooks_of(owner=user).filter(pk=hook_id), f"You have no web hook {hook_id}.")


def hook_deliveries(*, hook: Hook) -> QuerySet[HookDelivery]:
    """Return the deliveries to a hook, newest first."""
    return HookDelivery.objects.filter(hook=hook)
