"""A web hook of a teacher's, and what it was told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from questionbank.hooks.services import hook_create, hook_events_announce
from questionbank.models import Hook, HookDelivery

SITE = "https://kindred.test"


@pytest.fixture
def hook(teacher) -> Hook:
    """Wants every event."""
    return hook_create(user=teacher, address="https://example.org/a", events=Hook.Event.values, site=SITE + "/")[0]


@pytest.fixture
def told(django_db_blocker) -> Callable[..., list[dict[str, Any]]]:
    """Announce what happened, and return what a hook (by default any) is told, oldest first; then forget it."""

    def announced(hook: Hook | None = None) -> list[dict[str, Any]]:
        hook_events_announce()
        deliveries = HookDelivery.objects.filter(**({"hook": hook} if hook else {})).order_by("pk")
        bodies = [json.loads(delivery.body) for delivery in deliveries]
        deliveries.delete()
        return bodies

    return announced
