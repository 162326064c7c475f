"""What is stored about a person, as a ZIP file, and what deleting them does.

A restored backup may contain people who were deleted after it was made; `recorded_deletion` finds them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.postgres.search import SearchVectorField
from django.core.files.storage import storages
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import CASCADE, BinaryField, Field, Model, QuerySet
from pghistory.models import Event

from questionbank.bank.question_selectors import picture_bytes
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


SECRETS = frozenset({"password", "digest", "salt", "data", "session_key", "lease", "message_id"})
"""Columns that let somebody act as the person, or that mean nothing outside the database."""
ABOUT = """Everything in Kindred that is tied to {name}.

account.json   the account
*.json         one file for each table that names you; the file's name says as what ("question-created_by")
changes.json   what you changed, from the history
files/         files that you sent, and pictures of your questions

Passwords, keys and the secrets of your second factor are left out.
"""


def person_archive(*, person: User, file: IO[bytes]) -> None:
    """Write the archive of a person."""
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", ABOUT.format(name=person))
        _write(archive, "account.json", _values(User.objects.filter(pk=person.pk)))
        for key in references_to(User):
            rows = key.model._base_manager.filter(**{key.name: person}).order_by("pk")
            _write(archive, f"{key.model._meta.model_name}-{key.name}.json", _values(rows))
        _write(archive, "changes.json", _changes(person))
        for name in uploaded_files(person=person):
            with suppress(FileNotFoundError), storages["uploads"].open(name) as stored:
                archive.writestr(f"files/uploads/{name}", stored.read())
        for digest in _pictures(person):
            if data := picture_bytes(digest):
                archive.writestr(f"files/pictures/{digest}", data)


def _write(archive: ZipFile, name: str, rows: Iterator[dict[str, Any]]) -> None:
    """Write one JSON file; tables without a row are left out."""
    found = list(rows)
    if found:
        archive.writestr(name, json.dumps(found, indent=1, ensure_ascii=False, cls=DjangoJSONEncoder))


def _values(rows: QuerySet[Any]) -> Iterator[dict[str, Any]]:
    yield from rows.values(*_columns(rows.model))


def _columns(model: type[Model]) -> list[str]:
    return [column.attname for column in model._meta.concrete_fields if _is_shown(column)]


def _is_shown(column: Field[Any, Any]) -> bool:
    return column.name not in SECRETS and not isinstance(column, BinaryField | SearchVectorField)


def _changes(person: User) -> Iterator[dict[str, Any]]:
    """Yield the states of rows before the person changed them."""
    by_person = {"pgh_context__metadata__user": person.pk}  # a field of each event, not of their base
    for model in apps.get_models():
        if issubclass(model, Event) and model._meta.managed:
            rows = model._base_manager.filter(**by_person).order_by("pk")
            for row in _values(rows):
                yield {"table": model._meta.model_name, **row}


def _pictures(person: User) -> list[str]:
    contents = Question._base_manager.filter(created_by=person, content__has_key="pictures").values_list(
        "content", flat=True
    )
    return sorted(
        {str(picture["sha256"]) for content in contents for picture in content["pictures"] if picture["sha256"]}
    )
