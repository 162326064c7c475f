"""Questions as they were read: whether their source items are exported unchanged or rewritten."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from analytics.question_content import as_json
from analytics.records import QuestionRecord
from questionbank.formats.seam import not_held

_SAID_BY_ITEM = ("text", "kind", "options", "answer", "solution")
WRITTEN_ANEW = "layout, media and special grading of an item that is written anew, because its question was changed"
"""What is lost when an item is written from scratch, besides what the format cannot hold."""


def fields_digest(record: QuestionRecord) -> bytes:
    """Return the SHA-256 of all fields that a file's item holds."""
    # These belong to the bank, or to the file around the item.
    fields = as_json(replace(record, id="", source="", original=None, concepts=(), predicted=None, observed=None))
    del fields["id"]
    return hashlib.sha256(json.dumps(fields, sort_keys=True, ensure_ascii=False).encode()).digest()


def is_as_read(record: QuestionRecord) -> bool:
    """Return whether a question came from an item and none of its fields has changed since."""
    return record.original is not None and record.original.fields == fields_digest(record)


def is_written_anew(record: QuestionRecord, again: QuestionRecord) -> bool:
    """Return whether the item's own contents were changed, rather than only data that the bank adds.

    An item that we cannot parse is exported as it came, since only its own system can write it.

    Args:
        again: the record of the item, read again.
    """
    if record.original is None or record.kind == "opaque" or is_as_read(record):
        return False
    content = replace(again.content, tags=record.content.tags, section=record.content.section)
    return content != record.content or any(getattr(again, name) != getattr(record, name) for name in _SAID_BY_ITEM)


def kept_losses(record: QuestionRecord, again: QuestionRecord) -> list[str]:
    """Return the changes made in the bank that an item exported as it came does not contain.

    Section, concepts and the name of the data set are stored around an item, not in it.
    """
    if is_as_read(record):
        return []
    content = replace(again.content, original=record.content.original, section=record.content.section)
    return not_held(record, replace(again, source=record.source, concepts=record.concepts, content=content))
