"""The help page: what can be done here, example searches, keys."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from questionbank.selectors.questions.people import ROLE_EXPLANATIONS
from questionbank.views.access import page_for

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
