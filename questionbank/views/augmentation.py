"""Looking into the encoder: what each strategy of its training makes of a question, and what is at which distance."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from analytics.text.tokens import detect_language
from questionbank.errors import NotFound, ServiceUnavailable, ValidationFailed
from questionbank.forms.augmentation import AugmentationForm
from questionbank.models import Question
from questionbank.numbers import whole_number
from questionbank.selectors.questions.augmentation import question_augmented
from questionbank.selectors.questions.questions import question_get
from questionbank.selectors.search.search import SearchFilters, search_questions
from questionbank.selectors.serving import serving
from questionbank.selectors.similar.distances import worked_case
from questionbank.views.access import form_for, page_for

DRAWS = 3
FOUND = 8
_LONGEST_QUERY = 200

STRATEGY_WORDS: dict[str, tuple[str, str]] = {  # strategy -> what it is called, what it does
    "random swap": ("Random swap", "Two words change places, never inside a formula."),
    "random deletion": ("Random deletion", "One word is left out, never inside a formula."),
    "variable renaming": (
        "Variable renaming",
        "One variable gets an unused name throughout, in the prose too.",
    ),
    "variable scaling": ("Variable scaling", "One variable of a formula is multiplied by a number."),
    "operator synonym replacement": (
        "Operator synonym replacement",
        "One operator becomes one of the same kind, such as sine and cosine.",
    ),
    "number replacement": (
        "Number replacement",
        "One number is replaced by another with as many digits.",
    ),
    "clause shuffling": (
        "Clause shuffling",
        "The conditions change places; what is asked stays last.",
    ),
    "useless clause insertion": ("Useless clause insertion", "One condition is repeated."),
}


@form_for("models_manage")
def augmentation(request: HttpRequest) -> HttpResponse:
    """Find a question (``?q=``), choose it (``?question=``) or paste a text; then look at its changes."""
    query = request.GET.get("q", "").strip()[:_LONGEST_QUERY]
    question = _asked_question(request.GET.get("question", "") or (query if query.isdecimal() else ""))
    seed = seed_of(request.POST.get("seed", "") or request.GET.get("seed", ""))
    context: dict[str, Any] = {"query": query, "question": question, "next_seed": seed + 1, "status": 200}
    if request.method == "POST":
        form = AugmentationForm(request.POST)
        context["status"] = 200 if form.is_valid() else 422
        text = form.cleaned_data.get("text", "")
    else:
        text = question.analysed_text if question else ""
        form = AugmentationForm(initial={"text": text})
    if text:
        context |= _changes(text, seed)
    elif query and not question:
        page = search_questions(query=query, filters=SearchFilters(), serving=serving(), page_size=FOUND)
        context["found"] = page.hits
    return render(
        request, "augmentation/augmentation.html", context | {"form": form}, status=context["status"]
    )


def _asked_question(value: str) -> Question | None:
    if not (value.isascii() and value.isdigit()):
        return None
    number = whole_number(value)
    if number is None:
        raise NotFound("There is no such question.")
    return question_get(question_id=number)


def _changes(text: str, seed: int) -> dict[str, Any]:
    try:
        made = question_augmented(text=text, seed=seed, draws=DRAWS)
    except ValidationFailed as error:
        return {"problem": str(error), "status": 422}
    except ServiceUnavailable as error:
        return {"problem": str(error), "status": 503}
    return {
        "text": text,
        "language": detect_language(text),
        "strategies": [
            (strategy, strategy.group, *STRATEGY_WORDS[strategy.name]) for strategy in made.strategies
        ],
        "whole": made.whole,
    }


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
