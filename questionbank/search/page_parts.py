"""The parts of the search page: the state in its address, combined concepts, and filters that narrow the results.

A selection is the questions that somebody ticked or all those that a search finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from questionbank.bank.change_selectors import concept_names_kept
from questionbank.bank.concept_selectors import named_paths
from questionbank.bank.school_grades import school_year
from questionbank.core.wording import whole_number
from questionbank.models import KnowledgeConcept, Question, User
from questionbank.search.asked import READ_FILTERS, TOPIC
from questionbank.search.facets import BANDS, FacetValue, difficulty_range
from questionbank.search.filters import (
    ANY_STATUS,
    COMBINED,
    MOST_COMBINED,
    SearchFilters,
    concept_nodes,
    fetch,
    filtered_questions,
)
from questionbank.search.search import ORDERS, RELEVANCE, SearchPage, matching_questions


@dataclass(frozen=True, slots=True)
class SearchState:
    """A search as a person set it up.

    Attributes:
        order: one of `orders`; empty for the first of them, which may differ for another search.
        exact: whether to skip spelling correction and reading filters from the query.
        off: names of filters not to set, although words of the query name them.
    """

    query: str = ""
    filters: SearchFilters = field(default_factory=SearchFilters)
    order: str = ""
    exact: bool = False
    off: tuple[str, ...] = ()

    @classmethod
    def from_querydict(cls, given: Mapping[str, str], *, query: str) -> SearchState:
        """Parse URL parameters, without those of the query; invalid values are dropped."""
        order = given.get("order", "")
        off = given.get("off", "").split()
        return cls(
            query,
            SearchFilters.from_querydict(given),
            order if order in orders_of(query)[1:] else "",
            bool(query) and given.get("exact") == "1",
            tuple(name for name in (*READ_FILTERS, TOPIC) if name in off) if query else (),
        )

    @classmethod
    def from_saved(cls, parameters: Mapping[str, str]) -> SearchState:
        """Parse the parameters of a saved search, as returned by `to_saved`."""
        return cls.from_querydict(parameters, query=parameters.get("q", ""))

    def to_saved(self) -> dict[str, str]:
        """Return all parameters, with the whole query: `query` keeps the text of a long one for a year only."""
        return ({"q": self.query} if self.query else {}) | self.filters.to_query() | self.choices()

    def seen_by(self, user: User) -> SearchState:
        """Return the same search for this person."""
        return replace(self, filters=self.filters.seen_by(user))

    def choices(self) -> dict[str, str]:
        """Return the URL parameters other than those of the query and the filters."""
        written = {"order": self.order, "exact": "1" if self.exact else "", "off": " ".join(self.off)}
        return {name: value for name, value in written.items() if value}


def orders_of(query: str) -> list[str]:
    """Return the orders in which the results of a query can be sorted, the default first."""
    return [RELEVANCE, *ORDERS] if query else [*ORDERS]


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
                yield f"The concept “{names[pk][-1]}” no longer exists, {effect}."


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


FACETS = {"kind": "Type", "grade": "Grade", "language": "Language", "source": "Source"}
SELECT_FROM = 7  # a filter with at least this many values becomes a drop-down list


@dataclass(frozen=True, slots=True)
class Band:
    """A range of difficulty, with bounds in URL format, and the number of questions in it."""

    label: str
    count: int | None
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter with a list of values."""

    name: str
    label: str
    values: list[FacetValue]
    chosen: str
    is_long: bool


def narrowing(page: SearchPage, filters: SearchFilters) -> dict[str, object]:
    """Return the options for narrowing the results: `ConceptSteps`, `Band`s and `Facet`s."""
    counts = {int(value.value): value.count for value in page.facets.get("concept", [])}
    hierarchies = {int(value.value): (value.label, value.count) for value in page.facets.get("hierarchy", [])}
    return {
        "steps": concept_steps(chosen=filters.concept, counts=counts, hierarchies=hierarchies),
        "bands": list(_bands(page, filters)),
        "facets": list(_facets(page, filters.to_query())),
    }


@dataclass(frozen=True, slots=True)
class ConceptStep:
    """A concept to navigate to; `count` is None if the questions below it were not counted."""

    id: int
    name: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class StepGroup:
    """The concepts of one hierarchy to navigate to, and the number of questions in it (None if not counted)."""

    hierarchy: str
    steps: tuple[ConceptStep, ...]
    count: int | None = None


@dataclass(frozen=True, slots=True)
class ConceptSteps:
    """The chosen concept with its ancestors, and its children by hierarchy."""

    chain: tuple[ConceptStep, ...]
    groups: tuple[StepGroup, ...]


def concept_steps(
    *, chosen: int | None, counts: Mapping[int, int | None], hierarchies: Mapping[int, tuple[str, int | None]]
) -> ConceptSteps:
    """Return the steps from the chosen concept, or from the roots of all hierarchies, the largest first.

    Args:
        counts: number of matching questions for each child of the chosen concept; None for "many".
        hierarchies: the name of each hierarchy with such concepts, and its number of matching questions.
    """
    concept = KnowledgeConcept.objects.filter(pk=chosen).first() if chosen is not None else None
    chain: tuple[ConceptStep, ...] = ()
    if concept is not None:
        prefixes = KnowledgeConcept.prefixes(concept.path)
        above = KnowledgeConcept.objects.filter(path__in=prefixes).order_by("depth")
        chain = tuple(ConceptStep(pk, name) for pk, name in above.values_list("pk", "name"))
    steps: dict[int, list[ConceptStep]] = {}
    below = fetch(
        "SELECT id, name, hierarchy_id FROM questionbank_knowledgeconcept WHERE id = ANY(%s::bigint[]) ORDER BY name",
        [list(counts)],
    )
    for pk, name, hierarchy in below:
        if hierarchy in hierarchies:
            steps.setdefault(hierarchy, []).append(ConceptStep(pk, name, counts[pk]))
    groups = [StepGroup(name, tuple(steps[pk]), count) for pk, (name, count) in hierarchies.items() if pk in steps]
    groups.sort(key=lambda group: (-(group.count or 0), group.hierarchy.casefold()))
    return ConceptSteps(chain=chain, groups=tuple(groups))


def _bands(page: SearchPage, filters: SearchFilters) -> Iterator[Band]:
    """Yield ranges of difficulty within the bounds that are set."""
    width = 100 // BANDS
    least = filters.difficulty_min or 0
    most = 100 if filters.difficulty_max is None else filters.difficulty_max
    for band in page.facets.get("difficulty", []):
        low, high = max(least, int(band.value) * width), min(most, (int(band.value) + 1) * width)
        if low < high:  # a range that only touches the set bounds duplicates its neighbour
            yield Band(difficulty_range(low, high), band.count, f"{low:g}", f"{high:g}")


def _facets(page: SearchPage, filter_query: dict[str, str]) -> Iterator[Facet]:
    for name, label in FACETS.items():
        values, chosen = list(page.facets.get(name, [])), filter_query.get(name, "")
        if chosen and chosen not in {value.value for value in values}:
            values.append(FacetValue(chosen, chosen, 0))
        if name == "grade":
            values.sort(key=_by_size)
        if values:
            yield Facet(name, label, values, chosen, is_long=len(values) >= SELECT_FROM)


def _by_size(value: FacetValue) -> tuple[int, int, str]:
    """Sort key for grades: school years by age, then the others by name."""
    year = school_year(value.value)
    return (1, 0, value.label) if year is None else (0, year, value.label)


MOST_TICKED = 1_000


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected questions: `ids`, or with `is_all` every match of the search."""

    query: str
    filters: SearchFilters
    is_all: bool
    ids: tuple[int, ...] = ()
    exact: bool = False
    off: tuple[str, ...] = ()

    @classmethod
    def from_querydict(cls, given: QueryDict, *, query: str, user: User) -> Selection:
        """Parse URL parameters; invalid question ids and other people's drafts are dropped."""
        is_all = given.get("all") == "1"
        texts = given.getlist("id")[:MOST_TICKED]
        ids = () if is_all else tuple(dict.fromkeys(pk for pk in map(whole_number, texts) if pk is not None))
        filters = SearchFilters.from_querydict(given).seen_by(user)
        off = tuple(given.get("off", "").split())
        return cls(query, filters, is_all, ids, given.get("exact") == "1", off)

    def to_query(self) -> list[tuple[str, str]]:
        """Return the URL parameters for the same selection, without those of the query."""
        pairs = list(self.filters.to_query().items())
        pairs += [("exact", "1")] if self.exact else []
        pairs += [("off", " ".join(self.off))] if self.off else []
        if self.is_all:
            return [*pairs, ("all", "1")]
        return [*pairs, *(("id", str(pk)) for pk in self.ids)]

    def questions(self) -> QuerySet[Question]:
        """Return the selected questions, unordered."""
        if self.is_all:
            return matching_questions(query=self.query, filters=self.filters, exact=self.exact, off=self.off)
        anything = SearchFilters(status=ANY_STATUS, viewer=self.filters.viewer)
        return filtered_questions(anything).filter(pk__in=self.ids)
