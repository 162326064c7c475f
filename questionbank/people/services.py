"""Inviting people, giving them roles, closing accounts and ending sessions; each function is one transaction.

The last active admin keeps the role. A database trigger enforces it (see `questionbank.models.user`);
`check_an_admin_is_left` reports it in advance.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

import pghistory
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.auth.signals import user_logged_in
from django.db import transaction
from django.db.models.functions import Now
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from questionbank.core.errors import NotAllowed, ValidationFailed
from questionbank.models import ApiKey, Hook, User
from questionbank.people.mail import password_link
from questionbank.people.permissions import require
from questionbank.people.roles import ROLES
from questionbank.people.selectors import active_admins


@transaction.atomic
def person_invite(
    *, user: User, username: str, email: str, first_name: str, last_name: str, roles: Collection[str]
) -> User:
    """Add a person without a password; they choose one through the link in their invitation.

    Raises:
        ValidationFailed: the name or the address is already used.
        NotAllowed: the inviter is not an admin.
    """
    check_may_manage(user)
    person = User(username=username, email=email, first_name=first_name, last_name=last_name)
    if User.objects.filter(username__iexact=username).exists():
        raise ValidationFailed.beside("username", "This name is taken.")
    _check_address(person)
    person.set_unusable_password()
    person.save()
    _set_roles(person, roles)
    return person


@transaction.atomic
def person_password_link(*, user: User, person: User, site: str) -> str:
    """Create a link by which a person chooses a new password; the history records this, but the link is not stored.

    Raises:
        ValidationFailed: the account is closed.
        NotAllowed: as for `person_update`.
    """
    check_may_manage(user, person)
    if not person.is_active:
        raise ValidationFailed("This account is closed. Open it first.")
    if not settings.SIGN_ON.local_passwords:
        raise ValidationFailed("This site has no passwords of its own: the person logs in through a provider.")
    pghistory.create_event(person, label="password_link")
    return password_link(person=person, site=site)


@transaction.atomic
def person_remove_second_factor(*, user: User, person: User) -> None:
    """Remove a person's lost second factor and its recovery codes; the password alone then suffices.

    Raises:
        ValidationFailed: the person has no second factor.
        NotAllowed: as for `person_update`.
    """
    check_may_manage(user, person)
    removed, _by_model = Authenticator.objects.filter(user=person).delete()
    if not removed:
        raise ValidationFailed("This person has no second factor.")
    pghistory.create_event(person, label="second_factor_removed")


@transaction.atomic
def person_update(
    *, user: User, person: User, email: str, first_name: str, last_name: str, roles: Collection[str]
) -> User:
    """Change a person's name, e-mail address and roles.

    Raises:
        ValidationFailed: somebody else has the address, or the bank would be left without an admin.
        NotAllowed: the acting person is not an admin, or changes a superuser without being one.
    """
    check_may_manage(user, person)
    active_admins_locked()
    person.email, person.first_name, person.last_name = email, first_name, last_name
    _check_address(person)
    if "admin" not in roles and not person.is_superuser:
        check_an_admin_is_left(without=person, field="roles")
    person.save(update_fields=["email", "first_name", "last_name"])
    _set_roles(person, roles)
    return person


@transaction.atomic
def person_set_active(*, user: User, person: User, is_active: bool) -> User:
    """Close an account, so that the person can no longer log in, or reopen it. Nothing is deleted.

    Closing it also revokes its keys and disables its web hooks; reopening it undoes neither.

    Raises:
        ValidationFailed: the bank would be left without an admin.
        NotAllowed: as for `person_update`.
    """
    check_may_manage(user, person)
    active_admins_locked()
    if not is_active:
        check_not_break_glass(person)
        check_an_admin_is_left(without=person)
    person.is_active = is_active
    person.save(update_fields=["is_active"])
    if not is_active:
        api_keys_close(owner=person)
    return person


def api_keys_close(*, owner: User) -> None:
    """Revoke all keys of a person whose account is closed, and disable their web hooks; reopening it undoes neither."""
    ApiKey.objects.filter(owner=owner, revoked_at=None).update(revoked_at=Now())
    Hook.objects.filter(owner=owner, is_active=True).update(
        is_active=False, disabled_because="The account of its owner was closed."
    )


def active_admins_locked() -> None:
    """Lock the admins' rows, so that two admins cannot remove each other concurrently."""
    list(User.objects.select_for_update().filter(pk__in=active_admins().values("pk")).values_list("pk"))


def check_not_break_glass(person: User) -> None:
    """Check that an account is not the one with which an admin gets in when no provider answers.

    Raises:
        ValidationFailed: it is.
    """
    if settings.SIGN_ON.is_break_glass(person.username):
        raise ValidationFailed("This is the account for emergencies: name another one as break_glass in SIGN_ON first.")


def check_may_manage(user: User, person: User | None = None) -> None:
    """Check that a person may manage people, and this one.

    Raises:
        NotAllowed: they are not an admin, or not a superuser although the other person is one.
    """
    require(user, "people_manage", "Only admins manage people.")
    if person is not None and person.is_superuser and not user.is_superuser:
        raise NotAllowed("Only a superuser can change a superuser.")


def _check_address(person: User) -> None:
    same = User.objects.filter(email__iexact=person.email).exclude(pk=person.pk)
    if person.email and same.exists():
        raise ValidationFailed.beside("email", "Somebody else has this e-mail address.")


def _set_roles(person: User, roles: Collection[str]) -> None:
    person.groups.set(Group.objects.filter(name__in=[role for role in ROLES if role in roles]))
    if hasattr(person, "_prefetched_objects_cache"):
        person._prefetched_objects_cache.clear()


def check_an_admin_is_left(*, without: User, field: str = "") -> None:
    """Check that this person may lose the admin role, be deactivated or be deleted.

    Raises:
        ValidationFailed: they are the last active admin; the problem belongs to `field`, if given.
    """
    is_admin = active_admins().filter(pk=without.pk).exists()
    if is_admin and not active_admins().exclude(pk=without.pk).exists():
        message = "This is the last admin. Give somebody else the role first."
        raise ValidationFailed(message, fields={field: [message]} if field else None)


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
