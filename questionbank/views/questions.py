"""One question: what it is, what is known about it, what is similar to it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from analytics.question_content import content_of
from questionbank.selectors.questions.computations import question_computation
from questionbank.selectors.questions.hierarchy_choice import hierarchy_choice
from questionbank.selectors.questions.history import question_history
from questionbank.selectors.questions.questions import exact_duplicates, question_get
from questionbank.selectors.questions.shared_texts import SHARING_SHOWN, questions_sharing_text
from questionbank.selectors.questions.tags import question_tags
from questionbank.selectors.questions.uses import question_uses
from questionbank.selectors.review.paraphrases import paraphrase_origin, question_paraphrases
from questionbank.selectors.serving import serving
from questionbank.selectors.similar.columns import kinds_shown, lens_columns
from questionbank.selectors.similar.insight import (
    difficulty_figures,
    predict_or_none,
    solved_or_none,
    tagged_hierarchies,
)
from questionbank.selectors.similar.kinship import kin_of
from questionbank.services.proposals import why_not_reworded
from questionbank.services.questions import question_restore, question_retire
from questionbank.views.access import button_for, check_permission, form_for, page_for

PARAPHRASES_SHOWN = 3
USES_SHOWN = 5


@page_for("read")
def question_detail(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the question with everything that is known about it."""
    question = question_get(question_id=question_id, user=request.user)
    models = serving()
    tags = question_tags(question=question)
    choice = hierarchy_choice(
        user=request.user, own=tagged_hierarchies(tags, models), requested=request.GET.get("hierarchy", "")
    )
    prediction, no_prediction = predict_or_none(question.text, models, question.language, choice.name)
    paraphrases = question_paraphrases(question=question)
    kin = kin_of(question=question, serving=models)
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
        "solved": solved_or_none(question),
        "has_computation": question_computation(question) is not None,
        "columns": lens_columns(kin),
        "kinships": kinds_shown(kin),
        "sharing": (sharing := questions_sharing_text(question=question, user=request.user)),
        "sharing_more": len(sharing) == SHARING_SHOWN,
        "duplicates": exact_duplicates(
            text=question.text,
            options=question.options,
            content=content_of(question.content),
            answer=question.answer,
            exclude=question,
            user=request.user,
        )[:5],
        "graded_options": [
            option for option in question.options if "weight" in option or option.get("feedback")
        ],
        "misconceptions": [option for option in question.options if option.get("misconception")],
        "uses": question_uses(question=question)[:USES_SHOWN],
        "history": question_history(question=question),
        "may_edit": request.user.has_perm("questionbank.question_edit", question),
    }
    return render(request, "questions/detail.html", context)


@form_for("read")
def question_retire_page(request: HttpRequest, question_id: int) -> HttpResponse:
    """Ask, then take a question out of use; it stays readable and is found when looked for."""
    question = question_get(question_id=question_id, user=request.user)
    check_permission(request, "question_edit", question)
    if request.method == "POST":
        question_retire(user=request.user, question=question)
        messages.success(request, "The question is retired: it no longer appears in searches.")
        return redirect("question_detail", question_id=question.pk)
    return render(request, "questions/retire.html", {"question": question})


@button_for("read")
def question_restore_view(request: HttpRequest, question_id: int) -> HttpResponse:
    """Bring a retired question back."""
    question = question_get(question_id=question_id, user=request.user)
    check_permission(request, "question_edit", question)
    question_restore(user=request.user, question=question)
    messages.success(request, "The question is back: searches find it again.")
    return redirect("question_detail", question_id=question.pk)
