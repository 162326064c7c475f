"""What Health says about log-in through providers."""

from __future__ import annotations

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db.models import Count

from questionbank.models import School, User
from questionbank.people.selectors import active_admins


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
        return f"The break-glass account {name} is no admin: give it the role."
    return ""
