"""Pages of the site as a whole: the first page, help, light or dark."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme

from questionbank.context import THEME_COOKIE, THEMES
from questionbank.selectors.questions.concepts import hierarchies
from questionbank.selectors.questions.overview import (
    bank_overview,
    drafts_of,
    recent_questions,
    running_jobs,
    strands,
)
from questionbank.selectors.questions.people import ROLE_EXPLANATIONS
from questionbank.views.access import button_for, page_for


@page_for("read")
def home(request: HttpRequest) -> HttpResponse:
    """Show the search first, then the strands to browse and what is new."""
    overview = bank_overview()
    context = {
        "overview": overview,
        "strands": strands() if not overview.is_empty else [],
        "hierarchies": hierarchies(),
        "recent": recent_questions(),
        "drafts": drafts_of(user=request.user),
        "jobs": running_jobs(),
        "hide_header_search": True,
    }
    return render(request, "home.html", context)


EXAMPLE_SEARCHES = (
    "area of a circle",
    "pythagoras",
    "x^2 - 5x + 6 = 0",
    "sqrt(50)",
    "A train travels 180 km in 2 hours. How fast is it?",
)


@page_for("read")
def help_page(request: HttpRequest) -> HttpResponse:
    """Explain the pages in the order in which a teacher meets them."""
    context = {"example_searches": EXAMPLE_SEARCHES, "role_explanations": ROLE_EXPLANATIONS}
    return render(request, "help/help.html", context)


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
