"""Searching over the API, by the same ranking as the search page, and saved searches."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field

from analytics.text.question_tasks import TASKS
from questionbank.api.access import Access
from questionbank.api.contract import (
    IF_MATCH,
    Body,
    Choice,
    Fields,
    Id,
    Page,
    PageQuery,
    check_if_match,
    page_by_id,
    tagged,
)
from questionbank.bank.question_fields import QuestionItem, question_items
from questionbank.core.errors import ValidationFailed
from questionbank.models import Question, SavedSearch
from questionbank.people.school_selectors import visible_to_of
from questionbank.registry.serving import serving
from questionbank.search.filters import ANY_STATUS, FIGURES, MOST_COMBINED, NUMBERS, USED, SearchFilters
from questionbank.search.page_parts import SearchState, combination_problems, contradiction
from questionbank.search.saved_services import (
    PRIVATE,
    saved_figures,
    saved_search_create,
    saved_search_delete,
    saved_search_get,
    saved_search_replace,
    saved_search_update,
    saved_searches,
)
from questionbank.search.search import ORDERS, RELEVANCE, SearchHit, SearchPage, search_questions

router = Router(tags=["search"])

LONGEST_QUERY = 2000  # as on the search page
Concepts = Annotated[list[Id], Field(max_length=MOST_COMBINED)]


class FilterFields(Fields):
    """The filters of the search page."""

    concept: Id | None = Field(default=None, description="Number of a concept; those below it count as well.")
    concepts_all: Concepts = Field(default=[], description="Each of these concepts.")
    concepts_any: Concepts = Field(default=[], description="At least one of these concepts.")
    concepts_none: Concepts = Field(default=[], description="None of these concepts.")
    difficulty_min: Annotated[float, Field(ge=0, le=100)] | None = None
    difficulty_max: Annotated[float, Field(ge=0, le=100)] | None = None
    grade: Annotated[str, Field(max_length=40)] = ""
    kind: Choice[Question.Kind] | None = None
    language: Annotated[str, Field(max_length=12)] = ""
    source: Annotated[str, Field(max_length=120)] = ""
    status: Literal[(*Question.Status.values, ANY_STATUS)] = Question.Status.READY.value  # type: ignore[valid-type]
    owner: Id | None = Field(default=None, description="Number of the person who wrote them.")
    figure: Literal[FIGURES] | None = None  # type: ignore[valid-type]
    task: Literal[tuple(TASKS)] | None = None  # type: ignore[valid-type]
    numbers: Literal[NUMBERS] | None = None  # type: ignore[valid-type]
    used: Literal[tuple(USED)] | None = None  # type: ignore[valid-type]

    def filters(self) -> SearchFilters:
        """Return the filters, which the search page reads in the same way.

        Raises:
            ValidationFailed: no question can pass, because a concept is both required and left out.
        """
        given = self.model_dump(mode="json", exclude_none=True)
        lists = {name: ",".join(map(str, value)) for name, value in given.items() if isinstance(value, list)}
        filters = SearchFilters.from_querydict({name: str(value) for name, value in given.items()} | lists)
        if problem := contradiction(filters):
            raise ValidationFailed.beside("concepts_none", problem)
        return filters


class FilterQuery(FilterFields, PageQuery):
    """A page of the questions that pass the filters."""


class SearchQuery(FilterQuery):
    """Words, a concept's name, a formula or a whole question, with the filters of the search page."""

    query: Annotated[str, Field(max_length=LONGEST_QUERY)] = ""
    order: Literal[(RELEVANCE, *ORDERS)] | None = None  # type: ignore[valid-type]
    exact: bool = Field(default=False, description="Do not correct the spelling or read filters from the query.")


class HitItem(BaseModel):
    """A question that was found, and by what."""

    question: QuestionItem
    score: float = Field(description="Comparable within one search only.")
    found_by: list[str]


class SearchResult(BaseModel):
    """A page of matches, followed by questions that are close in meaning."""

    total: int = Field(description="Matches; a lower bound if `total_is_capped`.")
    total_is_capped: bool
    corrected: str
    notice: str
    items: list[HitItem]
    closest: list[HitItem]
    next: str | None


@router.get("/search", auth=Access("read"), response=SearchResult)
def search(request: HttpRequest, asked: Query[SearchQuery]) -> SearchResult:
    """Search the bank."""
    page = search_questions(
        query=asked.query.strip(),
        filters=asked.filters().seen_by(request.user),
        serving=serving(),
        order=asked.order or "",
        cursor=asked.cursor,
        page_size=asked.limit,
        exact=asked.exact,
    )
    return search_result(page)


def search_result(page: SearchPage) -> SearchResult:
    """Return a page of results as the API shows it."""
    return SearchResult(
        total=page.total,
        total_is_capped=page.total_is_capped,
        corrected=page.corrected,
        notice=" ".join(filter(None, [page.notice, *combination_problems(page.filters)])),
        items=_items(page.hits),
        closest=_items(page.closest),
        next=page.next_cursor or None,
    )


def _items(hits: list[SearchHit]) -> list[HitItem]:
    rows = {hit.question.pk: hit.question for hit in hits}
    for pk, solution in Question.objects.filter(pk__in=rows).values_list("pk", "solution"):
        rows[pk].solution = solution  # pages of results do not show it, so a search leaves it out
    questions = question_items(list(rows.values()))
    return [
        HitItem(question=question, score=hit.score, found_by=list(hit.found_by))
        for question, hit in zip(questions, hits, strict=True)
    ]


SAVED = ["saved searches"]  # their tag in the schema
VisibleTo = Annotated[
    str,
    Field(
        min_length=1,
        max_length=60,
        description="Who can open it: `private` (its owner), `all` or a school's short name.",
    ),
]
READ, WRITE = Access("read"), Access("read", "write")  # a saved search's owner changes it: the services check


class QuestionFilters(Body, FilterFields):
    """The filters of the search page."""


class SearchBody(QuestionFilters):
    """What a search asks for, as `/search` takes it."""

    query: Annotated[str, Field(max_length=LONGEST_QUERY)] = ""
    order: Literal[tuple(ORDERS)] | None = None  # type: ignore[valid-type]
    exact: bool = False

    def state(self) -> SearchState:
        """Return the search as the page has it."""
        given = {"order": self.order or "", "exact": "1" if self.exact else ""} | self.filters().to_query()
        return SearchState.from_querydict(given, query=self.query.strip())


class SavedSearchBody(Body):
    """A new saved search."""

    name: str
    search: SearchBody = SearchBody()
    visible_to: VisibleTo = PRIVATE


class SavedSearchPatch(Body):
    """What to change about a saved search."""

    name: str | None = None
    search: SearchBody | None = Field(default=None, description="Replaces the whole search.")
    visible_to: VisibleTo | None = None


class SavedSearchSummary(BaseModel):
    """A saved search without its counts; `parameters` are those of the search page's address, with the query as `q`."""

    id: int
    name: str
    parameters: dict[str, str]
    visible_to: VisibleTo
    owner: str
    updated_at: datetime


class SavedSearchItem(SavedSearchSummary):
    """A saved search with what it finds for you."""

    total: int = Field(description="Matches; a lower bound if `total_is_capped`.")
    total_is_capped: bool
    new: int | None = Field(description="Matches since you last opened it on its page; null if you never did.")
    new_is_capped: bool
    problems: list[str] = Field(
        description="What the search asks for that no longer exists, or that no question can match."
    )


@router.get("/saved-searches", tags=SAVED, auth=READ, response=Page[SavedSearchSummary])
def list_saved_searches(request: HttpRequest, asked: Query[PageQuery]) -> Page[SavedSearchSummary]:
    """List one's own saved searches and those that others share, newest first."""
    rows = saved_searches(user=request.user)
    return page_by_id(rows, asked, of=f"saved searches {request.user.pk}", represent=_summaries)


@router.post("/saved-searches", tags=SAVED, auth=WRITE, response={201: SavedSearchItem})
def create_saved_search(request: HttpRequest, response: HttpResponse, body: SavedSearchBody) -> Status:
    """Save a search."""
    saved = saved_search_create(
        user=request.user, name=body.name, state=body.search.state(), visible_to=body.visible_to
    )
    response["Location"] = f"{request.path}/{saved.pk}"
    return Status(201, _item(request, response, saved.pk))


@router.get("/saved-searches/{int:search_id}", tags=SAVED, auth=READ, response=SavedSearchItem)
def get_saved_search(request: HttpRequest, response: HttpResponse, search_id: Id) -> SavedSearchItem:
    """Return a saved search and how many questions it finds."""
    return _item(request, response, search_id)


@router.patch(
    "/saved-searches/{int:search_id}", tags=SAVED, auth=WRITE, response=SavedSearchItem, openapi_extra=IF_MATCH
)
def change_saved_search(
    request: HttpRequest, response: HttpResponse, search_id: Id, body: SavedSearchPatch
) -> SavedSearchItem:
    """Rename a saved search, replace its search, share it, or stop sharing it."""
    saved = _locked(request, search_id)
    if body.search is not None:
        saved_search_replace(user=request.user, saved_search=saved, state=body.search.state())
    saved_search_update(
        user=request.user,
        saved_search=saved,
        name=saved.name if body.name is None else body.name,
        visible_to=visible_to_of(saved) if body.visible_to is None else body.visible_to,
    )
    return _item(request, response, search_id)


@router.delete("/saved-searches/{int:search_id}", tags=SAVED, auth=WRITE, response={204: None}, openapi_extra=IF_MATCH)
def delete_saved_search(request: HttpRequest, search_id: Id) -> Status:
    """Delete a saved search."""
    saved_search_delete(user=request.user, saved_search=_locked(request, search_id))
    return Status(204, None)


@router.get("/saved-searches/{int:search_id}/questions", tags=SAVED, auth=READ, response=SearchResult)
def list_saved_search_questions(request: HttpRequest, search_id: Id, asked: Query[PageQuery]) -> SearchResult:
    """Return what a saved search finds. Its page alone counts as opening it."""
    saved = saved_search_get(search_id=search_id, user=request.user)
    state = SearchState.from_saved(saved.parameters).seen_by(request.user)
    page = search_questions(
        query=state.query,
        filters=state.filters,
        serving=serving(),
        order=state.order,
        cursor=asked.cursor,
        page_size=asked.limit,
        exact=state.exact,
        off=state.off,
    )
    return search_result(page)


def _locked(request: HttpRequest, search_id: int) -> SavedSearch:
    """Return one of the caller's saved searches and hold its lock, provided that it is what ``If-Match`` names."""
    SavedSearch.unrestricted.select_for_update().filter(pk=search_id, owner=request.user).first()
    saved = saved_search_get(search_id=search_id, user=request.user, is_own=True)
    check_if_match(request, lambda: _summary(saved))
    return saved


def _item(request: HttpRequest, response: HttpResponse, search_id: int) -> SavedSearchItem:
    """Return a saved search with its counts; its ETag does not depend on these, as other people's questions do not."""
    saved = saved_search_get(search_id=search_id, user=request.user)
    figures = saved_figures(saved_search=saved, user=request.user)
    return SavedSearchItem(
        **tagged(response, _summary(saved)).model_dump(),
        total=figures.total,
        total_is_capped=figures.is_capped,
        new=figures.new,
        new_is_capped=figures.is_new_capped,
        problems=list(figures.problems),
    )


def _summaries(rows: Sequence[SavedSearch]) -> list[SavedSearchSummary]:
    return list(map(_summary, rows))


def _summary(row: SavedSearch) -> SavedSearchSummary:
    return SavedSearchSummary(
        id=row.pk,
        name=row.name,
        parameters=row.parameters,
        visible_to=visible_to_of(row),
        owner=row.owner.username,
        updated_at=row.updated_at,
    )
