"""Making, testing and removing web hooks; which addresses they may have; and signed messages.

An address never leads into the network of the school or to this machine itself. Signatures follow the specification of
Standard Webhooks.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Collection
from datetime import datetime
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from questionbank.api.key_services import acting_key
from questionbank.core import task_queue
from questionbank.core.database import database_now, get_or_not_found
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.core.public_addresses import Address, is_public, literal_address
from questionbank.hooks.selectors import hook_deliveries, hook_get, hooks_of, message_body
from questionbank.models import Hook, HookDelivery, User
from questionbank.models.hook import LONGEST_ADDRESS
from questionbank.people.permissions import require

PRIVATE = "Kindred sends nothing to private addresses. An admin can allow a network with HOOK_NETWORKS."
_WRITTEN = re.compile(r"[!-\[\]-~]+")  # ASCII without spaces and backslashes, which parsers read differently


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
