"""The concepts of one question: accepting a predicted one, choosing them, and the hierarchy in which they are shown."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.bank.concept_selectors import concept_get, concepts_to_choose
from questionbank.bank.concept_services import hierarchy_choose
from questionbank.bank.question_forms import chosen_concepts
from questionbank.bank.question_selectors import question_get
from questionbank.bank.question_services import question_accept_prediction, question_set_tags
from questionbank.core.errors import Conflict, NotFound
from questionbank.core.views import button_for, form_for, warning_of
from questionbank.core.wording import whole_number, whole_numbers
from questionbank.models import KnowledgeConcept
from questionbank.registry.serving import serving
from questionbank.similar.insight import predict_or_none
from questionbank.similar.suggestion_services import concepts_suggest_request


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
