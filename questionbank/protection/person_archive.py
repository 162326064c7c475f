"""Everything that is tied to a person, as a ZIP file of JSON files and the files that they sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.apps import apps
from django.contrib.postgres.search import SearchVectorField
from django.core.files.storage import storages
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import BinaryField, Field, Model, QuerySet
from pghistory.models import Event

from questionbank.bank.question_selectors import picture_bytes
from questionbank.core.database import references_to
from questionbank.models import Question, User
from questionbank.protection.erasure_selectors import uploaded_files

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
    for model in apps.get_models():
        if issubclass(model, Event) and model._meta.managed:
            rows = model._base_manager.filter(pgh_context__metadata__user=person.pk).order_by("pk")
            for row in _values(rows):
                yield {"table": model._meta.model_name, **row}


def _pictures(person: User) -> list[str]:
    contents = Question._base_manager.filter(created_by=person, content__has_key="pictures").values_list(
        "content", flat=True
    )
    return sorted(
        {str(picture["sha256"]) for content in contents for picture in content["pictures"] if picture["sha256"]}
    )
