"""Site-wide pages: the home page, help, light or dark theme, and the history of changes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import render, resolve_url
from django.utils.dateparse import parse_datetime
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.timezone import is_aware, make_aware

from questionbank.bank.change_selectors import CHANGE_KINDS, Wanted, all_changes, change_page
from questionbank.bank.concept_selectors import (
    bank_overview,
    drafts_of,
    hierarchies,
    recent_questions,
    running_jobs,
    strands,
)
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, page_for
from questionbank.formats.csv_files import guard_cell
from questionbank.people.middleware import THEME_COOKIE, THEMES
from questionbank.people.roles import ROLE_EXPLANATIONS
from questionbank.people.selectors import people


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


class ChangesForm(ServiceForm):
    """Which changes to show."""

    kind = forms.ChoiceField(choices=[("", "Everything"), *CHANGE_KINDS.items()], required=False, label="What")
    person = forms.ModelChoiceField(people(), required=False, label="Who", empty_label="Everybody")
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="Until", widget=forms.DateInput(attrs={"type": "date"}))

    def wanted(self) -> tuple[str, Wanted]:
        """Return the kind and what else is wanted; a field that cannot be read counts as empty."""
        self.full_clean()
        since, until, person = (self.cleaned_data.get(name) for name in ("since", "until", "person"))
        return self.cleaned_data.get("kind", ""), Wanted(
            before=_moment(until, time.max) if until else None,
            since=_moment(since, time.min) if since else None,
            person=person.pk if person else None,
        )


def _moment(day: date, clock: time) -> datetime:
    day = min(max(day, date(1970, 1, 1)), date(9000, 1, 1))  # no time zone moves these beyond what can be stored
    return make_aware(datetime.combine(day, clock))


@page_for("changes_read")
def change_list(request: HttpRequest) -> HttpResponse:
    """Show who changed, exported and looked at what, newest first; `?before=` shows older entries."""
    form = ChangesForm(request.GET)
    kind, wanted = form.wanted()
    try:
        before = parse_datetime(request.GET.get("before", ""))
    except ValueError:
        before = None
    if before is not None and is_aware(before):
        wanted = replace(wanted, before=min(before, wanted.before or before))
    else:
        before = None
    filters = request.GET.copy()
    filters.pop("before", None)
    context = {
        "page": change_page(kind=kind, wanted=wanted),
        "form": form,
        "filters": filters.urlencode(),
        "is_latest": before is None,
    }
    return render(request, "bank/changes/list.html", context)


@page_for("changes_read")
def change_export(request: HttpRequest) -> StreamingHttpResponse:
    """Return all wanted entries as CSV."""
    kind, wanted = ChangesForm(request.GET).wanted()
    entries = all_changes(kind=kind, wanted=wanted)
    rows = ((entry.when.isoformat(), entry.who, CHANGE_KINDS[entry.kind], entry.what, entry.rows) for entry in entries)
    response = StreamingHttpResponse(_csv_lines(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="changes.csv"'
    return response


def _csv_lines(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    writer = csv.writer(_Echo(), lineterminator="\r\n")
    yield "\ufeff" + writer.writerow(["when", "who", "kind", "what", "rows"])
    for row in rows:
        yield writer.writerow([guard_cell(str(value)) for value in row])


class _Echo:
    """A file that returns what is written to it."""

    def write(self, line: str) -> str:
        return line
