"""Questions that somebody chose on the search page: by ticks, or all that a search counts."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import QueryDict

from questionbank.models import Question, User
from questionbank.numbers import whole_number
from questionbank.selectors.search.filters import ANY_STATUS, SearchFilters, filtered_questions
from questionbank.selectors.search.search import matching_questions

MOST_TICKED = 1_000


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen: `ids`, or with `is_all` every question that the search counts."""

    query: str
    filters: SearchFilters
    is_all: bool
    ids: tuple[int, ...] = ()
    exact: bool = False
    off: tuple[str, ...] = ()

    @classmethod
    def from_querydict(cls, given: QueryDict, *, query: str, user: User) -> Selection:
        """Read an address's parameters; what is no number of a question is left out, and so are others' drafts."""
        is_all = given.get("all") == "1"
        texts = given.getlist("id")[:MOST_TICKED]
        ids = () if is_all else tuple(dict.fromkeys(pk for pk in map(whole_number, texts) if pk is not None))
        filters = SearchFilters.from_querydict(given).seen_by(user)
        off = tuple(given.get("off", "").split())
        return cls(query, filters, is_all, ids, given.get("exact") == "1", off)

    def to_query(self) -> list[tuple[str, str]]:
        """Return the parameters, without the query's, of an address that chooses the same."""
        pairs = list(self.filters.to_query().items())
        pairs += [("exact", "1")] if self.exact else []
        pairs += [("off", " ".join(self.off))] if self.off else []
        if self.is_all:
            return [*pairs, ("all", "1")]
        return [*pairs, *(("id", str(pk)) for pk in self.ids)]

    def questions(self) -> QuerySet[Question]:
        """Return the chosen questions, in no order."""
        if self.is_all:
            return matching_questions(query=self.query, filters=self.filters, exact=self.exact, off=self.off)
        anything = SearchFilters(status=ANY_STATUS, viewer=self.filters.viewer)
        return filtered_questions(anything).filter(pk__in=self.ids)
