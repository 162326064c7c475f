"""One question: its content, everything known about it, and similar questions."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.bank.list_selectors import last_list
from questionbank.bank.merge_selectors import merge_of, merged_numbers
from questionbank.bank.question_selectors import SHARING_SHOWN, picture_bytes, question_get
from questionbank.bank.question_services import question_restore, question_retire, question_revert
from questionbank.bank.vector_selectors import question_vectors_awaited
from questionbank.core.capability_catalog import kinship_rows
from questionbank.core.capability_contract import KinshipRow
from questionbank.core.errors import NotFound
from questionbank.core.views import button_for, check_permission, form_for, page_for, render_page
from questionbank.core.wording import whole_number
from questionbank.models import Attachment, Question
from questionbank.people.school_selectors import visible_to_choices
from questionbank.questions.exclusion_services import language_model_exclude
from questionbank.registry.language_model_selectors import language_model_uses, may_be_sent
from questionbank.registry.serving import Serving, serving
from questionbank.responses.shown_figures import question_responses
from questionbank.review.proposal_services import why_not_reworded
from questionbank.similar.insight import question_insight
from questionbank.similar.kinship import EASIER, HARDER, SHOWN, Kin, kin_of, kinds_shown, lens_column, lens_columns
from questionbank.similar.similarity import SimilarHit, SimilarResult, fold_copies, similar_questions
from questionbank.similar.suggestion_selectors import concept_suggestions
from questionbank.solving.computations import question_computation

PARAPHRASES_SHOWN = 3
SCRIPTS_COOKIE = "scripts"
USES_SHOWN = 5


@page_for("read")
def question_detail(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the question with everything known about it.

    A browser with JavaScript requests the similar questions afterwards (`question_likeness`), unless the query string
    has `?whole`. JavaScript sets a cookie to announce this (static/js/site.js), so that other browsers get the whole
    page.
    """
    question = question_get(question_id=question_id, user=request.user)
    models = serving()
    insight = question_insight(
        question=question, user=request.user, models=models, hierarchy=request.GET.get("hierarchy", "")
    )
    paraphrases = list(insight.paraphrases[:PARAPHRASES_SHOWN])
    merged = merged_numbers(question=question)
    context = vars(insight) | {
        "merged_numbers": merged,
        "paraphrases": paraphrases,
        "paraphrase_count": (
            insight.paraphrases.count() if len(paraphrases) == PARAPHRASES_SHOWN else len(paraphrases)
        ),
        "why_not_reworded": why_not_reworded(question),
        "suggested": concept_suggestions(question=question, hierarchy=insight.choice.name),
        "tagged": {tag.concept_id for tag in insight.tags},
        "sharing_more": len(insight.sharing) == SHARING_SHOWN,
        "graded_options": [option for option in question.options if "weight" in option or option.get("feedback")],
        "misconceptions": [option for option in question.options if option.get("misconception")],
        "uses": insight.uses[:USES_SHOWN],
        "responses": (
            question_responses(question, merged=merged)
            if request.user.has_perm("questionbank.responses_read")
            else None
        ),
        "merge": merge_of(question=question) if question.merged_into_id else None,
        "may_edit": request.user.has_perm("questionbank.question_edit", question),
        "last_list": last_list(user=request.user),
    }
    context["may_move"] = context["may_edit"] and bool(visible_to_choices())
    if context["may_edit"] and any(use.is_on for use in language_model_uses()):
        context["may_be_sent"] = may_be_sent(question_id=question.pk)
    if request.COOKIES.get(SCRIPTS_COOKIE) and "whole" not in request.GET:
        context["likeness_later"] = True
    else:
        context |= _likeness(request, question, models)
    return render(request, "bank/questions/detail.html", context)


@button_for("read")
def question_exclude(request: HttpRequest, question_id: int) -> HttpResponse:
    """Exclude a question from what is sent to the language model, or allow it again."""
    question = question_get(question_id=question_id, user=request.user)
    is_excluded = request.POST.get("exclude") == "yes"
    language_model_exclude(question=question, is_excluded=is_excluded, user=request.user)
    sentence = "is not sent to the language model any more" if is_excluded else "may be sent to the language model"
    messages.success(request, f"The question {sentence}.")
    return redirect("question_detail", question_id=question.pk)


@page_for("read")
def question_likeness(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the part of a question's page that lists similar questions."""
    question = question_get(question_id=question_id, user=request.user)
    if not request.htmx:
        return redirect(reverse("question_detail", args=[question.pk], query={"whole": 1}))
    context = _likeness(request, question, serving()) | {
        "question": question,
        "page_address": reverse("question_detail", args=[question.pk]),
    }
    return render(request, "bank/questions/_likeness.html", context)


def _likeness(request: HttpRequest, question: Question, models: Serving) -> dict[str, Any]:
    """Return the context of `bank/questions/_likeness.html`, except the question."""
    kin = kin_of(question=question, serving=models)
    return {
        "columns": lens_columns(kin.results),
        "kinships": kinds_shown(kin),
        "has_computation": question_computation(question) is not None,
        "vectors_awaited": question_vectors_awaited(question=question, user=request.user),
    }


@form_for("read")
def question_retire_page(request: HttpRequest, question_id: int) -> HttpResponse:
    """Retire a question, after confirmation; it stays readable, and a search for retired questions finds it."""
    question = question_get(question_id=question_id, user=request.user)
    check_permission(request, "question_edit", question)
    if request.method == "POST":
        question_retire(user=request.user, question=question)
        messages.success(request, "The question is retired: it no longer appears in searches.")
        return redirect("question_detail", question_id=question.pk)
    return render(request, "bank/questions/retire.html", {"question": question})


@button_for("read")
def question_restore_view(request: HttpRequest, question_id: int) -> HttpResponse:
    """Restore a retired question."""
    question = question_get(question_id=question_id, user=request.user)
    check_permission(request, "question_edit", question)
    question_restore(user=request.user, question=question)
    messages.success(request, "The question is back: searches find it again.")
    return redirect("question_detail", question_id=question.pk)


@button_for("read")
def question_revert_view(request: HttpRequest, question_id: int, event: int) -> HttpResponse:
    """Restore a question's state from before a change."""
    question = question_get(question_id=question_id, user=request.user)
    check_permission(request, "question_edit", question)
    version = whole_number(request.POST.get("version", "")) or 0
    question_revert(user=request.user, question=question, event=event, version=version)
    messages.success(request, "The former version is back. The history has what it replaced.")
    return redirect("question_detail", question_id=question.pk)


@page_for("read")
def picture(_request: HttpRequest, sha256: str) -> HttpResponse:
    """Return a picture; its URL contains its hash, so it never changes."""
    attachment = Attachment.objects.filter(pk=sha256).first()
    data = picture_bytes(sha256) if attachment is not None else None
    if attachment is None or data is None:
        raise Http404
    response = HttpResponse(data, content_type=attachment.media_type)
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


@page_for("read")
def question_similar(request: HttpRequest, question_id: int, kinship: str) -> HttpResponse:
    """Show more of the similar questions of one kind."""
    row = kinship_rows().get(kinship)
    if row is None:
        raise NotFound("There is no such list of similar questions.")
    question = question_get(question_id=question_id, user=request.user)
    models = serving()
    kin = kin_of(question=question, serving=models)
    result = kin.results.get(row.lens) or _asked_by_name(question, row.lens, models)
    context = {
        "question": question,
        "kinship": row,
        "kinships": kinds_shown(kin) | {kinship: row},
        "chosen": kinship,
        "closest": next(iter(kinship_rows())),
        "column": lens_column(row.lens, result, result.hits),
        "hits": _hits(kin, row, result),
    }
    return render_page(request, "bank/questions/similar.html", "bank/questions/_similar.html", context)


def _hits(kin: Kin, wanted: KinshipRow, result: SimilarResult) -> list[SimilarHit]:
    if wanted.kind in (EASIER, HARDER):  # copies differ in difficulty, which each row shows
        return kin.kinds.get(wanted.kind, [])
    return fold_copies(kin.kinds.get(wanted.kind, []) if wanted.kind else result.hits)


def _asked_by_name(question: Question, lens: str, models: Serving) -> SimilarResult:
    if lens not in models.for_language(question.language).sets:
        raise NotFound("No model that compares questions in this way is in use.")
    return similar_questions(question=question, lens=lens, serving=models, k=SHOWN)
