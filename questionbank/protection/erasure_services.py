"""Deleting a person: what is only theirs is deleted, and what others use stays, by "a former colleague".

The person's row stays without name, address and log-in, so that the history, reviews and questions keep one distinct
author each. A record outside the database lets a restored backup delete the person again (decision 169).
"""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pghistory
import pgtrigger
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection, transaction
from django.db.models import F, Func, IntegerField, Value
from django.utils import timezone
from pghistory.models import Event

from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.core.storage import uploads_delete
from questionbank.jobs.run_services import run_cancel
from questionbank.models import ApiRequest, Question, Run, RunLog, User
from questionbank.models.user import FORMER_COLLEAGUE
from questionbank.people.permissions import require
from questionbank.people.services import active_admins_locked, check_an_admin_is_left, check_not_break_glass
from questionbank.protection.person_selectors import (
    going_questions,
    owned_rows,
    private_jobs,
    record_name,
    recorded_deletion,
    uploaded_files,
)
from questionbank.protection.traces import Trace, Words, logs_mask, texts_replace

_LAST_ADMIN = ("questionbank.User:last_admin", "questionbank.UserRole:last_admin")
STATEMENT_LIMIT = "10min"  # each table with texts is read once


def person_erase(*, user: User | None, person: User, with_work: bool = False) -> list[Trace]:
    """Delete a person, and return the places in mathematics where their name stays.

    Args:
        user: the admin who deletes; None is the system itself.
        with_work: also delete what others can use: shared lists and worksheets, and questions that nobody else uses.

    Raises:
        NotAllowed: the acting person is not an admin, or deletes a superuser without being one.
        ValidationFailed: the person is the last admin, the acting person, or has the account for emergencies.
        Conflict: a job still holds what the person entered; it is asked to stop.
    """
    require(user, "people_manage", "Only admins delete people.")
    if user is not None and person.is_superuser and not user.is_superuser:
        raise NotAllowed("Only a superuser can delete a superuser.")
    if user is not None and user.pk == person.pk:
        raise ValidationFailed("You cannot delete yourself: ask another admin to do it.")
    check_not_break_glass(person)
    _stop_jobs(person)
    name = _record(person, with_work=with_work)
    committed: list[bool] = []  # what comes after that, such as deleting files, may fail and does not undo it
    try:
        with transaction.atomic():
            transaction.on_commit(partial(committed.append, True))
            active_admins_locked()
            check_an_admin_is_left(without=person)
            return _erase(person, with_work=with_work)
    except BaseException:
        if not committed:
            storages["default"].delete(name)
        raise


@dataclass(slots=True)
class ErasedAgain:
    """How many people in a restored backup were deleted again, and the names of their uploaded files."""

    people: int = 0
    uploads: list[str] = field(default_factory=list)


def people_erase_again() -> ErasedAgain:
    """Delete the people in a restored bank who were deleted after its backup; the caller deletes their uploads."""
    again = ErasedAgain()
    for person in User.objects.filter(erased_at=None):
        if (record := recorded_deletion(person=person)) is not None:
            again.people += 1
            again.uploads += uploaded_files(person=person)
            with transaction.atomic(), pgtrigger.ignore(*_LAST_ADMIN):  # others became admins after the backup
                _erase(person, with_work=bool(record["with_work"]))
    return again


def _stop_jobs(person: User) -> None:
    """Cancel the jobs that hold what the person entered.

    Raises:
        Conflict: one of them is running, and so might write it again.
    """
    for run in private_jobs(person=person):
        with suppress(Conflict):  # it has just finished
            run_cancel(run_id=run.pk)
    if running := private_jobs(person=person).first():
        raise Conflict(f"The job “{running}” of this person is running. It was asked to stop: try again in a minute.")


def _record(person: User, *, with_work: bool) -> str:
    """Note the deletion where a restore does not remove it, and return the file's name."""
    name, storage = record_name(person), storages["default"]
    storage.delete(name)
    content = {"deleted_at": timezone.now().isoformat(), "with_work": with_work}
    return str(storage.save(name, ContentFile(json.dumps(content).encode())))


def _erase(person: User, *, with_work: bool) -> list[Trace]:
    words = Words.of(person)
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = '{STATEMENT_LIMIT}'")
    transaction.on_commit(partial(uploads_delete, uploaded_files(person=person)))
    transaction.on_commit(partial(logs_mask, words, person_id=person.pk))
    _questions_delete(going_questions(person=person, with_work=with_work))
    _sessions_end(person)
    _responses_forget(words)
    for rows in owned_rows(person=person, with_work=with_work):
        rows.delete()
    _pasted_delete(person)
    pghistory.create_event(person, label="erased")
    _anonymise(person)
    return texts_replace(words)


def _questions_delete(ids: list[int]) -> None:
    """Delete questions with their history."""
    Question._base_manager.filter(pk__in=ids).delete()
    for model in apps.get_app_config("questionbank").get_models():
        if issubclass(model, Event) and ids:
            names = {column.name: column for column in model._meta.concrete_fields}
            for name in {"pgh_obj", "question"} & names.keys():
                if names[name].related_model is Question:
                    model._base_manager.filter(**{f"{name}__in": ids}).delete()


def _sessions_end(person: User) -> None:
    for session in Session.objects.all().iterator():
        if session.get_decoded().get("_auth_user_id") == str(person.pk):
            session.delete()


def _responses_forget(words: Words) -> None:
    """Delete the API's stored responses to other people's requests if they name the person."""
    for word in (*words.addresses, *words.names):
        for spelled in {word.encode(), json.dumps(word)[1:-1].encode()}:
            place = Func(Value(spelled), F("body"), function="position", arg_joiner=" IN ", output_field=IntegerField())
            ApiRequest.objects.annotate(place=place).filter(place__gt=0).delete()


def _pasted_delete(person: User) -> None:
    """Delete the questions that the person pasted for the language model, with its answers."""
    asked = Run.objects.filter(parameters__asked_by=person.pk)
    RunLog.objects.filter(run__in=asked).delete()
    asked.update(parameters={"asked_by": person.pk}, result={}, error="")


def _anonymise(person: User) -> None:
    """Remove from the person's row, and from its history, what identifies them."""
    former = f"former-colleague-{secrets.token_hex(4)}"
    empty: dict[str, Any] = {"first_name": "", "last_name": "", "email": "", "last_login": None, "hierarchy": None}
    off = {"is_active": False, "is_superuser": False, "is_staff": False}
    now = timezone.now()
    for name, value in {**empty, **off, "username": former, "date_joined": now, "erased_at": now}.items():
        setattr(person, name, value)
    person.set_unusable_password()
    person.save()
    apps.get_model("questionbank", "UserEvent")._base_manager.filter(pgh_obj_id=person.pk).update(username=former)
    LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(person.pk)).update(
        object_repr=FORMER_COLLEAGUE, change_message=""
    )
