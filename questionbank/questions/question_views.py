"""One question: everything known about it, similar questions, its concepts, its equation, and what it computes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from analytics.languages import detect_language
from questionbank.bank.bulk_selectors import merge_of, merged_numbers
from questionbank.bank.concept_selectors import concept_get, concepts_to_choose
from questionbank.bank.concept_services import hierarchy_choose
from questionbank.bank.list_selectors import last_list
from questionbank.bank.question_forms import PASTE_LIMIT, chosen_concepts
from questionbank.bank.question_selectors import SHARING_SHOWN, picture_bytes, question_get
from questionbank.bank.question_services import (
    question_accept_prediction,
    question_restore,
    question_retire,
    question_revert,
    question_set_tags,
)
from questionbank.bank.vector_selectors import question_vectors_awaited
from questionbank.core.capability_catalog import kinship_rows
from questionbank.core.capability_contract import KinshipRow
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, check_permission, form_for, page_for, posted, render_page, warning_of
from questionbank.core.wording import whole_number, whole_numbers
from questionbank.formats.limits import EQUATION_LIMIT
from questionbank.jobs.run_selectors import run_get, run_wait
from questionbank.models import Attachment, KnowledgeConcept, Question, Run
from questionbank.people.school_selectors import visible_to_choices
from questionbank.registry.language_model_selectors import language_model_uses, may_be_sent
from questionbank.registry.serving import Serving, serving
from questionbank.responses.shown_figures import question_responses
from questionbank.review.paraphrase_services import why_not_reworded
from questionbank.similar.insight import predict_or_none, question_insight
from questionbank.similar.kinship import EASIER, HARDER, SHOWN, Kin, kin_of, kinds_shown, lens_column, lens_columns
from questionbank.similar.similarity import SimilarHit, SimilarResult, fold_copies, similar_questions
from questionbank.similar.suggestion_services import (
    concept_suggestions,
    concepts_suggest_request,
    language_model_exclude,
)
from questionbank.solving.computations import computed_alike, question_computation
from questionbank.solving.services import equation_accept, second_opinion_request
from questionbank.solving.solutions import kept_solved, second_opinion_kept, solved_or_none

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
    sentence = "is no longer sent to the language model" if is_excluded else "may be sent to the language model"
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


ALIKE_SHOWN = 50


class EquationForm(ServiceForm):
    """An equation, and the version of the question that its author read."""

    main_field = "equation"

    equation = forms.CharField(
        label="Equation",
        max_length=EQUATION_LIMIT,
        required=False,
        help_text=(
            "Numbers, brackets, + - × ÷ (or * /), ^ and %, without the result. Clear the field to remove the equation."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "code"}),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**31 - 1)


@page_for("read")
def question_computed_alike(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the questions with the same computation as this one."""
    question = question_get(question_id=question_id, user=request.user)
    context = {
        "question": question,
        "alike": computed_alike(question=question, user=request.user, limit=ALIKE_SHOWN),
        "computation": question_computation(question),
    }
    return render(request, "bank/questions/computed_alike.html", context)


@button_for("language_model_ask", back="paste")
def second_opinion_ask(request: HttpRequest) -> HttpResponse:
    """Have a typed text (`text`) solved in a job, which also queries the language model."""
    text = request.POST.get("text", "").strip()[:PASTE_LIMIT]
    if not text:
        raise ValidationFailed("There is no question to solve.")
    run = second_opinion_request(text=text, language=detect_language(text), user=request.user)
    return redirect("second_opinion", run_id=run.pk)


@page_for("read")
def second_opinion(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show how a typed text is solved: by the page's solver, and by the job once it has finished."""
    run = run_get(run_id=run_id)
    is_own = run.requested_by_id == request.user.pk or request.user.has_perm("questionbank.runs_manage")
    if run.kind != "opinion" or "text" not in run.parameters or not is_own:
        raise NotFound("There is no such solution.")
    text, language = run.parameters["text"], run.parameters["language"]
    found = run.result if run.state == Run.State.SUCCEEDED else None
    opinion = None if found is None else second_opinion_kept(found)
    by_both = " and the language model" if opinion and opinion.written else ""
    context = {
        "run": run,
        "opinion": opinion,
        "text": text,
        "language": language,
        "solved": solved_or_none(text, language)
        if found is None
        else kept_solved(text, found["alternatives"], found["reason"], found["solver"] + by_both),
        "wait": run_wait(run=run),
    }
    return render_page(request, "bank/questions/second_opinion.html", "bank/questions/_second_opinion.html", context)


@form_for("equation_edit")
def question_equation(request: HttpRequest, question_id: int) -> HttpResponse:
    """Accept the solver's equation for a question, or write another one."""
    question = question_get(question_id=question_id, user=request.user)
    equation = getattr(question, "equation", None)
    proposed = request.GET.get("equation", "")[:EQUATION_LIMIT] or (equation.expression if equation else "")
    form = EquationForm(posted(request), initial={"equation": proposed, "version": question.version})
    if form.is_valid():
        version, expression = form.cleaned_data["version"], form.cleaned_data["equation"]
        with form.takes_problems():
            equation_accept(user=request.user, question=question, version=version, expression=expression)
            messages.success(request, "Equation saved." if expression.strip() else "Equation removed.")
            return redirect("question_detail", question_id=question.pk)
    context = {"question": question, "form": form}
    return render(request, "bank/questions/equation.html", context, status=form.status)


@button_for("tags_edit")
def question_accept(request: HttpRequest, question_id: int) -> HttpResponse:
    """Tag a question with a predicted concept; its probability is computed here, not taken from the request."""
    question = question_get(question_id=question_id, user=request.user)
    chosen = whole_number(request.POST.get("concept", ""))
    if chosen is None:
        raise NotFound("There is no such concept.")
    concept = concept_get(concept_id=chosen)
    prediction, _reason = predict_or_none(question.analysed_text, serving(), question.language, concept.hierarchy.name)
    guesses = prediction.concepts if prediction else ()
    probability = next((guess.probability for guess in guesses if guess.concept_id == concept.pk), None)
    question_accept_prediction(user=request.user, question=question, concept=concept, probability=probability)
    messages.success(request, f"The question is now tagged with “{concept.name}”.")
    return redirect("question_detail", question_id=question.pk)


@button_for("language_model_ask")
def question_suggest(request: HttpRequest, question_id: int) -> HttpResponse:
    """Have the language model suggest concepts of a question in a job."""
    question = question_get(question_id=question_id, user=request.user)
    hierarchy = request.POST.get("hierarchy", "").replace("\0", "")
    with warning_of(request, Conflict):
        concepts_suggest_request(question=question, hierarchy=hierarchy, user=request.user)
    query = {"hierarchy": hierarchy} if hierarchy else None
    return redirect(f"{reverse('question_detail', args=[question.pk], query=query)}#suggested")


@form_for("tags_edit")
def question_concepts(request: HttpRequest, question_id: int) -> HttpResponse:
    """Choose the concepts of a question."""
    question = question_get(question_id=question_id, user=request.user)
    problem = ""
    if request.method == "POST" and request.POST.get("action") == "save":
        concepts = KnowledgeConcept.objects.filter(pk__in=chosen_concepts(request.POST))
        seen = whole_numbers(request.POST["seen"]) if "seen" in request.POST else None
        try:
            question_set_tags(user=request.user, question=question, concepts=list(concepts), seen=seen)
            messages.success(request, "The concepts are saved.")
            return redirect("question_detail", question_id=question.pk)
        except Conflict as error:
            problem = str(error)
    tagged = list(question.tags.values_list("concept_id", flat=True))
    is_choosing = request.method == "POST" and not problem
    ids = chosen_concepts(request.POST) if is_choosing else tagged
    seen_ids = whole_numbers(request.POST.get("seen", "")) if is_choosing else tagged
    context = {
        "question": question,
        "seen": ",".join(map(str, sorted(seen_ids))),
        "problem": problem,
        **concepts_to_choose(query=request.POST.get("concept_query", "").strip(), chosen=ids),
    }
    return render(request, "bank/questions/concepts.html", context, status=409 if problem else 200)


@button_for("read")
def question_hierarchy(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show a question's concepts in another hierarchy, and remember it for questions without tags."""
    question = question_get(question_id=question_id, user=request.user)
    name = request.POST.get("hierarchy", "").replace("\0", "")
    hierarchy_choose(user=request.user, name=name)
    query = QueryDict(mutable=True)
    query["hierarchy"] = name
    return redirect(f"{reverse('question_detail', args=[question.pk])}?{query.urlencode()}#predicted")
