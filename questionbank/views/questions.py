"""One question: what it is, what is known about it, what is similar to it."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from questionbank.errors import NotFound
from questionbank.models import Lens
from questionbank.selectors.hierarchy_choice import hierarchy_choice
from questionbank.selectors.history import question_history
from questionbank.selectors.paraphrases import paraphrase_origin, question_paraphrases
from questionbank.selectors.questions import exact_duplicates, question_get
from questionbank.selectors.serving import serving
from questionbank.selectors.similarity import LOOKS_ALIKE, SAME_IDEA
from questionbank.selectors.tags import question_tags
from questionbank.services.proposals import why_not_reworded
from questionbank.services.questions import question_restore, question_retire
from questionbank.views.access import check_permission, render_page, requires
from questionbank.views.insight import (
    difficulty_figures,
    lens_column,
    lens_columns,
    predict_or_none,
    tagged_hierarchies,
)

__all__ = ["KINSHIPS", "question_detail", "question_restore_view", "question_retire_page", "question_similar"]

SIMILAR_ON_OWN_PAGE = 30
PARAPHRASES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Kinship:
    """One question about the similar ones that a teacher asks with one click."""

    lens: str
    flag: str  # a flag of `SimilarHit`; empty: every hit
    name: Promise
    explanation: Promise


KINSHIPS: dict[str, Kinship] = {  # last part of the address -> what it shows; a literal table
    "purpose": Kinship(
        Lens.PURPOSE, "", gettext_lazy("Same purpose"), gettext_lazy("Questions that ask for the same thing.")
    ),
    "wording": Kinship(
        Lens.WORDING, "", gettext_lazy("Same wording"), gettext_lazy("Questions that read alike.")
    ),
    "same-idea": Kinship(
        Lens.PURPOSE,
        SAME_IDEA,
        gettext_lazy("Same idea, new numbers"),
        gettext_lazy("Questions that ask for the same thing with other numbers: for practice and retakes."),
    ),
    "solved-differently": Kinship(
        Lens.WORDING,
        LOOKS_ALIKE,
        gettext_lazy("Looks alike, solved differently"),
        gettext_lazy("Questions that read alike but need another idea: for teaching the difference."),
    ),
}


@requires("read")
@require_safe
def question_detail(request: HttpRequest, question_id: int) -> HttpResponse:
    """The question with everything that is known about it."""
    question = question_get(question_id=question_id)
    models = serving()
    tags = question_tags(question=question)
    choice = hierarchy_choice(
        user=request.user, own=tagged_hierarchies(tags, models), requested=request.GET.get("hierarchy", "")
    )
    prediction, no_prediction = predict_or_none(question.text, models, question.language, choice.name)
    paraphrases = question_paraphrases(question=question)
    context = {
        "question": question,
        "origin": paraphrase_origin(question=question),
        "paraphrases": paraphrases[:PARAPHRASES_SHOWN],
        "paraphrase_count": paraphrases.count(),
        "why_not_reworded": why_not_reworded(question),
        "tags": tags,
        "tagged": {tag.concept_id for tag in tags},
        "prediction": prediction,
        "no_prediction": no_prediction,
        "choice": choice,
        "figures": difficulty_figures(question, prediction),
        "columns": lens_columns(question, models),
        "kinships": KINSHIPS,
        "duplicates": exact_duplicates(text=question.text, options=question.options, exclude=question)[:5],
        "misconceptions": [option for option in question.options if option.get("misconception")],
        "history": question_history(question=question),
        "may_edit": request.user.has_perm("questionbank.question_edit", question),
    }
    return render(request, "questions/detail.html", context)


@requires("read")
@require_safe
def question_similar(request: HttpRequest, question_id: int, kinship: str) -> HttpResponse:
    """More of the similar questions, of one kind."""
    if kinship not in KINSHIPS:
        raise NotFound(_("There is no such list of similar questions."))
    wanted = KINSHIPS[kinship]
    question = question_get(question_id=question_id)
    column = lens_column(question, wanted.lens, serving(), k=SIMILAR_ON_OWN_PAGE)
    hits = [hit for hit in column.hits if not wanted.flag or wanted.flag in hit.flags]
    context = {
        "question": question,
        "kinship": wanted,
        "kinships": KINSHIPS,
        "chosen": kinship,
        "column": column,
        "hits": hits,
    }
    return render_page(request, "questions/similar.html", "questions/_similar.html", context)


@requires("read")
@require_http_methods(["GET", "HEAD", "POST"])
def question_retire_page(request: HttpRequest, question_id: int) -> HttpResponse:
    """Ask, then take a question out of use; it stays readable and is found when looked for."""
    question = question_get(question_id=question_id)
    check_permission(request, "question_edit", question)
    if request.method == "POST":
        question_retire(user=request.user, question=question)
        messages.success(request, _("The question is retired: it no longer appears in searches."))
        return redirect("question_detail", question_id=question.pk)
    return render(request, "questions/retire.html", {"question": question})


@requires("read")
@require_POST
def question_restore_view(request: HttpRequest, question_id: int) -> HttpResponse:
    """Bring a retired question back."""
    question = question_get(question_id=question_id)
    check_permission(request, "question_edit", question)
    question_restore(user=request.user, question=question)
    messages.success(request, _("The question is back: searches find it again."))
    return redirect("question_detail", question_id=question.pk)
