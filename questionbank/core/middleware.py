"""Middleware that runs before every view."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.core.exceptions import PermissionDenied
from django.db import connections
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.defaultfilters import filesizeformat

from questionbank.core.forms import TAKES_FILES
from questionbank.core.outage import Outage
from questionbank.core.views import kept_form

FORM_LIMIT = 4 * 1024 * 1024  # twice Django's limit for form fields, whose errors have a page


class ClientAddressMiddleware:
    """Set ``REMOTE_ADDR`` to the client's address, for the log and for rate limits.

    Behind `TRUSTED_PROXIES` proxies, each of which appends the address it was called from to
    ``X-Forwarded-For``, the client's address is that many from the end; anything before it was sent by the client
    and cannot be trusted. Without proxies the whole header comes from the client and is dropped.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        claimed = request.META.pop("HTTP_X_FORWARDED_FOR", "")
        proxies = settings.TRUSTED_PROXIES
        addresses = [address.strip() for address in claimed.split(",")]
        if 0 < proxies <= len(addresses):
            with suppress(ValueError):  # not an address: keep the proxy's
                request.META["REMOTE_ADDR"] = str(ip_address(addresses[-proxies]))
        return self.get_response(request)


class OutageMiddleware:
    """Process a read request again on a new connection if its connection was lost.

    When PostgreSQL restarts, open connections fail at their next statement even though the server is back.
    Only reads are repeated, because it is unknown whether a form was saved. A second failure remains a 503
    (`questionbank.core.views`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if getattr(response, "outage", None) is Outage.LOST and request.method in ("GET", "HEAD"):
            connections.close_all()
            response = self.get_response(request)
        return response


class RequestSizeMiddleware:
    """Refuse a body that is too large before it is read, including on the few pages that need no login."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Check the request's Content-Length; Django does not read a body without one.

        The upload handler limits the views that accept files.
        """
        try:
            length = int(request.META.get("CONTENT_LENGTH") or 0)
        except ValueError:
            length = 0
        match = request.resolver_match
        if length <= FORM_LIMIT or (match is not None and match.url_name in TAKES_FILES):
            return None
        limit = filesizeformat(FORM_LIMIT)
        sentence = f"This is more than {limit}, which is more than this page takes."
        return HttpResponse(sentence, status=413, content_type="text/plain; charset=utf-8")


class LogInMiddleware(LoginRequiredMiddleware):
    """Redirect people who are not logged in to the login page, and refuse those without the view's permission.

    It runs before the CSRF check, which reads a form's body and writes its files to disk, so that nobody
    without permission to send files can fill the disk.

    Data typed into a form outlives the session: the response to a POST without a session is a page that holds it.

    Pages behind the login stay out of browsers' caches, where the next person at a shared computer would find them,
    unless the view sets a cache lifetime, as pictures and frequently polled fragments do.
    """

    def process_view(
        self, request: HttpRequest, view_func: Any, view_args: tuple[Any, ...], view_kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Require a login, then the permission that the view names (`questionbank.core.views`)."""
        request.is_public = not getattr(view_func, "login_required", True)  # type: ignore[attr-defined]
        answer: HttpResponse | None = super().process_view(request, view_func, view_args, view_kwargs)
        permission = getattr(view_func, "permission", "")
        if answer is None and permission and not request.user.has_perm(f"questionbank.{permission}"):
            raise PermissionDenied
        return answer

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Forbid caching unless the response is public or sets its own ``Cache-Control``."""
        if not getattr(request, "is_public", False) and not response.has_header("Cache-Control"):
            response["Cache-Control"] = "no-store"
        return response

    def handle_no_permission(self, request: HttpRequest, view_func: Any) -> HttpResponse:
        answer = kept_form(request) if request.method == "POST" else None
        return answer or super().handle_no_permission(request, view_func)


class ParametersMiddleware:
    """Remove NUL characters from every parameter: no page needs them, and no text column can store them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.GET = _without_nul(request.GET)  # type: ignore[assignment]
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Clean the fields of a form, which are already parsed because the CSRF check runs first.

        Views without a CSRF check are those of programs: they check who calls before they read a body, and take no
        fields of forms.
        """
        if request.method == "POST" and not getattr(view, "csrf_exempt", False):
            request.POST = _without_nul(request.POST)  # type: ignore[assignment]


def _without_nul(parameters: QueryDict) -> QueryDict:
    if not any("\0" in text for name, values in parameters.lists() for text in (name, *values)):
        return parameters
    clean = QueryDict(mutable=True, encoding=parameters.encoding)
    for name, values in parameters.lists():
        for value in values:
            clean.appendlist(name.replace("\0", ""), value.replace("\0", ""))
    clean._mutable = False
    return clean
