"""The first page: the search box, and what is in the bank."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from questionbank.selectors.questions.concepts import hierarchies
from questionbank.selectors.questions.overview import bank_overview, drafts_of, recent_questions, running_jobs
from questionbank.selectors.questions.strands import strands
from questionbank.views.access import page_for


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
