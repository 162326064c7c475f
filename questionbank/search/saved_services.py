"""Saving searches; each function is one transaction and requires the saved search's owner."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from questionbank.core.database import settled_until
from questionbank.core.errors import ValidationFailed
from questionbank.models import SavedSearch, SavedSearchOpening, User, Visibility
from questionbank.people.owned import checked_name
from questionbank.people.permissions import require_owner
from questionbank.people.school_selectors import shows_to, visible_to_of
from questionbank.search.state import SearchState

MOST_SAVED = 200  # by one person
PRIVATE = Visibility.PRIVATE.value


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
