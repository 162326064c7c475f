"""Questions as they were read: whether one has changed since, so that its item goes back untouched; files of them."""

from __future__ import annotations

import hashlib
import json

from analytics.question_content import as_json
from analytics.records import QuestionRecord

_NOT_OF_THE_ITEM = frozenset(
    {"id", "source", "original", "concepts", "predicted"}
)  # the bank's, or the file's around the item
_DATE = (1980, 1, 1, 0, 0, 0)


def fields_digest(record: QuestionRecord) -> bytes:
    """Return the SHA-256 of all fields that an item of a file holds."""
    fields = {name: value for name, value in as_json(record).items() if name not in _NOT_OF_THE_ITEM}
    return hashlib.sha256(json.dumps(fields, sort_keys=True, ensure_ascii=False).encode()).digest()
