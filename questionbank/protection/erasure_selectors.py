"""What deleting a person does, and whether a person in a restored backup was deleted after it was made."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.core.files.storage import storages
from django.db.models import CASCADE, Model, QuerySet

from questionbank.core.database import references_to
from questionbank.core.storage import KnownBackup, known_backups
from questionbank.imports.undo_selectors import question_uses
from questionbank.models import DocumentDraft, Question, QuestionListItem, Run, User, Visibility, WorksheetItem
from questionbank.people.permissions import PRIVATE_KINDS

_ITEMS: dict[type[Model], str] = {QuestionListItem: "question_list__owner", WorksheetItem: "worksheet__owner"}
SEEN = (Visibility.ALL, Visibility.SCHOOL)  # by others
RECORDS = "deleted-people"  # folder in the storage of other files, which backups contain and no restore empties


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """The effect of deleting a person.

    Attributes:
        deleted: number of rows that are deleted, by the name of what they are.
        kept: number of rows that stay and name "a former colleague".
        stopped: jobs that hold what the person entered and are not finished; they have to end first.
        backups: backups that contain the person.
    """

    deleted: dict[str, int]
    kept: dict[str, int]
    stopped: list[Run] = field(default_factory=list)
    backups: list[KnownBackup] = field(default_factory=list)


def erasure_plan(*, person: User, with_work: bool) -> ErasurePlan:
    """Return what deleting a person would do.

    Args:
        with_work: whether what others can use goes too: shared lists and worksheets, and the questions that nobody
            else uses.
    """
    deleted: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for rows in owned_rows(person=person, with_work=with_work):
        deleted[_plural(rows.model)] += rows.count()
    questions = going_questions(person=person, with_work=with_work)
    deleted[_plural(Question)] += len(questions)
    for key in references_to(User):
        if key.remote_field.on_delete is not CASCADE or key.model is LogEntry:
            kept[_plural(key.model)] += key.model._base_manager.filter(**{key.name: person}).count()
        elif _can_be_shared(key.model) and not with_work:
            kept[_plural(key.model)] += (
                key.model._base_manager.filter(**{key.name: person}).filter(visibility__in=SEEN).count()
            )
    kept[_plural(Question)] -= len(questions)
    return ErasurePlan(
        deleted={name: number for name, number in sorted(deleted.items()) if number},
        kept={name: number for name, number in sorted(kept.items()) if number > 0},
        stopped=list(private_jobs(person=person)),
        backups=backups_with(person=person),
    )


def owned_rows(*, person: User, with_work: bool) -> list[QuerySet[Any]]:
    """Return the rows that are the person's own: those that the database would delete with the account.

    Without `with_work`, lists and worksheets that others see are left out.
    """
    owned = []
    for key in references_to(User):
        if key.remote_field.on_delete is CASCADE and key.model is not LogEntry:
            rows = key.model._base_manager.filter(**{key.name: person})
            is_kept = _can_be_shared(key.model) and not with_work
            owned.append(rows.exclude(visibility__in=SEEN) if is_kept else rows)
    return owned


def going_questions(*, person: User, with_work: bool) -> list[int]:
    """Return the ids of the questions to delete: those that nobody else uses or, without `with_work`, sees."""
    questions = Question._base_manager.filter(created_by=person)
    if not with_work:
        questions = questions.exclude(visibility__in=SEEN)
    ids = set(questions.values_list("pk", flat=True))
    for key in question_uses():
        if ids:
            uses = key.model._base_manager.filter(**{f"{key.name}__in": ids})
            if key.model in _ITEMS:
                uses = uses.exclude(**{_ITEMS[key.model]: person})
            ids -= set(uses.values_list(key.attname, flat=True))
    return sorted(ids)


def private_jobs(*, person: User) -> QuerySet[Run]:
    """Return the person's unfinished jobs that hold what they entered, such as an import of a file."""
    return Run.objects.filter(requested_by=person, kind__in=PRIVATE_KINDS).exclude(state__in=Run.FINISHED)


def uploaded_files(*, person: User) -> list[str]:
    """Return the names of the files in the storage ``uploads`` that the person sent."""
    papers = DocumentDraft._base_manager.filter(owner=person).exclude(upload="").values_list("upload", flat=True)
    jobs = Run.objects.filter(requested_by=person, parameters__has_key="upload").values_list(
        "parameters__upload", flat=True
    )
    return sorted({str(name) for name in (*papers, *jobs) if name})


def backups_with(*, person: User) -> list[KnownBackup]:
    """Return the backups that contain the person, newest first."""
    return backups_between(person.date_joined, person.erased_at)


def backups_between(joined: datetime, erased: datetime | None) -> list[KnownBackup]:
    """Return the backups made while somebody had an account."""
    return [
        backup
        for backup in known_backups()
        if joined <= backup.created and (erased is None or backup.created <= erased)
    ]


def record_name(person: User) -> str:
    """Return where the deletion of a person is recorded: a hash of their id, log-in name and time of joining.

    Nobody can guess that time, which has microseconds, so the file does not tell who was deleted.
    """
    said = f"{person.pk}:{person.username.casefold()}:{person.date_joined.timestamp():.6f}"
    return f"{RECORDS}/{hashlib.sha256(said.encode()).hexdigest()}.json"


def recorded_deletion(*, person: User) -> dict[str, Any] | None:
    """Return how this person was deleted before; None if they never were."""
    name, storage = record_name(person), storages["default"]
    if not storage.exists(name):
        return None
    with storage.open(name) as file:
        return dict(json.load(file))


def _plural(model: type[Model]) -> str:
    return str(model._meta.verbose_name_plural)


def _can_be_shared(model: type[Model]) -> bool:
    return "visibility" in {column.name for column in model._meta.concrete_fields}
