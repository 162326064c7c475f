"""Hierarchies and concepts over the API: read by everybody, changed by admins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field

from questionbank.api.access import Access
from questionbank.api.contract import IF_MATCH, Body, Id, Page, PageQuery, check_if_match, page_by_id, tagged
from questionbank.bank.concept_selectors import choices_of, concept_get, hierarchies, hierarchy_get
from questionbank.bank.concept_services import (
    concept_create,
    concept_delete,
    concept_merge,
    concept_move,
    concept_rename,
    hierarchy_create,
    hierarchy_rename,
)
from questionbank.core.errors import ValidationFailed
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy
from questionbank.registry.lifecycle_services import hierarchy_delete

router = Router(tags=["concepts"])
READ, EDIT = Access("read"), Access("concepts_edit")


class NameBody(Body):
    """A name."""

    name: str


class ConceptBody(Body):
    """A new concept."""

    name: str
    hierarchy: Id
    parent: Id | None = Field(default=None, description="The concept becomes a root if it is left out.")


class ConceptPatch(Body):
    """A new name, a new place, or both; a null `parent` makes the concept a root."""

    name: str | None = None
    parent: Id | None = None


class MergeBody(Body):
    """The concept that another one becomes part of."""

    into: Id


class HierarchyItem(BaseModel):
    """A hierarchy of concepts."""

    id: int
    name: str
    concepts: int


class ConceptDetail(BaseModel):
    """A concept."""

    id: int
    name: str
    hierarchy: int
    path: list[str] = Field(description="Names from the root of the hierarchy to the concept.")


class ConceptQuery(PageQuery):
    """Which concepts to list."""

    hierarchy: Id | None = None
    name: Annotated[str, Field(max_length=200, description="Part of the name.")] = ""


@router.get("/hierarchies", auth=READ, response=list[HierarchyItem])
def list_hierarchies(request: HttpRequest) -> list[HierarchyItem]:  # noqa: ARG001 - django-ninja passes it
    """List the hierarchies, by name."""
    return [_hierarchy(row) for row in hierarchies()]


@router.post("/hierarchies", auth=EDIT, response={201: HierarchyItem})
def create_hierarchy(request: HttpRequest, response: HttpResponse, body: NameBody) -> Status:
    """Add an empty hierarchy."""
    hierarchy = hierarchy_create(user=request.user, name=body.name)
    response["Location"] = f"{request.path}/{hierarchy.pk}"
    return Status(201, tagged(response, _hierarchy_item(hierarchy.pk)))


@router.get("/hierarchies/{int:hierarchy_id}", auth=READ, response=HierarchyItem)
def get_hierarchy(request: HttpRequest, response: HttpResponse, hierarchy_id: Id) -> HierarchyItem:  # noqa: ARG001
    """Return a hierarchy."""
    return tagged(response, _hierarchy_item(hierarchy_id))


@router.patch("/hierarchies/{int:hierarchy_id}", auth=EDIT, response=HierarchyItem, openapi_extra=IF_MATCH)
def rename_hierarchy(request: HttpRequest, response: HttpResponse, hierarchy_id: Id, body: NameBody) -> HierarchyItem:
    """Rename a hierarchy."""
    hierarchy = _locked_hierarchy(request, hierarchy_id)
    hierarchy_rename(user=request.user, hierarchy=hierarchy, name=body.name)
    return tagged(response, _hierarchy_item(hierarchy_id))


@router.delete("/hierarchies/{int:hierarchy_id}", auth=EDIT, response={204: None}, openapi_extra=IF_MATCH)
def delete_hierarchy(request: HttpRequest, hierarchy_id: Id) -> Status:
    """Delete a hierarchy; refused if questions are tagged with its concepts."""
    hierarchy_delete(user=request.user, hierarchy=_locked_hierarchy(request, hierarchy_id))
    return Status(204, None)


@router.get("/concepts", auth=READ, response=Page[ConceptDetail])
def list_concepts(request: HttpRequest, asked: Query[ConceptQuery]) -> Page[ConceptDetail]:  # noqa: ARG001
    """List concepts, newest first."""
    concepts = KnowledgeConcept.objects.all()
    if asked.hierarchy is not None:
        concepts = concepts.filter(hierarchy=hierarchy_get(hierarchy_id=asked.hierarchy))
    if asked.name:
        concepts = concepts.filter(name__icontains=asked.name)
    return page_by_id(concepts, asked, of=f"concepts {asked.hierarchy} {asked.name}", represent=_concepts)


@router.post("/concepts", auth=EDIT, response={201: ConceptDetail})
def create_concept(request: HttpRequest, response: HttpResponse, body: ConceptBody) -> Status:
    """Add a concept."""
    hierarchy = hierarchy_get(hierarchy_id=body.hierarchy)
    concept = concept_create(user=request.user, hierarchy=hierarchy, name=body.name, parent=_parent(body.parent))
    response["Location"] = f"{request.path}/{concept.pk}"
    return Status(201, tagged(response, _concept_item(concept.pk)))


@router.get("/concepts/{int:concept_id}", auth=READ, response=ConceptDetail)
def get_concept(request: HttpRequest, response: HttpResponse, concept_id: Id) -> ConceptDetail:  # noqa: ARG001
    """Return a concept."""
    return tagged(response, _concept_item(concept_id))


@router.patch("/concepts/{int:concept_id}", auth=EDIT, response=ConceptDetail, openapi_extra=IF_MATCH)
def change_concept(request: HttpRequest, response: HttpResponse, concept_id: Id, body: ConceptPatch) -> ConceptDetail:
    """Rename a concept, or move it with what is below it."""
    concept = _locked_concept(request, concept_id)
    if "parent" in body.model_fields_set:
        concept = concept_move(user=request.user, concept=concept, parent=_parent(body.parent))
    if body.name is not None:
        concept_rename(user=request.user, concept=concept, name=body.name)
    return tagged(response, _concept_item(concept_id))


@router.post("/concepts/{int:concept_id}/merge", auth=EDIT, response=ConceptDetail, openapi_extra=IF_MATCH)
def merge_concept(request: HttpRequest, response: HttpResponse, concept_id: Id, body: MergeBody) -> ConceptDetail:
    """Merge a concept into another one, which gets its tags and what is below it."""
    concept = _locked_concept(request, concept_id)
    target = _existing(body.into, "into")
    concept_merge(user=request.user, concept=concept, target=target)
    return tagged(response, _concept_item(body.into))


@router.delete("/concepts/{int:concept_id}", auth=EDIT, response={204: None}, openapi_extra=IF_MATCH)
def delete_concept(request: HttpRequest, concept_id: Id) -> Status:
    """Delete a concept with what is below it; refused if questions are tagged with any of it."""
    concept_delete(user=request.user, concept=_locked_concept(request, concept_id))
    return Status(204, None)


def _locked_hierarchy(request: HttpRequest, hierarchy_id: int) -> KnowledgeHierarchy:
    """Return a hierarchy and hold its lock, provided that it is what ``If-Match`` names."""
    KnowledgeHierarchy.objects.select_for_update().filter(pk=hierarchy_id).first()
    hierarchy = hierarchy_get(hierarchy_id=hierarchy_id)
    check_if_match(request, lambda: _hierarchy_item(hierarchy_id))
    return hierarchy


def _locked_concept(request: HttpRequest, concept_id: int) -> KnowledgeConcept:
    """Return a concept and hold its hierarchy's lock, provided that it is what ``If-Match`` names."""
    hierarchy_id = concept_get(concept_id=concept_id).hierarchy_id
    KnowledgeHierarchy.objects.select_for_update().filter(pk=hierarchy_id).first()
    concept = concept_get(concept_id=concept_id)
    check_if_match(request, lambda: _concept_item(concept_id))
    return concept


def _parent(concept_id: int | None) -> KnowledgeConcept | None:
    return None if concept_id is None else _existing(concept_id, "parent")


def _existing(concept_id: int, field: str) -> KnowledgeConcept:
    concept = KnowledgeConcept.objects.select_related("hierarchy").filter(pk=concept_id).first()
    if concept is None:
        raise ValidationFailed.beside(field, f"There is no concept {concept_id}.")
    return concept


def _hierarchy_item(hierarchy_id: int) -> HierarchyItem:
    hierarchy_get(hierarchy_id=hierarchy_id)
    return _hierarchy(hierarchies().get(pk=hierarchy_id))


def _hierarchy(row: KnowledgeHierarchy) -> HierarchyItem:
    return HierarchyItem(id=row.pk, name=row.name, concepts=row.concept_count)  # type: ignore[attr-defined]


def _concept_item(concept_id: int) -> ConceptDetail:
    return _concepts([concept_get(concept_id=concept_id)])[0]


def _concepts(concepts: Sequence[KnowledgeConcept]) -> list[ConceptDetail]:
    paths = {choice.id: choice.path for choice in choices_of(concept.pk for concept in concepts)}
    return [
        ConceptDetail(id=row.pk, name=row.name, hierarchy=row.hierarchy_id, path=list(paths[row.pk]))
        for row in concepts
    ]
