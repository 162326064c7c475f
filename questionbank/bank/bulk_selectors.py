"""Changes of many questions: their previews and effects, and what forbids and follows merging duplicates."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from questionbank.core.database import get_or_not_found
from questionbank.models import (
    BulkChange,
    BulkChangeItem,
    KnowledgeConcept,
    Question,
    QuestionList,
    QuestionListItem,
    QuestionTag,
    User,
    Worksheet,
    WorksheetItem,
)
from questionbank.models.visibility import seen_rows
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


_SHOWN = 10  # pairs


def merges_of(values: Values) -> dict[int, int]:
    """Return the question to keep, by the number of each duplicate, from the values of a change."""
    return {int(merged): kept for merged, kept in values["into"].items()}


def why_not_merged(merged: Question, kept: Question, versions: Mapping[int, int], user: User) -> str:
    """Return why a question cannot be merged into another; empty if it can.

    Args:
        versions: the versions that the person compared, by question.
    """
    pair = (merged, kept)
    reasons = {
        "teachers merge only questions that they wrote themselves": not all(
            user.has_perm("questionbank.question_edit", question) for question in pair
        ),
        "somebody changed one of them in the meantime; compare them again": any(
            versions.get(question.pk, question.version) != question.version for question in pair
        ),
        "the duplicate is merged into another question already": merged.merged_into_id is not None,
        "the question to keep is merged into another itself": kept.merged_into_id is not None,
        "they are not visible to the same people; choose this on the page of one of them": (
            merged.audience != kept.audience
        ),
        "the question to keep is retired; bring it back first": kept.status == Question.Status.RETIRED,
        "the question to keep is a draft; publish it first": (kept.status == Question.Status.DRAFT != merged.status),
        "the question to keep is a paraphrase of the other; keep the original": kept.paraphrase_of_id == merged.pk,
        "the question to keep draws its numbers, which worksheets leave out": (
            kept.draws_numbers and not merged.draws_numbers
        ),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def merge_refusal(merged: Question, kept: Question, versions: Mapping[int, int], user: User) -> str:
    """Return a sentence that says why a question cannot be merged into another; see `why_not_merged`."""
    reason = why_not_merged(merged, kept, versions, user)
    return f"Question {merged.pk} cannot be merged into question {kept.pk}: {reason}." if reason else ""


def merge_refusals(values: Values, user: User) -> dict[str, Q]:
    """Return the reasons to leave out duplicates of a change, each with its condition."""
    into, versions = merges_of(values), versions_of(values)
    questions = Question.objects.defer("search_vector").in_bulk([*into, *into.values()])
    left_out: dict[str, list[int]] = {}
    for merged, kept in into.items():
        if merged not in questions or kept not in questions:
            reason = "the question to keep no longer exists"
        else:
            reason = why_not_merged(questions[merged], questions[kept], versions, user)
        if reason:
            left_out.setdefault(f"{reason[0].upper()}{reason[1:]}.", []).append(merged)
    return {sentence: Q(pk__in=numbers) for sentence, numbers in left_out.items()}


def versions_of(values: Values) -> dict[int, int]:
    """Return the versions that were compared, by question, from the values of a change."""
    return {int(number): version for number, version in values["versions"].items()}


def merged_numbers(*, question: Question) -> list[int]:
    """Return the numbers of the questions that were merged into this one."""
    return list(Question.objects.filter(merged_into=question).order_by("pk").values_list("pk", flat=True))


def merge_of(*, question: Question) -> BulkChange | None:
    """Return the change by which a question was merged into another."""
    items = BulkChangeItem.objects.filter(question_id=question.pk, change__kind=BulkChange.Kind.MERGE)
    item = items.exclude(before=None).filter(change__undone_at=None).select_related("change__person").last()
    return item.change if item is not None else None


def left_out_of(*, worksheet: Worksheet, questions: Iterable[int]) -> list[tuple[int, int]]:
    """Return the questions that a merge left out of a worksheet because it also had the one that is kept.

    Args:
        questions: ids of the worksheet's questions.

    Returns:
        Pairs of the merged question and the one that is kept.
    """
    rows = Question.objects.filter(merged_into__in=list(questions)).values_list("pk", "merged_into")
    kept = {merged: number for merged, number in rows if number is not None}
    if not kept:
        return []
    left_out = [{"table": WorksheetItem._meta.model_name, "before": {"worksheet_id": worksheet.pk}, "after": None}]
    items = BulkChangeItem.objects.filter(change__kind=BulkChange.Kind.MERGE, change__undone_at=None)
    numbers = items.filter(question_id__in=kept, before__contains=left_out).order_by("question_id")
    return [(number, kept[number]) for number in numbers.values_list("question_id", flat=True)]


@dataclass(frozen=True, slots=True)
class MergeOutcome:
    """What merging questions moved, besides the questions themselves, as far as the viewer may see it.

    Attributes:
        kept: the question that is kept, by the number of each merged one.
        lists, worksheets: places that the questions that are kept have now.
        doubled: names of the lists and worksheets that had both questions, and now have one.
        printed: number of worksheets that keep merged questions, because they were handed out.
    """

    kept: Mapping[int, int]
    tags: int
    lists: int
    worksheets: int
    paraphrases: int
    doubled: Sequence[str]
    printed: int

    @property
    def first(self) -> list[tuple[int, int]]:
        """The first pairs: the merged question and the one that is kept."""
        return list(self.kept.items())[:_SHOWN]

    @property
    def more(self) -> int:
        """How many pairs follow the first ones."""
        return max(len(self.kept) - _SHOWN, 0)


def merge_outcome(*, change: BulkChange) -> MergeOutcome:
    """Return what a merge did."""
    items = change.items.exclude(before=None).order_by("question_id")
    notes = [note for before in items.values_list("before", flat=True) for note in before or ()]
    rows: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for note in notes:
        done = "added" if note["before"] is None else "left out" if note["after"] is None else "moved"
        rows[note["table"], done].append(note)
    lists = {note["before"]["question_list_id"] for note in rows["questionlistitem", "left out"]}
    sheets = {note["before"]["worksheet_id"] for note in rows["worksheetitem", "left out"]}
    into = merges_of(change.values)
    merged = list(items.values_list("question_id", flat=True))
    on_list, on_sheet = seen_rows("question_list__audience"), seen_rows("worksheet__audience")
    moved = {table: [note["pk"] for note in rows[table, "moved"]] for table in ("questionlistitem", "worksheetitem")}
    return MergeOutcome(
        kept={number: into[number] for number in merged},
        tags=len(rows["questiontag", "added"]),
        lists=QuestionListItem.objects.filter(on_list, pk__in=moved["questionlistitem"]).count(),
        worksheets=WorksheetItem.objects.filter(on_sheet, pk__in=moved["worksheetitem"]).count(),
        paraphrases=len(rows["paraphrasepair", "moved"]),
        doubled=[
            *QuestionList.objects.filter(pk__in=lists).order_by("pk").values_list("name", flat=True),
            *Worksheet.objects.filter(pk__in=sheets).order_by("pk").values_list("name", flat=True),
        ],
        printed=WorksheetItem.objects.filter(on_sheet, question__in=merged).values("worksheet").distinct().count(),
    )
