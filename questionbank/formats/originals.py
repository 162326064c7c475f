"""Questions as they were read: whether one has changed since, so that its item goes back untouched; files of them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator

from analytics.question_content import as_json
from analytics.records import QuestionRecord
from questionbank.formats.seam import Attachments, CannotHold

_NOT_OF_THE_ITEM = frozenset(
    {"id", "source", "original", "concepts", "predicted"}
)  # the bank's, or the file's around the item
_DATE = (1980, 1, 1, 0, 0, 0)


def fields_digest(record: QuestionRecord) -> bytes:
    """Return the SHA-256 of all fields that an item of a file holds."""
    fields = {name: value for name, value in as_json(record).items() if name not in _NOT_OF_THE_ITEM}
    return hashlib.sha256(json.dumps(fields, sort_keys=True, ensure_ascii=False).encode()).digest()


def originals_writer(format: str) -> Callable[[Iterable[QuestionRecord], Attachments], Iterator[bytes]]:
    """Return a writer of a ZIP archive of the files that questions were read from, each in its place."""

    def write(records: Iterable[QuestionRecord], attachments: Attachments) -> Iterator[bytes]:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            written: set[str] = set()
            for record in records:
                for name, data in _files_of(record, format, attachments):
                    if name not in written:
                        written.add(name)
                        archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
        yield buffer.getvalue()

    return write


def _files_of(record: QuestionRecord, format: str, attachments: Attachments) -> Iterator[tuple[str, bytes]]:
    original = record.original
    if original is None or original.format != format:
        return
    stated = json.loads(original.preamble)
    path: str = stated["path"]
    folder = path.rpartition("/")[0]
    yield path, original.data
    for name, text in stated["files"].items():
        yield name, text.encode()
    for picture in record.content.pictures:
        data = attachments.get(picture.sha256) if picture.sha256 else None
        if data is not None:
            yield f"{folder}/{picture.name}" if folder else picture.name, data


def originals_losses(label: str, format: str) -> Callable[[QuestionRecord, Attachments], list[str]]:
    """Return what tells of questions that did not come in a format, and of changes since they came."""

    def losses(record: QuestionRecord, _attachments: Attachments) -> list[str]:
        original = record.original
        if original is None or original.format != format:
            raise CannotHold(
                f"questions that did not come from {label}: Kindred gives back what it read and writes no others"
            )
        is_same = original.fields in (b"", fields_digest(record))
        return [] if is_same else ["changes made in the bank: the file has the question as it came"]

    return losses
