"""Keeping the text of a search that is too long for an address."""

from __future__ import annotations

import base64
import hashlib
from datetime import timedelta

from django.utils import timezone

from questionbank.models import LongQuery

KEPT_FOR = timedelta(days=365)  # after its last search


def long_query_keep(text: str) -> str:
    """Keep the text and return its key, the same for the same text; forget what nobody searched for a year."""
    digest = hashlib.blake2b(text.encode(), digest_size=12).digest()
    key = base64.urlsafe_b64encode(digest).decode()
    LongQuery.objects.update_or_create(key=key, defaults={"text": text})
    LongQuery.objects.filter(used_at__lt=timezone.now() - KEPT_FOR).delete()
    return key
