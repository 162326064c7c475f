"""The first level of each hierarchy that tells questions apart, for browsing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache

from questionbank.models import KnowledgeHierarchy
from questionbank.selectors.questions.concepts import ConceptNode, concept_tree, hierarchies

GROUPS_SHOWN = 6
STRANDS_SHOWN = 24
KEPT_SECONDS = 60
CACHE_KEY = "bank-strands"


@dataclass(frozen=True, slots=True)
class Strand:
    """A concept to browse by, with the number of its ready questions."""

    id: int
    name: str
    questions: int


@dataclass(frozen=True, slots=True)
class StrandGroup:
    """The strands of one hierarchy."""

    hierarchy: KnowledgeHierarchy
    strands: tuple[Strand, ...]


def strands() -> list[StrandGroup]:
    """Return groups of strands, the hierarchy with most questions first; kept for a minute."""
    cached: list[StrandGroup] | None = cache.get(CACHE_KEY)
    if cached is not None:
        return cached
    groups = [
        StrandGroup(hierarchy, tuple(_strands(concept_tree(hierarchy=hierarchy))))
        for hierarchy in hierarchies()
    ]
    groups = [group for group in groups if group.strands]
    groups.sort(key=lambda group: -sum(strand.questions for strand in group.strands))
    if groups:
        cache.set(CACHE_KEY, groups[:GROUPS_SHOWN], KEPT_SECONDS)
    return groups[:GROUPS_SHOWN]


def _strands(nodes: Sequence[ConceptNode]) -> list[Strand]:
    """Return the strands; step over leading nodes that every question shares, as they say nothing."""
    while len(nodes) == 1 and nodes[0].children and not nodes[0].own_questions:
        nodes = nodes[0].children
    used = [node for node in nodes if node.questions]
    return [Strand(node.id, node.name, node.questions) for node in used[:STRANDS_SHOWN]]
