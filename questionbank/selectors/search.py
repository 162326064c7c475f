"""Search: one box, filters that combine, pages by cursor.

Two rankings are fused: by shared words and formula tokens, and by vectors. See
docs/decisions/0012-hybrid-search.md for why, and for what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from analytics.records import ConceptPath
from questionbank.errors import ValidationFailed
from questionbank.models import Question
from questionbank.selectors.cursors import cursor_pack, cursor_unpack
from questionbank.selectors.facets import FacetValue, count_facets
from questionbank.selectors.filters import SearchFilters, filtered_questions
from questionbank.selectors.query import ParsedQuery, parse_query
from questionbank.selectors.questions import concept_paths
from questionbank.selectors.ranking import Fused, fuse, rank_by_vectors
from questionbank.selectors.serving import Serving
from questionbank.selectors.spelling import vocabulary
from questionbank.selectors.text_search import rank_by_text

__all__ = ["LISTED", "FacetValue", "SearchFilters", "SearchHit", "SearchPage", "search_questions"]

LISTED = 200  # a ranking is paged through so far; whoever wants more should say more
PAGE_SIZE = 20
LARGEST_PAGE = 100


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One question found.

    Attributes:
        score: of the fused ranking; compares hits of one search only. 0 where nothing was searched for.
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
        total: questions that match, counted up to 10,000; `total_is_capped` where there are more.
        facets: values of each filter with their counts among those.
        corrected: the query with misspelt words corrected, empty where none was.
        next_cursor: empty on the last page, as is `previous_cursor` on the first.
        sort: ``"browse"``, ``"words"``, ``"question"`` or ``"formula"``.
        first_position: of the page's first hit, counted from 1; 0 where it is not known.
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
    sort: str = "browse"
    first_position: int = 1
    notice: str = ""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One search, as its pages share it."""

    parsed: ParsedQuery
    filters: SearchFilters
    page_size: int

    @property
    def key(self) -> tuple[object, ...]:
        return (self.parsed.text, self.filters, self.page_size)


def search_questions(
    *,
    query: str,
    filters: SearchFilters,
    serving: Serving,
    cursor: str = "",
    page_size: int = PAGE_SIZE,
) -> SearchPage:
    """Find questions; without a query browse all that the filters let pass, the newest first.

    Args:
        query: words, a whole question or a formula; misspelt words are corrected.
        cursor: of a page that this search returned, empty for the first one.
        page_size: hits a page, 1 to 100.

    Raises:
        ValidationFailed: the cursor is none of this search.
    """
    page_size = min(LARGEST_PAGE, max(1, page_size))
    asked = _Asked(parse_query(query, vocabulary()), filters, page_size)
    place = cursor_unpack(cursor, asked.key) if cursor else None
    if asked.parsed.sort == "browse":
        return _browsed(asked, place)
    return _ranked(asked, serving, place)


def _browsed(asked: _Asked, place: list[Any] | None) -> SearchPage:
    """The newest questions, page by page between ids: new ones on top move no page."""
    direction, edge = place or ["after", None]
    passed = filtered_questions(asked.filters)
    counted = count_facets(passed, concept=asked.filters.concept)
    forward = direction != "before"
    rows = passed.order_by("-pk" if forward else "pk")
    if edge is not None:
        rows = rows.filter(pk__lt=edge) if forward else rows.filter(pk__gt=edge)
    ids = list(rows.values_list("pk", flat=True)[: asked.page_size + 1])
    is_more = len(ids) > asked.page_size
    ids = ids[: asked.page_size] if forward else ids[: asked.page_size][::-1]
    has_previous = edge is not None if forward else is_more
    has_next = is_more if forward else True
    return SearchPage(
        hits=_hits([Fused(pk, 0.0, ()) for pk in ids]),
        total=counted.total,
        total_is_capped=counted.is_capped,
        facets=counted.values,
        corrected="",
        next_cursor=cursor_pack(["after", ids[-1]], asked.key) if ids and has_next else "",
        previous_cursor=cursor_pack(["before", ids[0]], asked.key) if ids and has_previous else "",
        filters=asked.filters,
        query=asked.parsed.text,
        first_position=0 if has_previous else 1,
    )


def _ranked(asked: _Asked, serving: Serving, place: list[Any] | None) -> SearchPage:
    """A page of the fused ranking, which is made anew for each page and is the same for the same bank."""
    offset = _offset(place)
    parsed, filters = asked.parsed, asked.filters
    passed = filtered_questions(filters)
    by_text = rank_by_text(parsed.tokens, passed, vocabulary())
    by_vectors = rank_by_vectors(
        parsed, None if filters.is_default else passed, serving, language=filters.language
    )
    ranking = fuse(parsed, by_text, by_vectors.ids)[:LISTED]
    found = Q(pk__in=[one.id for one in ranking])
    matching = passed.filter(found if by_text.matching is None else by_text.matching | found)
    counted = count_facets(matching, concept=filters.concept)
    end = offset + asked.page_size
    return SearchPage(
        hits=_hits(ranking[offset:end]),
        total=counted.total,
        total_is_capped=counted.is_capped,
        facets=counted.values,
        corrected=parsed.corrected,
        next_cursor=cursor_pack(["from", end], asked.key) if end < len(ranking) else "",
        previous_cursor=cursor_pack(["from", max(0, offset - asked.page_size)], asked.key) if offset else "",
        filters=filters,
        query=parsed.text,
        sort=parsed.sort,
        first_position=offset + 1,
        notice=by_vectors.notice or ("" if by_text.ids or not ranking else _nearest_only()),
    )


def _nearest_only() -> str:
    return _("No question holds these words; these come nearest in meaning.")


def _offset(place: list[Any] | None) -> int:
    if place is None:
        return 0
    if len(place) == 2 and isinstance(place[1], int) and 0 <= place[1] <= LISTED:
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
