"""The levels of a hierarchy: depth counted from where its questions begin to differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from django.db.models import Count

from analytics.concept_paths import common_leading_nodes, without_leading
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, QuestionTag


@dataclass(frozen=True, slots=True)
class ConceptLevels:
    """How deep a hierarchy is for its questions.

    Attributes:
        leading: steps of the paths (as the tree stores them) that nearly all tags share; they are no level.
        levels: L, the most levels that a tag has.
    """

    leading: tuple[str, ...]
    levels: int

    def prefixes(self, path: str) -> list[str]:
        """Return the paths of the concepts on a concept's path, level 1 first, itself last."""
        steps = _steps(path)
        dropped = len(steps) - len(without_leading(steps, self.leading))
        size = KnowledgeConcept.steplen
        return [path[: size * end] for end in range(dropped + 1, len(steps) + 1)]


def concept_levels(*, hierarchy: KnowledgeHierarchy) -> ConceptLevels:
    """Return the levels of a hierarchy, by all tags in it."""
    tags: Sequence[tuple[str, int]] = list(
        QuestionTag.objects.order_by()
        .filter(concept__hierarchy=hierarchy)
        .values_list("concept__path")
        .annotate(number=Count("pk"))
    )
    leading = common_leading_nodes(chain.from_iterable(repeat(_steps(path), number) for path, number in tags))
    lengths = [len(without_leading(_steps(path), leading)) for path, _number in tags]
    return ConceptLevels(leading, max(lengths, default=0))


def _steps(path: str) -> tuple[str, ...]:
    size = KnowledgeConcept.steplen
    return tuple(path[at : at + size] for at in range(0, len(path), size))
