"""Search: one box, filters that combine, pages by cursor.

Two rankings are fused: by shared words and formula tokens, and by vectors. See
docs/decisions/0012-hybrid-search.md for why, and for what was measured. A question *matches* when it holds all
words; only these are counted. What else is near stands below, as `SearchPage.closest`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from analytics.records import ConceptPath
from questionbank.errors import ValidationFailed
from questionbank.models import Question
from questionbank.selectors.questions.questions import concept_paths
from questionbank.selectors.search.concept_search import ConceptMatch, Named, concept_names, tagged
from questionbank.selectors.search.cursors import cursor_pack, cursor_unpack
from questionbank.selectors.search.facets import Facets, FacetValue, count_facets
from questionbank.selectors.search.filters import ANY_STATUS, SearchFilters, filtered_questions
from questionbank.selectors.search.query import ParsedQuery, parse_query
from questionbank.selectors.search.ranking import (
    COMPARED,
    Fused,
    Matches,
    fuse,
    rank_by_formulas,
    rank_by_vectors,
)
from questionbank.selectors.search.spelling import vocabulary
from questionbank.selectors.search.text_search import (
    phrase_condition,
    rank_by_phrases,
    rank_by_shapes,
    rank_by_text,
    shape_condition,
    text_condition,
)
from questionbank.selectors.serving import Serving

__all__ = [
    "LISTED",
    "ORDERS",
    "RELEVANCE",
    "FacetValue",
    "NamedConcept",
    "SearchFilters",
    "SearchHit",
    "SearchPage",
    "matching_questions",
    "search_questions",
]

LISTED = 200  # questions that are ranked
COMPARED_BY_MEANING = 20  # questions near in meaning whose formulas are compared with the query's
CONCEPTS_SHOWN = 3  # of those that a query names
PAGE_SIZE = 20
LARGEST_PAGE = 100
RELEVANCE, NEWEST = "relevance", "newest"
ORDERS: Mapping[str, tuple[Any, ...]] = {  # name in the address -> columns; a literal table
    NEWEST: ("-pk",),
    "easiest": (F("difficulty_percent").asc(nulls_last=True), "-pk"),
    "hardest": (F("difficulty_percent").desc(nulls_last=True), "-pk"),
    "answered": ("-responses", "-pk"),
}


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One question of a page.

    Attributes:
        score: of the fused ranking; compares hits of one search only. 0 where nothing was ranked.
        found_by: of ``"number"``, ``"concept"``, ``"text"``, ``"formula"`` and ``"vector"``.
    """

    question: Question
    score: float
    found_by: tuple[str, ...]
    concepts: list[ConceptPath]


@dataclass(frozen=True, slots=True)
class NamedConcept:
    """A concept that a query names, with the number of questions that pass the filters."""

    match: ConceptMatch
    questions: int


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of results.

    Attributes:
        hits: questions that match: that pass the filters and hold all words, are tagged with the concept that the
            query names or hold its name, or hold a formula of the same shape.
        closest: questions that do not, but are near; after the last hit.
        total: questions that match, counted up to 10,000 where `total_is_capped`.
        facets: values of each filter with their counts among those; among `closest` where nothing matches.
        corrected: the query with misspelt words corrected, empty where none was.
        next_cursor: empty on the last page, as is `previous_cursor` on the first.
        sort: ``"browse"``, ``"words"``, ``"question"`` or ``"formula"``.
        order: of `ORDERS`, or `RELEVANCE`.
        first_position: of the page's first hit, counted from 1.
        notice: what the searcher should know, e.g. that no model knows the query's language.
        read_as: the query with its plain maths as LaTeX between dollars, where it had some.
        concepts: that the query names, with the number of questions tagged with each or below it.
        exact: the query was searched as it was typed, without corrections.
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

    @property
    def last_position(self) -> int:
        return self.first_position + len(self.hits) - 1


@dataclass(frozen=True, slots=True)
class _Asked:
    """One search, as its pages share it."""

    parsed: ParsedQuery
    filters: SearchFilters
    order: str
    page_size: int
    exact: bool

    @property
    def key(self) -> tuple[object, ...]:
        return (self.parsed.text, self.filters, self.order, self.page_size, self.exact)


def search_questions(
    *,
    query: str,
    filters: SearchFilters,
    serving: Serving,
    order: str = "",
    cursor: str = "",
    page_size: int = PAGE_SIZE,
    exact: bool = False,
) -> SearchPage:
    """Find questions; without a query browse all that the filters let pass.

    Args:
        query: words, the name of a concept, a whole question, a formula or a question's number; misspelt words
            are corrected, plain maths is read.
        order: of `ORDERS`; otherwise by relevance, without a query the newest first.
        cursor: of a page that this search returned, empty for the first one.
        page_size: hits a page, 1 to 100.
        exact: correct no spelling.

    Raises:
        ValidationFailed: the cursor is none of this search.
    """
    page_size = min(LARGEST_PAGE, max(1, page_size))
    parsed = _parsed(query, exact=exact)
    if parsed.is_number and filters.status == SearchFilters().status:
        filters = replace(filters, status=ANY_STATUS)  # whoever names a question means it, draft or retired
    default = NEWEST if parsed.sort == "browse" else RELEVANCE
    asked = _Asked(parsed, filters, order if order in ORDERS else default, page_size, exact)
    place = cursor_unpack(cursor, asked.key) if cursor else None
    if asked.order == NEWEST and parsed.sort == "browse":
        return _browsed(asked, place)
    if parsed.sort == "browse":
        return _sorted(asked, place)
    return _ranked(asked, serving, place)


def matching_questions(*, query: str, filters: SearchFilters, exact: bool = False) -> QuerySet[Question]:
    """Return all questions that a search counts; see `SearchPage.hits`."""
    parsed = _parsed(query, exact=exact)
    passed = filtered_questions(filters)
    if parsed.sort == "browse":
        return passed
    return _matching(parsed, _named(parsed), passed)


def _parsed(query: str, *, exact: bool) -> ParsedQuery:
    return parse_query(query, vocabulary(), exact=exact, names=concept_names().words)


def _named(parsed: ParsedQuery) -> Named:
    """Return what the query names; "3/4 of 20" names what it is about."""
    if parsed.concept:
        return replace(concept_names().named(parsed.concept), phrases=())
    return Named() if parsed.formulas else concept_names().named(parsed.corrected or parsed.text)


def _matching(parsed: ParsedQuery, named: Named, passed: QuerySet[Question]) -> QuerySet[Question]:
    if parsed.is_number:
        return passed.filter(pk=parsed.number)
    if named.is_whole:
        conditions = [tagged(named.concepts) if named.concepts else None, phrase_condition(named.phrases)]
    else:
        conditions = [text_condition(parsed.tokens, vocabulary())]
        if parsed.sort == "formula":
            conditions.append(shape_condition(parsed.formulas))
    if parsed.number:
        conditions.append(Q(pk=parsed.number))
    matching = Q()
    for condition in conditions:
        matching |= condition or Q()
    return passed.filter(matching) if matching else passed.none()


def _browsed(asked: _Asked, place: list[Any] | None) -> SearchPage:
    """Return the newest questions, page by page between ids: new ones on top move no page."""
    direction, edge, position = place or ["after", None, 1]
    passed = filtered_questions(asked.filters)
    counted = count_facets(filters=asked.filters, questions=passed)
    forward = direction != "before"
    rows = passed.order_by("-pk" if forward else "pk")
    if edge is not None:
        rows = rows.filter(pk__lt=edge) if forward else rows.filter(pk__gt=edge)
    ids = list(rows.values_list("pk", flat=True)[: asked.page_size + 1])
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


def _sorted(asked: _Asked, place: list[Any] | None) -> SearchPage:
    """Return a page of all that the filters let pass, in an order of `ORDERS`."""
    offset = _offset(place)
    passed = filtered_questions(asked.filters)
    counted = count_facets(filters=asked.filters, questions=passed)
    ids = _window(passed, asked.order, offset, asked.page_size + 1)
    return _page(
        asked,
        counted,
        hits=_hits([Fused(pk, 0.0, ()) for pk in ids[: asked.page_size]]),
        first_position=offset + 1,
        **_offset_cursors(asked, offset, has_next=len(ids) > asked.page_size),
    )


def _ranked(asked: _Asked, serving: Serving, place: list[Any] | None) -> SearchPage:
    """Return a page of the fused ranking, which is made anew for each page and is the same for the same bank.

    Questions that match come first, those beyond the ranking after it, the newest first; then what is near.
    """
    offset = _offset(place)
    parsed, filters = asked.parsed, asked.filters
    passed = filtered_questions(filters)
    named = _named(parsed)
    ranking, notice = _fused(parsed, named, filters, serving)
    matching = _matching(parsed, named, passed)
    counted = count_facets(filters=filters, questions=matching, has_words=True)
    total = counted.total
    holding = set(
        matching.filter(pk__in=[candidate.id for candidate in ranking]).values_list("pk", flat=True)
    )
    closest = (
        [candidate for candidate in ranking if candidate.id not in holding] if not counted.is_capped else []
    )
    if total == 0:
        near = Question.objects.filter(pk__in=[candidate.id for candidate in closest])
        counted = count_facets(filters=filters, questions=near, has_words=True)
    end = offset + asked.page_size
    if asked.order == RELEVANCE or total == 0:
        exact = [candidate for candidate in ranking if candidate.id in holding]
        hits = exact[offset:end]
        if len(hits) < asked.page_size:
            rest = matching.exclude(pk__in=holding)
            start = max(0, offset - len(exact))
            ids = _window(rest, NEWEST, start, asked.page_size - len(hits))
            hits += [Fused(pk, 0.0, (_first_way(parsed, named),)) for pk in ids]
        below = closest[max(0, offset - total) : max(0, end - total)]
    else:
        hits = [Fused(pk, 0.0, ()) for pk in _window(matching, asked.order, offset, asked.page_size)]
        below, closest = [], []
    loaded = _hits([*hits, *below])
    exact_ids = {hit.id for hit in hits}
    return _page(
        asked,
        counted,
        total=total,
        hits=[hit for hit in loaded if hit.question.pk in exact_ids],
        closest=[hit for hit in loaded if hit.question.pk not in exact_ids],
        corrected=parsed.corrected,
        first_position=offset + 1,
        notice=notice,
        read_as=parsed.read_as,
        concepts=_counted_concepts(named, passed),
        exact=asked.exact,
        **_offset_cursors(
            asked, offset, has_next=end < total + len(closest) or (counted.is_capped and bool(hits))
        ),
    )


def _fused(
    parsed: ParsedQuery, named: Named, filters: SearchFilters, serving: Serving
) -> tuple[list[Fused], str]:
    """Return the fused ranking, and what the searcher should know of it."""
    passed = filtered_questions(filters)
    numbered = parsed.number and passed.filter(pk=parsed.number).exists()
    first = [Fused(parsed.number, 1.0, ("number",))] if numbered else []
    if numbered and parsed.is_number:
        return first, ""
    by_text = rank_by_text(parsed.tokens, passed, vocabulary())
    by_vectors = rank_by_vectors(
        parsed, None if filters.is_default else passed, serving, language=filters.language
    )
    alike: list[int] = []
    if parsed.formulas:
        shapes = rank_by_shapes(parsed.formulas, parsed.tokens, passed)
        likely = dict.fromkeys([*shapes, *by_text.ids[:COMPARED], *by_vectors.ids[:COMPARED_BY_MEANING]])
        alike = rank_by_formulas(parsed, list(likely))
    matches = Matches(
        text=by_text,
        vectors=by_vectors.ids,
        phrases=rank_by_phrases(named.phrases, passed),
        tagged=_tagged(named, passed),
        alike=alike,
        is_concept=named.is_whole,
    )
    ranking = [
        candidate for candidate in fuse(parsed, matches) if not (first and candidate.id == parsed.number)
    ]
    unknown = _("There is no question %(number)d.") % {"number": parsed.number}
    return [*first, *ranking][:LISTED], unknown if parsed.is_number else by_vectors.notice


def _first_way(parsed: ParsedQuery, named: Named) -> str:
    """Return how a question was found that matches and is not ranked."""
    if named.is_whole and named.concepts:
        return "concept"
    return "formula" if parsed.sort == "formula" else "text"


def _tagged(named: Named, passed: QuerySet[Question]) -> list[list[int]]:
    """Return questions tagged with what the query names: exactly so, and in part."""
    exact = [match for match in named.concepts if match.is_exact]
    in_part = [match for match in named.concepts if not match.is_exact]
    return [
        _window(passed.filter(tagged(matches)), NEWEST, 0, LISTED) if matches else []
        for matches in (exact, in_part)
    ]


def _counted_concepts(named: Named, passed: QuerySet[Question]) -> list[NamedConcept]:
    counted = [
        NamedConcept(match, passed.filter(tagged([match])).count())
        for match in named.concepts[:CONCEPTS_SHOWN]
    ]
    return [concept for concept in counted if concept.questions]


def _page(asked: _Asked, counted: Facets, **fields: Any) -> SearchPage:
    usual: dict[str, Any] = {
        "total": counted.total,
        "total_is_capped": counted.is_capped,
        "facets": counted.values,
        "corrected": "",
        "filters": asked.filters,
        "query": asked.parsed.text,
        "sort": asked.parsed.sort,
        "order": asked.order,
    }
    return SearchPage(**usual | fields)


def _window(questions: QuerySet[Question], order: str, start: int, count: int) -> list[int]:
    return list(questions.order_by(*ORDERS[order]).values_list("pk", flat=True)[start : start + count])


def _offset_cursors(asked: _Asked, offset: int, *, has_next: bool) -> dict[str, str]:
    before = max(0, offset - asked.page_size)
    return {
        "next_cursor": cursor_pack(["from", offset + asked.page_size], asked.key) if has_next else "",
        "previous_cursor": cursor_pack(["from", before], asked.key) if offset else "",
    }


def _offset(place: list[Any] | None) -> int:
    if place is None:
        return 0
    if len(place) == 2 and isinstance(place[1], int) and place[1] >= 0:
        return place[1]
    raise ValidationFailed(_("This page of results is not known; search again."))


def _hits(ranking: Sequence[Fused]) -> list[SearchHit]:
    """Load the questions of one page, without what a page of results does not show."""
    ids = [candidate.id for candidate in ranking]
    questions: QuerySet[Question] = Question.objects.defer("solution", "search_vector", "content_hash")
    questions_by_id = questions.in_bulk(ids)
    paths = concept_paths(ids)
    return [
        SearchHit(
            questions_by_id[candidate.id], candidate.score, candidate.found_by, paths.get(candidate.id, [])
        )
        for candidate in ranking
        if candidate.id in questions_by_id
    ]
