"""Finding concepts by name, with their whole paths, for those who choose one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import Length

from questionbank.models import KnowledgeConcept, KnowledgeHierarchy

_MOST_MATCHES = 30


@dataclass(frozen=True, slots=True)
class ConceptChoice:
    """A concept that can be chosen."""

    id: int
    path: tuple[str, ...]
    hierarchy: str


def concept_matches(
    *,
    query: str,
    hierarchy: KnowledgeHierarchy | None = None,
    outside: KnowledgeConcept | None = None,
) -> list[ConceptChoice]:
    """Return the concepts whose name holds every word of `query`, shortest name first.

    Args:
        query: what was typed; nothing gives nothing.
        hierarchy: only concepts of this one.
        outside: leave out this concept and whatever lies below it (a concept cannot move below itself).
    """
    words = query.split()[:8]
    if not words:
        return []
    concepts: QuerySet[KnowledgeConcept] = KnowledgeConcept.objects.all()
    for word in words:
        concepts = concepts.filter(name__icontains=word)
    if hierarchy is not None:
        concepts = concepts.filter(hierarchy=hierarchy)
    if outside is not None:
        concepts = concepts.exclude(path__startswith=outside.path)
    return _with_paths(concepts.order_by(Length("name"), "name", "path")[:_MOST_MATCHES])


def choices_of(ids: Iterable[int]) -> list[ConceptChoice]:
    """Return these concepts, in the order of their trees; unknown ones are left out."""
    return _with_paths(KnowledgeConcept.objects.filter(pk__in=set(ids)).order_by("path"))


def _with_paths(concepts: QuerySet[KnowledgeConcept]) -> list[ConceptChoice]:
    loaded = list(concepts.select_related("hierarchy"))
    names = _names_by_path(loaded)
    return [
        ConceptChoice(
            id=concept.pk,
            path=tuple(names[prefix] for prefix in KnowledgeConcept.prefixes(concept.path)),
            hierarchy=concept.hierarchy.name,
        )
        for concept in loaded
    ]


def _names_by_path(concepts: Sequence[KnowledgeConcept]) -> dict[str, str]:
    paths = {prefix for concept in concepts for prefix in KnowledgeConcept.prefixes(concept.path)}
    return dict(KnowledgeConcept.objects.filter(path__in=paths).values_list("path", "name"))
