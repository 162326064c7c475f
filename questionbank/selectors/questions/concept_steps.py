"""The concept filter of the search page: the chosen concept's place in its tree, and the next steps down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from questionbank.models import KnowledgeConcept


@dataclass(frozen=True, slots=True)
class ConceptStep:
    """A concept to go to; `count` is None where the questions below it were not counted."""

    id: int
    name: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class StepGroup:
    """The concepts of one hierarchy to go to, and the number of questions in it (None: not counted)."""

    hierarchy: str
    steps: tuple[ConceptStep, ...]
    count: int | None = None


@dataclass(frozen=True, slots=True)
class ConceptSteps:
    """The chosen concept with all above it, and those right below it by hierarchy."""

    chain: tuple[ConceptStep, ...]
    groups: tuple[StepGroup, ...]


def concept_steps(
    *,
    chosen: int | None,
    counts: Mapping[int, int | None],
    hierarchies: Mapping[int, tuple[str, int | None]],
) -> ConceptSteps:
    """Return the steps from the chosen concept, or from the roots of all hierarchies, the largest first.

    Args:
        counts: matching questions below each concept, None for "many"; a concept that is not there has none.
        hierarchies: the name of each hierarchy that has such concepts, and the same number.
    """
    concept = KnowledgeConcept.objects.filter(pk=chosen).first() if chosen is not None else None
    if concept is None:
        chain: tuple[ConceptStep, ...] = ()
        below = KnowledgeConcept.objects.filter(depth=1)
    else:
        prefixes = KnowledgeConcept.prefixes(concept.path)
        above = KnowledgeConcept.objects.filter(path__in=prefixes).order_by("depth")
        chain = tuple(ConceptStep(pk, name) for pk, name in above.values_list("pk", "name"))
        below = KnowledgeConcept.objects.filter(path__startswith=concept.path, depth=concept.depth + 1)
    steps: dict[int, list[ConceptStep]] = {}
    for pk, name, hierarchy in below.order_by("name").values_list("pk", "name", "hierarchy_id"):
        if pk in counts and hierarchy in hierarchies:
            steps.setdefault(hierarchy, []).append(ConceptStep(pk, name, counts[pk]))
    groups = [
        StepGroup(name, tuple(steps[pk]), count) for pk, (name, count) in hierarchies.items() if pk in steps
    ]
    groups.sort(key=lambda group: (-(group.count or 0), group.hierarchy.casefold()))
    return ConceptSteps(chain=chain, groups=tuple(groups))
