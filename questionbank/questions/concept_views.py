"""Pages of concept trees and of one concept, and editing them: create, rename, move, merge, delete.

Tags follow; the services reject cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django import forms
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
    concept_path,
    concept_tree,
    default_hierarchy,
    hierarchies,
    hierarchy_get,
    newest_tagged,
    tree_lines,
)
from questionbank.bank.concept_services import (
    concept_create,
    concept_delete,
    concept_merge,
    concept_move,
    concept_rename,
    hierarchy_create,
    hierarchy_make_default,
    hierarchy_rename,
)
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.views import form_for, page_for, posted, render_deletion
from questionbank.core.wording import few, whole_number
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy
from questionbank.registry.lifecycle_services import hierarchy_delete

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


class NameForm(ServiceForm):
    """A name, for a concept or a hierarchy."""

    main_field = "name"

    name = forms.CharField(label="Name", max_length=300)


class ConceptTargetForm(ServiceForm):
    """Another concept: the new parent, the merge target, or the one that gets the tags. Empty means no concept."""

    target = forms.ModelChoiceField(queryset=KnowledgeConcept.objects.all(), required=False)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a concept that may need another one: the page's texts, and whether the other may be empty."""

    title: str
    explanation: str
    button: str
    none_label: str | None
    is_dangerous: bool = False


CHANGES: dict[str, Change] = {  # last part of the URL; a literal table
    "move": Change(
        title="Move the concept",
        explanation="It moves with everything below it. Its questions stay tagged. Find its new parent by name.",
        button="Move it here",
        none_label="Nowhere: make it a root of its hierarchy",
    ),
    "merge": Change(
        title="Merge the concept into another",
        explanation="Its questions and the concepts below it go to the other one, and it disappears.",
        button="Merge",
        none_label=None,
        is_dangerous=True,
    ),
    "delete": Change(
        title="Delete the concept",
        explanation=(
            "It disappears with everything below it. Where questions are tagged with it, say which concept gets them."
        ),
        button="Delete",
        none_label="No other: no question is tagged with it",
        is_dangerous=True,
    ),
}


@form_for("concepts_edit")
def concept_change(request: HttpRequest, concept_id: int, change: str) -> HttpResponse:
    """Move, merge or delete: find the other concept by name, choose it, confirm."""
    if change not in CHANGES:
        raise NotFound("There is no such change.")
    concept = concept_get(concept_id=concept_id)
    problem = ""
    if request.method == "POST":
        form = ConceptTargetForm(request.POST)
        try:
            if not form.is_valid() or "target" not in request.POST:
                raise ValidationFailed("Choose one of the concepts.")
            return _PERFORM[change](request, concept, form.cleaned_data["target"])
        except (Conflict, ValidationFailed) as error:
            problem = str(error)
    query = request.GET.get("q", request.POST.get("q", "")).strip()
    context = {
        "concept": concept,
        "path": concept_path(concept),
        "change": CHANGES[change],
        "query": query,
        "found": concept_matches(query=query, hierarchy=concept.hierarchy, outside=concept),
        "problem": problem,
    }
    return render(request, "bank/concepts/change.html", context, status=422 if problem else 200)


def _move(request: HttpRequest, concept: KnowledgeConcept, target: KnowledgeConcept | None) -> HttpResponse:
    concept_move(user=request.user, concept=concept, parent=target)
    messages.success(request, f"“{concept.name}” has moved.")
    return redirect("concept_detail", concept_id=concept.pk)


def _merge(request: HttpRequest, concept: KnowledgeConcept, target: KnowledgeConcept | None) -> HttpResponse:
    if target is None:
        raise ValidationFailed("Choose one of the concepts.")
    concept_merge(user=request.user, concept=concept, target=target)
    messages.success(request, f"“{concept.name}” is now part of “{target.name}”.")
    return redirect("concept_detail", concept_id=target.pk)


def _delete(request: HttpRequest, concept: KnowledgeConcept, target: KnowledgeConcept | None) -> HttpResponse:
    concept_delete(user=request.user, concept=concept, target=target)
    messages.success(request, f"“{concept.name}” is deleted.")
    return redirect(_tree_address(concept.hierarchy_id))


_PERFORM: dict[str, Callable[[HttpRequest, KnowledgeConcept, KnowledgeConcept | None], HttpResponse]] = {
    "move": _move,
    "merge": _merge,
    "delete": _delete,
}


@form_for("concepts_edit")
def concept_create_page(request: HttpRequest, hierarchy_id: int) -> HttpResponse:
    """Add a root, or a concept below `?parent=`."""
    hierarchy = hierarchy_get(hierarchy_id=hierarchy_id)
    chosen = whole_number(request.GET.get("parent", ""))
    parent = concept_get(concept_id=chosen) if chosen is not None else None

    def create(name: str) -> HttpResponse:
        concept = concept_create(user=request.user, hierarchy=hierarchy, name=name, parent=parent)
        messages.success(request, f"“{concept.name}” is added.")
        return redirect("concept_detail", concept_id=concept.pk)

    where = concept_path(parent) if parent else (hierarchy.name,)
    back = reverse("concept_detail", args=[parent.pk]) if parent else _tree_address(hierarchy.pk)
    return _name_page(request, "Add a concept", create, back, path=where, button="Add")


@form_for("concepts_edit")
def concept_rename_page(request: HttpRequest, concept_id: int) -> HttpResponse:
    """Rename a concept."""
    concept = concept_get(concept_id=concept_id)

    def rename(name: str) -> HttpResponse:
        concept_rename(user=request.user, concept=concept, name=name)
        messages.success(request, "Renamed.")
        return redirect("concept_detail", concept_id=concept.pk)

    back = reverse("concept_detail", args=[concept.pk])
    path = concept_path(concept)
    return _name_page(request, "Rename the concept", rename, back, path=path, initial=concept.name)


@form_for("concepts_edit")
def hierarchy_create_page(request: HttpRequest) -> HttpResponse:
    """Add an empty hierarchy."""

    def create(name: str) -> HttpResponse:
        hierarchy = hierarchy_create(user=request.user, name=name)
        return redirect(_tree_address(hierarchy.pk))

    return _name_page(request, "Add a hierarchy", create, reverse("concept_tree"), button="Add")


@form_for("concepts_edit")
def hierarchy_rename_page(request: HttpRequest, hierarchy_id: int) -> HttpResponse:
    """Rename a hierarchy."""
    hierarchy = hierarchy_get(hierarchy_id=hierarchy_id)

    def rename(name: str) -> HttpResponse:
        hierarchy_rename(user=request.user, hierarchy=hierarchy, name=name)
        return redirect(_tree_address(hierarchy.pk))

    return _name_page(request, "Rename the hierarchy", rename, _tree_address(hierarchy.pk), initial=hierarchy.name)


@form_for("concepts_edit")
def hierarchy_delete_page(request: HttpRequest, hierarchy_id: int) -> HttpResponse:
    """Delete a hierarchy without tagged questions, after confirmation."""
    hierarchy = hierarchy_get(hierarchy_id=hierarchy_id)
    form = ServiceForm(posted(request))
    if form.is_valid():
        with form.takes_problems(Conflict):
            hierarchy_delete(user=request.user, hierarchy=hierarchy)
            messages.success(request, f"The hierarchy “{hierarchy.name}” is deleted.")
            return redirect("concept_tree")
    return render_deletion(
        request,
        f"Delete the hierarchy “{hierarchy.name}”?",
        consequence="Its concepts and the models trained on it are deleted too."
        " This is only possible while no question is tagged with any of its concepts.",
        button="Delete the hierarchy",
        back=_tree_address(hierarchy.pk),
        problem=form.refusal,
    )


def _name_page(
    request: HttpRequest, title: str, perform: Callable[[str], HttpResponse], back: str, **context: Any
) -> HttpResponse:
    form = NameForm(posted(request), initial={"name": context.pop("initial", "")})
    if form.is_valid():
        with form.takes_problems():
            return perform(form.cleaned_data["name"])
    page = {"form": form, "title": title, "back": back, "button": "Save"} | context
    return render(request, "bank/concepts/name.html", page, status=form.status)


def _tree_address(hierarchy_id: int) -> str:
    return f"{reverse('concept_tree')}?hierarchy={hierarchy_id}"
