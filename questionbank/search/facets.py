"""How many questions have each value of a filter.

There are two methods. If a search only has filters that `FacetCube` supports, the cube's rows are summed, however many
questions the bank has. With words, an owner, a figure or a bound between whole percentages, questions are counted one
by one, up to `most_counted`; beyond that, the values are listed without a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from questionbank.bank.school_grades import grade_name
from questionbank.bank.search_index import FacetCube, Mask, concept_groups, concepts_version, facet_cube
from questionbank.core.wording import language_name
from questionbank.models import KnowledgeConcept, Question
from questionbank.search.concept_search import tagged
from questionbank.search.filters import (
    ANY_STATUS,
    COMBINED,
    Condition,
    SearchFilters,
    concept_nodes,
    fetch,
    passing,
    rows_of_any,
)

COUNTED = 10_000  # questions that are counted one by one; beyond that a page shows "More than 10,000"
LARGE = 300_000  # questions; a larger bank only counts
COUNTED_IN_LARGE = 3_000  # questions one by one, because reading 10,000 takes too long
BANDS = 5  # of difficulty, each 100 / 5 per cent wide
_SHOWN = 50  # values per filter


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a filter with its number of matching questions, None for "many"."""

    value: str
    label: str
    count: int | None


@dataclass(frozen=True, slots=True)
class Facets:
    """Counts of the matching questions.

    Attributes:
        total: number of questions, at most `most_counted` if `is_capped`.
        is_capped: whether there are more than were counted; values then have no count.
        values: by filter (kind, grade, language, source, difficulty, concept, hierarchy, concepts_any), the most
            frequent first.
        matching: which of the `among` questions match; all of the matching ones unless `is_capped`.
    """

    total: int
    is_capped: bool
    values: Mapping[str, Sequence[FacetValue]]
    matching: frozenset[int] = frozenset()


_COLUMNS = ("kind", "grade", "language", "source", "difficulty")
_GROUPED = """
    WITH candidate AS MATERIALIZED ({candidates}),
    counted AS (
        SELECT id, kind, grade, language, source,
            (floor(difficulty_percent) + ceil(difficulty_percent))::int AS difficulty
        FROM candidate
    ),
    tagged AS MATERIALIZED (  -- question by question: most tags are of others; none where there are too many to count
        SELECT c.id, t.concept_id FROM candidate c
        CROSS JOIN LATERAL (
            SELECT concept_id FROM questionbank_questiontag WHERE question_id = c.id OFFSET 0
        ) t
        WHERE (SELECT count(*) FROM candidate) < {limit}
    ),
    below AS MATERIALIZED (
        SELECT DISTINCT t.id, k.hierarchy_id, substr(k.path, 1, {width}) AS path
        FROM tagged t JOIN questionbank_knowledgeconcept k ON k.id = t.concept_id
        WHERE k.path LIKE %s AND length(k.path) >= {width}
    )
    SELECT grouping(kind, grade, language, source, difficulty) AS which,
        coalesce(kind, grade, language, source, difficulty::text) AS value, count(*)
    FROM counted GROUP BY GROUPING SETS ((kind), (grade), (language), (source), (difficulty), ())
    UNION ALL
    SELECT -1, path, count(*) FROM below GROUP BY path
    UNION ALL
    SELECT -2, hierarchy_id::text, count(DISTINCT id) FROM below GROUP BY hierarchy_id
    UNION ALL
    SELECT -3, NULL, id FROM candidate WHERE id = ANY(%s::bigint[])
    UNION ALL
    SELECT -4, node, count(DISTINCT t.id) FROM unnest(%s::text[]) AS alternative (node)
    JOIN questionbank_knowledgeconcept k ON k.path LIKE node || '%%' JOIN tagged t ON t.concept_id = k.id
    GROUP BY node
"""
_OF_CUBE = ("concept", *COMBINED, "difficulty_min", "difficulty_max", "grade", "kind", "language", "source", "status")
_ALL = 2 ** len(_COLUMNS) - 1  # `grouping` of the total
ValueCounts = dict[str, list[tuple[str, int]]]


def count_facets(
    *, filters: SearchFilters, matching: Sequence[Condition] | None = None, among: Sequence[int] = ()
) -> Facets:
    """Count the questions by each filter's values.

    Args:
        filters: the children of the chosen concept are counted, or the roots if there is none.
        matching: a question matches if it fulfils at least one of these conditions, which include the filters; None if
            all that pass the filters match.
        among: questions for which `Facets.matching` is determined.
    """
    if matching is None and _cube_knows(filters):
        return _from_cube(filters)
    most = most_counted()
    facets = _from_questions([passing(filters)] if matching is None else matching, filters, among, most)
    if facets.total <= most:
        return facets
    possible = _from_cube(filters).values
    values = {name: [replace(value, count=None) for value in found] for name, found in possible.items()}
    return Facets(total=most, is_capped=True, values=values)


def count_matching(*, filters: SearchFilters, matching: Sequence[Condition] | None = None) -> tuple[int, bool]:
    """Count the questions that match, as `count_facets` does, without the values of filters.

    Returns:
        The number, and whether there are more than were counted.
    """
    if matching is None and _cube_knows(filters):
        cube = facet_cube()
        return cube.total(_passing(cube, filters)), False
    most = most_counted()
    found = rows_of_any([passing(filters)] if matching is None else matching or [Condition("FALSE")], limit=most + 1)
    counted = int(fetch(f"SELECT count(*) FROM ({found.sql}) AS found", found.parameters)[0][0])  # noqa: S608 - ours
    return min(counted, most), counted > most


def most_counted() -> int:
    """Return how many questions are counted one by one in a bank of this size."""
    cube = facet_cube()
    return COUNTED if cube.total(cube.everything()) <= LARGE else COUNTED_IN_LARGE


def _cube_knows(filters: SearchFilters) -> bool:
    """Return whether the cube supports these filters."""
    filters = filters.for_everybody
    bounds = (filters.difficulty_min, filters.difficulty_max)
    defaults = {name: getattr(SearchFilters(), name) for name in _OF_CUBE}
    return replace(filters, **defaults) == SearchFilters() and all(
        bound is None or float(bound).is_integer() for bound in bounds
    )


def _prefix(filters: SearchFilters) -> str:
    """Return the path of the chosen concept, whose children are counted; for a deleted one, a path that none has."""
    return "" if filters.concept is None else concept_nodes([filters.concept]).get(filters.concept, "-")


def _alternatives(filters: SearchFilters) -> list[str]:
    """Return the paths of the concepts of which a question needs at least one."""
    return [*concept_nodes(filters.concepts_any).values()] if filters.concepts_any else []


def count_tagged(*, node: str, filters: SearchFilters) -> int:
    """Count the questions that pass and are tagged with a concept or its descendants."""
    if not _cube_knows(filters):
        wanted = passing(filters) & tagged([node])
        return int(fetch(wanted.select("count(*)"), wanted.parameters)[0][0])
    cube = facet_cube()
    return cube.total(_passing(cube, filters) & _below(cube, [node])[node])


def count_each(*, nodes: Iterable[str], filters: SearchFilters) -> dict[str, int]:
    """Count the questions that pass and are tagged with each concept or its descendants.

    Returns:
        Numbers by the concepts' paths; empty if the filters would have to be counted question by question.
    """
    if not _cube_knows(filters):
        return {}
    cube = facet_cube()
    mask = _passing(cube, filters)
    return {node: cube.total(mask & below) for node, below in _below(cube, nodes).items()}


def _below(cube: FacetCube, nodes: Iterable[str]) -> dict[str, Mask]:
    """Return masks of the rows that are tagged with each concept or a descendant, by the concepts' paths."""
    paths = set(nodes)
    version = concepts_version() if paths else ()
    return {
        path: cube.tagged(concept_groups(prefix=path, width=len(path) + KnowledgeConcept.steplen, version=version)[0])
        for path in paths
    }


def _combined(cube: FacetCube, filters: SearchFilters) -> Mask:
    """Return a mask of the rows that pass the filters on concepts; a deleted concept has no rows."""
    mask = cube.everything()
    if not filters.named_concepts:
        return mask
    nodes = concept_nodes(filters.named_concepts)
    by_path = _below(cube, nodes.values())
    nothing = ~cube.everything()
    below = {concept: by_path[nodes[concept]] if concept in nodes else nothing for concept in filters.named_concepts}
    for concept in filters.required_concepts:
        mask &= below[concept]
    if filters.concepts_any:
        mask &= reduce(or_, (below[concept] for concept in filters.concepts_any))
    return mask & ~reduce(or_, (below[concept] for concept in filters.concepts_none), nothing)


def _passing(cube: FacetCube, filters: SearchFilters) -> Mask:
    """Return a mask of the rows that pass the filters."""
    mask = cube.everything() if filters.status == ANY_STATUS else cube.equal("status", filters.status)
    for name in ("grade", "kind", "language", "source"):
        if value := getattr(filters, name):
            mask &= cube.equal(name, value)
    if filters.difficulty_min is not None:
        mask &= cube.difficulty >= 2 * math.ceil(filters.difficulty_min)
    if filters.difficulty_max is not None:
        mask &= (cube.difficulty >= 0) & (cube.difficulty <= 2 * math.floor(filters.difficulty_max))
    return mask & _combined(cube, filters)


def _from_cube(filters: SearchFilters) -> Facets:
    cube = facet_cube()
    mask = _passing(cube, filters)
    prefix = _prefix(filters)
    _all, by_path, by_hierarchy = concept_groups(prefix=prefix, width=len(prefix) + KnowledgeConcept.steplen)
    counts: ValueCounts = {name: cube.by_value(name, mask) for name in _COLUMNS[:-1]}
    counts["difficulty"] = cube.by_difficulty(mask)
    counts["concept"] = cube.by_group(mask, by_path)
    counts["hierarchy"] = cube.by_group(mask, by_hierarchy)
    alternatives = _below(cube, _alternatives(filters))
    counts["concepts_any"] = [(node, cube.total(mask & below)) for node, below in alternatives.items()]
    return Facets(total=cube.total(mask), is_capped=False, values=_labelled(counts))


def _from_questions(matching: Sequence[Condition], filters: SearchFilters, among: Sequence[int], most: int) -> Facets:
    columns = "id, kind, grade, language, source, difficulty_percent"
    prefix = _prefix(filters)
    candidates = rows_of_any(matching or [Condition("FALSE")], columns, most + 1)
    query = _GROUPED.format(candidates=candidates.sql, limit=most + 1, width=len(prefix) + KnowledgeConcept.steplen)
    counts: ValueCounts = {name: [] for name in (*_COLUMNS, "concept", "hierarchy", "concepts_any")}
    total = 0
    found: set[int] = set()
    parameters = [*candidates.parameters, f"{prefix}%", list(among), _alternatives(filters)]
    for which, value, count in fetch(query, parameters):
        if which == -1:
            counts["concept"].append((value, count))
        elif which == -2:
            counts["hierarchy"].append((value, count))
        elif which == -3:
            found.add(count)
        elif which == -4:
            counts["concepts_any"].append((value, count))
        elif which == _ALL:
            total = count
        elif value is not None:
            # A bit of `grouping` is 0 for the column that the row is grouped by; the first column has the highest bit.
            grouped_by = _COLUMNS[len(_COLUMNS) - (_ALL - which).bit_length()]
            counts[grouped_by].append((value, count))
    return Facets(total=total, is_capped=False, values=_labelled(counts), matching=frozenset(found))


def _labelled(counts: Mapping[str, list[tuple[str, int]]]) -> dict[str, list[FacetValue]]:
    kinds = {value: str(label) for value, label in Question.Kind.choices}
    counted = fetch(
        "SELECT path, id, name FROM questionbank_knowledgeconcept WHERE path = ANY(%s)",
        [[path for path, _count in (*counts["concept"], *counts["concepts_any"])]],
    )
    concepts = {path: (str(pk), name) for path, pk, name in counted}
    hierarchies = dict(fetch("SELECT id, name FROM questionbank_knowledgehierarchy", []))
    return {
        "kind": _values((value, kinds.get(value, value), count) for value, count in counts["kind"]),
        "grade": _values((value, grade_name(value).removeprefix("Grade "), count) for value, count in counts["grade"]),
        "language": _values((value, language_name(value), count) for value, count in counts["language"]),
        "source": _values((value, value, count) for value, count in counts["source"]),
        "difficulty": sorted(_values(_by_band(counts["difficulty"])), key=lambda band: band.value),
        "concept": _values(
            ((*concepts[path], count) for path, count in counts["concept"] if path in concepts), shown=None
        ),
        "hierarchy": _values(
            ((value, hierarchies[int(value)], count) for value, count in counts["hierarchy"]), shown=None
        ),
        "concepts_any": _values((*concepts[path], count) for path, count in counts["concepts_any"] if path in concepts),
    }


def _values(rows: Iterable[tuple[str, object, int]], shown: int | None = _SHOWN) -> list[FacetValue]:
    """Return the most frequent values first, without empty values and values without questions."""
    ordered = sorted((row for row in rows if row[0] and row[2]), key=lambda row: (-row[2], str(row[1]).casefold()))
    return [FacetValue(value, str(label), count) for value, label, count in ordered[:shown]]


def _by_band(counts: Iterable[tuple[str, int]]) -> Iterator[tuple[str, str, int]]:
    """Yield ranges; a difficulty on the boundary of two counts in both, as the filter finds it in both."""
    numbers = [0] * BANDS
    for value, count in counts:
        difficulty, width = int(value), 200 // BANDS  # for p per cent, floor(p) + ceil(p)
        for band in range(max(0, -(-difficulty // width) - 1), min(BANDS, difficulty // width + 1)):
            numbers[band] += count
    width = 100 // BANDS
    for band, number in enumerate(numbers):
        yield str(band), difficulty_range(band * width, (band + 1) * width), number


def difficulty_range(low: float, high: float) -> str:
    """Describe a range of difficulty by its bounds in per cent."""
    return f"{f'{low:g}'} to {f'{high:g}'} %"
