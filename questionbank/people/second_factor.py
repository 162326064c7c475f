"""The second factor that a role may need, and the middleware that leads its holders to set one up."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from questionbank.models import User
from questionbank.people.permissions import is_admin, roles_of
from questionbank.people.session_services import session_seen

SET_UP_FIRST = "Your role needs two-factor authentication: set it up first."
_OPEN = re.compile(r"(?!account_data$)(account|mfa|session)_\w+")
"""Names of the pages that are open without a second factor, on which people can do nothing that their role allows."""


def lacks_second_factor(user: User) -> bool:
    """Return whether a person's role needs a second factor, and the person has none."""
    needed = settings.SIGN_ON.second_factor
    if not needed:
        return False
    roles = {*roles_of(user), *(["admin"] if is_admin(user) else [])}
    return not roles.isdisjoint(needed) and not is_mfa_enabled(user)


class PeopleMiddleware:
    """Notes where sessions are used, and shows nothing to people who still have to set up a second factor.

    It follows `LogInMiddleware`, which stops everybody who must log in first. Keys for programs are not affected:
    they were made by somebody who was let in.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Check the person who is logged in, unless the page is public."""
        if getattr(request, "is_public", True) or not request.user.is_authenticated:
            return None
        session_seen(request=request)
        if not lacks_second_factor(request.user):
            return None
        if request.resolver_match and _OPEN.fullmatch(request.resolver_match.view_name):
            request.user.needs_second_factor = True  # `RulesBackend` then allows only what is their own
            return None
        messages.warning(request, SET_UP_FIRST)
        address = reverse("mfa_activate_totp")
        return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
