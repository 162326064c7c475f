"""How people get in: sign-up is closed, an admin adds them; wrong passwords slow down those who type them.

From devices where its owner has logged in before, an account has a count of its own. From all others wrong passwords
count for the account and for their address, which may be that of a whole school: somebody who guesses one account,
or many, makes strangers wait and locks out nobody. Each count lets some tries pass, then makes people wait longer
and longer.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from questionbank.core.database import database_now
from questionbank.core.wording import counted
from questionbank.models import User

FREE_FAILURES = 5  # wrong passwords of an account before it makes people wait
FREE_FAILURES_OF_ADDRESS = 30  # of all accounts together
LONGEST_WAIT = 60  # seconds between two tries
DEVICE_COOKIE = "known_device"
_FORGET_FAILURES_AFTER = 15 * 60  # seconds without a wrong password
_DEVICE_KNOWN_FOR = 90 * 24 * 3600  # seconds
_ACCOUNTS_OF_DEVICE = 20  # that it remembers, of a computer that many people use


class AccountAdapter(DefaultAccountAdapter):
    """Refuses self-registration, and limits log-ins by account, whichever of its names is typed."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: nobody signs up."""
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse a try while its account, address or device waits; a refused try does not make the wait longer.

        Raises:
            ValidationError: too many wrong passwords, with the seconds to wait.
        """
        super().pre_authenticate(request, **credentials)
        seconds = max(count.seconds_left() for count in _counts(request, credentials))
        if seconds > 0:
            left = counted(seconds, "second", "seconds")
            raise ValidationError(f"Too many wrong passwords. Try again in {left}.")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a wrong password."""
        for count in _counts(request, credentials):
            count.add()

    def post_login(self, request: HttpRequest, user: User, **options: Any) -> HttpResponse:
        """Remember the device on which somebody has logged in, second factor included."""
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
    """Wrong passwords of one account, address or device.

    Attributes:
        name: tells it from all others.
        free: how many are let pass.
    """

    name: str
    free: int

    @property
    def _key(self) -> str:
        return f"log-in-failures:{hashlib.sha256(self.name.encode()).hexdigest()}"

    def seconds_left(self) -> int:
        """Return how long to wait, in whole seconds; 0 for not at all."""
        failures, last = cache.get(self._key, (0, 0.0))
        if failures < self.free:
            return 0
        wait = min(LONGEST_WAIT, 2 ** min(failures - self.free + 1, 10)) - (database_now().timestamp() - last)
        return int(wait) + 1 if wait > 0 else 0

    def add(self) -> None:
        """Count one more."""
        failures, _last = cache.get(self._key, (0, 0.0))
        cache.set(self._key, (failures + 1, database_now().timestamp()), _FORGET_FAILURES_AFTER)


def _counts(request: HttpRequest, credentials: dict[str, Any]) -> Sequence[_Count]:
    """Return what a wrong password counts for."""
    account = _account_of(credentials)
    device, accounts = _device(request)
    if account in accounts:
        return [_Count(f"device {device} {account}", FREE_FAILURES)]
    return [
        _Count(f"account {account}", FREE_FAILURES),
        _Count(f"address {get_adapter(request).get_client_ip(request)}", FREE_FAILURES_OF_ADDRESS),
    ]


def _device(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the name of the device, empty where nobody has logged in on it, and the accounts that it knows."""
    cookie = request.get_signed_cookie(
        DEVICE_COOKIE, default="", salt=DEVICE_COOKIE, max_age=_DEVICE_KNOWN_FOR
    )
    device, *accounts = str(cookie).split(" ")
    return device, accounts


def _account_of(credentials: dict[str, Any]) -> str:
    """Return the number of the account that a name or an e-mail address belongs to, else the name itself."""
    name = str(credentials.get("email") or credentials.get("username") or "").casefold()
    field = "email" if credentials.get("email") else "username"
    number = User.objects.filter(**{f"{field}__iexact": name}).values_list("pk", flat=True).first()
    return str(number) if number else f"unknown:{name}"
