"""Reading groups of synonyms and their history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from questionbank.models import SynonymGroup, User
from questionbank.rows import existing

_LATEST = 20  # changes that are shown


@dataclass(frozen=True, slots=True)
class SynonymChange:
    """A group added, changed or deleted; `who` is empty for what the bank began with."""

    when: datetime
    who: str
    before: str
    after: str


def synonym_groups(text: str = "") -> list[SynonymGroup]:
    """Return all groups by their first term, or those with a term that contains the text."""
    needle = text.casefold().strip()
    groups = SynonymGroup.objects.all()
    matching = [
        group for group in groups if not needle or any(needle in term.casefold() for term in group.terms)
    ]
    return sorted(matching, key=lambda group: group.terms[0].casefold())


def synonym_group_get(*, group_id: int) -> SynonymGroup:
    """Return a group by its number.

    Raises:
        NotFound: there is none.
    """
    return existing(SynonymGroup.objects.filter(pk=group_id), "There is no such group of synonyms.")


def synonym_history() -> list[SynonymChange]:
    """Return the latest changes that people made, newest first."""
    events: Any = SynonymGroup.pgh_event_models  # type: ignore[attr-defined]  # pghistory adds it
    snapshots = list(
        next(iter(events.values()))
        .objects.filter(pgh_context__metadata__user__isnull=False)
        .select_related("pgh_context")
        .order_by("-pgh_id")[:_LATEST]
    )
    names = {
        user.pk: str(user)
        for user in User.objects.filter(
            pk__in=[snapshot.pgh_context.metadata["user"] for snapshot in snapshots]
        )
    }
    now = {group.pk: group.terms for group in SynonymGroup.objects.all()}
    changes = []
    for snapshot in snapshots:
        terms = ", ".join(snapshot.terms)
        added = snapshot.pgh_label == "insert"
        deleted = snapshot.pgh_label == "delete"
        later = "" if deleted else ", ".join(now.get(snapshot.pgh_obj_id, []))
        changes.append(
            SynonymChange(
                when=snapshot.pgh_created_at,
                who=names.get(snapshot.pgh_context.metadata["user"], ""),
                before="" if added else terms,
                after=terms if added else later,
            )
        )
        now[snapshot.pgh_obj_id] = snapshot.terms
    return changes
