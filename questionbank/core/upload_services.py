"""Uploaded files that were checked and wait for their owner to continue."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
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


def uploads_forget_old() -> None:
    """Delete uploads that have waited longer than `UPLOADS_KEPT`."""
    storage = storages["uploads"]
    try:
        _, names = storage.listdir("")
    except FileNotFoundError:  # nothing has been uploaded yet
        return
    for name in names:
        with suppress(FileNotFoundError):  # another process was faster
            if storage.get_modified_time(name) < timezone.now() - UPLOADS_KEPT:
                storage.delete(name)
