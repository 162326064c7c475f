"""Changing many questions at once, merging duplicates, and undoing such a change; each in one transaction.

A change first records its questions, so that exactly what was previewed is changed. Then the request, or a worker if
there are many, processes them in batches. The previous values are stored with the change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pghistory
from django.db import transaction
from django.utils import timezone

from analytics.errors import Cancelled
from questionbank.bank.bulk_rows import check_not_merged_since, drafts_delete, drafts_restore, rows_merge, rows_restore
from questionbank.bank.bulk_selectors import bulk_change_description, is_so_already, merge_refusal, merges_of, refusals
from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.bank.question_selectors import visible_to
from questionbank.bank.search_index import search_index_settle
from questionbank.bank.vector_services import embedding_request
from questionbank.core.database import advisory_lock
from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.jobs import run_services as runs
from questionbank.jobs.progress import JobReporter
from questionbank.models import BulkChange, BulkChangeItem, KnowledgeConcept, Question, QuestionTag, Run, School, User
from questionbank.people.permissions import require
from questionbank.people.school_selectors import shows_to
from questionbank.people.school_services import questions_fit

AT_ONCE = 2_000  # most questions changed within a request; a worker changes more
MERGED_AT_ONCE = 20  # likewise; each has rows in many tables
_PORTION = 1_000
Kind = BulkChange.Kind
Values = Mapping[str, Any]


@transaction.atomic
def bulk_change_request(
    *, user: User, kind: str, values: Values, question_ids: Sequence[int], selection: Mapping[str, Any]
) -> BulkChange:
    """Change these questions, or queue a job for more than `AT_ONCE`.

    If the same change is already waiting or running, return that one.

    Raises:
        NotAllowed: the person may not change questions.
        Conflict: there is nothing to change.
        ValidationFailed: the person does not belong to the school that is to see them.
    """
    require(user, "question_create", "You may not change questions.")
    if kind == Kind.VISIBILITY:
        shows_to(user, values["visible_to"])
    if not question_ids:
        raise Conflict("There is nothing to change.")
    same = {"person": user, "kind": kind, "values": dict(values), "changed": len(question_ids)}
    advisory_lock(f"bulk/{user.pk}")
    waiting = BulkChange.objects.filter(**same, applied_at=None).exclude(run__state__in=Run.FINISHED)
    if (requested_already := waiting.first()) is not None:
        return requested_already
    change = BulkChange.objects.create(
        kind=kind, values=dict(values), person=user, selection=dict(selection), changed=len(question_ids)
    )
    items = (BulkChangeItem(change=change, question_id=pk) for pk in sorted(question_ids))
    BulkChangeItem.objects.bulk_create(items, batch_size=5_000)
    _do(change, user, is_undo=False)
    return change


@transaction.atomic
def bulk_change_undo_request(*, user: User, change: BulkChange) -> BulkChange:
    """Undo a change, or queue a job that does; questions changed since then are left alone and listed.

    Raises:
        NotAllowed: somebody else made the change.
        Conflict: it is already undone, or not finished yet.
        ValidationFailed: a school has too little room for the questions that come back to it.
    """
    fresh = BulkChange.objects.select_for_update(of=("self",)).get(pk=change.pk)
    if fresh.person_id != user.pk and not user.has_perm("questionbank.question_edit"):
        raise NotAllowed("You may not undo this change.")
    if fresh.undone_at is not None:
        raise Conflict("This change is undone already.")
    if fresh.applied_at is None or (fresh.run is not None and not fresh.run.is_finished):
        raise Conflict("This change is not finished yet.")
    _do(fresh, user, is_undo=True)
    return fresh


def _do(change: BulkChange, user: User, *, is_undo: bool) -> None:
    if change.changed <= (MERGED_AT_ONCE if change.kind == Kind.MERGE else AT_ONCE):
        with pghistory.context(bulk_change=change.pk):  # one entry in the history for the whole change
            (_undo if is_undo else _apply)(change, user, None)
        return
    title = bulk_change_description(change.kind, change.values)
    title = f"Undo: {title}" if is_undo else title
    change.run = runs.run_create(
        kind=Run.Kind.CHANGE, title=title[:200], parameters={"change": change.pk, "undo": is_undo}, requested_by=user
    )
    change.save(update_fields=["run"])


def run_bulk_change(run: Run, reporter: JobReporter) -> dict[str, Any]:
    """Execute a queued change; all or nothing, so that it can be retried.

    Raises:
        Cancelled: somebody cancelled the run.
    """
    user = run.requested_by
    if user is None:
        raise Conflict("The person who requested this change no longer has an account.")
    number = run.parameters["change"]
    with pghistory.context(user=user.pk, bulk_change=number), transaction.atomic():
        change = BulkChange.objects.select_for_update(of=("self",)).get(pk=number)
        is_undo = bool(run.parameters["undo"])
        if (change.undone_at if is_undo else change.applied_at) is None:
            (_undo if is_undo else _apply)(change, user, reporter)
    return {"changed": change.changed, "kept": len(change.kept)}


def _apply(change: BulkChange, user: User, reporter: JobReporter | None) -> None:
    """Change each question under a lock, unless a reason against it has come up."""
    changed = 0
    refused: dict[str, int] = {}
    for items in _portions(change, reporter):
        questions = _locked([item.question_id for item in items], change)
        rows = Question.objects.filter(pk__in=questions)
        left_out: dict[int, str] = {}
        for reason, condition in refusals(change.kind, change.values, user).items():
            ids = rows.filter(condition).values_list("pk", flat=True)
            left_out |= {pk: reason for pk in ids if pk not in left_out}
        already = set(rows.filter(is_so_already(change.kind, change.values)).values_list("pk", flat=True))
        chosen = {pk: row for pk, row in questions.items() if pk not in left_out and pk not in already}
        for sentence in left_out.values():
            refused[sentence] = refused.get(sentence, 0) + 1
        before, after = _APPLY[change.kind](change, list(chosen.values()), user)
        for item in items:
            item.before, item.after = before.get(item.question_id), after.get(item.question_id)
        BulkChangeItem.objects.bulk_update(items, ["before", "after"])
        changed += len(chosen)
    change.changed, change.refused, change.applied_at = changed, refused, timezone.now()
    change.save(update_fields=["changed", "refused", "applied_at"])
    _settle()


def _undo(change: BulkChange, user: User, reporter: JobReporter | None) -> None:
    """Restore each question, unless somebody changed it since."""
    changed_since: list[int] = []
    for items in _portions(change, reporter):
        done = [item for item in items if item.before is not None]
        questions = _locked([item.question_id for item in done], change)
        changed_since += _UNDO[change.kind](done, questions)
    change.kept, change.undone_at, change.undone_by = changed_since, timezone.now(), user
    change.save(update_fields=["kept", "undone_at", "undone_by"])
    _settle()


def _settle() -> None:
    search_index_settle()
    embedding_request()  # restored questions may lack vectors


def _portions(change: BulkChange, reporter: JobReporter | None) -> Iterator[list[BulkChangeItem]]:
    last = done = 0
    total = change.items.count()
    rows = change.items.order_by("question_id")
    while items := list(rows.filter(question_id__gt=last)[:_PORTION]):
        if reporter is not None:
            if reporter.should_stop():
                raise Cancelled("The change was cancelled; nothing was changed.")
            reporter.progress(done, total, "Changing questions")
        yield items
        done += len(items)
        last = items[-1].question_id


def _locked(ids: Sequence[int], change: BulkChange) -> dict[int, Question]:
    """Lock the questions, and those that duplicates are merged into; lists may add them meanwhile, unless they go."""
    kept = merges_of(change.values).values() if change.kind == Kind.MERGE else ()
    rows = Question.objects.select_for_update(no_key=change.kind != Kind.DELETE_DRAFTS).defer("search_vector")
    wanted = set(ids)
    return {row.pk: row for row in rows.filter(pk__in=[*ids, *kept]).order_by("pk") if row.pk in wanted}


Snapshots = dict[int, Any]


# --- columns ---------------------------------------------------------------------------------------

_COLUMNS: Mapping[str, Callable[[Values], dict[str, Any]]] = {  # what a change writes; a literal table
    Kind.PUBLISH: lambda _values: {"status": Question.Status.READY.value},
    Kind.RETIRE: lambda _values: {"status": Question.Status.RETIRED.value},
    Kind.RESTORE: lambda _values: {"status": Question.Status.READY.value},
    Kind.GRADE: lambda values: {"grade": values["grade"]},
    Kind.SOURCE: lambda values: {"source": values["source"]},
    Kind.DIFFICULTY: lambda values: {
        "difficulty": values["difficulty"],
        "difficulty_scale": values["difficulty_scale"],
    },
}
_SHOWS = ("visibility", "school_id")


def _set_columns(change: BulkChange, questions: list[Question], _user: User) -> tuple[Snapshots, Snapshots]:
    return _write(questions, _COLUMNS[change.kind](change.values))


def _show_to(change: BulkChange, questions: list[Question], user: User) -> tuple[Snapshots, Snapshots]:
    shows = shows_to(user, change.values["visible_to"])
    questions_fit(school_id=shows[1], added=len(questions))  # none of them is there already
    return _write(questions, dict(zip(_SHOWS, shows, strict=True)))


def _write(questions: list[Question], columns: Mapping[str, Any]) -> tuple[Snapshots, Snapshots]:
    before = {row.pk: {name: getattr(row, name) for name in columns} for row in questions}
    for row in questions:
        for name, value in columns.items():
            setattr(row, name, value)
    _save(questions, list(columns))
    return before, {row.pk: row.version for row in questions}


def _restore_columns(items: list[BulkChangeItem], questions: Mapping[int, Question]) -> list[int]:
    changed_since = [item.question_id for item in items if _is_changed_since(item, questions)]
    left = [item for item in items if item.question_id not in set(changed_since)]
    for item in left:
        for name, value in _before(item).items():
            setattr(questions[item.question_id], name, value)
    if left:
        _save([questions[item.question_id] for item in left], list(_before(left[0])))
    return changed_since


def _is_changed_since(item: BulkChangeItem, questions: Mapping[int, Question]) -> bool:
    question = questions.get(item.question_id)
    return question is None or question.version != item.after


def _restore_shown(items: list[BulkChangeItem], questions: Mapping[int, Question]) -> list[int]:
    """Restore who saw the questions, unless it was a school that was deleted since.

    Raises:
        ValidationFailed: a school has too little room.
    """
    schools = {None, *School.objects.values_list("pk", flat=True)}
    kept = [item for item in items if _before(item)["school_id"] in schools]
    gone = [item.question_id for item in items if _before(item)["school_id"] not in schools]
    _fit_again(_before(item)["school_id"] for item in kept if not _is_changed_since(item, questions))
    return [*gone, *_restore_columns(kept, questions)]


def _fit_again(school_ids: Iterable[int | None]) -> None:
    """Check that schools that still exist have room for the questions that come back to them."""
    added = Counter(filter(None, school_ids))
    for school_id in School.objects.filter(pk__in=list(added)).order_by("pk").values_list("pk", flat=True):
        questions_fit(school_id=school_id, added=added[school_id])


def _before(item: BulkChangeItem) -> dict[str, Any]:
    """Return the values that the change replaced; only items that were changed are restored."""
    return dict(item.before or {})


def _save(questions: list[Question], columns: list[str]) -> None:
    now = timezone.now()
    changed = {*columns, "version", "updated_at"}
    for row in questions:
        row.version += 1
        row.updated_at = now
        if "difficulty" in changed:
            row.difficulty_percent = counted_percent(row, row.combined)
    changed |= {"difficulty_percent"} if "difficulty" in changed else set()
    Question.objects.bulk_update(questions, sorted(changed), batch_size=200)


# --- tags ------------------------------------------------------------------------------------------


def _change_tags(change: BulkChange, questions: list[Question], user: User) -> tuple[Snapshots, Snapshots]:
    add, remove = change.values.get("add"), change.values.get("remove")
    if add and not KnowledgeConcept.objects.filter(pk=add).exists():
        raise Conflict("The chosen concept no longer exists.")
    ids = [row.pk for row in questions]
    gone = {
        tag.question_id: {"set_by": tag.set_by, "user_id": tag.user_id, "probability": tag.probability}
        for tag in QuestionTag.objects.filter(question__in=ids, concept=remove)
    }
    has_it = set(QuestionTag.objects.filter(question__in=ids, concept=add).values_list("question_id", flat=True))
    before = {
        pk: {
            "added": add if add and pk not in has_it else None,
            "removed": {"concept_id": remove, **gone[pk]} if pk in gone else None,
        }
        for pk in ids
    }
    QuestionTag.objects.filter(question__in=ids, concept=remove).delete()
    QuestionTag.objects.bulk_create(
        QuestionTag(question_id=pk, concept_id=add, set_by=QuestionTag.SetBy.PERSON, user=user)
        for pk in ids
        if before[pk]["added"]
    )
    return before, _concepts_of(ids)


def _concepts_of(ids: Sequence[int]) -> Snapshots:
    concepts: Snapshots = {pk: [] for pk in ids}
    tags = QuestionTag.objects.filter(question__in=ids).order_by("concept_id")
    for question_id, concept_id in tags.values_list("question_id", "concept_id"):
        concepts[question_id].append(concept_id)
    return concepts


def _restore_tags(items: list[BulkChangeItem], questions: Mapping[int, Question]) -> list[int]:
    now = _concepts_of(list(questions))
    removed = {_before(item)["removed"]["concept_id"] for item in items if _before(item)["removed"]}
    present = set(KnowledgeConcept.objects.filter(pk__in=removed).values_list("pk", flat=True))
    changed_since = [
        item.question_id
        for item in items
        if now.get(item.question_id) != item.after
        or (_before(item)["removed"] and _before(item)["removed"]["concept_id"] not in present)
    ]
    left = [item for item in items if item.question_id not in set(changed_since)]
    added = [item for item in left if _before(item)["added"]]
    if added:  # a bulk change adds only one concept
        ids = [item.question_id for item in added]
        QuestionTag.objects.filter(question__in=ids, concept=_before(added[0])["added"]).delete()
    people = set(User.objects.values_list("pk", flat=True))
    gone = [(item.question_id, tag) for item in left if (tag := _before(item)["removed"])]
    QuestionTag.objects.bulk_create(
        QuestionTag(question_id=pk, **tag | {"user_id": tag["user_id"] if tag["user_id"] in people else None})
        for pk, tag in gone
    )
    return changed_since


# --- merging ---------------------------------------------------------------------------------------


def _merge(change: BulkChange, questions: list[Question], _user: User) -> tuple[Snapshots, Snapshots]:
    return dict(rows_merge(questions, merges_of(change.values))), {}


def _restore_merged(items: list[BulkChangeItem], _questions: Mapping[int, Question]) -> list[int]:
    notes = {item.question_id: item.before or [] for item in reversed(items)}
    check_not_merged_since(notes)
    return [number for number, noted in notes.items() if not rows_restore(noted)]


# --- deletion --------------------------------------------------------------------------------------


def _delete(_change: BulkChange, questions: list[Question], _user: User) -> tuple[Snapshots, Snapshots]:
    return drafts_delete(questions), {}


def _undelete(items: list[BulkChangeItem], _questions: Mapping[int, Question]) -> list[int]:
    """Bring drafts back.

    Raises:
        ValidationFailed: a school has too little room.
    """
    deleted = [item.before or [] for item in items]
    _fit_again(rows[0]["fields"].get("school") for rows in deleted)  # the question comes first
    drafts_restore(row for rows in deleted for row in rows)
    return []


_APPLY: Mapping[str, Callable[[BulkChange, list[Question], User], tuple[Snapshots, Snapshots]]] = {
    **dict.fromkeys(_COLUMNS, _set_columns),
    Kind.VISIBILITY: _show_to,
    Kind.CONCEPTS: _change_tags,
    Kind.DELETE_DRAFTS: _delete,
    Kind.MERGE: _merge,
}
_UNDO: Mapping[str, Callable[[list[BulkChangeItem], Mapping[int, Question]], list[int]]] = {
    **dict.fromkeys(_COLUMNS, _restore_columns),
    Kind.VISIBILITY: _restore_shown,
    Kind.CONCEPTS: _restore_tags,
    Kind.DELETE_DRAFTS: _undelete,
    Kind.MERGE: _restore_merged,
}


MOST_MERGED = 1_000  # pairs per change; the undo restores them together


@dataclass(frozen=True, slots=True)
class MergePair:
    """A duplicate and the question to keep, with the versions that the person compared; None for any version."""

    merged: int
    kept: int
    merged_version: int | None = None
    kept_version: int | None = None


@transaction.atomic
def questions_merge(*, user: User, pairs: Sequence[MergePair]) -> BulkChange:
    """Merge each duplicate into the question to keep, or queue a job that does if there are many.

    Raises:
        ValidationFailed: a pair merges a question into itself, or the pairs form a circle or name a question twice.
        NotAllowed: the person may not change one of the questions.
        Conflict: one of the questions has changed since, or cannot be kept or merged.
    """
    if len(pairs) > MOST_MERGED:
        raise ValidationFailed.beside("pairs", f"Merge up to {MOST_MERGED:,} questions at once.")
    numbers = sorted({number for pair in pairs for number in (pair.merged, pair.kept)})
    rows = Question.objects.filter(pk__in=numbers).order_by("pk").select_for_update(no_key=True)
    questions = {row.pk: row for row in rows.defer("search_vector").filter(visible_to(user))}
    if missing := next((number for number in numbers if number not in questions), None):
        raise ValidationFailed.beside("pairs", f"There is no question {missing}.")
    _check_form(pairs)
    sent = [(pair.merged, pair.merged_version) for pair in pairs] + [(pair.kept, pair.kept_version) for pair in pairs]
    versions = {number: version for number, version in sent if version is not None}
    for pair in pairs:
        merged, kept = questions[pair.merged], questions[pair.kept]
        if refusal := merge_refusal(merged, kept, versions, user):
            is_forbidden = not all(user.has_perm("questionbank.question_edit", question) for question in (merged, kept))
            raise NotAllowed(refusal) if is_forbidden else Conflict(refusal)
    return bulk_change_request(
        user=user,
        kind=BulkChange.Kind.MERGE,
        values={
            "into": {str(pair.merged): pair.kept for pair in pairs},
            "versions": {str(number): questions[number].version for number in numbers},
        },
        question_ids=[pair.merged for pair in pairs],
        selection={},
    )


def _check_form(pairs: Sequence[MergePair]) -> None:
    """Check that no question is merged twice, into itself, or into one that is merged too."""
    merged: set[int] = set()
    for pair in pairs:
        if pair.merged == pair.kept:
            raise ValidationFailed.beside("pairs", f"Question {pair.merged} cannot be merged into itself.")
        if pair.merged in merged:
            raise ValidationFailed.beside("pairs", f"Question {pair.merged} can be merged into one question only.")
        merged.add(pair.merged)
    for pair in pairs:
        if pair.kept in merged:
            sentence = f"Question {pair.kept} cannot be both merged and kept: choose one question to keep."
            raise ValidationFailed.beside("pairs", sentence)
