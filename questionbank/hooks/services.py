"""Web hooks: making and testing them, their addresses, signed messages, and how events become deliveries.

An address never leads into the network of the school or to this machine itself. Signatures follow the specification of
Standard Webhooks.

Events become deliveries in one transaction, so a crash loses none and doubles none. A worker claims a delivery by
moving its due time and then sends it without a lock; if it dies, another one sends it again once the claim ends.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Q, Value, When, Window
from django.db.models.functions import RowNumber
from django.utils.crypto import salted_hmac

from questionbank.api.key_services import acting_key
from questionbank.core import task_queue
from questionbank.core.database import database_now, get_or_not_found
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.core.public_addresses import Address, is_public, literal_address
from questionbank.hooks.selectors import (
    hook_deliveries,
    hook_get,
    hooks_of,
    may_listen,
    message_body,
    readable_ids,
    saw,
)
from questionbank.models import Hook, HookDelivery, HookEvent, User
from questionbank.models.integrations import LONGEST_ADDRESS
from questionbank.people.mail import mail_hook_disabled
from questionbank.people.permissions import require

PRIVATE = "Kindred sends nothing to private addresses. An admin can allow a network with HOOK_NETWORKS."
_WRITTEN = re.compile(r"[!-\[\]-~]+")  # ASCII without spaces and backslashes, which parsers read differently


# --- addresses ------------------------------------------------------------------------------------


def checked_address(address: str) -> str:
    """Return an address to which a web hook may lead, as far as can be seen without looking its host up.

    Raises:
        ValidationFailed: the problem of the field ``address``.
    """
    address = address.strip()
    problem = _problem(address)
    if problem:
        raise ValidationFailed.beside("address", problem)
    return address


def _problem(address: str) -> str:
    if len(address) > LONGEST_ADDRESS:
        return f"Use at most {LONGEST_ADDRESS:,} characters."
    if not _WRITTEN.fullmatch(address):
        return "Write the address in ASCII, percent-encoded, such as https://example.org/kindred."
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or port == 0 or parts.scheme not in ("https", "http"):
        return "Enter an address that begins with https:// or http://."
    if "@" in parts.netloc or parts.fragment:
        return "Leave out the user name, the password and the part after #."
    literal = literal_address(host)
    return PRIVATE if literal is not None and not is_allowed(literal) else ""


def is_allowed(address: Address) -> bool:
    """Return whether Kindred sends to an address: it is public, or `HOOK_NETWORKS` lists it."""
    return is_public(address) or any(address in network for network in settings.HOOK_NETWORKS)


def host_header(parts: SplitResult) -> str:
    """Return the ``Host`` of a request to an address, without a port that the scheme implies."""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return host if parts.port in (None, default_port(parts)) else f"{host}:{parts.port}"


def default_port(parts: SplitResult) -> int:
    """Return the port that an address's scheme implies."""
    return 443 if parts.scheme == "https" else 80


# --- signatures -----------------------------------------------------------------------------------


def hook_secret(hook: Hook) -> str:
    """Return the secret of a hook: ``whsec_`` and 32 bytes in base64, derived from its salt and the secret key."""
    return "whsec_" + base64.b64encode(_key(hook)).decode()


def signed_headers(delivery: HookDelivery, *, at: datetime) -> dict[str, str]:
    """Return the three headers by which a receiver recognises and verifies a message sent at a time."""
    identifier, timestamp = f"msg_{delivery.message_id.hex}", str(int(at.timestamp()))
    signed = f"{identifier}.{timestamp}.{delivery.body}".encode()
    digest = hmac.new(_key(delivery.hook), signed, hashlib.sha256).digest()
    return {
        "webhook-id": identifier,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def _key(hook: Hook) -> bytes:
    return bytes(salted_hmac("kindred.hooks", hook.salt.hex, algorithm="sha256").digest())


# --- the owner's actions --------------------------------------------------------------------------

MOST_HOOKS = 20  # of a person
JOB = "deliver_hooks"


@transaction.atomic
def hook_create(*, user: User, address: str, events: Collection[str], site: str) -> tuple[Hook, str]:
    """Make a web hook for a person, and return it with its secret.

    Raises:
        ValidationFailed: holds the problems by field.
        NotAllowed: the person has no role, or the key through which they act was just revoked.
    """
    require(user, "read", "You need a role before you can make web hooks.")
    made_with = acting_key(user=user)
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    address, own = checked_address(address), hooks_of(owner=user)
    if own.filter(address=address).exists():
        raise ValidationFailed.beside("address", "You already have a web hook with this address.")
    if own.count() >= MOST_HOOKS:
        raise ValidationFailed.beside("address", f"You have {MOST_HOOKS} web hooks. Delete one that you do not need.")
    if not events or not set(events) <= set(Hook.Event.values):
        raise ValidationFailed.beside("events", f"Choose one or more of {', '.join(Hook.Event.values)}.")
    chosen = [event for event in Hook.Event.values if event in events]
    hook = Hook.objects.create(owner=user, made_with=made_with, address=address, events=chosen, site=site.rstrip("/"))
    return hook, hook_secret(hook)


@transaction.atomic
def hook_set_active(*, user: User, hook_id: int, is_active: bool) -> Hook:
    """Disable a web hook, or enable it again; what happens while it is disabled is never announced there.

    Raises:
        NotFound: the person has no such hook.
        NotAllowed: the key through which they act was just revoked.
    """
    acting_key(user=user)
    hook = _locked(user, hook_id)
    hook.is_active, hook.failing_since, hook.disabled_because = is_active, None, ""
    hook.save(update_fields=["is_active", "failing_since", "disabled_because"])
    return hook


@transaction.atomic
def hook_delete(*, user: User, hook_id: int) -> Hook:
    """Delete a web hook with its deliveries.

    Raises:
        NotFound: the person has no such hook.
    """
    hook = _locked(user, hook_id)
    Hook.objects.filter(pk=hook.pk).delete()
    return hook


@transaction.atomic
def hook_test(*, user: User, hook_id: int) -> HookDelivery:
    """Send a test message to a hook, even to a disabled one; only one attempt is made.

    Raises:
        NotFound: the person has no such hook.
        Conflict: another test message still waits.
    """
    hook = _locked(user, hook_id)
    if hook_deliveries(hook=hook).filter(kind=HookDelivery.TEST, due_at__isnull=False).exists():
        raise Conflict("The last test message is still on its way.")
    body = message_body(hook, HookDelivery.TEST, {"ids": [hook.pk]}, at=database_now())
    delivery = HookDelivery.objects.create(hook=hook, kind=HookDelivery.TEST, body=body)
    task_queue.wake(JOB, queue="light")
    return delivery


@transaction.atomic
def delivery_replay(*, user: User, hook_id: int, delivery_id: int) -> HookDelivery:
    """Send a message again, with the same id and body.

    Raises:
        NotFound: the person has no such hook, or the hook no such delivery.
        Conflict: the message still waits, or the hook is disabled.
    """
    hook = _locked(user, hook_id)
    delivery = get_or_not_found(
        hook_deliveries(hook=hook).filter(pk=delivery_id), f"There is no delivery {delivery_id}."
    )
    if delivery.due_at is not None:
        raise Conflict("This message still waits for its next attempt.")
    if not hook.is_active and delivery.kind != HookDelivery.TEST:
        raise Conflict("This web hook is disabled. Enable it first.")
    delivery.began_at = delivery.due_at = database_now()
    delivery.save(update_fields=["began_at", "due_at"])
    task_queue.wake(JOB, queue="light")
    return delivery


def _locked(user: User, hook_id: int) -> Hook:
    Hook.objects.select_for_update().filter(pk=hook_id, owner=user).first()
    return hook_get(user=user, hook_id=hook_id)


# --- deliveries -----------------------------------------------------------------------------------

EVENTS_AT_ONCE = 1_000
LARGEST_MESSAGE = 1_000  # ids; more become several messages
FIRST_DELAY, LONGEST_DELAY = timedelta(minutes=1), timedelta(hours=2)  # between attempts
GIVE_UP_AFTER = timedelta(days=1)
DISABLE_AFTER = timedelta(days=3)
CLAIM = timedelta(minutes=2)  # far more than an attempt takes
AT_ONCE, AT_ONCE_TO_A_HOOK = 20, 5  # most messages sent together, in all and to one hook; a failing hook gets one
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
