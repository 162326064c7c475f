"""The audit of what leaves no row elsewhere: log-ins, exports, and looks at data about people.

Changes are in the history, promotions in `ModelEvent`, imports in `Run`; the page of changes shows them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

from questionbank.models import AuditEvent, User
from questionbank.models.api import api_key_name
from questionbank.people.selectors import account_named

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
