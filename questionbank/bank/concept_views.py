"""The concept trees, one concept's page, and choosing a question's concepts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse

from questionbank.bank.change_selectors import concept_history
from questionbank.bank.concept_selectors import (
    ConceptNode,
    concept_get,
    concept_matches,
    concept_tree,
    default_hierarchy,
    hierarchies,
    hierarchy_get,
    newest_tagged,
    tree_lines,
)
from questionbank.bank.concept_services import hierarchy_make_default
from questionbank.core.views import form_for, page_for
from questionbank.core.wording import few, whole_number
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy

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
