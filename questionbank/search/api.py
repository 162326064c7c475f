"""Searching over the API, by the same ranking as the search page."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import BaseModel, Field

from analytics.text.question_tasks import TASKS
from questionbank.api.access import Access
from questionbank.api.contract import Body, Id, PageQuery
from questionbank.bank.question_fields import QuestionItem, question_items
from questionbank.core.errors import ValidationFailed
from questionbank.models import Question
from questionbank.registry.serving import serving
from questionbank.search.filters import ANY_STATUS, FIGURES, MOST_COMBINED, NUMBERS, USED, SearchFilters
from questionbank.search.page_parts import combination_problems, contradiction
from questionbank.search.search import ORDERS, RELEVANCE, SearchHit, SearchPage, search_questions

router = Router(tags=["search"])

LONGEST_QUERY = 2000  # as on the search page
Concepts = Annotated[list[Id], Field(max_length=MOST_COMBINED)]


class QuestionFilters(Body):
    """The filters of the search page."""

    concept: Id | None = Field(default=None, description="Number of a concept; those below it count as well.")
    concepts_all: Concepts = Field(default=[], description="Each of these concepts.")
    concepts_any: Concepts = Field(default=[], description="At least one of these concepts.")
    concepts_none: Concepts = Field(default=[], description="None of these concepts.")
    difficulty_min: Annotated[float, Field(ge=0, le=100)] | None = None
    difficulty_max: Annotated[float, Field(ge=0, le=100)] | None = None
    grade: Annotated[str, Field(max_length=40)] = ""
    kind: Question.Kind | None = None
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


class FilterQuery(QuestionFilters, PageQuery):
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
