"""Signatures as the specification of Standard Webhooks defines them."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import datetime

from django.utils.crypto import salted_hmac

from questionbank.models import Hook, HookDelivery

PREFIX = "whsec_"


def hook_secret(hook: Hook) -> str:
    """Return the secret of a hook: ``whsec_`` and 32 bytes in base64, derived from its salt and the secret key."""
    return PREFIX + base64.b64encode(_key(hook)).decode()


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
