"""Log-ins through a provider: finding the person's account, and giving it what follows from the claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction

from questionbank.core.database import advisory_lock
from questionbank.core.errors import NotAllowed, ValidationFailed
from questionbank.models import School, User
from questionbank.people.roles import ROLES
from questionbank.people.services import active_admins_locked, check_an_admin_is_left
from questionbank.people.sign_on import Provider

logger = structlog.get_logger(__name__)

_NAME_LIMIT, _ADDRESS_LIMIT = 150, 254  # widths of the columns, in characters


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as a provider describes them.

    Attributes:
        provider: the provider's name in `SIGN_ON`.
        uid: the provider's identifier of the person, which never changes.
        is_verified: whether the provider has verified the e-mail address.
    """

    provider: str
    uid: str
    username: str = ""
    email: str = ""
    is_verified: bool = False
    first_name: str = ""
    last_name: str = ""
    claims: Mapping[str, Any] = field(default_factory=dict)


@transaction.atomic
def person_sign_on(*, identity: Identity) -> SocialAccount:
    """Find, link or add the person's account, and give it the roles and schools that follow from the claims.

    What an earlier log-in gave and the claims no longer give is taken away; what an admin gave stays. The last admin
    keeps the role. Schools that do not exist are left out; the log and Health name them.

    Returns:
        The row that connects the person with the provider.

    Raises:
        NotAllowed: the person is unknown here and may not be added, or somebody else here has their address.
    """
    provider: Provider = settings.SIGN_ON.providers[identity.provider]
    advisory_lock(f"sign-on/{identity.provider}/{identity.uid}")
    account = SocialAccount.objects.filter(provider=identity.provider, uid=identity.uid).select_related("user").first()
    roles, schools = provider.granted(identity.claims)
    is_known = bool(roles or schools)
    if not is_known and settings.SIGN_ON.unknown_people in ROLES:
        roles = {settings.SIGN_ON.unknown_people}
    if account is None:
        person = _person_linked(provider, identity) or _person_added(provider, identity, is_known=is_known)
        account = SocialAccount(user=person, provider=identity.provider, uid=identity.uid, extra_data={})
    person = account.user
    if person.has_usable_password() and not settings.SIGN_ON.takes_password_of(person.username):
        person.set_unusable_password()  # or django-allauth would ask for it when a second factor is set up
        person.save(update_fields=["password"])
    if person.is_active:
        account.extra_data = {"roles": _roles_settle(account, roles), **_schools_settle(account, schools)}
    account.save()
    return account


def _person_linked(provider: Provider, identity: Identity) -> User | None:
    """Return the account here that has the person's verified address, and that they take over; None without one.

    Accounts that a provider's mistake must never open are left out: superusers, the break-glass account, and those
    that belong to somebody else at the same provider.
    """
    if not provider.link_by_address or not provider.vouches_for(identity.email, is_verified=identity.is_verified):
        return None
    same = list(User.objects.filter(email__iexact=identity.email)[:2])
    # PostgreSQL treats some different letters as equal, such as ı and i, but they mean different mailboxes.
    if len(same) != 1 or same[0].email.casefold() != identity.email.casefold():
        return None
    [person] = same
    is_taken = SocialAccount.objects.filter(user=person, provider=identity.provider).exists()
    is_guarded = person.is_superuser or settings.SIGN_ON.is_break_glass(person.username)
    return None if is_taken or is_guarded else person


def _person_added(provider: Provider, identity: Identity, *, is_known: bool) -> User:
    if not is_known and settings.SIGN_ON.unknown_people == "refuse":
        raise NotAllowed(f"Nobody here has your {provider.name} account: ask an admin of your school to let you in.")
    advisory_lock("sign-on")  # a name is found and taken by one person at a time
    if identity.email and User.objects.filter(email__iexact=identity.email).exists():
        raise NotAllowed(
            f"Somebody here already has the address of your {provider.name} account: ask an admin of your school."
        )
    person = User(
        username=_free_name(identity),
        email=identity.email[:_ADDRESS_LIMIT],
        first_name=identity.first_name[:_NAME_LIMIT],
        last_name=identity.last_name[:_NAME_LIMIT],
    )
    person.set_unusable_password()
    person.save()
    return person


def _free_name(identity: Identity) -> str:
    """Return a log-in name that nobody has yet; that of the provider, if it is free.

    The break-glass account's name is never free; otherwise, whoever took it at a provider could set a password here.
    """
    wanted = identity.username or identity.email.partition("@")[0]
    wanted = "".join(sign for sign in wanted if sign.isalnum() or sign in "@.+-_")[: _NAME_LIMIT - 8]
    wanted = wanted or identity.provider
    alike = User.objects.filter(username__istartswith=wanted).values_list("username", flat=True)
    taken = {settings.SIGN_ON.break_glass.casefold(), *(name.casefold() for name in alike)}
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _roles_settle(account: SocialAccount, roles: set[str]) -> list[str]:
    """Set the person's roles; return those that came from the provider, for the next log-in."""
    person: User = account.user
    have = set(person.groups.filter(name__in=ROLES).values_list("name", flat=True))
    wanted, given = _settled(have, before=account.extra_data.get("roles", []), now=roles)
    if wanted == have:
        return sorted(given)
    active_admins_locked()
    if "admin" in have - wanted:
        try:
            check_an_admin_is_left(without=person)
        except ValidationFailed:
            logger.warning("last_admin_keeps_the_role", person=person.pk, provider=account.provider)
            wanted.add("admin")
            given.add("admin")
    person.groups.set(Group.objects.filter(name__in=wanted))
    return sorted(given)


def _schools_settle(account: SocialAccount, slugs: set[str]) -> dict[str, list[str]]:
    """Set the person's schools; return those that came from the provider, and unknown short names."""
    person: User = account.user
    known = set(School.objects.filter(slug__in=slugs).values_list("slug", flat=True))
    if unknown := sorted(slugs - known):
        logger.warning("claim_names_unknown_school", person=person.pk, provider=account.provider, schools=unknown)
    have = set(person.schools.values_list("slug", flat=True))
    wanted, given = _settled(have, before=account.extra_data.get("schools", []), now=known)
    if wanted != have:
        person.schools.set(School.objects.filter(slug__in=wanted))
    return {"schools": sorted(given), "unknown_schools": unknown}


def _settled(have: set[str], *, before: Iterable[str], now: set[str]) -> tuple[set[str], set[str]]:
    """Return what a person has from now on, and which part of it came from the provider.

    Args:
        have: what they have.
        before: the part that the provider gave at an earlier log-in.
        now: what the provider gives.
    """
    given_before = set(before)
    return have - (given_before - now) | now, given_before & now | now - have
