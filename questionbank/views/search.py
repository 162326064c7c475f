"""Search: one box, filters that combine, all of it in an address that can be shared.

Filters are remembered in the session, but only ever applied by writing them into the address: a page
without them in its address shows everything, whoever opens it.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from django_htmx.http import push_url

from questionbank.models import Question
from questionbank.selectors.concept_steps import ConceptSteps, concept_steps
from questionbank.selectors.facets import BANDS, FacetValue
from questionbank.selectors.filters import ANY_STATUS, SearchFilters
from questionbank.selectors.search import SearchPage, search_questions
from questionbank.selectors.serving import serving
from questionbank.views.access import render_page, requires

__all__ = ["question_list"]

REMEMBERED, RECALLED = "question_filters", "question_filters_recalled"
NOT_REMEMBERED = ("owner", "status")  # looking at one's drafts must not narrow the next search
QUERY_LIMIT = 2000  # characters; a whole pasted question fits, and so does its address
FACETS = (
    ("kind", gettext_lazy("Type")),
    ("grade", gettext_lazy("Grade")),
    ("language", gettext_lazy("Language")),
    ("source", gettext_lazy("Source")),
)
SELECT_FROM = 7  # a filter with so many values becomes a drop-down list


@requires("read")
@require_safe
def question_list(request: HttpRequest) -> HttpResponse:
    """The results; `recall` brings remembered filters back, `clear` forgets them."""
    query = request.GET.get("q", "").replace("\x00", "").strip()[:QUERY_LIMIT]
    if "clear" in request.GET:
        request.session.pop(REMEMBERED, None)
        return _redirect(_parameters(query, {}))
    if "recall" in request.GET:
        return _recall(request, query)
    filters = SearchFilters.from_querydict(request.GET)
    given = filters.to_query()
    cursor = request.GET.get("cursor", "")
    wanted = _parameters(query, given, cursor)
    if not request.htmx and dict(request.GET.items()) != wanted:
        return _redirect(wanted)  # without the empty fields that a form sends
    _remember(request, given)
    page = search_questions(query=query, filters=filters, serving=serving(), cursor=cursor)
    context = {
        "page": page,
        "query": query,
        "filters": filters,
        "filter_query": given,
        "filter_count": len(given),
        "steps": _concept_steps(page, filters),
        "bands": _bands(page),
        "facets": _facets(page, given),
        "statuses": [*Question.Status.choices, (ANY_STATUS, _("Any"))],
        "recalled": request.session.pop(RECALLED, False) if RECALLED in request.session else False,
        "hide_header_search": True,
    }
    response = render_page(request, "questions/list.html", "questions/_results_part.html", context)
    return push_url(response, _address(wanted)) if request.htmx else response


def _recall(request: HttpRequest, query: str) -> HttpResponse:
    kept = request.session.get(REMEMBERED, {})
    if kept:
        request.session[RECALLED] = True  # the next page says so
    return _redirect(_parameters(query, kept))


def _remember(request: HttpRequest, given: dict[str, str]) -> None:
    kept = {name: value for name, value in given.items() if name not in NOT_REMEMBERED}
    if kept and kept != request.session.get(REMEMBERED):
        request.session[REMEMBERED] = kept


def _redirect(parameters: dict[str, str]) -> HttpResponse:
    return HttpResponseRedirect(_address(parameters))


def _parameters(query: str, filters: dict[str, str], cursor: str = "") -> dict[str, str]:
    named = {"q": query, "cursor": cursor}
    return filters | {name: value for name, value in named.items() if value}


def _address(parameters: dict[str, str]) -> str:
    return reverse("question_list") + (f"?{urlencode(parameters)}" if parameters else "")


def _concept_steps(page: SearchPage, filters: SearchFilters) -> ConceptSteps:
    counts = {int(value.value): value.count for value in page.facets.get("concept", [])}
    return concept_steps(chosen=filters.concept, counts=counts)


def _bands(page: SearchPage) -> list[dict[str, Any]]:
    """Ranges of difficulty with their counts, each a click."""
    width = 100 // BANDS
    return [
        {
            "label": band.label,
            "count": band.count,
            "low": int(band.value) * width,
            "high": (int(band.value) + 1) * width,
        }
        for band in page.facets.get("difficulty", [])
    ]


def _facets(page: SearchPage, given: dict[str, str]) -> list[dict[str, Any]]:
    """The filters that are lists of values, each with its counts and what is chosen."""
    facets = []
    for name, label in FACETS:
        values, chosen = list(page.facets.get(name, [])), given.get(name, "")
        if chosen and chosen not in {value.value for value in values}:
            values.append(FacetValue(chosen, chosen, 0))
        if name == "grade":
            values.sort(key=_by_size)
        if values:
            is_long = len(values) >= SELECT_FROM
            facets.append(
                {"name": name, "label": label, "values": values, "chosen": chosen, "is_long": is_long}
            )
    return facets


def _by_size(value: FacetValue) -> tuple[int, float, str]:
    """Grades in order: numbers by size, then the others by name."""
    try:
        return 0, float(value.value), ""
    except ValueError:
        return 1, 0.0, value.label
