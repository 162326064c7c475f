"""Which concepts a question needs, accepted or chosen; and the hierarchy in which concepts are predicted."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.errors import Conflict, NotFound
from questionbank.forms.questions import chosen_concepts
from questionbank.models import KnowledgeConcept
from questionbank.numbers import whole_number, whole_numbers
from questionbank.selectors.questions.concept_choices import concepts_to_choose
from questionbank.selectors.questions.concepts import concept_get, hierarchy_get
from questionbank.selectors.questions.hierarchy_choice import default_hierarchy
from questionbank.selectors.questions.questions import question_get
from questionbank.selectors.serving import serving
from questionbank.selectors.similar.insight import predict_or_none
from questionbank.services.hierarchy_choice import hierarchy_choose, hierarchy_make_default
from questionbank.services.questions import question_accept_prediction, question_set_tags
from questionbank.views.access import button_for, form_for


@button_for("tags_edit")
def question_accept(request: HttpRequest, question_id: int) -> HttpResponse:
    """Tag a question with a concept that the model predicts; its probability is computed, not sent."""
    question = question_get(question_id=question_id, user=request.user)
    chosen = whole_number(request.POST.get("concept", ""))
    if chosen is None:
        raise NotFound("There is no such concept.")
    concept = concept_get(concept_id=chosen)
    prediction, _reason = predict_or_none(
        question.analysed_text, serving(), question.language, concept.hierarchy.name
    )
    guesses = prediction.concepts if prediction else ()
    probability = next((guess.probability for guess in guesses if guess.concept_id == concept.pk), None)
    question_accept_prediction(user=request.user, question=question, concept=concept, probability=probability)
    messages.success(request, f"The question is now tagged with “{concept.name}”.")
    return redirect("question_detail", question_id=question.pk)


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
    return render(request, "questions/concepts.html", context, status=409 if problem else 200)


@button_for("read")
def question_hierarchy(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show a question's concepts in another hierarchy, and remember the choice for questions without tags."""
    question = question_get(question_id=question_id, user=request.user)
    name = request.POST.get("hierarchy", "").replace("\0", "")
    hierarchy_choose(user=request.user, name=name)
    query = QueryDict(mutable=True)
    query["hierarchy"] = name
    return redirect(f"{reverse('question_detail', args=[question.pk])}?{query.urlencode()}#predicted")


@form_for("concepts_edit")
def hierarchy_default_page(request: HttpRequest, hierarchy_id: int) -> HttpResponse:
    """Make a hierarchy the bank's default, after asking."""
    hierarchy = hierarchy_get(hierarchy_id=hierarchy_id)
    back = f"{reverse('concept_tree')}?hierarchy={hierarchy.pk}"
    if request.method == "POST":
        hierarchy_make_default(user=request.user, hierarchy=hierarchy)
        messages.success(request, f"“{hierarchy.name}” is now the bank's default hierarchy.")
        return redirect(back)
    context = {"hierarchy": hierarchy, "current": default_hierarchy(), "back": back}
    return render(request, "concepts/default_hierarchy.html", context)
