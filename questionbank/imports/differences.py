"""Differences between two versions of a question, field by field, and the conflicts of an import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from questionbank.bank.history_selectors import SHOWN_FIELDS, field_shown
from questionbank.models import ImportUpdate, Question, Run
from questionbank.models.visibility import seen_rows

_LONGEST = 2_000  # most characters of a value that are shown
_OTHERS = {"source_id": "identifier", "equation": "equation", "concepts": "concepts"}


def differences_shown(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return (field, before, after) for each field that differs, in the order used by the history.

    Args:
        before, after: field values, in the format of `questionbank.imports.updates.question_fields`.
    """
    differences = [
        (str(Question._meta.get_field(name).verbose_name), *_pair(name, before, after))  # type: ignore[union-attr]
        for name in SHOWN_FIELDS
        if name in after
    ]
    differences += [(label, *_pair(name, before, after)) for name, label in _OTHERS.items() if name in after]
    differences = [row for row in differences if row[1] != row[2]]
    return differences or [("details", "other details of its item in the file", "changed")]


def _pair(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, str]:
    return _short(name, before.get(name)), _short(name, after.get(name))


def _short(name: str, value: Any) -> str:
    if name == "concepts":
        text = "; ".join(" > ".join(path) for path in value or ())
    else:
        text = str(value or "") if name in _OTHERS else field_shown(name, value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


@dataclass(frozen=True, slots=True)
class ShownConflict:
    """A question with both versions of its fields: (field, in the bank, in the file)."""

    question: Question
    differences: list[tuple[str, str, str]]


def import_conflicts_of(*, run: Run) -> QuerySet[ImportUpdate]:
    """Return the import's conflicts that wait for a choice, of questions that the viewer may see.

    Those of questions that were merged into others wait until the merge is undone.
    """
    seen = seen_rows("question__audience")
    conflicts = {"outcome": ImportUpdate.Outcome.CONFLICT, "question__merged_into": None}
    waiting = ImportUpdate.objects.filter(seen, run=run, **conflicts)
    return waiting.select_related("question").order_by("pk")


def shown_conflicts(conflicts: Iterable[ImportUpdate]) -> list[ShownConflict]:
    """Return conflicts for a page, with the bank's current values."""
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
