"""Reading groups of synonyms and their history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.apps import apps

from questionbank.bank.history_selectors import names_of, states_after, user_of
from questionbank.core.database import get_or_not_found
from questionbank.models import SynonymGroup

_LATEST = 20  # changes shown


@dataclass(frozen=True, slots=True)
class SynonymChange:
    """A group that was added, changed or deleted; `who` is empty for the bank's initial groups."""

    when: datetime
    who: str
    before: str
    after: str


def synonym_groups(text: str = "") -> list[SynonymGroup]:
    """Return all groups by their first term, or those with a term that contains the text."""
    needle = text.casefold().strip()
    groups = SynonymGroup.objects.all()
    matching = [group for group in groups if not needle or any(needle in term.casefold() for term in group.terms)]
    return sorted(matching, key=lambda group: group.terms[0].casefold())


def synonym_group_get(*, group_id: int) -> SynonymGroup:
    """Return a group by its id."""
    return get_or_not_found(SynonymGroup.objects.filter(pk=group_id), "There is no such group of synonyms.")


def synonym_history() -> list[SynonymChange]:
    """Return the latest changes that people made, newest first."""
    changed = apps.get_model("questionbank", "SynonymGroupEvent")._default_manager
    by_people = changed.filter(pgh_context__metadata__user__isnull=False).select_related("pgh_context")
    events = list(by_people.order_by("-pk")[:_LATEST])
    people, (_current, after) = names_of(map(user_of, events)), states_after(events, SynonymGroup)
    changes = []
    for event in events:
        terms, following = ", ".join(event.terms), after[event.pk]
        is_added, is_deleted = event.pgh_label == "insert", event.pgh_label == "delete"
        later = "" if is_deleted or following is None else ", ".join(following.terms)
        changes.append(
            SynonymChange(
                when=event.pgh_created_at,
                who=people.get(user_of(event), ""),
                before="" if is_added else terms,
                after=terms if is_added else later,
            )
        )
    return changes
