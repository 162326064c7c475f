"""Light or dark."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme

from questionbank.context import THEME_COOKIE, THEMES
from questionbank.views.access import button_for

ONE_YEAR = 365 * 24 * 3600


@button_for("read")
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the chosen theme in a cookie and go back to where the person was."""
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()):
        target = resolve_url("home")
    response = HttpResponseRedirect(target)
    chosen = request.POST.get("theme", "")
    if chosen in {value for value, *_rest in THEMES}:
        response.set_cookie(
            THEME_COOKIE,
            chosen,
            max_age=ONE_YEAR,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return response
