"""Choosing the hierarchy of predictions: for the bank, and for oneself."""

from __future__ import annotations

from django.db import transaction

from questionbank.errors import NotFound
from questionbank.models import KnowledgeHierarchy, User
from questionbank.rows import wait_for_turn
from questionbank.services.permissions import require


@transaction.atomic
def hierarchy_make_default(*, user: User | None, hierarchy: KnowledgeHierarchy) -> None:
    """Make a hierarchy the bank's default; `None` as the user is the system itself.

    Raises:
        NotAllowed: the person may not edit concepts.
        NotFound: the hierarchy was deleted meanwhile.
    """
    require(user, "concepts_edit", "You may not choose the bank's default hierarchy.")
    wait_for_turn("default-hierarchy")  # there may be no row yet that two choices could lock
    KnowledgeHierarchy.objects.filter(is_default=True).exclude(pk=hierarchy.pk).update(is_default=False)
    if not KnowledgeHierarchy.objects.filter(pk=hierarchy.pk).update(is_default=True):
        raise NotFound("This hierarchy no longer exists.")


def hierarchy_choose(*, user: User, name: str) -> None:
    """Remember in which hierarchy a person wants predictions; an empty name goes back to the bank's default.

    Raises:
        NotFound: there is no such hierarchy.
    """
    chosen = KnowledgeHierarchy.objects.filter(name=name).first() if name else None
    if name and chosen is None:
        raise NotFound(f"There is no hierarchy {name!r}.")
    if user.hierarchy_id != (chosen.pk if chosen else None):
        user.hierarchy = chosen
        user.save(update_fields=["hierarchy"])
