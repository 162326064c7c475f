"""The concept trees, one concept's page, and choosing a question's concepts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse

from questionbank.bank.change_selectors import concept_history
from questionbank.bank.concept_selectors import (
    ConceptNode,
    concept_get,
    concept_matches,
    concept_tree,
    concepts_to_choose,
    default_hierarchy,
    hierarchies,
    hierarchy_get,
    newest_tagged,
    tree_lines,
)
from questionbank.bank.concept_services import hierarchy_choose, hierarchy_make_default
from questionbank.bank.question_forms import chosen_concepts
from questionbank.bank.question_selectors import question_get
from questionbank.bank.question_services import question_accept_prediction, question_set_tags
from questionbank.core.errors import Conflict, NotFound
from questionbank.core.views import button_for, form_for, page_for
from questionbank.core.wording import whole_number, whole_numbers
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy
from questionbank.registry.serving import serving
from questionbank.similar.insight import predict_or_none
from questionbank.templatetags.pages import few

QUESTIONS_SHOWN = 5


@page_for("read")
def concept_tree_page(request: HttpRequest) -> HttpResponse:
    """Show one hierarchy as a tree, with links to the others."""
    all_hierarchies = list(hierarchies())
    chosen = whole_number(request.GET.get("hierarchy", ""))
    default = default_hierarchy()
    hierarchy: KnowledgeHierarchy | None = default
    if chosen is not None:
        hierarchy = hierarchy_get(hierarchy_id=chosen)
    query = request.GET.get("q", "").strip()
    roots = concept_tree(hierarchy=hierarchy) if hierarchy else ()
    context: dict[str, Any] = {
        "hierarchies": all_hierarchies,
        "hierarchy": hierarchy,
        "default": default,
        "tree": _drawn(roots) if roots else "",
        "query": query,
        "found": concept_matches(query=query),
    }
    return render(request, "bank/concepts/tree.html", context)


@lru_cache(maxsize=8)
def _drawn(roots: tuple[ConceptNode, ...]) -> str:
    """Return a tree as HTML, cached for as long as `concept_tree` caches it: drawing thousands of lines takes time."""
    return render_to_string("bank/concepts/_tree.html", {"lines": tree_lines(roots), "is_open": few(roots)})


@page_for("read")
def concept_detail(request: HttpRequest, concept_id: int) -> HttpResponse:
    """Show a concept: its place in the tree, some of its questions, and what an admin can do."""
    concept = concept_get(concept_id=concept_id)
    node = find_node(concept_tree(hierarchy=concept.hierarchy), concept.pk)
    context = {
        "concept": concept,
        "node": node,
        "lines": tree_lines(node.children) if node else (),
        "history": concept_history(concept=concept),
        "chain": KnowledgeConcept.objects.get_ancestors(concept),
        "questions": newest_tagged(concept, QUESTIONS_SHOWN),
    }
    return render(request, "bank/concepts/detail.html", context)


def find_node(nodes: Sequence[ConceptNode], concept_id: int) -> ConceptNode | None:
    """Return a concept's node in a tree, or None."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.id == concept_id:
            return node
        waiting.extend(node.children)
    return None


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


@form_for("concepts_edit")
def hierarchy_default_page(request: HttpRequest, hierarchy_id: int) -> HttpResponse:
    """Make a hierarchy the bank's default, after confirmation."""
    hierarchy = hierarchy_get(hierarchy_id=hierarchy_id)
    back = f"{reverse('concept_tree')}?hierarchy={hierarchy.pk}"
    if request.method == "POST":
        hierarchy_make_default(user=request.user, hierarchy=hierarchy)
        messages.success(request, f"“{hierarchy.name}” is now the bank's default hierarchy.")
        return redirect(back)
    context = {"hierarchy": hierarchy, "current": default_hierarchy(), "back": back}
    return render(request, "bank/concepts/default_hierarchy.html", context)
