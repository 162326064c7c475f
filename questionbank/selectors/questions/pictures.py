"""The files of pictures."""

from __future__ import annotations

import hashlib

from django.core.files.storage import storages


def stored_name(sha256: str) -> str:
    """Return the name of a picture's file in the storage."""
    return f"{sha256[:2]}/{sha256}"


def picture_bytes(sha256: str) -> bytes | None:
    """Return a picture, or None where its file is gone or damaged."""
    try:
        with storages["attachments"].open(stored_name(sha256)) as file:
            data: bytes = file.read()
    except FileNotFoundError:
        return None
    return data if hashlib.sha256(data).hexdigest() == sha256 else None  # damaged: none at all
