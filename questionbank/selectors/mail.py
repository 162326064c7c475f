"""Whether this installation sends mail."""

from __future__ import annotations

from django.conf import settings

_SENDS_NOTHING = ("console", "dummy")  # backends


def mail_is_on() -> bool:
    """Return whether a mail server is set; without one nothing is sent, into no log either."""
    return settings.EMAIL_BACKEND.split(".")[-2] not in _SENDS_NOTHING
