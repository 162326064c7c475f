"""Finding concepts by name, with their whole paths, for those who choose one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Length

from analytics.records import ConceptPath
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question

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
    paths = named_paths(concept.path for concept in loaded)
    return [ConceptChoice(concept.pk, paths[concept.path], concept.hierarchy.name) for concept in loaded]


def concepts_to_choose(*, query: str, chosen: Iterable[int]) -> dict[str, object]:
    """Return what `concepts/_choices.html` shows: the query, the chosen concepts, and others that match."""
    choices = choices_of(chosen)
    matches = [choice for choice in concept_matches(query=query) if choice not in choices]
    return {"concept_query": query, "chosen_concepts": choices, "found_concepts": matches}


def named_paths(paths: Iterable[str]) -> dict[str, ConceptPath]:
    """Return the names from the root down to each concept, by the concepts' materialised paths; one query."""
    prefixes = {path: KnowledgeConcept.prefixes(path) for path in paths}
    above = {prefix for chain in prefixes.values() for prefix in chain}
    # By hand: Django takes longer to write it than PostgreSQL to answer.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT path, name FROM questionbank_knowledgeconcept WHERE path = ANY(%s)", [list(above)]
        )
        names = dict(cursor.fetchall())
    return {path: tuple(names[prefix] for prefix in chain) for path, chain in prefixes.items()}


@dataclass(frozen=True, slots=True)
class TagView:
    """A tag as a page shows it."""

    concept_id: int
    path: tuple[str, ...]
    hierarchy: str
    set_by: str
    who: str
    probability: float | None


def question_tags(*, question: Question) -> list[TagView]:
    """Return the question's tags in the order of their trees."""
    tags = {tag.concept_id: tag for tag in question.tags.select_related("user")}
    return [
        TagView(
            concept_id=choice.id,
            path=choice.path,
            hierarchy=choice.hierarchy,
            set_by=tags[choice.id].set_by,
            who=str(tags[choice.id].user or ""),
            probability=tags[choice.id].probability,
        )
        for choice in choices_of(tags)
    ]
