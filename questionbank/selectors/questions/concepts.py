"""Reading hierarchies: their trees with counts of questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import Count, QuerySet

from analytics.records import ConceptPath
from questionbank.errors import NotFound
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy


@dataclass(slots=True)
class ConceptNode:
    """One concept of a tree.

    Attributes:
        depth: 1 at the root.
        own_questions: ready questions tagged with this very concept.
        questions: different ready questions tagged with it or with anything below it.
    """

    id: int
    name: str
    depth: int
    path: ConceptPath
    parent_id: int | None
    own_questions: int = 0
    questions: int = 0
    children: list[ConceptNode] = field(default_factory=list)


def hierarchies() -> QuerySet[KnowledgeHierarchy]:
    """Return all hierarchies by name, each with its number of concepts as `concept_count`."""
    return KnowledgeHierarchy.objects.annotate(concept_count=Count("concepts")).order_by("name")


def hierarchy_get(*, hierarchy_id: int) -> KnowledgeHierarchy:
    """Return a hierarchy.

    Raises:
        NotFound: there is none of this number.
    """
    try:
        return KnowledgeHierarchy.objects.get(pk=hierarchy_id)
    except KnowledgeHierarchy.DoesNotExist as error:
        raise NotFound(f"There is no hierarchy {hierarchy_id}.") from error


def concept_get(*, concept_id: int) -> KnowledgeConcept:
    """Return a concept with its hierarchy.

    Raises:
        NotFound: there is none of this number.
    """
    try:
        return KnowledgeConcept.objects.select_related("hierarchy").get(pk=concept_id)
    except KnowledgeConcept.DoesNotExist as error:
        raise NotFound(f"There is no concept {concept_id}.") from error


def concept_path(concept: KnowledgeConcept) -> ConceptPath:
    """Return the names from the root down to the concept."""
    chain = KnowledgeConcept.objects.filter(path__in=KnowledgeConcept.prefixes(concept.path)).order_by(
        "depth"
    )
    return tuple(chain.values_list("name", flat=True))


# A question counts once in a subtree, however many of its concepts lie there. Questions are therefore
# grouped by their whole set of concepts: a few thousand sets come back, not a row a question.
_TAG_SETS = """
    SELECT concepts, count(*) FROM (
        SELECT array_agg(t.concept_id ORDER BY t.concept_id) AS concepts
        FROM questionbank_questiontag t
        JOIN questionbank_knowledgeconcept c ON c.id = t.concept_id
        JOIN questionbank_question q ON q.id = t.question_id
        WHERE c.hierarchy_id = %s AND q.status = 'ready'
        GROUP BY t.question_id
    ) a_question GROUP BY concepts
"""


def concept_tree(*, hierarchy: KnowledgeHierarchy) -> list[ConceptNode]:
    """Return the hierarchy's roots, each with its children by name, and counts of ready questions."""
    step = KnowledgeConcept.steplen
    by_path: dict[str, ConceptNode] = {}
    roots: list[ConceptNode] = []
    rows = KnowledgeConcept.objects.filter(hierarchy=hierarchy).order_by("path")
    for pk, name, depth, path in rows.values_list("pk", "name", "depth", "path"):
        parent = by_path.get(path[:-step])
        node = ConceptNode(
            id=pk,
            name=name,
            depth=depth,
            path=(*parent.path, name) if parent else (name,),
            parent_id=parent.id if parent else None,
        )
        by_path[path] = node
        (parent.children if parent else roots).append(node)
    _count(by_path, hierarchy)
    for siblings in (roots, *(node.children for node in by_path.values())):
        siblings.sort(key=lambda node: node.name.casefold())
    return roots


def _count(by_path: dict[str, ConceptNode], hierarchy: KnowledgeHierarchy) -> None:
    by_id = {node.id: node for node in by_path.values()}
    chains: dict[int, list[int]] = {}  # concept -> itself and all above it
    for node in by_path.values():  # parents come before their children
        above = chains[node.parent_id] if node.parent_id else []
        chains[node.id] = [*above, node.id]
    direct_counts: Counter[int] = Counter()
    subtree_counts: Counter[int] = Counter()
    with connection.cursor() as cursor:
        cursor.execute(_TAG_SETS, [hierarchy.pk])
        for concepts, questions in cursor.fetchall():
            touched = set()
            for concept_id in concepts:
                direct_counts[concept_id] += questions
                touched.update(chains[concept_id])
            for concept_id in touched:
                subtree_counts[concept_id] += questions
    for concept_id, node in by_id.items():
        node.own_questions, node.questions = direct_counts[concept_id], subtree_counts[concept_id]
