"""Concepts in a search's filters: as pages list them, and what is wrong with a combination of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from questionbank.bank.change_selectors import concept_names_kept
from questionbank.bank.concept_selectors import named_paths
from questionbank.search.filters import COMBINED, MOST_COMBINED, SearchFilters, concept_nodes

COMBINED_NAMES = {  # a literal table
    "concepts_all": "All of",
    "concepts_any": "At least one of",
    "concepts_none": "None of",
}
Address = Callable[[SearchFilters], str]


@dataclass(frozen=True, slots=True)
class CombinedConcept:
    """A concept of a combination.

    Attributes:
        path: names from the root; the name alone if the concept was deleted.
        count: number of matching questions with it or a descendant; None for "many".
        without: address of the search without this concept.
    """

    id: int
    path: Sequence[str]
    count: int | None
    without: str

    @property
    def name(self) -> str:
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class CombinedGroup:
    """The concepts of a search that are combined in the same way, one of `COMBINED`."""

    name: str
    label: str
    concepts: Sequence[CombinedConcept]

    @property
    def value(self) -> str:
        """The group as it is written in a URL."""
        return ",".join(str(concept.id) for concept in self.concepts)

    @property
    def is_counted(self) -> bool:
        """Whether the concepts are alternatives, each with its number of questions."""
        return self.name == "concepts_any"


@dataclass(frozen=True, slots=True)
class Combination:
    """All concepts of a search.

    Attributes:
        groups: the combined concepts; the concept chosen beside the results is in none of them.
        problems: sentences about deleted concepts, and about concepts that exclude each other.
    """

    groups: Sequence[CombinedGroup] = ()
    problems: Sequence[str] = field(default_factory=list)


def combination(filters: SearchFilters, *, counts: Mapping[int, int | None], address: Address) -> Combination:
    """Return the concepts of a search.

    Args:
        counts: number of matching questions of each alternative; those left out have none.
        address: returns the address of a search with other filters.
    """
    if not filters.named_concepts:
        return Combination()
    nodes = concept_nodes(filters.named_concepts)
    paths = named_paths(nodes.values())
    names = {pk: paths[node] for pk, node in nodes.items()}
    names |= {pk: (name,) for pk, name in _deleted(filters.named_concepts - nodes.keys()).items()}
    groups = [
        CombinedGroup(
            group,
            label,
            [
                CombinedConcept(pk, names[pk], counts.get(pk, 0), address(without_concept(filters, pk)))
                for pk in getattr(filters, group)
            ],
        )
        for group, label in COMBINED_NAMES.items()
        if getattr(filters, group)
    ]
    return Combination(groups, [*_missing(filters, nodes, names), *_contradictions(filters, nodes, names)])


def combination_problems(filters: SearchFilters) -> Sequence[str]:
    """Return sentences about the concepts of a search that no longer exist or exclude each other."""
    return combination(filters, counts={}, address=lambda _filters: "").problems


def contradiction(filters: SearchFilters) -> str:
    """Return why no question can pass the filters on concepts; empty if one can, or if a concept was deleted."""
    if not filters.concepts_none or len(filters.named_concepts) == len(filters.concepts_none):
        return ""
    nodes = concept_nodes(filters.named_concepts)
    paths = named_paths(nodes.values())
    return next(iter(_contradictions(filters, nodes, {pk: paths[node] for pk, node in nodes.items()})), "")


def with_concept(filters: SearchFilters, group: str, concept: int) -> SearchFilters:
    """Return the filters with a concept in a group, and in no other group."""
    others = without_concept(filters, concept)
    changed: dict[str, Any] = {group: (*getattr(others, group), concept)[:MOST_COMBINED]}
    return replace(others, **changed)


def without_concept(filters: SearchFilters, concept: int) -> SearchFilters:
    """Return the filters without a concept in any group."""
    groups = {group: tuple(pk for pk in getattr(filters, group) if pk != concept) for group in COMBINED}
    return replace(filters, **groups)  # type: ignore[arg-type]


def combined_only(filters: SearchFilters) -> SearchFilters:
    """Return the same filters, with the concept chosen beside the results among the required ones."""
    return replace(filters, concept=None, concepts_all=filters.required_concepts[:MOST_COMBINED])


def _deleted(concepts: Iterable[int]) -> dict[int, str]:
    """Return the last names of deleted concepts by id; the id itself if a concept never existed."""
    missing = set(concepts)
    if not missing:
        return {}
    return {pk: str(pk) for pk in missing} | concept_names_kept(missing)


def _missing(filters: SearchFilters, nodes: Mapping[int, str], names: Mapping[int, Sequence[str]]) -> Iterable[str]:
    """Yield a sentence for each deleted concept."""
    for concepts, effect in (
        (filters.required_concepts, "so no question has it"),
        (filters.concepts_any, "so it adds no questions"),
        (filters.concepts_none, "so it leaves out no questions"),
    ):
        for pk in concepts:
            if pk not in nodes:
                yield f"There is no concept “{names[pk][-1]}” any more, {effect}."


def _contradictions(
    filters: SearchFilters, nodes: Mapping[int, str], names: Mapping[int, Sequence[str]]
) -> Iterable[str]:
    """Yield a sentence for each required concept that is left out, and one if all alternatives are left out."""

    def left_out_with(pk: int) -> int | None:
        return next((out for out in filters.concepts_none if out in nodes and nodes[pk].startswith(nodes[out])), None)

    def name(pk: int) -> str:
        return f"“{names[pk][-1]}”"

    for pk in filters.required_concepts:
        if pk in nodes and (out := left_out_with(pk)) is not None:
            above = "" if out == pk else f" with {name(out)}, which contains it"
            yield f"No question can match: {name(pk)} is required, but left out{above}."
    alternatives = [pk for pk in filters.concepts_any if pk in nodes]
    if alternatives and all(left_out_with(pk) is not None for pk in alternatives):
        are_left_out = f"{name(alternatives[0])} is" if len(alternatives) == 1 else "all alternatives are"
        yield f"No question can match: {are_left_out} left out."
