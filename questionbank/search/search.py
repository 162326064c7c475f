"""Search: one search box, filters that combine, cursor pagination.

Two rankings are fused: by shared words and formula tokens, and by vectors. docs/decisions/0012-hybrid-search.md has the
reasons and the measurements. A question *matches* if it contains all words; only matches are counted. Other similar
questions are listed below them, as `SearchPage.closest`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from analytics.records import ConceptPath
from questionbank.bank.question_selectors import concept_paths
from questionbank.models import Question
from questionbank.registry.serving import Serving
from questionbank.search.asked import (
    AskedSearch,
    ReadFilter,
    asked_condition,
    asked_conditions,
    asked_search,
    grades_apart,
    tagged_conditions,
)
from questionbank.search.concept_search import ConceptMatch, Named, concept_names, tagged
from questionbank.search.facets import Facets, FacetValue, count_facets, count_matching, count_tagged
from questionbank.search.filters import Condition, SearchFilters, among, any_of, fetch, filtered_questions, passing
from questionbank.search.query import ParsedQuery, vocabulary
from questionbank.search.ranking import (
    COMPARED,
    Fused,
    Matches,
    cursor_pack,
    cursor_unpack,
    fuse,
    matched_parts,
    offset_cursors,
    offset_of,
    preferred,
    rank_by_formulas,
    rank_by_vectors,
    whole_first,
)
from questionbank.search.terms import terms_of
from questionbank.search.text_search import rank_by_phrases, rank_by_shapes, rank_by_terms, rank_by_text

LISTED = 200  # number of ranked questions
ENOUGH_IN_FILTERS = 20  # with at least that many results, none outside the filters read from the query are added
COMPARED_BY_MEANING = 20  # nearest questions by meaning whose formulas are compared with the query's
CONCEPTS_SHOWN = 3  # of those named by a query
PAGE_SIZE = 20
LARGEST_PAGE = 100
RELEVANCE, NEWEST = "relevance", "newest"
_IS_RATED = "difficulty_percent IS NOT NULL"
ORDERS: Mapping[str, tuple[str, str]] = {
    # name in the address -> which questions the order applies to, and the order. The others follow, newest first;
    # sorted as one list, PostgreSQL would sort the whole bank, while each part by itself is in index order.
    NEWEST: ("", "id DESC"),
    "easiest": (_IS_RATED, "difficulty_percent, id"),
    "hardest": (_IS_RATED, "difficulty_percent DESC, id DESC"),
    "answered": ("responses > 0", "responses DESC, id DESC"),
}


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One question on a page.

    Attributes:
        score: score in the fused ranking; only comparable within one search. 0 if nothing was ranked.
        found_by: some of ``"number"``, ``"concept"``, ``"text"``, ``"formula"`` and ``"vector"``.
        parts: letters of the parts that contain the search terms, if the stem does not.
    """

    question: Question
    score: float
    found_by: tuple[str, ...]
    concepts: list[ConceptPath]
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedConcept:
    """A concept that a query names, with the number of questions that pass the filters."""

    match: ConceptMatch
    questions: int


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of results.

    Attributes:
        hits: matching questions: they pass the filters, and contain all words, are tagged with the concept named by the
            query or contain its name, or contain a formula of the same shape.
        closest: similar questions that do not match, after the last hit. If words of the query were read as filters,
            questions that contain all words come first, then those that pass these filters but contain only some words,
            then the rest.
        total: number of matching questions, counted up to `most_counted` if `total_is_capped`.
        facets: values of each filter with their counts among the matches; among `closest` if nothing matches.
        next_cursor: empty on the last page, like `previous_cursor` on the first.
        sort: ``"browse"``, ``"words"``, ``"question"`` or ``"formula"``.
        order: one of `ORDERS`, or `RELEVANCE`.
        notice: a message for the searcher, e.g. that no model supports the query's language.
        concepts: concepts named by the query, with the number of questions tagged with each or below it.
        off: names of filters that were removed, although words of the query name them.
        topic: the topic that the query names, without the filters read from it: "bar chart"; empty if it is not a name.
    """

    hits: list[SearchHit]
    total: int
    total_is_capped: bool
    facets: Mapping[str, Sequence[FacetValue]]
    corrected: str
    next_cursor: str
    previous_cursor: str
    filters: SearchFilters
    query: str
    closest: list[SearchHit] = field(default_factory=list)
    sort: str = "browse"
    order: str = NEWEST
    first_position: int = 1
    notice: str = ""
    read_as: str = ""
    concepts: Sequence[NamedConcept] = ()
    exact: bool = False
    read: Sequence[ReadFilter] = ()
    off: frozenset[str] = frozenset()
    topic: str = ""

    @property
    def last_position(self) -> int:
        return self.first_position + len(self.hits) - 1


def search_questions(  # noqa: PLR0913 - what the address of a search says
    *,
    query: str,
    filters: SearchFilters,
    serving: Serving,
    order: str = "",
    cursor: str = "",
    page_size: int = PAGE_SIZE,
    exact: bool = False,
    off: Collection[str] = (),
) -> SearchPage:
    """Find questions; without a query, browse all that pass the filters.

    Args:
        query: words, the name of a concept, a whole question, a formula or a question's number; misspelt words are
            corrected, plain-text maths is parsed.
        order: one of `ORDERS`; by default by relevance, or newest first without a query.
        cursor: cursor of a page returned by this search; empty for the first page.
        page_size: hits per page, 1 to 100.
        exact: whether to skip spelling correction and reading filters from the query.
        off: names of filters not to set, although words of the query name them (`READ_FILTERS`), or `TOPIC`.

    Raises:
        ValidationFailed: the cursor belongs to another search.
    """
    page_size = min(LARGEST_PAGE, max(1, page_size))
    asked = asked_search(query, filters, exact=exact, off=off)
    default = NEWEST if asked.parsed.sort == "browse" else RELEVANCE
    asked = replace(asked, order=order if order in ORDERS else default, page_size=page_size)
    place = cursor_unpack(cursor, asked.key) if cursor else None
    if asked.order == NEWEST and asked.parsed.sort == "browse":
        return _browsed(asked, place)
    if asked.parsed.sort == "browse":
        return _sorted(asked, place)
    return _ranked(asked, serving, place)


def matching_questions(
    *, query: str, filters: SearchFilters, exact: bool = False, off: Collection[str] = ()
) -> QuerySet[Question]:
    """Return all questions that a search counts; see `SearchPage.hits`."""
    asked = asked_search(query, filters, exact=exact, off=off)
    if asked.parsed.sort == "browse":
        return filtered_questions(asked.filters)
    return asked_condition(asked, passing(asked.filters)).questions()


def count_search(
    *, query: str, filters: SearchFilters, exact: bool = False, off: Collection[str] = (), since: datetime | None = None
) -> tuple[int, bool]:
    """Count the matches of a search.

    Args:
        since: count only those that people can see since then.

    Returns:
        The number, and whether there are more than were counted.
    """
    asked = asked_search(query, filters, exact=exact, off=off)
    passed = passing(asked.filters)
    if since is not None:
        passed &= Condition("questionbank_question.visible_since >= %s", (since,))
    if asked.parsed.sort == "browse":
        return count_matching(filters=asked.filters, matching=None if since is None else [passed])
    return count_matching(filters=asked.filters, matching=[passed & one for one in asked_conditions(asked)])


def _browsed(asked: AskedSearch, place: list[Any] | None) -> SearchPage:
    """Return the newest questions, paginated by id, so that new questions do not shift the pages."""
    direction, edge, position = place or ["after", None, 1]
    counted = count_facets(filters=asked.filters)
    forward = direction != "before"
    rows = passing(asked.filters)
    if edge is not None:
        rows &= Condition(f"id {'<' if forward else '>'} %s", (edge,))
    ids = rows.ids(f"ORDER BY id {'DESC' if forward else 'ASC'} LIMIT {asked.page_size + 1}")
    is_more = len(ids) > asked.page_size
    ids = ids[: asked.page_size] if forward else ids[: asked.page_size][::-1]
    has_previous = edge is not None if forward else is_more
    has_next = is_more if forward else True
    first = position if has_previous else 1
    after = ["after", ids[-1], first + len(ids)] if ids else []
    before = ["before", ids[0], max(1, first - asked.page_size)] if ids else []
    return _page(
        asked,
        counted,
        hits=_hits([Fused(pk, 0.0, ()) for pk in ids]),
        next_cursor=cursor_pack(after, asked.key) if ids and has_next else "",
        previous_cursor=cursor_pack(before, asked.key) if ids and has_previous else "",
        first_position=first,
    )


def _sorted(asked: AskedSearch, place: list[Any] | None) -> SearchPage:
    """Return a page of all questions that pass the filters, in one of the `ORDERS`."""
    offset = offset_of(place)
    counted = count_facets(filters=asked.filters)
    ids = _window(passing(asked.filters), asked.order, offset, asked.page_size + 1)
    return _page(
        asked,
        counted,
        hits=_hits([Fused(pk, 0.0, ()) for pk in ids[: asked.page_size]]),
        first_position=offset + 1,
        **offset_cursors(asked, offset, has_next=len(ids) > asked.page_size),
    )


def _ranked(asked: AskedSearch, serving: Serving, place: list[Any] | None) -> SearchPage:
    """Return a page of the fused ranking, which is recomputed per page and deterministic for the same bank.

    Ranked matches come first, then unranked matches, newest first, then similar questions.
    """
    offset = offset_of(place)
    parsed, filters = asked.parsed, asked.filters
    passed = passing(filters)
    ranking, notice = _fused(asked, filters, passed, serving)
    counted, matching, closest = _parted(asked, passed, ranking)
    total = counted.total
    if asked.filters != asked.given and total + len(closest) < ENOUGH_IN_FILTERS:
        closest = _widened(asked, serving, ranking, closest)
    end = offset + asked.page_size
    if asked.order == RELEVANCE or total == 0:
        hits = _most_relevant(asked, passed, matching, counted, offset)
        below = closest[max(0, offset - total) : max(0, end - total)]
    else:
        wanted = asked_condition(asked, passed, are_many=counted.is_capped)
        hits = [Fused(pk, 0.0, ()) for pk in _window(wanted, asked.order, offset, asked.page_size)]
        below, closest = [], []
    if total == 0:
        counted = count_facets(filters=filters, matching=[among(candidate.id for candidate in closest)])
    loaded = _hits([*hits, *below], parsed.tokens)
    hit_ids = {hit.id for hit in hits}
    has_next = end < total + len(closest) or (counted.is_capped and bool(hits))
    return _page(
        asked,
        counted,
        total=total,
        hits=[hit for hit in loaded if hit.question.pk in hit_ids],
        closest=[hit for hit in loaded if hit.question.pk not in hit_ids],
        first_position=offset + 1,
        notice=notice,
        read_as=parsed.read_as,
        concepts=_counted_concepts(asked.named, filters),
        topic=(parsed.corrected or parsed.text) if asked.named.is_whole else "",
        **offset_cursors(asked, offset, has_next=has_next),
    )


def _parted(asked: AskedSearch, passed: Condition, ranking: Sequence[Fused]) -> tuple[Facets, list[Fused], list[Fused]]:
    """Return the counts of the matches, and the ranked questions split into matches and similar ones.

    There are no similar ones if the count of matches is capped.
    """
    ranked = [candidate.id for candidate in ranking]
    conditions = asked_conditions(asked)
    counted = count_facets(filters=asked.filters, matching=[passed & one for one in conditions], among=ranked)
    holding = counted.matching
    if counted.is_capped:
        holding = frozenset(pk for (pk,) in passed.among(ranked, conditions))
    matching = [candidate for candidate in ranking if candidate.id in holding]
    closest = [candidate for candidate in ranking if candidate.id not in holding]
    return counted, matching, [] if counted.is_capped else closest


def _most_relevant(
    asked: AskedSearch, passed: Condition, matching: list[Fused], counted: Facets, offset: int
) -> list[Fused]:
    """Return a page of matches: the ranked ones, then the others, newest first."""
    exact = preferred(matching, asked.language, None if asked.filters.grade else asked.years)
    hits = exact[offset : offset + asked.page_size]
    is_more = counted.is_capped or counted.total > len(exact)
    if is_more and len(hits) < asked.page_size:
        ranked = sorted(candidate.id for candidate in exact)
        rest = Condition("NOT questionbank_question.id = ANY(%s::bigint[])", (ranked,))
        rest &= asked_condition(asked, passed, are_many=counted.is_capped)
        ids = _window(rest, NEWEST, max(0, offset - len(exact)), asked.page_size - len(hits))
        hits += [Fused(pk, 0.0, (_first_way(asked.parsed, asked.named),)) for pk in ids]
    return hits


def _widened(asked: AskedSearch, serving: Serving, ranking: Sequence[Fused], closest: Sequence[Fused]) -> list[Fused]:
    """Return similar questions, including some outside the filters read from the query.

    A question that contains all terms comes before those that pass the filters but contain only some: ratio questions
    of year 7 help someone looking for "year 8 ratio". If a grade was named, the nearest grades come first.
    """
    given = passing(asked.given)
    wider, _notice = _fused(asked, asked.given, given, serving)
    known = {candidate.id for candidate in ranking}
    outside = [candidate for candidate in wider if candidate.id not in known]
    whole = given.among([candidate.id for candidate in outside], asked_conditions(asked), "id, grade")
    far = {pk: grades_apart(grade, asked.years) if asked.years else 0 for pk, grade in whole}
    holding = sorted((one for one in outside if one.id in far), key=lambda one: far[one.id])
    return [*holding, *closest, *(one for one in outside if one.id not in far)]


def _fused(asked: AskedSearch, filters: SearchFilters, passed: Condition, serving: Serving) -> tuple[list[Fused], str]:
    """Return the fused ranking of the questions that pass, and a notice for the searcher."""
    parsed, named = asked.parsed, asked.named
    numbered = parsed.number and bool((passed & among([parsed.number])).ids())
    first = [Fused(parsed.number, 1.0, ("number",))] if numbered else []
    if numbered and parsed.is_number:
        return first, ""
    terms = asked.terms
    by_text = rank_by_terms(terms, passed) if terms else rank_by_text(parsed.tokens, passed, vocabulary())
    by_vectors = rank_by_vectors(
        parsed, None if filters.is_default else filtered_questions(filters), serving, language=filters.language
    )
    alike: list[int] = []
    if parsed.formulas:
        shapes = rank_by_shapes(parsed.formulas, parsed.tokens, passed)
        likely = dict.fromkeys([*shapes, *by_text.ids[:COMPARED], *by_vectors.ids[:COMPARED_BY_MEANING]])
        shares = _shares_of_prose(parsed, passed, list(likely))
        alike = rank_by_formulas(parsed, list(likely), shares)
    matches = Matches(
        text=by_text,
        vectors=by_vectors.ids,
        phrases=rank_by_phrases(named.phrases, passed),
        tagged=_tagged(asked, passed),
        alike=alike,
        is_concept=named.is_whole,
    )
    fused = whole_first(fuse(parsed, matches))
    ranking = [candidate for candidate in fused if not (first and candidate.id == parsed.number)]
    unknown = f"There is no question {parsed.number}."
    return [*first, *ranking][:LISTED], unknown if parsed.is_number else by_vectors.notice


def _shares_of_prose(parsed: ParsedQuery, passed: Condition, ids: Sequence[int]) -> Mapping[int, float] | None:
    """Return how much of the query's words around its formula ("derivative of") each question contains."""
    if parsed.sort != "words":
        return None
    terms = terms_of(parsed.prose, concept_names(), vocabulary())
    return rank_by_terms(terms, passed & among(ids)).shares


def _first_way(parsed: ParsedQuery, named: Named) -> str:
    if named.is_whole and named.concepts:
        return "concept"
    return "formula" if parsed.sort == "formula" else "text"


def _tagged(asked: AskedSearch, passed: Condition) -> list[list[int]]:
    """Return questions tagged with what the query names: exactly, in part, and with one of several things."""
    exact = [match.node for match in asked.named.concepts if match.is_exact]
    in_part = tuple(match for match in asked.named.concepts if not match.is_exact)
    partly = tagged_conditions(replace(asked, named=replace(asked.named, concepts=in_part)))
    return [
        _window(passed & tagged(exact), NEWEST, 0, LISTED) if exact else [],
        _window(passed & any_of(partly, passed), NEWEST, 0, LISTED) if partly else [],
        _window(passed & tagged(match.node for match in in_part), NEWEST, 0, LISTED) if in_part else [],
    ]


def _counted_concepts(named: Named, filters: SearchFilters) -> list[NamedConcept]:
    counted = [
        NamedConcept(match, count_tagged(node=match.node, filters=filters)) for match in named.concepts[:CONCEPTS_SHOWN]
    ]
    return [concept for concept in counted if concept.questions]


def _page(asked: AskedSearch, counted: Facets, **fields: Any) -> SearchPage:
    usual: dict[str, Any] = {
        "total": counted.total,
        "total_is_capped": counted.is_capped,
        "facets": counted.values,
        "corrected": asked.corrected,
        "filters": asked.filters,
        "query": asked.typed,
        "exact": asked.exact,
        "read": asked.read,
        "off": asked.off,
        "sort": asked.parsed.sort,
        "order": asked.order,
    }
    return SearchPage(**usual | fields)


def _window(wanted: Condition, order: str, start: int, count: int) -> list[int]:
    """Return the ids of `count` questions from an offset in an order."""
    has_place, columns = ORDERS[order]
    placed = wanted & Condition(has_place) if has_place else wanted
    ids = placed.ids(f"ORDER BY {columns} OFFSET {start} LIMIT {count}")
    if has_place and len(ids) < count:
        first = 0 if ids else start - int(fetch(placed.select("count(*)"), placed.parameters)[0][0])
        others = wanted & Condition(f"NOT ({has_place})")
        ids += others.ids(f"ORDER BY id DESC OFFSET {first} LIMIT {count - len(ids)}")
    return ids


def _hits(ranking: Sequence[Fused], tokens: Sequence[str] = ()) -> list[SearchHit]:
    """Load the questions of a page, without fields that a results page does not show.

    Args:
        tokens: tokens of the query.
    """
    ids = [candidate.id for candidate in ranking]
    questions: QuerySet[Question] = Question.objects.defer("solution", "search_vector", "content_hash")
    questions_by_id = questions.in_bulk(ids)
    paths = concept_paths(ids)
    return [
        SearchHit(
            question, candidate.score, candidate.found_by, paths.get(candidate.id, []), matched_parts(question, tokens)
        )
        for candidate in ranking
        if (question := questions_by_id.get(candidate.id)) is not None
    ]
