"""Reading hierarchies: their trees with counts of questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.db.models import Count, QuerySet

from analytics.records import ConceptPath
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, QuestionTag
from questionbank.rows import existing
from questionbank.selectors.questions.concept_choices import named_paths
from questionbank.selectors.questions.facet_cube import (
    ConceptGroups,
    concepts_version,
    facet_cube,
    facet_version,
)

NEWEST_TAGGED = 200  # questions, of which enough are ready but where most of a concept were retired


@dataclass(slots=True, eq=False)
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
    own_questions: int = 0
    questions: int = 0
    children: list[ConceptNode] = field(default_factory=list)


def hierarchies() -> QuerySet[KnowledgeHierarchy]:
    """Return all hierarchies by name, each with its number of concepts as `concept_count`."""
    return KnowledgeHierarchy.objects.annotate(concept_count=Count("concepts")).order_by("name")


def hierarchy_get(*, hierarchy_id: int) -> KnowledgeHierarchy:
    """Return a hierarchy."""
    return existing(
        KnowledgeHierarchy.objects.filter(pk=hierarchy_id), f"There is no hierarchy {hierarchy_id}."
    )


def concept_get(*, concept_id: int) -> KnowledgeConcept:
    """Return a concept with its hierarchy."""
    concepts = KnowledgeConcept.objects.select_related("hierarchy")
    return existing(concepts.filter(pk=concept_id), f"There is no concept {concept_id}.")


def newest_tagged(concept: KnowledgeConcept, count: int) -> list[Question]:
    """Return the newest ready questions tagged with a concept or below it.

    The newest tags are looked at first: of a large concept, reading every question takes half a second.
    """
    tagged = QuestionTag.objects.filter(concept__path__startswith=concept.path).values_list(
        "question_id", flat=True
    )
    ready = Question.objects.filter(status=Question.Status.READY).order_by("-pk")
    newest = list(tagged.order_by("-question_id").distinct()[:NEWEST_TAGGED])
    found = list(ready.filter(pk__in=newest)[:count])
    is_all = len(found) == count or len(newest) < NEWEST_TAGGED
    return found if is_all else list(ready.filter(pk__in=tagged)[:count])


def concept_path(concept: KnowledgeConcept) -> ConceptPath:
    """Return the names from the root down to the concept."""
    return named_paths([concept.path])[concept.path]


def concept_tree(*, hierarchy: KnowledgeHierarchy) -> tuple[ConceptNode, ...]:
    """Return the hierarchy's roots, each with its children by name, and counts of ready questions.

    The process keeps the tree until a concept or a count changes, so nobody may change its nodes.
    """
    return _tree(hierarchy.pk, concepts_version(), facet_version())


@lru_cache(maxsize=8)
def _tree(hierarchy: int, *_versions: tuple[Any, ...]) -> tuple[ConceptNode, ...]:
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
        )
        by_path[path] = node
        (parent.children if parent else roots).append(node)
    _count(by_path)
    for siblings in (roots, *(node.children for node in by_path.values())):
        siblings.sort(key=lambda node: node.name.casefold())
    return tuple(roots)


@dataclass(frozen=True, slots=True)
class TreeLine:
    """A concept of a tree that is read from top to bottom.

    Attributes:
        closes: of how many concepts above it this is the last line.
    """

    node: ConceptNode
    is_root: bool
    questions: str
    closes: range


def tree_lines(roots: Sequence[ConceptNode]) -> Iterator[TreeLine]:
    """Yield every concept of a tree, each before those below it; a page draws thousands of them in one loop."""
    waiting = [(node, True, 0) for node in reversed(roots)]
    while waiting:
        node, is_root, closes = waiting.pop()
        yield TreeLine(node, is_root, f"{node.questions:,}", range(0 if node.children else closes))
        below = [(child, False, 0) for child in node.children]
        if below:
            below[-1] = (node.children[-1], False, closes + 1)
        waiting += reversed(below)


def _count(by_path: dict[str, ConceptNode]) -> None:
    """Write the counts into the nodes; a question counts once in a subtree, however many of its concepts lie there."""
    cube = facet_cube()
    ready = cube.equal("status", Question.Status.READY)
    step = KnowledgeConcept.steplen
    nodes = sorted(by_path.items(), key=lambda item: item[1].id)
    direct = cube.by_group(ready, ConceptGroups.of([(node.id, path) for path, node in nodes]))
    for path, questions in direct:
        by_path[path].own_questions = questions
    for depth in range(1, max((node.depth for _path, node in nodes), default=0) + 1):
        below = [(node.id, path[: depth * step]) for path, node in nodes if node.depth >= depth]
        for path, questions in cube.by_group(ready, ConceptGroups.of(below)):
            by_path[path].questions = questions
