"""A worked case of the encoder: the nearest question at each distance in the hierarchy."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from questionbank.errors import ServiceUnavailable
from questionbank.numbers import whole_number
from questionbank.selectors.questions.questions import question_get
from questionbank.selectors.serving import serving
from questionbank.selectors.similar.distances import worked_case
from questionbank.views.access import page_for


@page_for("read")
def question_distances(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the question, and the nearest one at each distance from it."""
    question = question_get(question_id=question_id, user=request.user)
    seed = seed_of(request.GET.get("seed", ""))
    case, problem = None, ""
    try:
        case = worked_case(question=question, serving=serving(), seed=seed)
    except ServiceUnavailable as error:  # a new bank has no vectors yet
        problem = str(error)
    context = {"question": question, "case": case, "problem": problem, "next_seed": seed + 1}
    return render(request, "questions/distances.html", context)


def seed_of(value: str) -> int:
    """Return the seed that an address or a form asks for, 0 where it makes no sense."""
    return whole_number(value, digits=8) or 0
