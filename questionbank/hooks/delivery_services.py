"""From events to deliveries, and what becomes of them; called by the worker that sends them.

Events become deliveries in one transaction, so a crash loses none and doubles none. A worker claims a delivery by
moving its due time and then sends it without a lock; if it dies, another one sends it again once the claim ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Q, Value, When, Window
from django.db.models.functions import RowNumber

from questionbank.core.database import database_now
from questionbank.hooks.selectors import may_listen, message_body, readable_ids, saw
from questionbank.hooks.services import signed_headers
from questionbank.models import Hook, HookDelivery, HookEvent
from questionbank.people.mail import mail_hook_disabled

EVENTS_AT_ONCE = 1_000
LARGEST_MESSAGE = 1_000  # ids; more become several messages
FIRST_DELAY, LONGEST_DELAY = timedelta(minutes=1), timedelta(hours=2)  # between attempts
GIVE_UP_AFTER = timedelta(days=1)
DISABLE_AFTER = timedelta(days=3)
CLAIM = timedelta(minutes=2)  # far more than an attempt takes
AT_ONCE, AT_ONCE_TO_A_HOOK = 20, 5  # messages sent together; to a hook that fails, one
_GONE = 410


@dataclass(frozen=True, slots=True)
class Message:
    """A claimed delivery, ready to be sent."""

    delivery: HookDelivery
    address: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an attempt.

    Attributes:
        status: HTTP status; None without a response.
        response: the first characters of the response.
        error: one sentence; empty if the message was taken.
    """

    status: int | None = None
    response: str = ""
    error: str = ""


Happened = tuple[str, bool, int | None]
"""The kind of events, whether questions were deleted, and who saw these."""


@transaction.atomic
def hook_events_announce() -> int:
    """Turn the waiting events into deliveries to the hooks that want them; return how many events there were.

    Equal events are coalesced: a hook gets one message for all questions that changed, up to `LARGEST_MESSAGE`.
    """
    events = list(HookEvent.objects.select_for_update(skip_locked=True).order_by("pk")[:EVENTS_AT_ONCE])
    if not events:
        return 0
    happened: dict[Happened, set[int]] = defaultdict(set)
    for event in events:
        happened[event.kind, event.are_deleted, event.audience].update(event.ids)
    now = database_now()
    for hook in Hook.objects.filter(is_active=True).select_related("owner"):
        HookDelivery.objects.bulk_create(
            HookDelivery(hook=hook, kind=kind, body=message_body(hook, kind, data, at=now))
            for kind, data in _news(hook, happened)
        )
    HookEvent.objects.filter(pk__in=[event.pk for event in events]).delete()
    return len(events)


def _news(hook: Hook, happened: dict[Happened, set[int]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the kind and the data of each message for a hook."""
    if not may_listen(hook.owner):
        return
    for (kind, are_deleted, audience), ids in happened.items():
        if kind not in hook.events or (are_deleted and not saw(audience, user=hook.owner)):
            continue
        ordered, name = sorted(ids), "deleted" if are_deleted else "ids"
        for first in range(0, len(ordered), LARGEST_MESSAGE):
            told: Sequence[int] = ordered[first : first + LARGEST_MESSAGE]
            if not are_deleted:
                told = readable_ids(kind, told, user=hook.owner)
            if told:
                yield kind, {name: told}


@transaction.atomic
def deliveries_claim() -> list[Message]:
    """Claim due deliveries, the oldest first, and return them signed; those of a day ago are given up."""
    now = database_now()
    _tidy(now)
    most = Case(When(hook__failing_since__isnull=True, then=Value(AT_ONCE_TO_A_HOOK)), default=Value(1))
    open_hooks = Q(hook__is_active=True) | Q(kind=HookDelivery.TEST)
    due = HookDelivery.objects.filter(open_hooks, due_at__lte=now, hook__owner__is_active=True)
    place = Window(RowNumber(), partition_by="hook", order_by="pk")
    chosen = due.annotate(place=place, most=most).filter(place__lte=F("most")).order_by("pk")
    ids = list(chosen.values_list("pk", flat=True)[:AT_ONCE])
    locked = HookDelivery.objects.select_for_update(of=("self",), skip_locked=True)
    claimed = locked.filter(pk__in=ids, due_at__lte=now).select_related("hook__owner").order_by("pk")
    messages = [_message(delivery, now) for delivery in claimed if may_listen(delivery.hook.owner)]
    sent = [each.delivery.pk for each in messages]
    claimed.filter(pk__in=sent).update(due_at=now + CLAIM)
    claimed.exclude(pk__in=sent).update(due_at=None)  # the owner no longer has a role
    return messages


def _message(delivery: HookDelivery, now: datetime) -> Message:
    headers = {"content-type": "application/json", **signed_headers(delivery, at=now)}
    return Message(delivery, delivery.hook.address, headers, delivery.body.encode())


def _tidy(now: datetime) -> None:
    HookDelivery.objects.filter(due_at__isnull=False, began_at__lt=now - GIVE_UP_AFTER, due_at__lte=now).update(
        due_at=None
    )


@transaction.atomic
def delivery_record(*, delivery: HookDelivery, answer: Answer) -> None:
    """Record an attempt, and when the next one is due; a hook that fails for three days is disabled."""
    hook = Hook.objects.select_for_update().filter(pk=delivery.hook_id).first()
    stored = HookDelivery.objects.select_for_update().filter(pk=delivery.pk).first()
    if hook is None or stored is None:  # its owner deleted it
        return
    now = database_now()
    attempt = {"at": now.isoformat(), "status": answer.status, "response": answer.response, "error": answer.error}
    stored.attempts = [*stored.attempts, attempt]
    if not answer.error:
        stored.due_at, stored.delivered_at = None, now
    else:
        stored.due_at = _next_attempt(stored, now)
    stored.save(update_fields=["attempts", "due_at", "delivered_at"])
    if stored.kind != HookDelivery.TEST:
        _judge(hook, answer, now)


def _next_attempt(delivery: HookDelivery, now: datetime) -> datetime | None:
    """Return the time of the next attempt after one that failed now; None to give up."""
    made = sum(attempt["at"] >= delivery.began_at.isoformat() for attempt in delivery.attempts)
    due = now + min(FIRST_DELAY * 2 ** min(made - 1, 10), LONGEST_DELAY)
    is_last = delivery.kind == HookDelivery.TEST or due - delivery.began_at > GIVE_UP_AFTER
    return None if is_last else due


def _judge(hook: Hook, answer: Answer, now: datetime) -> None:
    """Note whether a hook fails, and disable it if it has failed for too long or says that it is gone."""
    if not answer.error:
        hook.failing_since = None
    elif hook.failing_since is None:
        hook.failing_since = now
    is_gone = answer.status == _GONE
    if hook.is_active and hook.failing_since and (is_gone or now - hook.failing_since > DISABLE_AFTER):
        hook.is_active = False
        hook.disabled_because = (
            "The receiver answered that it is gone (410)." if is_gone else "Nothing could be delivered for three days."
        )
        mail_hook_disabled(person=hook.owner, site=hook.site)
    hook.save(update_fields=["failing_since", "is_active", "disabled_because"])
