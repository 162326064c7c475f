"""Rows of questions that a change of many merges or deletes: their tags, equations, places, uses and paraphrases.

When questions are merged, rows that the person does not see move too, such as other people's lists. Each row that
changes is noted with its values before and after, so that the undo restores it unless it was changed since. Responses,
vectors, solutions and what was read from a file stay with the merged question.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

from django.apps import apps
from django.core import serializers
from django.db import IntegrityError, transaction
from django.db.models import Model, Q, QuerySet
from django.db.models.functions import Now

from questionbank.bank.question_selectors import question_hash
from questionbank.bank.search_index import search_vector
from questionbank.core.errors import Conflict
from questionbank.models import (
    ColumnChoice,
    KnowledgeConcept,
    LanguageModelExclusion,
    ParaphrasePair,
    ProblemVariant,
    Question,
    QuestionEquation,
    QuestionListItem,
    QuestionOriginal,
    QuestionTag,
    QuestionUse,
    School,
    User,
    Visibility,
    Worksheet,
    WorksheetItem,
)
from questionbank.people.owned import last_position

Note = dict[str, Any]
"""A changed row: its `table` and `pk`, and its columns `before` (None if it is new) and `after` (None if deleted)."""
Notes = dict[int, list[Note]]
"""The notes of each merged question; the first is about the question itself."""
Kept = Mapping[int, int]
"""The question that is kept, by the number of each merged one."""

PLACES: Mapping[type[Model], str] = {  # rows in a list or worksheet, and what they belong to; a literal table
    QuestionListItem: "question_list",
    WorksheetItem: "worksheet",
}
_MOVED = (ParaphrasePair, ProblemVariant, ColumnChoice)
_TAG_COLUMNS = ("concept_id", "set_by", "probability")


def rows_merge(questions: Sequence[Question], kept: Kept) -> Notes:
    """Merge questions into the ones that are kept, and return what was changed.

    The caller holds the locks of all of them.
    """
    notes: Notes = {question.pk: [_merge(question, kept[question.pk])] for question in questions}
    kept = {question.pk: kept[question.pk] for question in questions}
    _unite_tags(kept, notes)
    _unite_exclusions(kept, notes)
    _move_places(QuestionListItem._base_manager.all(), kept, notes)
    handed_out = Worksheet.unrestricted.filter(Q(uses__isnull=False) | Q(response_sets__isnull=False))
    _move_places(WorksheetItem._base_manager.exclude(worksheet__in=handed_out), kept, notes)  # pupils have the others
    _move_uses(kept, notes)
    for model in _MOVED:
        _move(model._base_manager.filter(question__in=kept), "question_id", kept, notes)
    _move_rewordings(kept, notes)
    return notes


def check_not_merged_since(notes: Mapping[int, Sequence[Note]]) -> None:
    """Check that no question that was kept was merged into another one after the noted merges.

    Raises:
        Conflict: one was.
    """
    kept = {question["after"]["merged_into_id"] for question, *_others in notes.values()}
    later = Question.unrestricted.filter(pk__in=kept, merged_into__isnull=False).order_by("pk").first()
    if later is not None:
        raise Conflict(
            f"Question {later.pk} was merged into question {later.merged_into_id} since: undo that merge first."
        )


def rows_restore(notes: Sequence[Note]) -> bool:
    """Restore what merging a question changed, except rows that were changed since.

    Returns:
        False, and nothing is restored, if the question itself was changed since.
    """
    question, *others = notes
    if not _rows(question).update(**question["before"]):
        return False
    since = question["before"]["visible_since"]  # again, because a trigger sets it when the question becomes ready
    Question.unrestricted.filter(pk=question["pk"]).update(visible_since=since)
    for note in reversed(others):
        with suppress(IntegrityError), transaction.atomic():  # somebody has put the question there again
            _restore(note)
    return True


def _merge(question: Question, kept: int) -> Note:
    before = {
        "status": question.status,
        "merged_into_id": None,
        "version": question.version,
        "updated_at": question.updated_at.isoformat(),
        "visible_since": question.visible_since.isoformat(),
    }
    after = {"status": Question.Status.RETIRED.value, "merged_into_id": kept, "version": question.version + 1}
    rows = Question.unrestricted.filter(pk=question.pk)
    rows.update(**after, updated_at=Now())
    return _note(question, before, after)


def _unite_tags(kept: Kept, notes: Notes) -> None:
    """Tag each question that is kept with the concepts of those merged into it."""
    tags = QuestionTag._base_manager.filter(question__in=kept).order_by("question_id", "pk")
    present = set(QuestionTag._base_manager.filter(question__in=kept.values()).values_list("question_id", "concept_id"))
    added: list[tuple[int, QuestionTag]] = []
    for tag in tags:
        target = kept[tag.question_id]
        if (target, tag.concept_id) not in present:
            present.add((target, tag.concept_id))
            columns = {name: getattr(tag, name) for name in _TAG_COLUMNS}
            added.append((tag.question_id, QuestionTag(question_id=target, user_id=tag.user_id, **columns)))
    QuestionTag._base_manager.bulk_create(tag for _merged, tag in added)
    for merged, tag in added:
        columns = {name: getattr(tag, name) for name in ("question_id", *_TAG_COLUMNS)}
        notes[merged].append(_note(tag, None, columns))


def _unite_exclusions(kept: Kept, notes: Notes) -> None:
    """Exclude a question from the language model if one that is merged into it is excluded."""
    present = set(
        LanguageModelExclusion._base_manager.filter(question__in=kept.values()).values_list("question", flat=True)
    )
    for excluded in LanguageModelExclusion._base_manager.filter(question__in=kept).order_by("pk"):
        target = kept[excluded.question_id]
        if target not in present:
            present.add(target)
            row = LanguageModelExclusion._base_manager.create(
                question_id=target, excluded_by_id=excluded.excluded_by_id
            )
            notes[excluded.question_id].append(_note(row, None, {"question_id": target}))


def _move_places(items: QuerySet[Any], kept: Kept, notes: Notes) -> None:
    """Put the question that is kept in the places of the merged ones; where it already is, remove those."""
    owner = f"{PLACES[items.model]}_id"
    owners = items.model._meta.get_field(PLACES[items.model]).related_model._base_manager
    found = items.filter(question__in=kept).order_by(owner, "position")
    list(owners.filter(pk__in=found.values(owner)).order_by("pk").select_for_update())  # nobody moves rows meanwhile
    filled = set(items.model._base_manager.filter(question__in=kept.values()).values_list("question_id", owner))
    moved: list[Any] = []
    left_out: list[Any] = []
    for item in found:
        place = (kept[item.question_id], getattr(item, owner))
        (left_out if place in filled else moved).append(item)
        filled.add(place)
    for item in left_out:
        before = {column.attname: getattr(item, column.attname) for column in item._meta.fields if column.name != "id"}
        notes[item.question_id].append(_note(item, before, None))
    items.model._base_manager.filter(pk__in=[item.pk for item in left_out]).delete()
    _point(moved, "question_id", kept, notes)


def _move_uses(kept: Kept, notes: Notes) -> None:
    """Count the uses of merged questions for the ones that are kept, at most one per worksheet and day."""
    present: set[tuple[int, int | None, date]] = set(
        QuestionUse._base_manager.filter(question__in=kept.values()).values_list("question", "worksheet", "day")
    )
    moved = []
    for use in QuestionUse._base_manager.filter(question__in=kept).order_by("pk"):
        place = (kept[use.question_id], use.worksheet_id, use.day)
        if use.worksheet_id is None or place not in present:
            present.add(place)
            moved.append(use)
    _point(moved, "question_id", kept, notes)


def _move_rewordings(kept: Kept, notes: Notes) -> None:
    """Make the question that is kept, or its own original, the original of the merged ones' rewordings."""
    originals = dict(Question.unrestricted.filter(pk__in=kept.values()).values_list("pk", "paraphrase_of"))
    targets = {merged: originals[target] or target for merged, target in kept.items()}
    rewordings = Question.unrestricted.filter(paraphrase_of__in=kept).only("pk", "paraphrase_of")
    moved = [row for row in rewordings.order_by("pk") if row.pk != targets[row.paraphrase_of_id or 0]]
    _point(moved, "paraphrase_of_id", targets, notes)


def _move(rows: QuerySet[Any], column: str, kept: Kept, notes: Notes) -> None:
    _point(rows.only("pk", column).order_by("pk"), column, kept, notes)


def _point(rows: Iterable[Any], column: str, targets: Kept, notes: Notes) -> None:
    """Replace merged questions in a column of the rows by their targets."""
    moved = list(rows)
    for row in moved:
        merged = getattr(row, column)
        setattr(row, column, targets[merged])
        notes[merged].append(_note(row, {column: merged}, {column: targets[merged]}))
    if moved:
        type(moved[0])._base_manager.bulk_update(moved, [column], batch_size=500)


def _note(row: Model, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Note:
    return {"table": row._meta.model_name, "pk": row.pk, "before": before, "after": after}


def _rows(note: Note) -> QuerySet[Any]:
    """Return the noted row, unless it was changed or deleted since."""
    model = apps.get_model("questionbank", note["table"])
    return model._base_manager.filter(pk=note["pk"], **(note["after"] or {}))


def _restore(note: Note) -> None:
    if note["before"] is None:
        _rows(note).delete()
    elif note["after"] is None:
        _put_back(note)
    else:
        _rows(note).update(**note["before"])


def _put_back(note: Note) -> None:
    """Put a question back in its place, or at the end if another one is there now."""
    model = apps.get_model("questionbank", note["table"])
    owner = model._meta.get_field(PLACES[model])
    item = model(pk=note["pk"], **note["before"])
    owners = owner.related_model._base_manager.filter(pk=getattr(item, owner.attname))
    if not owners.select_for_update().exists():  # deleted since
        return
    rows = model._base_manager.filter(**{owner.attname: getattr(item, owner.attname)})
    if rows.filter(position=item.position).exists():
        item.position = last_position(rows) + 1
    item.save(force_insert=True)


_DERIVED = ("search_vector", "content_hash")  # recomputed from the text


def drafts_delete(questions: Sequence[Question]) -> dict[int, list[Any]]:
    """Delete questions, and return each with its equation, tags and original as `drafts_restore` takes them."""
    ids = [row.pk for row in questions]
    deleted: dict[int, list[Any]] = {pk: [] for pk in ids}
    columns = [column.name for column in Question._meta.fields if column.name not in _DERIVED]
    parts: list[tuple[Iterable[Any], list[str] | None]] = [
        (questions, columns),
        (QuestionEquation.objects.filter(question__in=ids), None),
        (QuestionTag.objects.filter(question__in=ids).order_by("pk"), None),
        (QuestionOriginal.objects.filter(question__in=ids), None),
    ]
    for rows, names in parts:
        for row, kept in zip(rows, json.loads(serializers.serialize("json", rows, fields=names)), strict=True):
            deleted[row.pk if isinstance(row, Question) else row.question_id].append(kept)
    Question.objects.filter(pk__in=ids).delete()
    return deleted


def drafts_restore(deleted: Iterable[Mapping[str, Any]]) -> None:
    """Restore deleted questions with their former numbers; what they named and is deleted by now is left out."""
    concepts = set(KnowledgeConcept.objects.values_list("pk", flat=True))
    people = set(User.objects.values_list("pk", flat=True))
    schools = {None, *School.objects.values_list("pk", flat=True)}
    for kept in serializers.deserialize("python", deleted):
        row = kept.object
        if isinstance(row, Question):
            row.created_by_id = row.created_by_id if row.created_by_id in people else None
            if row.paraphrase_of_id and not Question.unrestricted.filter(pk=row.paraphrase_of_id).exists():
                row.paraphrase_of_id = None
            if row.school_id not in schools:
                row.visibility, row.school_id = Visibility.PRIVATE, None
            row.content_hash = question_hash(row)
            row.search_vector = search_vector(row)
        elif isinstance(row, QuestionTag):
            if row.concept_id not in concepts:
                continue
            row.user_id = row.user_id if row.user_id in people else None
        kept.save()
