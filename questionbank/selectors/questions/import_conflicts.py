"""Questions that were edited in the bank and changed in a file that was imported again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from questionbank.models import ImportUpdate, Question, Run
from questionbank.selectors.questions.differences import differences_shown


@dataclass(frozen=True, slots=True)
class ShownConflict:
    """A question with both versions: (field, in the bank, in the file)."""

    question: Question
    differences: list[tuple[str, str, str]]


def import_conflicts_of(*, run: Run) -> QuerySet[ImportUpdate]:
    """Return what of an import waits for a choice."""
    waiting = ImportUpdate.objects.filter(run=run, outcome=ImportUpdate.Outcome.CONFLICT)
    return waiting.select_related("question").order_by("pk")


def shown_conflicts(conflicts: Iterable[ImportUpdate]) -> list[ShownConflict]:
    """Return them for a page, the bank's side as it is now."""
    return [
        ShownConflict(
            conflict.question,
            differences_shown(
                conflict.before
                | {
                    name: getattr(conflict.question, name)
                    for name in conflict.incoming
                    if hasattr(conflict.question, name) and name not in ("equation", "original")
                },
                conflict.incoming,
            ),
        )
        for conflict in conflicts
    ]
