"""People, their sessions, and what Health reports about log-in through providers."""

from __future__ import annotations

from datetime import datetime

from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from questionbank.core.database import get_or_not_found
from questionbank.models import School, User


def people() -> QuerySet[User]:
    """Return everybody with an account, active accounts first, by name."""
    return User.objects.filter(erased_at=None).prefetch_related("groups").order_by("-is_active", "username")


def person_get(*, person_id: int) -> User:
    """Return a person by id."""
    return get_or_not_found(people().filter(pk=person_id), "There is no person with that number.")


def active_admins() -> QuerySet[User]:
    """Return all active admins, including superusers."""
    return User.objects.filter(Q(is_superuser=True) | Q(groups__name="admin"), is_active=True).distinct()


def has_provider(*, person: User) -> bool:
    """Return whether a person has logged in through a provider."""
    return SocialAccount.objects.filter(user=person).exists()


def account_named(name: str) -> User | None:
    """Return the person with a log-in name or an e-mail address; None if there is none, or if it is empty."""
    if not name:
        return None
    return User.objects.filter(Q(username__iexact=name) | Q(email__iexact=name)).first()


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
        UserSession.objects.filter(pk=session_id).select_related("user"), "There is no such session, or it has ended."
    )


def people_by_provider() -> dict[str, int]:
    """Return how many people have logged in through each provider, by its name for people."""
    counts = dict(SocialAccount.objects.values_list("provider").annotate(Count("pk")))
    return {provider.name: counts.get(slug, 0) for slug, provider in settings.SIGN_ON.providers.items()}


def unknown_schools() -> list[str]:
    """Return the short names that claims gave at people's last log-ins and that no school has."""
    named: set[str] = set()
    for schools in SocialAccount.objects.filter(extra_data__unknown_schools__0__isnull=False).values_list(
        "extra_data__unknown_schools", flat=True
    ):
        named.update(schools)
    return sorted(named - set(School.objects.filter(slug__in=named).values_list("slug", flat=True)))


def break_glass_problem() -> str:
    """Return why the account for emergencies would not help in one; empty if it would, or is not needed."""
    name = settings.SIGN_ON.break_glass
    if not name:
        return ""
    person = User.objects.filter(username__iexact=name).first()
    if person is None:
        return f"The break-glass account {name} does not exist: add it with “manage.py createsuperuser”."
    if not person.has_usable_password():
        return f"The break-glass account {name} has no password: set one with “manage.py changepassword”."
    if not active_admins().filter(pk=person.pk).exists():
        return f"The break-glass account {name} is not an admin: give it the role."
    return ""
