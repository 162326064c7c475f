"""Passwords that a directory (LDAP) checks; roles follow from the person's groups there."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from questionbank.core.errors import NotAllowed
from questionbank.models import User
from questionbank.people.sign_on import LDAP, Ldap
from questionbank.people.sign_on_services import Identity, person_sign_on

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
