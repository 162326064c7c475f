"""Which hierarchy concepts are predicted in: the question's own, else the person's choice, else the bank's default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from questionbank.models import KnowledgeHierarchy, User


@dataclass(frozen=True, slots=True)
class HierarchyChoice:
    """The hierarchy of a page's predictions, and those that can be chosen instead.

    Attributes:
        name: of the hierarchy to predict in; empty where the bank has none.
        default: name of the bank's default; empty where the bank has none.
        own: hierarchies in which the question is tagged.
    """

    name: str
    options: tuple[str, ...]
    default: str
    own: tuple[str, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Whether the question is tagged, and not in this hierarchy."""
        return bool(self.own) and self.name not in self.own


def default_hierarchy_first() -> QuerySet[KnowledgeHierarchy]:
    """Return hierarchies, the bank's default first: an admin's choice, else the oldest. No import changes it."""
    return KnowledgeHierarchy.objects.order_by("-is_default", "pk")


def default_hierarchy() -> KnowledgeHierarchy | None:
    """Return the bank's default; None while the bank has no hierarchy."""
    return default_hierarchy_first().first()


def hierarchy_choice(*, user: User, own: Sequence[str] = (), requested: str = "") -> HierarchyChoice:
    """Return the hierarchy for a question.

    Args:
        user: whose remembered choice counts.
        requested: name that was asked for on the page; an unknown name counts as none.
    """
    rows = list(default_hierarchy_first().values_list("pk", "name"))
    names = dict(rows)
    default = rows[0][1] if rows else ""
    remembered = names.get(user.hierarchy_id or 0, "")
    candidates = [requested if requested in names.values() else "", *own, remembered, default]
    return HierarchyChoice(
        name=next((name for name in candidates if name), ""),
        options=tuple(sorted(names.values())),
        default=default,
        own=tuple(dict.fromkeys(own)),
    )
