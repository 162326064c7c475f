"""The state of the search page: what its address asks for, apart from the place in the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from questionbank.models import User
from questionbank.search.asked import TOPIC
from questionbank.search.filters import SearchFilters
from questionbank.search.query_filters import READ_FILTERS
from questionbank.search.search import ORDERS, RELEVANCE


@dataclass(frozen=True, slots=True)
class SearchState:
    """A search as a person set it up.

    Attributes:
        order: one of `orders`; empty for the first of them, which may differ for another search.
        exact: whether to skip spelling correction and reading filters from the query.
        off: names of filters not to set, although words of the query name them.
    """

    query: str = ""
    filters: SearchFilters = field(default_factory=SearchFilters)
    order: str = ""
    exact: bool = False
    off: tuple[str, ...] = ()

    @classmethod
    def from_querydict(cls, given: Mapping[str, str], *, query: str) -> SearchState:
        """Parse URL parameters, without those of the query; invalid values are dropped."""
        order = given.get("order", "")
        off = given.get("off", "").split()
        return cls(
            query,
            SearchFilters.from_querydict(given),
            order if order in orders_of(query)[1:] else "",
            bool(query) and given.get("exact") == "1",
            tuple(name for name in (*READ_FILTERS, TOPIC) if name in off) if query else (),
        )

    @classmethod
    def from_saved(cls, parameters: Mapping[str, str]) -> SearchState:
        """Parse the parameters of a saved search, as returned by `to_saved`."""
        return cls.from_querydict(parameters, query=parameters.get("q", ""))

    def to_saved(self) -> dict[str, str]:
        """Return all parameters, with the whole query: `query` keeps the text of a long one for a year only."""
        return ({"q": self.query} if self.query else {}) | self.filters.to_query() | self.choices()

    def seen_by(self, user: User) -> SearchState:
        """Return the same search for this person."""
        return replace(self, filters=self.filters.seen_by(user))

    def choices(self) -> dict[str, str]:
        """Return the URL parameters other than those of the query and the filters."""
        written = {"order": self.order, "exact": "1" if self.exact else "", "off": " ".join(self.off)}
        return {name: value for name, value in written.items() if value}


def orders_of(query: str) -> list[str]:
    """Return the orders in which the results of a query can be sorted, the default first."""
    return [RELEVANCE, *ORDERS] if query else [*ORDERS]
