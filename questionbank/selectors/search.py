"""Search: one box, filters that combine, pages by cursor.

Two rankings are fused: by shared words and formula tokens, and by vectors. See
docs/decisions/0012-hybrid-search.md for why, and for what was measured. A question *matches* when it holds all
words; only these are counted. What else is near stands below, as `SearchPage.closest`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from analytics.records import ConceptPath
from questionbank.errors import ValidationFailed
from questionbank.models import Question
from questionbank.selectors.cursors import cursor_pack, cursor_unpack
from questionbank.selectors.facets import Facets, FacetValue, count_facets
from questionbank.selectors.filters import SearchFilters, filtered_questions
from questionbank.selectors.query import ParsedQuery, parse_query
from questionbank.selectors.questions import concept_paths
from questionbank.selectors.ranking import Fused, fuse, rank_by_vectors
from questionbank.selectors.serving import Serving
from questionbank.selectors.spelling import vocabulary
from questionbank.selectors.text_search import rank_by_text, text_condition

__all__ = [
    "LISTED",
    "ORDERS",
    "RELEVANCE",
    "FacetValue",
    "SearchFilters",
    "SearchHit",
    "SearchPage",
    "matching_questions",
    "search_questions",
]

LISTED = 200  # questions that are ranked
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
        found_by: of ``"text"``, ``"formula"`` and ``"vector"``.
    """

    question: Question
    score: float
    found_by: tuple[str, ...]
    concepts: list[ConceptPath]


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of results.

    Attributes:
        hits: questions that match: that pass the filters and hold all words.
        closest: questions that do not, but are near; after the last hit.
        total: questions that match, counted up to 10,000 where `total_is_capped`.
        facets: values of each filter with their counts among those; among `closest` where nothing matches.
        corrected: the query with misspelt words corrected, empty where none was.
        next_cursor: empty on the last page, as is `previous_cursor` on the first.
        sort: ``"browse"``, ``"words"``, ``"question"`` or ``"formula"``.
        order: of `ORDERS`, or `RELEVANCE`.
        first_position: of the page's first hit, counted from 1.
        notice: what the searcher should know, e.g. that no model knows the query's language.
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

    @property
    def key(self) -> tuple[object, ...]:
        return (self.parsed.text, self.filters, self.order, self.page_size)


def search_questions(
    *,
    query: str,
    filters: SearchFilters,
    serving: Serving,
    order: str = "",
    cursor: str = "",
    page_size: int = PAGE_SIZE,
) -> SearchPage:
    """Find questions; without a query browse all that the filters let pass.

    Args:
        query: words, a whole question or a formula; misspelt words are corrected.
        order: of `ORDERS`; otherwise by relevance, without a query the newest first.
        cursor: of a page that this search returned, empty for the first one.
        page_size: hits a page, 1 to 100.

    Raises:
        ValidationFailed: the cursor is none of this search.
    """
    page_size = min(LARGEST_PAGE, max(1, page_size))
    parsed = parse_query(query, vocabulary())
    default = NEWEST if parsed.sort == "browse" else RELEVANCE
    asked = _Asked(parsed, filters, order if order in ORDERS else default, page_size)
    place = cursor_unpack(cursor, asked.key) if cursor else None
    if asked.order == NEWEST and parsed.sort == "browse":
        return _browsed(asked, place)
    if parsed.sort == "browse":
        return _sorted(asked, place)
    return _ranked(asked, serving, place)


def matching_questions(*, query: str, filters: SearchFilters) -> QuerySet[Question]:
    """All questions that a search counts: that pass the filters and hold all words."""
    parsed = parse_query(query, vocabulary())
    passed = filtered_questions(filters)
    if parsed.sort == "browse":
        return passed
    condition = text_condition(parsed.tokens, vocabulary())
    return passed.none() if condition is None else passed.filter(condition)


def _browsed(asked: _Asked, place: list[Any] | None) -> SearchPage:
    """The newest questions, page by page between ids: new ones on top move no page."""
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
    """A page of all that the filters let pass, in an order of `ORDERS`."""
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
    """A page of the fused ranking, which is made anew for each page and is the same for the same bank.

    Questions that match come first, those beyond the ranking after it, the newest first; then what is near.
    """
    offset = _offset(place)
    parsed, filters = asked.parsed, asked.filters
    passed = filtered_questions(filters)
    by_text = rank_by_text(parsed.tokens, passed, vocabulary())
    by_vectors = rank_by_vectors(
        parsed, None if filters.is_default else passed, serving, language=filters.language
    )
    ranking = fuse(parsed, by_text, by_vectors.ids)[:LISTED]
    matching = passed.none() if by_text.matching is None else passed.filter(by_text.matching)
    counted = count_facets(filters=filters, questions=matching, has_words=True)
    total = counted.total
    holding = set(matching.filter(pk__in=[one.id for one in ranking]).values_list("pk", flat=True))
    closest = [one for one in ranking if one.id not in holding] if not counted.is_capped else []
    if total == 0:
        near = Question.objects.filter(pk__in=[one.id for one in closest])
        counted = count_facets(filters=filters, questions=near, has_words=True)
    end = offset + asked.page_size
    if asked.order == RELEVANCE or total == 0:
        exact = [one for one in ranking if one.id in holding]
        hits = exact[offset:end]
        if len(hits) < asked.page_size:
            rest = matching.exclude(pk__in=holding)
            start = max(0, offset - len(exact))
            ids = _window(rest, NEWEST, start, asked.page_size - len(hits))
            hits += [Fused(pk, 0.0, ("formula" if parsed.sort == "formula" else "text",)) for pk in ids]
        below = closest[max(0, offset - total) : max(0, end - total)]
    else:
        hits = [Fused(pk, 0.0, ()) for pk in _window(matching, asked.order, offset, asked.page_size)]
        below, closest = [], []
    return _page(
        asked,
        counted,
        total=total,
        hits=_hits(hits),
        closest=_hits(below),
        corrected=parsed.corrected,
        first_position=offset + 1,
        notice=by_vectors.notice,
        **_offset_cursors(
            asked, offset, has_next=end < total + len(closest) or (counted.is_capped and bool(hits))
        ),
    )


def _page(asked: _Asked, counted: Facets, **fields: Any) -> SearchPage:
    return SearchPage(
        **{
            "total": counted.total,
            "total_is_capped": counted.is_capped,
            "facets": counted.values,
            "corrected": "",
            "filters": asked.filters,
            "query": asked.parsed.text,
            "sort": asked.parsed.sort,
            "order": asked.order,
        }
        | fields
    )


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
    ids = [one.id for one in ranking]
    questions: QuerySet[Question] = Question.objects.defer("solution", "search_vector", "content_hash")
    there = questions.in_bulk(ids)
    paths = concept_paths(ids)
    return [
        SearchHit(there[one.id], one.score, one.found_by, paths.get(one.id, []))
        for one in ranking
        if one.id in there
    ]
