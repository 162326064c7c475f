"""How people get in: sign-up is closed, an admin adds them; wrong passwords slow an account down.

Two limits work together. From one address, an account takes five wrong passwords in five minutes
(`ACCOUNT_RATE_LIMITS`). Over all addresses, wrong passwords beyond `FREE_FAILURES` make the account wait
longer and longer between tries, except from addresses where its owner logged in before: whoever guesses
from elsewhere cannot lock the owner out.
"""

from __future__ import annotations

import time
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal.httpkit import get_client_ip
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import ngettext

from questionbank.models import User

FREE_FAILURES = 5  # wrong passwords, from any address, before an account makes people wait
LONGEST_WAIT = 60  # seconds between two tries
_FORGET_FAILURES_AFTER = 15 * 60  # seconds without a wrong password
_KNOWN_ADDRESS_DAYS = 90


class AccountAdapter(DefaultAccountAdapter):
    """Refuses self-registration, and limits log-ins by account, whichever of its names is typed."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: nobody signs up."""
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse a try while its account waits; a refused try does not make the wait longer.

        Raises:
            ValidationError: too many wrong passwords, with the seconds to wait.
        """
        super().pre_authenticate(request, **credentials)
        account = _account_of(credentials)
        failures, last = cache.get(_failures_key(account), (0, 0.0))
        if failures < FREE_FAILURES or cache.get(_known_key(account, request)):
            return
        wait = min(LONGEST_WAIT, 2 ** (failures - FREE_FAILURES + 1)) - (time.time() - last)
        if wait > 0:
            self._rollback_login_failed_rl_usage()
            seconds = int(wait) + 1
            raise ValidationError(
                ngettext(
                    "Too many wrong passwords for this account. Try again in %(seconds)d second.",
                    "Too many wrong passwords for this account. Try again in %(seconds)d seconds.",
                    seconds,
                )
                % {"seconds": seconds}
            )

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a wrong password for the account."""
        key = _failures_key(_account_of(credentials))
        failures, _last = cache.get(key, (0, 0.0))
        cache.set(key, (failures + 1, time.time()), _FORGET_FAILURES_AFTER)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Remember the address of a right password, which no stranger's wrong ones slow down."""
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            cache.set(_known_key(str(user.pk), request), True, _KNOWN_ADDRESS_DAYS * 24 * 3600)
        return user

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        return f"{_account_of(credentials)}:{get_client_ip(request)}"


def _account_of(credentials: dict[str, Any]) -> str:
    """Return the number of the account that a name or an e-mail address belongs to, else the name itself."""
    name = str(credentials.get("email") or credentials.get("username") or "").casefold()
    field = "email" if credentials.get("email") else "username"
    number = User.objects.filter(**{f"{field}__iexact": name}).values_list("pk", flat=True).first()
    return str(number) if number else f"unknown:{name}"


def _failures_key(account: str) -> str:
    return f"log-in-failures:{account}"


def _known_key(account: str, request: HttpRequest) -> str:
    return f"log-in-address:{account}:{get_client_ip(request)}"
