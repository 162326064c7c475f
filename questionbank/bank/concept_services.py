"""Creating concepts, by path and thousands at once, editing hierarchies, and choosing the hierarchy of predictions.

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
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.formats.fields import concept_name_problem
from questionbank.formats.limits import CONCEPT_DEPTH_LIMIT
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, ModelArtifact, QuestionTag, User
from questionbank.people.permissions import require

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


def _fresh(concept: KnowledgeConcept) -> KnowledgeConcept:
    """Lock the concept's hierarchy and reload the concept."""
    hierarchy_lock(concept.hierarchy_id)
    return get_or_not_found(
        KnowledgeConcept.objects.select_related("hierarchy").filter(pk=concept.pk), "This concept no longer exists."
    )


def _refuse_namesake(siblings: Sequence[KnowledgeConcept], name: str, *, but: int | None = None) -> None:
    if any(sibling.name == name and sibling.pk != but for sibling in siblings):
        raise ValidationFailed.beside("name", f"There is already a concept “{name}” at this place.")


def _children(hierarchy_id: int, parent: KnowledgeConcept | None) -> list[KnowledgeConcept]:
    if parent is None:
        return list(KnowledgeConcept.objects.filter(hierarchy_id=hierarchy_id, depth=1))
    return list(
        KnowledgeConcept.objects.filter(hierarchy_id=hierarchy_id, depth=parent.depth + 1, path__startswith=parent.path)
    )


@transaction.atomic
def hierarchy_create(*, user: User | None, name: str) -> KnowledgeHierarchy:
    """Create an empty hierarchy.

    Raises:
        ValidationFailed: the name is empty, too long or taken.
    """
    require(user, "concepts_edit", "You may not edit concepts.")
    tidy = " ".join(name.split())
    if KnowledgeHierarchy.objects.filter(name=tidy).exists():
        raise ValidationFailed(f"There is a hierarchy {tidy!r} already.", {"name": ["This name is taken."]})
    return hierarchy_ensure(name=tidy)


@transaction.atomic
def hierarchy_rename(*, user: User | None, hierarchy: KnowledgeHierarchy, name: str) -> KnowledgeHierarchy:
    """Rename a hierarchy; models that predict in it continue to do so.

    Raises:
        ValidationFailed: the name is empty, too long or taken.
    """
    require(user, "concepts_edit", "You may not edit concepts.")
    fresh = hierarchy_lock(hierarchy.pk)
    tidy = " ".join(name.split())
    if not tidy or len(tidy) > HIERARCHY_NAME_LIMIT or "\0" in tidy:
        raise ValidationFailed(
            f"A hierarchy's name has 1 to {HIERARCHY_NAME_LIMIT} characters.", {"name": ["Give a name."]}
        )
    if KnowledgeHierarchy.objects.filter(name=tidy).exclude(pk=fresh.pk).exists():
        raise ValidationFailed(f"There is a hierarchy {tidy!r} already.", {"name": ["This name is taken."]})
    ModelArtifact.objects.filter(scope=fresh.name).update(scope=tidy)
    fresh.name = tidy
    fresh.save(update_fields=["name"])
    return fresh


@transaction.atomic
def concept_create(
    *, user: User | None, hierarchy: KnowledgeHierarchy, name: str, parent: KnowledgeConcept | None = None
) -> KnowledgeConcept:
    """Add a concept below `parent`, or as a root.

    Raises:
        ValidationFailed: the name is empty or already used there, or the tree would become too deep.
    """
    require(user, "concepts_edit", "You may not edit concepts.")
    tidy = concept_name(name)
    fresh = hierarchy_lock(hierarchy.pk)
    above = None
    if parent is not None:
        above = _fresh(parent)
        if above.hierarchy_id != fresh.pk:
            raise ValidationFailed("The parent belongs to another hierarchy.")
        _refuse_depth(above.depth + 1)
    _refuse_namesake(_children(fresh.pk, above), tidy)
    fields = {"hierarchy": fresh, "name": tidy}
    if above is None:
        added: KnowledgeConcept = KnowledgeConcept.objects.add_root(fields)
    else:
        added = KnowledgeConcept.objects.add_child(above, fields)
    return added


def _refuse_depth(depth: int) -> None:
    if depth > CONCEPT_DEPTH_LIMIT:
        raise ValidationFailed(f"A hierarchy has at most {CONCEPT_DEPTH_LIMIT} levels.")


@transaction.atomic
def concept_rename(*, user: User | None, concept: KnowledgeConcept, name: str) -> KnowledgeConcept:
    """Rename a concept.

    Raises:
        ValidationFailed: the name is empty, or a sibling already has it.
    """
    require(user, "concepts_edit", "You may not edit concepts.")
    tidy = concept_name(name)
    fresh = _fresh(concept)
    _refuse_namesake(_children(fresh.hierarchy_id, _parent(fresh)), tidy, but=fresh.pk)
    fresh.name = tidy
    fresh.save(update_fields=["name"])
    return fresh


def _parent(concept: KnowledgeConcept) -> KnowledgeConcept | None:
    parent: KnowledgeConcept | None = KnowledgeConcept.objects.get_parent(concept)
    return parent


@transaction.atomic
def concept_move(*, user: User | None, concept: KnowledgeConcept, parent: KnowledgeConcept | None) -> KnowledgeConcept:
    """Move a concept and its descendants below `parent`, or make it a root.

    Raises:
        ValidationFailed: it would be a cycle, in another hierarchy, too deep, or beside a concept with the same name.
    """
    require(user, "concepts_edit", "You may not edit concepts.")
    fresh = _fresh(concept)
    target = None if parent is None else _fresh(parent)
    _refuse_move(fresh, target)
    if _parent(fresh) != target:
        _refuse_namesake(_children(fresh.hierarchy_id, target), fresh.name, but=fresh.pk)
        _move(fresh, target)
    return KnowledgeConcept.objects.get(pk=fresh.pk)


def _refuse_move(concept: KnowledgeConcept, target: KnowledgeConcept | None) -> None:
    if target is None:
        return
    if target.hierarchy_id != concept.hierarchy_id:
        raise ValidationFailed("A concept cannot move to another hierarchy.")
    if target.path.startswith(concept.path):
        raise ValidationFailed.beside("parent", f"{concept.name!r} cannot move below itself: that would be a cycle.")
    deepest = max(KnowledgeConcept.objects.filter(path__startswith=concept.path).values_list("depth", flat=True))
    _refuse_depth(target.depth + 1 + deepest - concept.depth)


def _move(concept: KnowledgeConcept, target: KnowledgeConcept | None) -> None:
    """Move with treebeard; both concepts must be fresh, because it trusts their paths."""
    if target is not None:
        KnowledgeConcept.objects.move(concept, target, "last-child")
        return
    last_root = KnowledgeConcept.objects.filter(depth=1).order_by("-path").first()
    KnowledgeConcept.objects.move(concept, last_root, "last-sibling")


@transaction.atomic
def concept_merge(*, user: User | None, concept: KnowledgeConcept, target: KnowledgeConcept) -> KnowledgeConcept:
    """Merge `concept` into `target`: its tags and children move there, then it is deleted.

    A child with the same name as a child of the target is merged with it recursively.

    Raises:
        ValidationFailed: both are the same, they are in two hierarchies, or the target is a descendant of the concept.
    """
    require(user, "concepts_edit", "You may not edit concepts.")
    fresh, into = _fresh(concept), _fresh(target)
    if fresh.pk == into.pk:
        raise ValidationFailed("A concept cannot be merged with itself.")
    if fresh.hierarchy_id != into.hierarchy_id:
        raise ValidationFailed("Concepts of two hierarchies cannot be merged.")
    if into.path.startswith(fresh.path):
        raise ValidationFailed(
            f"{fresh.name!r} cannot be merged into {into.name!r}, which lies below it: that would be a cycle."
        )
    _merge(fresh.pk, into.pk)
    return KnowledgeConcept.objects.get(pk=into.pk)


def _merge(concept_id: int, target_id: int) -> None:
    """Merge by id: every move changes paths, so each step reloads its concepts."""
    _move_tags(concept_id, target_id)
    concept = KnowledgeConcept.objects.get(pk=concept_id)
    for child in _children(concept.hierarchy_id, concept):
        target = KnowledgeConcept.objects.get(pk=target_id)
        namesake = next(
            (
                sibling
                for sibling in _children(target.hierarchy_id, target)
                if sibling.name == child.name and sibling.pk != concept_id
            ),
            None,
        )
        if namesake is not None:
            _merge(child.pk, namesake.pk)
        else:
            fresh = KnowledgeConcept.objects.get(pk=child.pk)
            deepest = KnowledgeConcept.objects.filter(path__startswith=fresh.path).order_by("-depth")[0].depth
            _refuse_depth(target.depth + 1 + deepest - fresh.depth)
            _move(fresh, target)
    KnowledgeConcept.objects.get(pk=concept_id).delete()


def _move_tags(concept_id: int, target_id: int) -> None:
    """Move a concept's tags; a question tagged with both keeps the target's, set by a person if either was."""
    with connection.cursor() as cursor:
        # Lock the questions first, like an edit of a question: the triggers of `FacetCount` lock them after the tags.
        cursor.execute(
            """
            SELECT FROM questionbank_question WHERE id IN (
                SELECT question_id FROM questionbank_questiontag WHERE concept_id IN (%s, %s)
            ) ORDER BY id FOR NO KEY UPDATE
            """,
            [target_id, concept_id],
        )
        cursor.execute(
            """
            UPDATE questionbank_questiontag kept
            SET set_by = 'person', user_id = gone.user_id, probability = gone.probability
            FROM questionbank_questiontag gone
            WHERE kept.question_id = gone.question_id AND kept.concept_id = %s AND gone.concept_id = %s
              AND gone.set_by = 'person' AND kept.set_by <> 'person'
            """,
            [target_id, concept_id],
        )
        cursor.execute(
            """
            DELETE FROM questionbank_questiontag gone USING questionbank_questiontag kept
            WHERE kept.question_id = gone.question_id AND kept.concept_id = %s AND gone.concept_id = %s
            """,
            [target_id, concept_id],
        )
        cursor.execute(
            "UPDATE questionbank_questiontag SET concept_id = %s WHERE concept_id = %s", [target_id, concept_id]
        )


@transaction.atomic
def concept_delete(*, user: User | None, concept: KnowledgeConcept, target: KnowledgeConcept | None = None) -> None:
    """Delete a concept and its descendants, provided that no question is tagged with them.

    With a `target`, their tags move to it first; it must not be among the deleted concepts.

    Raises:
        Conflict: questions are tagged with the concept or a descendant, and no target is given.
        ValidationFailed: the target is among the deleted concepts, or in another hierarchy.
    """
    require(user, "concepts_edit", "You may not edit concepts.")
    fresh = _fresh(concept)
    below = KnowledgeConcept.objects.filter(path__startswith=fresh.path)
    if target is not None:
        into = _fresh(target)
        if into.hierarchy_id != fresh.hierarchy_id or into.path.startswith(fresh.path):
            raise ValidationFailed("The questions can only go to another concept of the same hierarchy.")
        for concept_id in below.values_list("pk", flat=True):
            _move_tags(concept_id, into.pk)
    used = QuestionTag.objects.filter(concept__in=below).values("question_id").distinct().count()
    if used:
        counted = "1 question is" if used == 1 else f"{used:,} questions are"
        raise Conflict(f"{counted} tagged with {fresh.name!r} or a concept below it; choose a concept for their tags.")
    fresh.delete()


@transaction.atomic
def hierarchy_make_default(*, user: User | None, hierarchy: KnowledgeHierarchy) -> None:
    """Make a hierarchy the bank's default; a `user` of None is the system itself.

    Raises:
        NotAllowed: the person may not edit concepts.
        NotFound: the hierarchy was deleted in the meantime.
    """
    require(user, "concepts_edit", "You may not choose the bank's default hierarchy.")
    advisory_lock("default-hierarchy")  # there may be no row yet for two requests to lock
    KnowledgeHierarchy.objects.filter(is_default=True).exclude(pk=hierarchy.pk).update(is_default=False)
    if not KnowledgeHierarchy.objects.filter(pk=hierarchy.pk).update(is_default=True):
        raise NotFound("This hierarchy no longer exists.")


def hierarchy_choose(*, user: User, name: str) -> None:
    """Remember the hierarchy in which a person wants predictions; an empty name means the bank's default.

    Raises:
        NotFound: there is no such hierarchy.
    """
    chosen = KnowledgeHierarchy.objects.filter(name=name).first() if name else None
    if name and chosen is None:
        raise NotFound(f"There is no hierarchy {name!r}.")
    if user.hierarchy_id != (chosen.pk if chosen else None):
        user.hierarchy = chosen
        user.save(update_fields=["hierarchy"])
