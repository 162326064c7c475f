"""Site-wide pages: the home page, help, light or dark theme, and the history of changes."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.dateparse import parse_datetime
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.timezone import is_aware

from questionbank.bank.change_selectors import CHANGE_KINDS, change_page
from questionbank.bank.concept_selectors import hierarchies
from questionbank.bank.overview_selectors import bank_overview, drafts_of, recent_questions, running_jobs, strands
from questionbank.core.views import button_for, page_for
from questionbank.people.context import THEME_COOKIE, THEMES
from questionbank.people.roles import ROLE_EXPLANATIONS


@page_for("read")
def home(request: HttpRequest) -> HttpResponse:
    """Show the search, then the strands to browse and what is new."""
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
    """Explain the pages in the order a teacher encounters them."""
    context = {"example_searches": EXAMPLE_SEARCHES, "role_explanations": ROLE_EXPLANATIONS}
    return render(request, "help/help.html", context)


ONE_YEAR = 365 * 24 * 3600


@button_for("read")
def theme(request: HttpRequest) -> HttpResponse:
    """Store the chosen theme in a cookie and return to the page the person came from."""
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()):
        target = resolve_url("home")
    response = HttpResponseRedirect(target)
    chosen = request.POST.get("theme", "")
    if chosen in {value for value, *_rest in THEMES}:
        response.set_cookie(
            THEME_COOKIE, chosen, max_age=ONE_YEAR, secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax"
        )
    return response


@page_for("changes_read")
def change_list(request: HttpRequest) -> HttpResponse:
    """Show who changed what, newest first; `?kind=` filters by kind, `?before=` shows older changes."""
    kind = request.GET.get("kind", "")
    kind = kind if kind in CHANGE_KINDS else ""
    try:
        before = parse_datetime(request.GET.get("before", ""))
    except ValueError:
        before = None
    if before is not None and not is_aware(before):
        before = None
    page = change_page(kind=kind, before=before)
    context = {"page": page, "kind": kind, "kinds": CHANGE_KINDS, "is_latest": before is None}
    return render(request, "bank/changes/list.html", context)
