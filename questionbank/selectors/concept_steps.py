"""The concept filter of the search page: where one is in the trees, and the next steps down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from questionbank.models import KnowledgeConcept

__all__ = ["ConceptStep", "ConceptSteps", "concept_steps"]


@dataclass(frozen=True, slots=True)
class ConceptStep:
    """A concept to go to; `count` is None where the questions below it were not counted."""

    id: int
    name: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class ConceptSteps:
    """The chosen concept with all above it, and the ones right below it."""

    chain: tuple[ConceptStep, ...]
    children: tuple[ConceptStep, ...]


def concept_steps(*, chosen: int | None, counts: Mapping[int, int]) -> ConceptSteps:
    """Steps from the chosen concept, or from the roots of all hierarchies.

    Args:
        counts: questions found below each concept, as far as they were counted; where there are any,
            concepts without one are left out.
    """
    concept = KnowledgeConcept.objects.filter(pk=chosen).first() if chosen is not None else None
    if concept is None:
        chain: tuple[ConceptStep, ...] = ()
        below = KnowledgeConcept.objects.filter(depth=1)
    else:
        step = concept.steplen
        prefixes = [concept.path[:end] for end in range(step, len(concept.path) + 1, step)]
        above = KnowledgeConcept.objects.filter(path__in=prefixes).order_by("depth")
        chain = tuple(ConceptStep(pk, name) for pk, name in above.values_list("pk", "name"))
        below = KnowledgeConcept.objects.filter(path__startswith=concept.path, depth=concept.depth + 1)
    children = (
        ConceptStep(pk, name, counts.get(pk) if counts else None)
        for pk, name in below.order_by("name").values_list("pk", "name")
    )
    return ConceptSteps(chain=chain, children=tuple(one for one in children if not counts or one.count))
