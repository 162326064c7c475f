"""Saved searches: one's own and those that others share, what they find, and what no longer exists.

Each function that writes is one transaction and requires the saved search's owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Q, QuerySet

from questionbank.bank.list_selectors import own_or_shared, readable
from questionbank.bank.school_grades import grade_name
from questionbank.bank.search_index import facet_cube
from questionbank.core.database import settled_until
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import language_name
from questionbank.models import Question, SavedSearch, SavedSearchOpening, User, Visibility
from questionbank.people.owned import checked_name
from questionbank.people.permissions import require_owner
from questionbank.people.school_selectors import NAMES, schools_seen, shows_to, visible_to_of
from questionbank.search.filters import SearchFilters
from questionbank.search.page_parts import SearchState, combination_problems
from questionbank.search.search import count_search

MOST_SAVED = 200  # by one person
PRIVATE = Visibility.PRIVATE.value

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
            problems.append(f"“{name}: {value}” no longer means anything in a search.")
    return problems


def _gone(filters: SearchFilters) -> Iterator[str]:
    """Yield a sentence for each value that no question has, and for a person without an account."""
    cube = facet_cube()
    for name, (called, value_name) in _VALUES.items():
        value = getattr(filters, name)
        if value and not cube.total(cube.equal(name, value)):
            yield f"No question has the {called} “{value_name(value)}” any more."
    if filters.owner is not None and not User.objects.filter(pk=filters.owner).exists():
        yield "The person whose questions it asks for no longer has an account."


@transaction.atomic
def saved_search_create(*, user: User, name: str, state: SearchState, visible_to: str = PRIVATE) -> SavedSearch:
    """Save a search; questions that come later are new to the person.

    Args:
        visible_to: who can open it, as in `questionbank.people.school_selectors`.

    Raises:
        ValidationFailed: the name is empty, too long, or already used for one of the person's saved searches; they
            have `MOST_SAVED` of them; or they do not belong to the school.
    """
    own = SavedSearch.unrestricted.filter(owner=user)
    if own.count() >= MOST_SAVED:
        raise ValidationFailed.beside("name", f"You have {MOST_SAVED} saved searches. Delete one, or replace one.")
    visibility, school = shows_to(user, visible_to)
    saved_search = SavedSearch.unrestricted.create(
        owner=user,
        name=checked_name(own, name, noun="saved search"),
        parameters=state.to_saved(),
        visibility=visibility,
        school_id=school,
    )
    saved_search_open(user=user, saved_search=saved_search)
    return saved_search


@transaction.atomic
def saved_search_update(*, user: User, saved_search: SavedSearch, name: str, visible_to: str) -> SavedSearch:
    """Rename a saved search, share it, or stop sharing it.

    Raises:
        ValidationFailed: as for `saved_search_create`.
        NotAllowed: it belongs to somebody else.
    """
    require_owner(user, saved_search)
    others = SavedSearch.unrestricted.filter(owner=user).exclude(pk=saved_search.pk)
    saved_search.name = checked_name(others, name, noun="saved search")
    if visible_to != visible_to_of(saved_search):
        saved_search.visibility, saved_search.school_id = shows_to(user, visible_to)
    saved_search.save()
    return saved_search


@transaction.atomic
def saved_search_replace(*, user: User, saved_search: SavedSearch, state: SearchState) -> SavedSearch:
    """Save another search under the same name, and forget when people last opened the former one.

    Raises:
        NotAllowed: it belongs to somebody else.
    """
    require_owner(user, saved_search)
    saved_search.parameters = state.to_saved()
    saved_search.save()
    saved_search.openings.all().delete()
    saved_search_open(user=user, saved_search=saved_search)
    return saved_search


@transaction.atomic
def saved_search_delete(*, user: User, saved_search: SavedSearch) -> None:
    """Delete a saved search.

    Raises:
        NotAllowed: it belongs to somebody else.
    """
    require_owner(user, saved_search)
    saved_search.delete()


@transaction.atomic
def saved_search_open(*, user: User, saved_search: SavedSearch) -> datetime | None:
    """Note that a person looks at the results.

    Returns:
        Since when questions are new to the person; None if they open it for the first time.
    """
    openings = SavedSearchOpening.objects.filter(saved_search=saved_search, person=user)
    before = openings.values_list("seen_until", flat=True).first()
    SavedSearchOpening.objects.update_or_create(
        saved_search=saved_search, person=user, defaults={"seen_until": settled_until()}
    )
    return before
