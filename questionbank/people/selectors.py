"""People and their roles."""

from __future__ import annotations

from allauth.socialaccount.models import SocialAccount
from django.db.models import Q, QuerySet

from questionbank.core.database import get_or_not_found
from questionbank.models import User


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
