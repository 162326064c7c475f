"""Saved searches: one's own and those that others share, how many questions they find, and what no longer exists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db.models import Q, QuerySet

from questionbank.bank.facet_counts import facet_cube
from questionbank.bank.list_selectors import own_or_shared, readable
from questionbank.bank.school_grades import grade_name
from questionbank.core.wording import language_name
from questionbank.models import Question, SavedSearch, SavedSearchOpening, User, Visibility
from questionbank.people.school_selectors import NAMES, schools_seen
from questionbank.search.combinations import combination_problems
from questionbank.search.filters import SearchFilters
from questionbank.search.search import count_search
from questionbank.search.state import SearchState

_VALUES: Mapping[str, tuple[str, Callable[[str], str]]] = {  # filter -> its name, and the name of a value
    "grade": ("grade", lambda value: grade_name(value).removeprefix("Grade ")),
    "kind": ("type", lambda value: str(Question.Kind(value).label)),
    "language": ("language", language_name),
    "source": ("source", str),
}


@dataclass(frozen=True, slots=True)
class SavedFigures:
    """What a saved search finds.

    Attributes:
        total: number of matches; a lower bound if `is_capped`.
        new: how many of them came since the person last opened it, at least if `is_new_capped`; None if they never did.
        problems: sentences about what it asks for that no longer exists.
    """

    total: int
    is_capped: bool
    new: int | None
    is_new_capped: bool
    problems: Sequence[str]


def saved_searches(*, user: User) -> QuerySet[SavedSearch]:
    """Return a person's saved searches and those that others share with them, each with `is_own`.

    Admins, who see all rows, do not get searches that others keep for themselves.
    """
    return own_or_shared(_marked(user), user)


def _marked(user: User) -> QuerySet[SavedSearch]:
    return SavedSearch.objects.annotate(is_own=Q(owner=user))


def saved_search_get(*, search_id: int, user: User, is_own: bool = False) -> SavedSearch:
    """Return a saved search; see `readable`."""
    return readable(_marked(user).filter(pk=search_id), user, "saved search", is_own=is_own)


def saved_search_choices() -> list[tuple[str, str]]:
    """Return whom a person can share a saved search with."""
    schools = [(school.slug, school.name) for school in schools_seen()]
    return [(Visibility.PRIVATE.value, "Only you"), *schools, (Visibility.ALL.value, NAMES[Visibility.ALL])]


def saved_figures(*, saved_search: SavedSearch, user: User) -> SavedFigures:
    """Count what a saved search finds for a person."""
    openings = SavedSearchOpening.objects.filter(saved_search=saved_search, person=user)
    seen_until = openings.values_list("seen_until", flat=True).first()
    state = SearchState.from_saved(saved_search.parameters).seen_by(user)
    count = partial(count_search, query=state.query, filters=state.filters, exact=state.exact, off=state.off)
    total, is_capped = count()
    new, is_new_capped = (None, False) if seen_until is None else count(since=seen_until)
    return SavedFigures(total, is_capped, new, is_new_capped, saved_problems(saved_search))


def saved_problems(saved_search: SavedSearch) -> list[str]:
    """Return sentences about what a saved search asks for that no longer exists."""
    state = SearchState.from_saved(saved_search.parameters)
    problems = [*combination_problems(state.filters), *_gone(state.filters)]
    written = state.to_saved()
    for name, value in saved_search.parameters.items():
        if name not in written:
            problems.append(f"“{name}: {value}” has no meaning in a search any more.")
    return problems


def _gone(filters: SearchFilters) -> Iterator[str]:
    """Yield a sentence for each value that no question has, and for a person without an account."""
    cube = facet_cube()
    for name, (called, value_name) in _VALUES.items():
        value = getattr(filters, name)
        if value and not cube.total(cube.equal(name, value)):
            yield f"No question has the {called} “{value_name(value)}” any more."
    if filters.owner is not None and not User.objects.filter(pk=filters.owner).exists():
        yield "The person whose questions it asks for has no account any more."
