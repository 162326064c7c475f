"""The trees of concepts, and one concept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from questionbank.models import KnowledgeConcept, KnowledgeHierarchy
from questionbank.numbers import whole_number
from questionbank.selectors.questions.changes import concept_history
from questionbank.selectors.questions.concept_choices import concept_matches
from questionbank.selectors.questions.concepts import (
    ConceptNode,
    concept_get,
    concept_tree,
    hierarchies,
    hierarchy_get,
    newest_tagged,
    tree_lines,
)
from questionbank.selectors.questions.hierarchy_choice import default_hierarchy
from questionbank.templatetags.pages import few
from questionbank.views.access import page_for

QUESTIONS_SHOWN = 5


@page_for("read")
def concept_tree_page(request: HttpRequest) -> HttpResponse:
    """Show one hierarchy as a tree, with the others a click away."""
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
    return render(request, "concepts/tree.html", context)


@lru_cache(maxsize=8)
def _drawn(roots: tuple[ConceptNode, ...]) -> str:
    """Return a tree as HTML, kept as long as `concept_tree` keeps the tree: drawing thousands of lines takes time."""
    return render_to_string("concepts/_tree.html", {"lines": tree_lines(roots), "is_open": few(roots)})


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
    return render(request, "concepts/detail.html", context)


def find_node(nodes: Sequence[ConceptNode], concept_id: int) -> ConceptNode | None:
    """Return the node of a concept in a tree."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.id == concept_id:
            return node
        waiting.extend(node.children)
    return None
