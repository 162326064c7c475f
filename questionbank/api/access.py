"""Who calls the API, how often, and what they may do."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pghistory
from django.core.cache import cache
from django.http import HttpRequest
from ninja.security import HttpBearer
from ninja.utils import check_csrf

from questionbank.api.errors import ApiProblem
from questionbank.api.key_services import api_key_use
from questionbank.core.errors import KindredError
from questionbank.models import ApiKey, User
from questionbank.people.middleware import SET_UP_FIRST, lacks_second_factor
from questionbank.people.permissions import scope_of

SAFE = ("GET", "HEAD", "OPTIONS")
SESSION_RATE = 600  # requests per minute of a person in a browser
_WINDOW = 60  # seconds


@dataclass(frozen=True, slots=True)
class Caller:
    """A person, and the key through which a program acts for them; without a key they use a browser."""

    user: User
    key: ApiKey | None

    @property
    def rate_limit(self) -> int:
        return self.key.rate_limit if self.key else SESSION_RATE

    @property
    def counter(self) -> str:
        return f"api-rate:key:{self.key.pk}" if self.key else f"api-rate:person:{self.user.pk}"


class Access(HttpBearer):
    """The check of an operation that lets in callers with a permission, through a key with a scope.

    Args:
        permission: a permission of `questionbank.people.permissions`; permissions for a single row are checked again
            by the services.
        scope: the scope that a key needs; by default that of the permission.
    """

    def __init__(self, permission: str, scope: str = "") -> None:
        super().__init__()
        self.permission = permission
        self.scope = scope or scope_of(f"questionbank.{permission}").value

    def __call__(self, request: HttpRequest) -> Caller:
        """Return the caller.

        Raises:
            ApiProblem: there is none (401), they call too often (429), or they lack the scope, the permission or the
                CSRF token (403).
        """
        caller = admitted(request)
        if caller.key is not None and self.scope not in caller.key.scopes:
            raise ApiProblem(403, f"This needs a key with the scope “{self.scope}”.", code="scope_missing")
        if not caller.user.has_perm(f"questionbank.{self.permission}"):
            raise ApiProblem(403)
        # Last, because it reads a form's body to the end.
        if caller.key is None and request.method not in SAFE and check_csrf(request) is not None:
            raise ApiProblem(403, "Send the CSRF token as “X-CSRFToken”.", code="csrf_failed")
        return caller

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        """Required by the base class; `__call__` replaces what calls it."""
        raise NotImplementedError


def admitted(request: HttpRequest) -> Caller:
    """Return the caller, and count the request against their rate; further calls for the same request do neither.

    Raises:
        ApiProblem: there is no caller, or they call too often.
    """
    if not hasattr(request, "_admitted"):
        try:
            caller = _caller(request)
            _count(request, caller)
            request._admitted = caller  # type: ignore[attr-defined]
        except KindredError as error:
            request._admitted = error  # type: ignore[attr-defined]
    if isinstance(request._admitted, KindredError):
        raise request._admitted
    return request._admitted


def _caller(request: HttpRequest) -> Caller:
    """Return who calls: the owner of a key, or else the person who is logged in in this browser."""
    if "Authorization" in request.headers:
        scheme, _, secret = request.headers["Authorization"].partition(" ")
        key = api_key_use(secret=secret.strip()) if scheme.lower() == "bearer" else None
        if key is None:
            raise ApiProblem(401)
        request.user = key.owner
        request.user.api_key = key  # `RulesBackend` allows no more than the key's scopes
        pghistory.context(api_key=key.name)
        return Caller(key.owner, key)
    if not request.user.is_authenticated:
        raise ApiProblem(401)
    if lacks_second_factor(request.user):
        raise ApiProblem(403, SET_UP_FIRST, code="second_factor_missing")
    return Caller(request.user, None)


def _count(request: HttpRequest, caller: Caller) -> None:
    """Count the request in the current minute, which the response's ``RateLimit`` headers describe.

    Raises:
        ApiProblem: the caller has made all requests of this minute.
    """
    now = time.time()
    window = int(now // _WINDOW)
    reset = max(1, round((window + 1) * _WINDOW - now))
    counter = f"{caller.counter}:{window}"
    cache.add(counter, 0, 2 * _WINDOW)
    used = cache.incr(counter)
    limit = caller.rate_limit
    headers = {
        "RateLimit-Limit": str(limit),
        "RateLimit-Remaining": str(max(0, limit - used)),
        "RateLimit-Reset": str(reset),
    }
    request.rate_limit_headers = headers  # type: ignore[attr-defined] # `questionbank.api.errors` sends them
    if used > limit:
        raise ApiProblem(429, headers={"Retry-After": str(reset)})
