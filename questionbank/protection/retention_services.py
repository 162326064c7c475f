"""How long data is kept: admins set it, and a job deletes once a day what is older."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from questionbank.bank.attachment_services import attachments_sweep
from questionbank.core.database import database_now
from questionbank.models import AuditEvent, Retention, User
from questionbank.people.permissions import require
from questionbank.protection.kept_kinds import KeptKind, kept_kinds
from questionbank.responses.deletion_services import years_ago

logger = structlog.get_logger(__name__)

LONGEST = 36_500  # days


def retention_days() -> dict[str, int | None]:
    """Return for how many days each kind of data that has a setting is kept; None for ever."""
    stored = dict(Retention.objects.values_list("kind", "days"))
    return {kind.word: stored.get(kind.word, _default(kind)) for kind in kept_kinds() if not kind.rule}


def retention_set(*, user: User, days: Mapping[str, int | None]) -> None:
    """Set for how many days kinds of data are kept; the history records each change.

    Raises:
        NotAllowed: the person is not an admin.
    """
    require(user, "people_manage", "Only admins decide how long data is kept.")
    with transaction.atomic():
        for word, before in retention_days().items():
            if word in days and days[word] != before:
                Retention.objects.update_or_create(kind=word, defaults={"days": days[word]})


def retention_old(days: Mapping[str, int | None]) -> dict[str, int]:
    """Return how much of each kind would be deleted now if it were kept for so many days."""
    return {kind.word: kind.old(before) for kind, before in _limits(days)}


def retention_apply() -> dict[str, int]:
    """Delete what is too old, and pictures that nothing shows; note what was deleted in the audit, and return it.

    If one kind cannot be deleted, the others still are.
    """
    deleted: dict[str, int] = {}
    for kind, before in _limits(retention_days()):
        try:
            deleted[kind.word] = kind.delete(before)
        except Exception:
            logger.exception("retention_failed", kind=kind.word)
            deleted[kind.word] = FAILED
    deleted["pictures"] = attachments_sweep()
    names = {kind.word: kind.name for kind in kept_kinds()} | {"pictures": "Pictures that nothing shows"}
    for word, number in deleted.items():
        if number:
            did = "could not be deleted: see the worker's log" if number == FAILED else f"{number:,} deleted by age"
            AuditEvent.objects.create(kind=AuditEvent.Kind.RETENTION, what=f"{names[word]}: {did}")
    return deleted


FAILED = -1


def _default(kind: KeptKind) -> int | None:
    if kind.word == "responses" and settings.RESPONSES_KEPT_YEARS:
        return (timezone.localdate() - years_ago(settings.RESPONSES_KEPT_YEARS)).days
    return kind.days


def _limits(days: Mapping[str, int | None]) -> list[tuple[KeptKind, datetime]]:
    """Return the kinds that are not kept for ever, and the moment before which each is too old."""
    now = database_now()
    limits = []
    for kind in kept_kinds():
        kept = days.get(kind.word)
        if kept is not None:
            limits.append((kind, now - timedelta(days=kept)))
    return limits
