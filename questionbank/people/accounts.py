"""Log-ins with a password, which this site or a directory (LDAP) checks; wrong passwords slow down those who type them.

There is no sign-up: admins add people, and in a directory their roles follow from their groups.

On devices where its owner has logged in before, an account has a counter of its own. On all other devices, wrong
passwords count for the account and for the IP address, which may be that of a whole school: somebody who guesses
passwords of one or many accounts makes strangers wait but locks nobody out. Each counter allows some attempts, then
imposes longer and longer waits.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from questionbank.core.database import database_now
from questionbank.core.errors import NotAllowed
from questionbank.core.wording import counted
from questionbank.models import User
from questionbank.people.sign_on import LDAP, Ldap
from questionbank.people.sign_on_services import Identity, person_sign_on

FREE_FAILURES = 5  # wrong passwords for an account before it imposes waits
FREE_FAILURES_OF_ADDRESS = 30  # for all accounts together
LONGEST_WAIT = 60  # seconds between two attempts
DEVICE_COOKIE = "known_device"
DIRECTORY = "questionbank.people.accounts.DirectoryBackend"
_FORGET_FAILURES_AFTER = 15 * 60  # seconds without a wrong password
_DEVICE_KNOWN_FOR = 90 * 24 * 3600  # seconds
_ACCOUNTS_OF_DEVICE = 20  # remembered per device, for computers that many people use


class AccountAdapter(DefaultAccountAdapter):
    """Disables sign-up, and limits login attempts per account, by username or e-mail address."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: there is no sign-up."""
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse an attempt while its account, address or device must wait; a refused attempt does not extend the wait.

        Raises:
            ValidationError: too many wrong passwords; the message states the seconds to wait.
        """
        super().pre_authenticate(request, **credentials)
        seconds = max(count.seconds_left() for count in _counts(request, credentials))
        if seconds > 0:
            left = counted(seconds, "second", "seconds")
            raise ValidationError(f"Too many wrong passwords. Try again in {left}.")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Return whose password this is; the password of an account here counts only where `SIGN_ON` lets it.

        Raises:
            ValidationError: the account must wait, or the directory does not answer.
        """
        user: User | None = super().authenticate(request, **credentials)
        is_own = getattr(user, "backend", "") != DIRECTORY  # a closed account has no backend
        if user is not None and is_own and not settings.SIGN_ON.takes_password_of(user.username):
            self.authentication_failed(request, **credentials)
            user = None
        problem = getattr(request, "directory_problem", "")
        if user is None and problem:
            raise ValidationError(problem)
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a wrong password."""
        for count in _counts(request, credentials):
            count.add()

    def post_login(self, request: HttpRequest, user: User, **options: Any) -> HttpResponse:
        """Remember the device after a complete login, including the second factor."""
        response: HttpResponse = super().post_login(request, user, **options)
        device, accounts = _device(request)
        account = str(user.pk)
        known = [account, *(other for other in accounts if other != account)][:_ACCOUNTS_OF_DEVICE]
        response.set_signed_cookie(
            DEVICE_COOKIE,
            " ".join([device or secrets.token_urlsafe(16), *known]),
            salt=DEVICE_COOKIE,
            max_age=_DEVICE_KNOWN_FOR,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
        return response


@dataclass(frozen=True, slots=True)
class _Count:
    """Counter of wrong passwords for one account, address or device.

    Attributes:
        name: unique name of the counter.
        free: number of failures without a wait.
    """

    name: str
    free: int

    @property
    def _key(self) -> str:
        return f"log-in-failures:{hashlib.sha256(self.name.encode()).hexdigest()}"

    def seconds_left(self) -> int:
        """Return the remaining wait in whole seconds; 0 if there is none."""
        failures, last = cache.get(self._key, (0, 0.0))
        if failures < self.free:
            return 0
        wait = min(LONGEST_WAIT, 2 ** min(failures - self.free + 1, 10)) - (database_now().timestamp() - last)
        return int(wait) + 1 if wait > 0 else 0

    def add(self) -> None:
        """Count one more failure."""
        failures, _last = cache.get(self._key, (0, 0.0))
        cache.set(self._key, (failures + 1, database_now().timestamp()), _FORGET_FAILURES_AFTER)


def _counts(request: HttpRequest, credentials: dict[str, Any]) -> Sequence[_Count]:
    """Return the counters to which a wrong password applies."""
    account = _account_of(credentials)
    device, accounts = _device(request)
    if account in accounts:
        return [_Count(f"device {device} {account}", FREE_FAILURES)]
    return [
        _Count(f"account {account}", FREE_FAILURES),
        _Count(f"address {get_adapter(request).get_client_ip(request)}", FREE_FAILURES_OF_ADDRESS),
    ]


def _device(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the device's name, empty if nobody has logged in on it, and the accounts it remembers."""
    cookie = request.get_signed_cookie(DEVICE_COOKIE, default="", salt=DEVICE_COOKIE, max_age=_DEVICE_KNOWN_FOR)
    device, *accounts = str(cookie).split(" ")
    return device, accounts


def _account_of(credentials: dict[str, Any]) -> str:
    """Return the id of the account with this username or e-mail address, or else the name itself."""
    name = str(credentials.get("email") or credentials.get("username") or "").casefold()
    field = "email" if credentials.get("email") else "username"
    number = User.objects.filter(**{f"{field}__iexact": name}).values_list("pk", flat=True).first()
    return str(number) if number else f"unknown:{name}"


try:
    import ldap
    from django_auth_ldap.backend import LDAPBackend, ldap_error
    from django_auth_ldap.config import GroupOfNamesType, LDAPSearch, LDAPSettings
except ImportError:  # `SIGN_ON` has no table `ldap` where the extra ldap is not installed
    LDAPBackend = object

SECONDS = 5  # that the directory may take to answer


class DirectoryBackend(LDAPBackend):  # type: ignore[misc]
    """Log in whoever the directory knows, as `person_sign_on` says."""

    @cached_property
    def settings(self) -> Any:
        return _settings(settings.SIGN_ON.ldap)

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **others: Any
    ) -> User | None:
        """Return the person with this name and password.

        Any problem other than a wrong password is stored on the request, because other backends are asked next.
        """
        provider: Ldap = settings.SIGN_ON.ldap
        problem = ""

        def remember(**sent: Any) -> None:
            nonlocal problem
            if sent["request"] is request:  # others log in at the same time
                problem = f"{provider.name} does not answer: try again in a few minutes."

        ldap_error.connect(remember)
        try:
            person: User | None = super().authenticate(request, username=username, password=password, **others)
        except NotAllowed as error:
            person, problem = None, str(error)
        finally:
            ldap_error.disconnect(remember)
        if problem and request is not None:
            request.directory_problem = problem  # type: ignore[attr-defined]
        return person

    def get_user(self, user_id: int) -> User | None:
        """Return the person of a session, unless the account is closed."""
        return User.objects.filter(pk=user_id, is_active=True).first()

    def get_or_build_user(self, username: str, ldap_user: Any) -> tuple[User, bool]:
        """Return the person, after setting their roles and schools."""
        provider: Ldap = settings.SIGN_ON.ldap

        def first(name: str) -> str:
            value = next(iter(ldap_user.attrs.get(name, [])), "")
            return value.hex() if isinstance(value, bytes) else value  # objectGUID of Active Directory

        groups = [*ldap_user.group_names, *ldap_user.group_dns] if provider.groups_base else []
        email = first(provider.email_attribute)
        identity = Identity(
            provider=LDAP,
            uid=first(provider.id_attribute) or ldap_user.dn,
            username=username,
            email=email,
            first_name=first(provider.first_name_attribute),
            last_name=first(provider.last_name_attribute),
            claims={**ldap_user.attrs, "groups": groups},
        )
        return person_sign_on(identity=identity).user, False


def _settings(provider: Ldap) -> Any:
    """Return django-auth-ldap's settings."""
    options = {ldap.OPT_NETWORK_TIMEOUT: SECONDS, ldap.OPT_TIMEOUT: SECONDS, ldap.OPT_REFERRALS: 0}
    if provider.ca_file:
        options |= {ldap.OPT_X_TLS_CACERTFILE: provider.ca_file, ldap.OPT_X_TLS_NEWCTX: 0}
    attributes = ["*", provider.id_attribute]  # “*” leaves out operational attributes, such as entryUUID
    people = LDAPSearch(provider.people_base, ldap.SCOPE_SUBTREE, provider.person_filter, attributes)
    groups = None
    if provider.groups_base:
        groups = LDAPSearch(provider.groups_base, ldap.SCOPE_SUBTREE, provider.group_filter)
    defaults = {
        "SERVER_URI": provider.url,
        "START_TLS": provider.start_tls,
        "BIND_DN": provider.bind_dn,
        "BIND_PASSWORD": provider.bind_password,
        "USER_SEARCH": people,
        "GROUP_SEARCH": groups,
        "GROUP_TYPE": GroupOfNamesType() if groups else None,
        "ALWAYS_UPDATE_USER": False,
        "CONNECTION_OPTIONS": options,
    }
    return LDAPSettings("AUTH_LDAP_", defaults)
