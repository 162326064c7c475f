"""Web hooks as their owner sees them, and what they report: ids of things the owner may read, with their address."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from questionbank.bank.question_selectors import visible_to
from questionbank.core.database import get_or_not_found
from questionbank.jobs.run_selectors import runs
from questionbank.models import Hook, HookDelivery, ModelArtifact, ParaphrasePair, Question, User
from questionbank.people.permissions import audiences_of, viewing_as


def hooks_of(*, owner: User) -> QuerySet[Hook]:
    """Return a person's web hooks, newest first."""
    return Hook.objects.filter(owner=owner)


def hook_get(*, user: User, hook_id: int) -> Hook:
    """Return one of a person's web hooks."""
    return get_or_not_found(hooks_of(owner=user).filter(pk=hook_id), f"You have no web hook {hook_id}.")


def hook_deliveries(*, hook: Hook) -> QuerySet[HookDelivery]:
    """Return the deliveries to a hook, newest first."""
    return HookDelivery.objects.filter(hook=hook)


_PATHS: Mapping[str, str] = {  # by kind of event; a literal table
    Hook.Event.IMPORT: "/api/v1/runs/{id}",
    Hook.Event.QUESTION: "/api/v1/questions/{id}",
    Hook.Event.REVIEW: "/api/v1/paraphrases/{id}",
    Hook.Event.MODEL: "/api/v1/models/{id}",
    Hook.Event.STATISTICS: "/api/v1/questions/{id}/statistics",
    HookDelivery.TEST: "/api/v1/hooks/{id}",
}


def message_body(hook: Hook, kind: str, data: Mapping[str, Any], *, at: datetime) -> str:
    """Return the body of a message: `data`, and an API address in which ``{id}`` stands for one of its ids."""
    timestamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"type": kind, "timestamp": timestamp, "data": {**data, "url": hook.site + _PATHS[kind]}})


def may_listen(user: User) -> bool:
    """Return whether a person may still be told anything: their account is open and they have a role."""
    return bool(user.is_active and user.has_perm("questionbank.read"))


def readable_ids(kind: str, ids: Collection[int], *, user: User) -> Sequence[int]:
    """Return the ids, ascending, of the things in an event that still exist and that a person may read."""
    if kind == Hook.Event.STATISTICS and not user.has_perm("questionbank.responses_read"):
        return []
    with viewing_as(user):
        if kind == Hook.Event.IMPORT:
            imports = runs().filter(pk__in=ids).order_by("pk")
            return [run.pk for run in imports if user.has_perm("questionbank.run_read", run)]
        rows = {Hook.Event.REVIEW: ParaphrasePair.objects.all(), Hook.Event.MODEL: ModelArtifact.objects.all()}.get(
            Hook.Event(kind), Question.objects.filter(visible_to(user))
        )
        return list(rows.filter(pk__in=ids).order_by("pk").values_list("pk", flat=True))


def saw(audience: int | None, *, user: User) -> bool:
    """Return whether a person saw questions of an audience that are deleted now."""
    audiences = audiences_of(user)
    return audiences is None or audience in audiences
