"""Storing pictures in the bank, and deleting those that no question shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection, transaction
from django.utils import timezone

from questionbank.bank.question_selectors import picture_bytes, stored_name
from questionbank.formats.pictures import PictureFacts, read_picture
from questionbank.models import Attachment

YOUNG = timedelta(days=2)  # an import or a form may still be in progress
_REFERENCES = """
    SELECT DISTINCT jsonb_path_query(content, '$.**.sha256') #>> '{}'
    FROM (SELECT content FROM questionbank_question WHERE content <> '{}'
          UNION ALL SELECT content FROM questionbank_questionevent WHERE content <> '{}') contents
    UNION SELECT named.value FROM questionbank_documentdraft, jsonb_each_text(pictures) named
"""


class AttachmentStore:
    """Stores pictures: files at once, rows at `save`, because an import cannot write rows while its COPY is open.

    Stored pictures that are never used are deleted by `attachments_sweep`.
    """

    def __init__(self, *, is_dry: bool = False) -> None:
        self._is_dry = is_dry
        self._facts: dict[str, tuple[PictureFacts, int]] = {}

    def put(self, data: bytes) -> str:
        """Store a picture and return the SHA-256 of its bytes.

        Raises:
            PictureRefused: the picture cannot be displayed.
        """
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._facts:
            self._facts[digest] = read_picture(data), len(data)
            storage, name = storages["attachments"], stored_name(digest)
            if not self._is_dry and not storage.exists(name):
                storage.save(name, ContentFile(data))
        return digest

    def get(self, sha256: str) -> bytes | None:
        """Return a picture's bytes, or None if there is no such picture."""
        return picture_bytes(sha256)

    def save(self) -> None:
        """Write the rows of the stored pictures."""
        now = timezone.now()
        rows = [
            Attachment(
                sha256=digest,
                media_type=facts.media_type,
                size=size,
                width=facts.width,
                height=facts.height,
                used_at=now,
            )
            for digest, (facts, size) in self._facts.items()
        ]
        if rows and not self._is_dry:
            Attachment.objects.bulk_create(
                rows, update_conflicts=True, unique_fields=["sha256"], update_fields=["used_at"]
            )


@transaction.atomic
def attachment_add(*, data: bytes) -> str:
    """Store one picture and return its SHA-256; raises the same errors as `AttachmentStore.put`."""
    store = AttachmentStore()
    digest = store.put(data)
    store.save()
    return digest


def attachments_sweep() -> int:
    """Delete pictures without references and return how many there were.

    Questions, changes that can be undone, and test papers under review refer to pictures.
    """
    old = timezone.now() - YOUNG
    with connection.cursor() as cursor:
        cursor.execute(_REFERENCES)
        used = {row[0] for row in cursor.fetchall()}
    unused = Attachment.objects.filter(used_at__lt=old).exclude(sha256__in=used)
    names = list(unused.values_list("sha256", flat=True))
    Attachment.objects.filter(sha256__in=names, used_at__lt=old).delete()
    digests = used | set(Attachment.objects.values_list("sha256", flat=True))
    storage = storages["attachments"]
    for folder, digest in _files():
        with suppress(FileNotFoundError):
            if digest not in digests and storage.get_modified_time(f"{folder}/{digest}") < old:
                storage.delete(f"{folder}/{digest}")
    return len(names)


def _files() -> Iterable[tuple[str, str]]:
    storage = storages["attachments"]
    with suppress(FileNotFoundError):
        for folder in storage.listdir("")[0]:
            for name in storage.listdir(folder)[1]:
                yield folder, name
