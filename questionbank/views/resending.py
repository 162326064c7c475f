"""Forms that arrive after a log-out or a new log-in: their page keeps what was written and sends it again.

Only a form of our own pages is offered again, as the browser's Origin header says: the person would otherwise confirm
by one click what another site has filled in. Pages without that header get the plain answers.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

TYPED = 30  # characters from which a value is shown, so that it can be copied
LARGEST = 16 * 1024 * 1024  # bytes of a form, its files included, that are read of somebody who is logged out


def kept_form(request: HttpRequest) -> HttpResponse | None:
    """Return a page that holds the fields of the form that was sent, or None where it cannot be offered again.

    Files do not come back: they are not read, and the page says so.
    """
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not _is_ours(request) or request.htmx or not length.isdigit() or int(length) > LARGEST:
        return None
    if not hasattr(request, "_files"):
        request.upload_handlers = []  # a stranger's files are not written to disk
    if any("password" in name for name in request.POST):
        return None
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        if name != "csrfmiddlewaretoken"
        for value in values
    ]
    context = {
        "fields": fields,
        "typed": [value for _name, value in fields if len(value) >= TYPED and " " in value.strip()],
        "has_files": request.content_type == "multipart/form-data",
    }
    return render(request, "unsent.html", context, status=403)


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - by Django's name
    """Return 403 for a form without the token of this log-in (``CSRF_FAILURE_VIEW``)."""
    kept = kept_form(request) if request.user.is_authenticated else None
    return kept or render(request, "403_csrf.html", status=403)


def _is_ours(request: HttpRequest) -> bool:
    origin = request.META.get("HTTP_ORIGIN", "")
    return origin in (f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS)
