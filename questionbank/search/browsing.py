"""The parts of the search page: results, filters that narrow them, and the questions selected there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import QueryDict

from questionbank.bank.school_grades import school_year
from questionbank.core.wording import whole_number
from questionbank.models import KnowledgeConcept, Question, User
from questionbank.search.conditions import fetch
from questionbank.search.facets import BANDS, FacetValue, difficulty_range
from questionbank.search.filters import ANY_STATUS, SearchFilters, filtered_questions
from questionbank.search.search import SearchPage, matching_questions

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
