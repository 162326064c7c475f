"""Uploaded files that were checked and wait for their owner to continue."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import PurePath

from django.core.files.storage import storages
from django.utils import timezone

UPLOADS_KEPT = timedelta(days=7)


def upload_name(name: str) -> str:
    """Return the last path component of an uploaded file's name, without control characters.

    >>> upload_name("papers/Grade 7.docx")
    'Grade 7.docx'
    """
    return "".join(sign for sign in PurePath(name.replace("\\", "/")).name if sign.isprintable())


def upload_names() -> list[str]:
    """Return the names of all uploads that are stored."""
    try:
        return list(storages["uploads"].listdir("")[1])
    except FileNotFoundError:  # nothing has been uploaded yet
        return []


def uploads_older(than: datetime) -> list[str]:
    """Return the names of the uploads that were stored before a time."""
    storage = storages["uploads"]
    old = []
    for name in upload_names():
        with suppress(FileNotFoundError):  # another process was faster
            if storage.get_modified_time(name) < than:
                old.append(name)
    return old


def uploads_forget_old() -> None:
    """Delete uploads that have waited longer than `UPLOADS_KEPT`."""
    uploads_delete(uploads_older(timezone.now() - UPLOADS_KEPT))


def uploads_delete(names: Iterable[str]) -> None:
    """Delete uploaded files; missing ones are ignored."""
    for name in names:
        with suppress(FileNotFoundError):
            storages["uploads"].delete(name)
