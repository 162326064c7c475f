"""What the search page shows: the results, and the filters by which they can be narrowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from questionbank.selectors.questions.concept_steps import ConceptSteps, concept_steps
from questionbank.selectors.search.facets import BANDS, FacetValue, difficulty_range
from questionbank.selectors.search.filters import SearchFilters
from questionbank.selectors.search.search import SearchPage

FACETS = {"kind": "Type", "grade": "Grade", "language": "Language", "source": "Source"}
SELECT_FROM = 7  # a filter with so many values becomes a drop-down list


@dataclass(frozen=True, slots=True)
class Band:
    """A range of difficulty, with bounds as an address has them, and the questions in it."""

    label: str
    count: int | None
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter that is a list of values.

    Attributes:
        chosen: the value that is set; empty: none.
        is_long: there are so many values that they are a drop-down list.
    """

    name: str
    label: str
    values: list[FacetValue]
    chosen: str
    is_long: bool


@dataclass(frozen=True)
class Narrowing:
    """The filters that narrow a search, and the number of questions behind each."""

    steps: ConceptSteps
    bands: list[Band]
    facets: list[Facet]


def narrowing(page: SearchPage, filters: SearchFilters) -> Narrowing:
    """Return what the results can be narrowed to."""
    counts = {int(value.value): value.count for value in page.facets.get("concept", [])}
    hierarchies = {int(value.value): (value.label, value.count) for value in page.facets.get("hierarchy", [])}
    steps = concept_steps(chosen=filters.concept, counts=counts, hierarchies=hierarchies)
    return Narrowing(steps, list(_bands(page, filters)), list(_facets(page, filters.to_query())))


def _bands(page: SearchPage, filters: SearchFilters) -> Iterator[Band]:
    """Yield ranges of difficulty, within the bounds that are set."""
    width = 100 // BANDS
    least = filters.difficulty_min or 0
    most = 100 if filters.difficulty_max is None else filters.difficulty_max
    for band in page.facets.get("difficulty", []):
        low, high = max(least, int(band.value) * width), min(most, (int(band.value) + 1) * width)
        if low < high:  # of a range that only touches the bounds that are set, its neighbour says the same
            yield Band(difficulty_range(low, high), band.count, f"{low:g}", f"{high:g}")


def _facets(page: SearchPage, filter_query: dict[str, str]) -> Iterator[Facet]:
    """Yield the filters that have values."""
    for name, label in FACETS.items():
        values, chosen = list(page.facets.get(name, [])), filter_query.get(name, "")
        if chosen and chosen not in {value.value for value in values}:
            values.append(FacetValue(chosen, chosen, 0))
        if name == "grade":
            values.sort(key=_by_size)
        if values:
            yield Facet(name, label, values, chosen, is_long=len(values) >= SELECT_FROM)


def _by_size(value: FacetValue) -> tuple[int, float, str]:
    """Sort grades: numbers by size, then the others by name."""
    try:
        return 0, float(value.value), ""
    except ValueError:
        return 1, 0.0, value.label
