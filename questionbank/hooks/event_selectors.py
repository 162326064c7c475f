"""What a web hook tells its owner about an event: ids of things they may read, and their address in the API."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from questionbank.bank.question_selectors import visible_to
from questionbank.jobs.run_selectors import runs
from questionbank.models import Hook, HookDelivery, ModelArtifact, ParaphrasePair, Question, User
from questionbank.people.viewer import audiences_of, viewing_as

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
