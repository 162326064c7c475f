"""The sessions in which people are logged in."""

from __future__ import annotations

from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from questionbank.core.database import get_or_not_found
from questionbank.models import User


def sessions_of(*, person: User) -> QuerySet[UserSession]:
    """Return a person's sessions that still work, the last used first."""
    return UserSession.objects.filter(_still_works(), user=person).order_by("-last_seen_at")


def sessions_over(*, before: datetime) -> QuerySet[UserSession]:
    """Return the sessions that work no longer and were last used before a moment."""
    return UserSession.objects.filter(~_still_works(), last_seen_at__lt=before)


def _still_works() -> Exists:
    return Exists(Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=Now()))


def session_get(*, session_id: int) -> UserSession:
    """Return a session by id."""
    return get_or_not_found(
        UserSession.objects.filter(pk=session_id).select_related("user"), "There is no such session, or no longer."
    )
