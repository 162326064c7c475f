"""Creating concepts by path, thousands at once, and the locks for changes to a tree.

Treebeard stores a tree as materialized paths: four characters per level, the last step one more than the
previous sibling's. The roots of all hierarchies share one sequence, hence one lock for the whole forest in addition
to the row lock of each hierarchy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db import connection, transaction

from analytics.records import ConceptPath
from questionbank.core.database import advisory_lock, get_or_not_found
from questionbank.core.errors import ValidationFailed
from questionbank.formats.fields import concept_name_problem
from questionbank.formats.limits import CONCEPT_DEPTH_LIMIT
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy

FOREST_LOCK = 7_201_001  # advisory lock held while changing the paths of concepts
HIERARCHY_NAME_LIMIT = 200


def concept_name(name: str) -> str:
    """Return a concept's name with whitespace normalised.

    Raises:
        ValidationFailed: the name is empty, too long, or contains a NUL character, > or ;.
    """
    tidy = " ".join(name.split())
    if not tidy:
        raise ValidationFailed.beside("name", "A concept needs a name.")
    problem = concept_name_problem(tidy)
    if problem:
        raise ValidationFailed.beside("name", f"This cannot be a concept's name: it {problem}.")
    return tidy


def hierarchy_ensure(*, name: str, import_run_id: int | None = None) -> KnowledgeHierarchy:
    """Get or create the hierarchy with this name; safe under concurrency.

    Args:
        import_run_id: the import that creates it, if any.

    Raises:
        ValidationFailed: the name is empty or too long.
    """
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > HIERARCHY_NAME_LIMIT or "\0" in tidy:
        raise ValidationFailed.beside("hierarchy", f"A hierarchy's name has 1 to {HIERARCHY_NAME_LIMIT} characters.")
    KnowledgeHierarchy.objects.bulk_create(
        [KnowledgeHierarchy(name=tidy, import_run_id=import_run_id)], ignore_conflicts=True
    )
    return KnowledgeHierarchy.objects.get(name=tidy)


def hierarchy_lock(hierarchy_id: int) -> KnowledgeHierarchy:
    """Lock the tree against concurrent changes until the end of the transaction, and return the hierarchy's fresh row.

    Raises:
        NotFound: the hierarchy was deleted in the meantime.
    """
    advisory_lock(FOREST_LOCK)
    return get_or_not_found(
        KnowledgeHierarchy.objects.select_for_update().filter(pk=hierarchy_id), "This hierarchy no longer exists."
    )


def concept_paths_known(*, hierarchy: KnowledgeHierarchy) -> dict[ConceptPath, KnowledgeConcept]:
    """Return every concept of the hierarchy by its path of names, parents first."""
    step = KnowledgeConcept.steplen
    names: dict[str, ConceptPath] = {}
    concepts: dict[ConceptPath, KnowledgeConcept] = {}
    for concept in KnowledgeConcept.objects.filter(hierarchy=hierarchy).order_by("path"):
        names[concept.path] = (*names.get(concept.path[:-step], ()), concept.name)
        concepts[names[concept.path]] = concept
    return concepts


@transaction.atomic
def concept_paths_ensure(
    *, hierarchy: KnowledgeHierarchy, paths: Iterable[Sequence[str]], import_run_id: int | None = None
) -> tuple[dict[ConceptPath, int], int]:
    """Return the ids of all paths and their ancestors, creating missing concepts in a handful of statements.

    Args:
        import_run_id: the import that creates them, if any.

    Returns:
        Ids by path, and the number of concepts created.

    Raises:
        ValidationFailed: a name or a path cannot be used.
        NotFound: the hierarchy was deleted in the meantime.
    """
    complete_paths = paths_with_ancestors(paths)
    hierarchy_lock(hierarchy.pk)
    concepts = concept_paths_known(hierarchy=hierarchy)
    places = _Places(concepts.values())
    fresh: dict[ConceptPath, KnowledgeConcept] = {}
    grown: Counter[str] = Counter()  # materialized path of an existing parent -> number of new children
    for path in complete_paths:
        if path in concepts:
            continue
        parent = concepts.get(path[:-1]) or fresh.get(path[:-1])
        if parent is not None and parent.pk is None:
            parent.numchild += 1
        elif parent is not None:
            grown[parent.path] += 1
        fresh[path] = KnowledgeConcept(
            hierarchy=hierarchy,
            name=path[-1],
            path=places.take(parent.path if parent else ""),
            depth=len(path),
            numchild=0,
            import_run_id=import_run_id,
        )
    KnowledgeConcept.objects.bulk_create(fresh.values(), batch_size=2000)
    if grown:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE questionbank_knowledgeconcept c SET numchild = numchild + g.added"
                " FROM unnest(%s::text[], %s::int[]) AS g(path, added) WHERE c.path = g.path",
                [list(grown), list(grown.values())],
            )
    ids = {path: concept.pk for path, concept in (*concepts.items(), *fresh.items())}
    return ids, len(fresh)


class _Places:
    """Allocates materialized paths after those in use, without a query per concept."""

    def __init__(self, concepts: Iterable[KnowledgeConcept]) -> None:
        step = KnowledgeConcept.steplen
        last_root = KnowledgeConcept.objects.filter(depth=1).order_by("-path").first()
        self._last = {"": last_root.path} if last_root else {}
        for concept in concepts:
            if concept.depth > 1:
                above = concept.path[:-step]
                self._last[above] = max(self._last.get(above, ""), concept.path)

    def take(self, above: str) -> str:
        """Return the path of the next child of the concept at `above`, or of the next root."""
        step, numbers = KnowledgeConcept.steplen, KnowledgeConcept.numconv_obj()
        last = self._last.get(above)
        place = numbers.str2int(last[-step:]) + 1 if last else 1
        path = above + numbers.int2str(place).rjust(step, KnowledgeConcept.alphabet[0])
        if len(path) != len(above) + step:
            raise ValidationFailed("There are too many concepts at one place of the tree.")
        self._last[above] = path
        return path


def paths_with_ancestors(paths: Iterable[Sequence[str]]) -> list[ConceptPath]:
    """Return every path and its ancestors once, shorter paths first, otherwise in their original order."""
    complete_paths: dict[ConceptPath, None] = {}
    for raw in paths:
        path = tuple(concept_name(name) for name in raw)
        if not 1 <= len(path) <= CONCEPT_DEPTH_LIMIT:
            raise ValidationFailed(f"A concept path has 1 to {CONCEPT_DEPTH_LIMIT} levels.")
        for depth in range(1, len(path) + 1):
            complete_paths.setdefault(path[:depth])
    return sorted(complete_paths, key=len)
