"""Sessions: noting where people are logged in, and ending a session."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pghistory
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in
from django.db import transaction
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from questionbank.models import User
from questionbank.people.services import check_may_manage

SEEN_EVERY = timedelta(minutes=10)
"""How often the last use of a session is stored."""
_SEEN = "seen_at"  # in the session, so that most requests need not ask for the row


@receiver(user_logged_in)
def session_begun(request: HttpRequest, **_sent: Any) -> None:
    """Note that a session is new; django-allauth has recorded where it is used."""
    request.session[_SEEN] = int(timezone.now().timestamp())


def session_seen(*, request: HttpRequest) -> None:
    """Note where a session is used, the first time and every `SEEN_EVERY`."""
    now = timezone.now()
    if now.timestamp() - request.session.get(_SEEN, 0) < SEEN_EVERY.total_seconds():
        return
    request.session[_SEEN] = int(now.timestamp())
    UserSession.objects.create_from_request(request)


@transaction.atomic
def session_end(*, user: User, session: UserSession) -> None:
    """End a session at once, one's own or, for admins, anybody's; whoever uses it must log in again.

    Raises:
        NotAllowed: it is somebody else's, and the acting person may not manage them.
    """
    if session.user_id != user.pk:
        check_may_manage(user, session.user)
        pghistory.create_event(session.user, label="session_ended")
    session.end()
