"""Hierarchies and their concepts: trees with counts, search by name, and the hierarchy to predict in.

The home page's counts of the whole bank and the concepts to browse by are here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.core.cache import cache
from django.db import connection
from django.db.models import Count, QuerySet
from django.db.models.functions import Length

from analytics.languages import UNDETERMINED
from analytics.records import ConceptPath
from questionbank.bank.search_index import ConceptGroups, concepts_version, facet_cube
from questionbank.core.database import get_or_not_found
from questionbank.jobs.run_selectors import runs
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, Question, QuestionTag, Run, User
from questionbank.models.visibility import viewer_audiences

_MOST_MATCHES = 30


@dataclass(frozen=True, slots=True)
class ConceptChoice:
    """A concept that can be selected."""

    id: int
    path: tuple[str, ...]
    hierarchy: str


def concept_matches(
    *, query: str, hierarchy: KnowledgeHierarchy | None = None, outside: KnowledgeConcept | None = None
) -> list[ConceptChoice]:
    """Return the concepts whose name contains every word of `query`, shortest name first.

    Args:
        outside: exclude this concept and its descendants (a concept cannot move below itself).
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
    """Return these concepts in tree order; unknown ids are left out."""
    return _with_paths(KnowledgeConcept.objects.filter(pk__in=set(ids)).order_by("path"))


def _with_paths(concepts: QuerySet[KnowledgeConcept]) -> list[ConceptChoice]:
    loaded = list(concepts.select_related("hierarchy"))
    paths = named_paths(concept.path for concept in loaded)
    return [ConceptChoice(concept.pk, paths[concept.path], concept.hierarchy.name) for concept in loaded]


def concepts_to_choose(*, query: str, chosen: Iterable[int]) -> dict[str, object]:
    """Return the context of `bank/concepts/_choices.html`: the query, the chosen concepts and other matches."""
    choices = choices_of(chosen)
    matches = [choice for choice in concept_matches(query=query) if choice not in choices]
    return {"concept_query": query, "chosen_concepts": choices, "found_concepts": matches}


def named_paths(paths: Iterable[str]) -> dict[str, ConceptPath]:
    """Return the path of names from the root to each concept, by materialized path, with one query."""
    prefixes = {path: KnowledgeConcept.prefixes(path) for path in paths}
    above = {prefix for chain in prefixes.values() for prefix in chain}
    # Raw SQL: Django takes longer to build the query than PostgreSQL to answer it.
    with connection.cursor() as cursor:
        cursor.execute("SELECT path, name FROM questionbank_knowledgeconcept WHERE path = ANY(%s)", [list(above)])
        names = dict(cursor.fetchall())
    return {path: tuple(names[prefix] for prefix in chain) for path, chain in prefixes.items()}


@dataclass(frozen=True, slots=True)
class TagView:
    """A tag as shown on a page."""

    concept_id: int
    path: tuple[str, ...]
    hierarchy: str
    set_by: str
    who: str
    probability: float | None


def question_tags(*, question: Question) -> list[TagView]:
    """Return the question's tags in tree order."""
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


NEWEST_TAGGED = 200  # questions; enough are ready unless most of a concept's questions were retired


@dataclass(slots=True, eq=False)
class ConceptNode:
    """One concept of a tree.

    Attributes:
        depth: 1 for a root.
        own_questions: number of ready questions tagged with this concept itself.
        questions: number of distinct ready questions tagged with it or a descendant.
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
    return get_or_not_found(
        KnowledgeHierarchy.objects.filter(pk=hierarchy_id), f"There is no hierarchy {hierarchy_id}."
    )


def concept_get(*, concept_id: int) -> KnowledgeConcept:
    """Return a concept with its hierarchy."""
    concepts = KnowledgeConcept.objects.select_related("hierarchy")
    return get_or_not_found(concepts.filter(pk=concept_id), f"There is no concept {concept_id}.")


def newest_tagged(concept: KnowledgeConcept, count: int) -> list[Question]:
    """Return the newest ready questions tagged with a concept or a descendant.

    The newest tags are tried first: for a large concept, reading every question takes half a second.
    """
    tagged = QuestionTag.objects.filter(concept__path__startswith=concept.path).values_list("question_id", flat=True)
    ready = Question.objects.filter(status=Question.Status.READY).order_by("-pk")
    newest = list(tagged.order_by("-question_id").distinct()[:NEWEST_TAGGED])
    found = list(ready.filter(pk__in=newest)[:count])
    is_all = len(found) == count or len(newest) < NEWEST_TAGGED
    return found if is_all else list(ready.filter(pk__in=tagged)[:count])


def concept_path(concept: KnowledgeConcept) -> ConceptPath:
    """Return the names from the root to the concept."""
    return named_paths([concept.path])[concept.path]


def concept_tree(*, hierarchy: KnowledgeHierarchy) -> tuple[ConceptNode, ...]:
    """Return the hierarchy's roots, with children sorted by name and counts of ready questions.

    The tree is cached until a concept or a count changes, so callers must not modify its nodes.
    """
    return _tree(hierarchy.pk, concepts_version(), facet_cube().serial)


@lru_cache(maxsize=64)
def _tree(hierarchy: int, _concepts: tuple[Any, ...], _cube: int) -> tuple[ConceptNode, ...]:
    step = KnowledgeConcept.steplen
    by_path: dict[str, ConceptNode] = {}
    roots: list[ConceptNode] = []
    rows = KnowledgeConcept.objects.filter(hierarchy=hierarchy).order_by("path")
    for pk, name, depth, path in rows.values_list("pk", "name", "depth", "path"):
        parent = by_path.get(path[:-step])
        node = ConceptNode(id=pk, name=name, depth=depth, path=(*parent.path, name) if parent else (name,))
        by_path[path] = node
        (parent.children if parent else roots).append(node)
    _count(by_path)
    for siblings in (roots, *(node.children for node in by_path.values())):
        siblings.sort(key=lambda node: node.name.casefold())
    return tuple(roots)


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One line of a tree that is drawn from top to bottom.

    Attributes:
        closes: number of ancestors whose last line this is.
    """

    node: ConceptNode
    is_root: bool
    questions: str
    closes: range


def tree_lines(roots: Sequence[ConceptNode]) -> Iterator[TreeLine]:
    """Yield every concept of a tree, parents first; a page draws thousands of them in one loop."""
    waiting = [(node, True, 0) for node in reversed(roots)]
    while waiting:
        node, is_root, closes = waiting.pop()
        yield TreeLine(node, is_root, f"{node.questions:,}", range(0 if node.children else closes))
        below = [(child, False, 0) for child in node.children]
        if below:
            below[-1] = (node.children[-1], False, closes + 1)
        waiting += reversed(below)


def _count(by_path: dict[str, ConceptNode]) -> None:
    """Write the counts into the nodes; a question counts once per subtree, however many of its concepts are in it."""
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


@dataclass(frozen=True, slots=True)
class HierarchyChoice:
    """The hierarchy of a page's predictions, and the alternatives.

    Attributes:
        name: the hierarchy to predict in; empty if the bank has no hierarchy.
        default: name of the bank's default hierarchy; empty if the bank has no hierarchy.
        own: hierarchies in which the question is tagged.
    """

    name: str
    options: tuple[str, ...]
    default: str
    own: tuple[str, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Whether the question is tagged, but not in this hierarchy."""
        return bool(self.own) and self.name not in self.own


def default_hierarchy_first() -> QuerySet[KnowledgeHierarchy]:
    """Return hierarchies, the default first: an admin's choice, or else the oldest. Imports do not change it."""
    return KnowledgeHierarchy.objects.order_by("-is_default", "pk")


def default_hierarchy() -> KnowledgeHierarchy | None:
    """Return the bank's default hierarchy; None if the bank has no hierarchy."""
    return default_hierarchy_first().first()


def hierarchy_choice(*, user: User, own: Sequence[str] = (), requested: str = "") -> HierarchyChoice:
    """Return the hierarchy for a question's predictions.

    Args:
        user: the person whose remembered choice is used.
        requested: name chosen on the page; an unknown name is ignored.
    """
    rows = list(default_hierarchy_first().values_list("pk", "name"))
    names = dict(rows)
    default = rows[0][1] if rows else ""
    remembered = names.get(user.hierarchy_id or 0, "")
    candidates = [requested if requested in names.values() else "", *own, remembered, default]
    return HierarchyChoice(
        name=next((name for name in candidates if name), ""),
        options=tuple(sorted(names.values())),
        default=default,
        own=tuple(dict.fromkeys(own)),
    )


_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BankOverview:
    """Counts of the whole bank."""

    questions: int
    concepts: int
    observed: int
    languages: int

    @property
    def is_empty(self) -> bool:
        return self.questions == 0


def bank_overview() -> BankOverview:
    """Return the counts of everything not retired, from the counts that triggers maintain (`FacetCount`)."""
    cube = facet_cube()
    present = cube.everything() & ~cube.equal("status", Question.Status.RETIRED)
    observed = Question.objects.filter(responses__gt=0).exclude(status=Question.Status.RETIRED)
    return BankOverview(
        questions=cube.total(present),
        concepts=KnowledgeConcept.objects.count(),
        observed=observed.count(),
        languages=sum(count > 0 for code, count in cube.by_value("language", present) if code != UNDETERMINED),
    )


def recent_questions() -> list[Question]:
    """Return the questions added most recently."""
    return list(Question.objects.filter(status=Question.Status.READY).order_by("-pk")[:_SHOWN])


def drafts_of(*, user: User) -> list[Question]:
    """Return the person's own drafts, most recently changed first."""
    drafts = Question.objects.filter(created_by=user, status=Question.Status.DRAFT)
    return list(drafts.order_by("-updated_at")[:_SHOWN])


def running_jobs() -> list[Run]:
    """Return the queued and running jobs."""
    return list(runs().filter(state__in=[Run.State.QUEUED, Run.State.RUNNING])[:3])


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
    """Return groups of strands, the hierarchy with the most questions first; cached for a minute for each audience."""
    key = f"{CACHE_KEY}:{viewer_audiences()}".replace(" ", "")
    cached: list[StrandGroup] | None = cache.get(key)
    if cached is not None:
        return cached
    groups = [StrandGroup(hierarchy, tuple(_strands(concept_tree(hierarchy=hierarchy)))) for hierarchy in hierarchies()]
    groups = [group for group in groups if group.strands]
    groups.sort(key=lambda group: -sum(strand.questions for strand in group.strands))
    if groups:
        cache.set(key, groups[:GROUPS_SHOWN], KEPT_SECONDS)
    return groups[:GROUPS_SHOWN]


def _strands(nodes: Sequence[ConceptNode]) -> list[Strand]:
    """Return the strands; leading nodes that every question shares are skipped, as they carry no information."""
    while len(nodes) == 1 and nodes[0].children and not nodes[0].own_questions:
        nodes = nodes[0].children
    used = [node for node in nodes if node.questions]
    return [Strand(node.id, node.name, node.questions) for node in used[:STRANDS_SHOWN]]
