"""The person of a request: their second factor, their entries in the audit, and what every template knows of them.

The audit records what leaves no row elsewhere: log-ins, exports, and views of data about people. Changes are in the
history, promotions in `ModelEvent`, imports in `Run`; the page of changes shows them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django_htmx.http import HttpResponseClientRedirect

from questionbank.models import AuditEvent, User
from questionbank.models.integrations import api_key_name
from questionbank.people.mail import mail_is_on
from questionbank.people.permissions import is_admin, roles_of
from questionbank.people.roles import DEMO_PEOPLE
from questionbank.people.selectors import account_named
from questionbank.people.services import session_seen

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


# --- the audit ------------------------------------------------------------------------------------

EXPORT, VIEW = AuditEvent.Kind.EXPORT, AuditEvent.Kind.VIEW

AUDITED: Mapping[str, tuple[AuditEvent.Kind, str]] = {  # name of an address -> its entry; a literal table
    "account_data": (EXPORT, "downloaded their own data"),
    "change_export": (EXPORT, "exported the changes"),
    "export_questions": (EXPORT, "exported questions over the API"),
    "get_question": (EXPORT, "exported a question over the API"),  # if it is asked for as a file
    "get_worksheet_file": (EXPORT, "downloaded a worksheet over the API"),
    "list_export": (EXPORT, "exported a list"),
    "person_export": (EXPORT, "downloaded a person’s data"),
    "response_figures_csv": (EXPORT, "exported the figures of all responses"),
    "response_set_csv": (EXPORT, "exported the figures of a class"),
    "review_export": (EXPORT, "exported reviewers’ decisions"),
    "selection_export": (EXPORT, "exported questions"),
    "worksheet_download": (EXPORT, "downloaded a worksheet"),
    "get_response_set": (VIEW, "read the figures of a class over the API"),
    "list_set_statistics": (VIEW, "read the figures of a class over the API"),
    "person_delete": (VIEW, "opened the deletion of a person"),
    "person_detail": (VIEW, "opened a person’s page"),
    "response_set_detail": (VIEW, "looked at the figures of a class"),
    "worksheet_after_use": (VIEW, "looked at the figures of a worksheet"),
}


class AuditMiddleware:
    """Records who exported something, or looked at data about people, if the request succeeded."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        kind, what = AUDITED.get(_opened(request), (None, ""))
        is_opened = request.method == "GET" or (request.method == "POST" and kind == EXPORT)
        if kind is not None and is_opened and response.status_code == 200 and request.user.is_authenticated:
            AuditEvent.objects.create(
                kind=kind,
                what=what,
                person=request.user,
                path=request.path[:300],
                address=_address(request),
                through=api_key_name(request.user),
            )
        return response


def _opened(request: HttpRequest) -> str:
    """Return the name of the address, or of the tool that an assistant used at it; the tools have names of the API."""
    match = request.resolver_match
    name: str = getattr(request, "used_tool", match.url_name or "" if match is not None else "")
    return "" if name == "get_question" and not request.GET.get("as") else name


@receiver(user_logged_in)
def sign_in_record(request: HttpRequest | None, user: User, **_sent: Any) -> None:
    """Record a log-in."""
    _sign_in(request, user, "logged in")


@receiver(user_login_failed)
def sign_in_failure_record(credentials: Mapping[str, Any], request: HttpRequest | None = None, **_sent: Any) -> None:
    """Record a wrong password; a name that nobody has is not stored, because it may be a password."""
    person = account_named(str(credentials.get("email") or credentials.get("username") or ""))
    _sign_in(request, person, "typed a wrong password" if person else "somebody typed a log-in name that nobody has")


def _sign_in(request: HttpRequest | None, person: User | None, what: str) -> None:
    AuditEvent.objects.create(kind=AuditEvent.Kind.SIGN_IN, person=person, what=what, address=_address(request))


def _address(request: HttpRequest | None) -> str | None:
    with suppress(ValueError):
        return str(ip_address(request.META.get("REMOTE_ADDR", ""))) if request is not None else None
    return None


# --- what every template knows --------------------------------------------------------------------

THEME_COOKIE = "theme"
THEMES = (  # value in the cookie, label, icon
    ("system", "As the system", "screen"),
    ("light", "Light", "sun"),
    ("dark", "Dark", "moon"),
)


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the theme, mail, time zone, how people log in, and the user's role; in demo mode also the demo's log-ins.

    The theme is a cookie rather than set by a script, so that no page flashes in the wrong colours and the
    switch works without JavaScript.
    """
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return {
        "demo": settings.DEMO,
        "demo_people": DEMO_PEOPLE if settings.DEMO else (),
        "theme": theme if theme in {value for value, *_rest in THEMES} else "system",
        "themes": THEMES,
        "mail_is_on": mail_is_on(),
        "sign_on": settings.SIGN_ON,
        "has_password": SimpleLazyObject(lambda: _has_password(request)),
        "time_zone": settings.TIME_ZONE,
        "role": SimpleLazyObject(lambda: _role(request)),
    }


def _role(request: HttpRequest) -> str:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return ""
    if user.is_superuser:
        return "admin"
    return ", ".join(roles_of(user))


def _has_password(request: HttpRequest) -> bool:
    """Return whether the person has a password here that works."""
    user = getattr(request, "user", None)
    return bool(user and user.has_usable_password() and settings.SIGN_ON.takes_password_of(user.get_username()))
