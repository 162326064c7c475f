"""Previews of changes to many questions, and the changes that were made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from questionbank.bank.merge_selectors import merge_refusals, merges_of
from questionbank.core.database import get_or_not_found
from questionbank.models import BulkChange, KnowledgeConcept, Question, QuestionTag, User
from questionbank.people.school_selectors import is_visible_to, visible_to_name

SHOWN = 10  # questions in a preview
_TAGS_SHOWN = 50
Values = Mapping[str, Any]
Kind = BulkChange.Kind


@dataclass(frozen=True, slots=True)
class BulkPlan:
    """The effect that a change would have on the selected questions.

    Attributes:
        selected: number of selected questions; the other numbers are parts of it.
        refused: how many questions are left out, by the sentence that gives the reason.
        ids: the ids of the questions to be changed, ascending.
        fingerprint: hash of `ids`; a different one means that somebody changed the bank in the meantime.
    """

    selected: int
    changing: int
    unchanged: int
    refused: Mapping[str, int]
    ids: Sequence[int]
    first: Sequence[Question]
    fingerprint: str


_ALREADY: Mapping[str, Callable[[Values], Q]] = {  # a literal table
    Kind.PUBLISH: lambda _values: Q(status=Question.Status.READY),
    Kind.RETIRE: lambda _values: Q(status=Question.Status.RETIRED),
    Kind.RESTORE: lambda _values: ~Q(status=Question.Status.RETIRED),
    Kind.DELETE_DRAFTS: lambda _values: Q(pk__in=[]),
    Kind.MERGE: lambda _values: Q(pk__in=[]),
    Kind.CONCEPTS: lambda values: _has(values.get("add"), is_tagged=True) & _has(values.get("remove"), is_tagged=False),
    Kind.GRADE: lambda values: Q(grade=values["grade"]),
    Kind.SOURCE: lambda values: Q(source=values["source"]),
    Kind.DIFFICULTY: lambda values: Q(difficulty=values["difficulty"], difficulty_scale=values["difficulty_scale"]),
    Kind.VISIBILITY: lambda values: is_visible_to(values["visible_to"]),
}


def _has(concept: int | None, *, is_tagged: bool) -> Q:
    if concept is None:
        return Q()
    tagged = Q(pk__in=QuestionTag.objects.filter(concept=concept).values("question_id"))
    return tagged if is_tagged else ~tagged


def is_so_already(kind: str, values: Values) -> Q:
    """Return the condition for questions that the change would leave unchanged."""
    return _ALREADY[kind](values)


def refusals(kind: str, values: Values, user: User) -> dict[str, Q]:
    """Return the reasons to leave out questions, each with its condition; the first that applies counts."""
    if kind == Kind.MERGE:
        return merge_refusals(values, user)
    conditions = {}
    if not user.has_perm("questionbank.question_edit"):  # without it only their own
        own = "Teachers can change only questions that they wrote themselves."
        conditions[own] = ~Q(created_by=user)
    conditions["Questions that were merged into another do not change."] = Q(merged_into__isnull=False)
    if kind == Kind.PUBLISH:
        conditions["Retired questions are brought back, not published."] = Q(status=Question.Status.RETIRED)
        if not user.has_perm("questionbank.import_publish"):
            conditions["Only admins publish questions that were imported as drafts."] = Q(
                status=Question.Status.DRAFT, import_run__isnull=False
            )
    if kind == Kind.DELETE_DRAFTS:
        conditions["Only drafts can be deleted."] = ~Q(status=Question.Status.DRAFT)
        conditions["Questions with paraphrases cannot be deleted."] = (
            Q(paraphrases__isnull=False) | Q(accepted_pairs__isnull=False) | Q(reworded__isnull=False)
        )
        conditions["Questions with similar problems cannot be deleted."] = Q(variants__isnull=False)
        conditions["Questions in a list cannot be deleted."] = Q(list_items__isnull=False)
        conditions["Questions that others were merged into cannot be deleted."] = Q(merged__isnull=False)
    return conditions


def bulk_plan(*, questions: QuerySet[Question], kind: str, values: Values, user: User) -> BulkPlan:
    """Return what a change would do, without doing it."""
    selected = set(questions.values_list("pk", flat=True))
    left = set(selected)
    refused: dict[str, int] = {}
    for reason, condition in refusals(kind, values, user).items():
        hit = left & set(questions.filter(condition).values_list("pk", flat=True))
        if hit:
            refused[reason] = len(hit)
        left -= hit
    unchanged = left & set(questions.filter(is_so_already(kind, values)).values_list("pk", flat=True))
    left -= unchanged
    ordered = sorted(left)
    rows = Question.objects.in_bulk(ordered[:SHOWN])
    return BulkPlan(
        selected=len(selected),
        changing=len(ordered),
        unchanged=len(unchanged),
        refused=refused,
        ids=ordered,
        first=[rows[pk] for pk in ordered[:SHOWN]],
        fingerprint=hashlib.blake2b(",".join(map(str, ordered)).encode(), digest_size=12).hexdigest(),
    )


def tagged_concepts(*, questions: QuerySet[Question]) -> list[tuple[int, int]]:
    """Return the concepts that the questions are tagged with as (id, number of questions), most frequent first."""
    rows = (
        QuestionTag.objects.filter(question__in=questions.values("pk"))
        .values("concept_id")
        .annotate(number=Count("pk"))
        .order_by("-number", "concept_id")
    )
    return [(row["concept_id"], row["number"]) for row in rows[:_TAGS_SHOWN]]


def bulk_changes_of(*, user: User) -> QuerySet[BulkChange]:
    """Return the changes that a person may view and undo, newest first: their own, or all for an admin."""
    changes = BulkChange.objects.select_related("person", "run", "undone_by")
    return changes if user.has_perm("questionbank.question_edit") else changes.filter(person=user)


def bulk_change_get(*, change_id: int, user: User) -> BulkChange:
    """Return a change that the person may view."""
    return get_or_not_found(bulk_changes_of(user=user).filter(pk=change_id), "There is no such change.")


def bulk_change_description(kind: str, values: Values, names: Mapping[int, str] | None = None) -> str:
    """Describe a change, such as "Set the grade: 7".

    Args:
        names: names of concepts by id, if already loaded.
    """
    label = str(Kind(kind).label)
    if kind == Kind.MERGE:
        first, *others = merges_of(values).items()
        return label if others else f"{label}: question {first[0]} into question {first[1]}"
    parts = [str(values[name]) for name in ("grade", "source") if values.get(name)]
    if "difficulty" in values:
        parts.append(f"{values['difficulty']:g} on the scale {values['difficulty_scale']}")
    if names is None:
        ids = [values[name] for name in ("add", "remove") if values.get(name)]
        names = dict(KnowledgeConcept.objects.filter(pk__in=ids).values_list("pk", "name"))
    if "visible_to" in values:
        parts.append(visible_to_name(values["visible_to"]))
    if values.get("add"):
        parts.append(f"add “{names.get(values['add'], '?')}”")
    if values.get("remove"):
        parts.append(f"remove “{names.get(values['remove'], '?')}”")
    if not parts and kind in (Kind.GRADE, Kind.SOURCE):
        parts.append("none")
    return f"{label}: {', '.join(parts)}" if parts else label
