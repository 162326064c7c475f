"""Sessions under keys that a client outside the site knows."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AbstractUser
from django.utils import timezone


def open_session(person: AbstractUser, *, key: str) -> None:
    """Let whoever sends this key be the person; a store itself takes no key that it has not chosen."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    content = {
        SESSION_KEY: str(person.pk),
        BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend",
        HASH_SESSION_KEY: person.get_session_auth_hash(),
    }
    store.model.objects.update_or_create(
        session_key=key,
        defaults={"session_data": store.encode(content), "expire_date": timezone.now() + timedelta(days=1)},
    )
