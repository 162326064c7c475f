"""Fields that a format of others has no place for, as JSON beside the item: other systems pass over it, we read it."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from analytics.question_content import as_json, content_of
from analytics.records import QuestionRecord
from questionbank.formats.fields import exported_path

_NOT_OURS = frozenset({"id", "original", "content", "source", "predicted"})
_OUR_FIELDS = tuple(sorted({column.name for column in fields(QuestionRecord)} - _NOT_OURS))


def lost_fields(record: QuestionRecord, again: QuestionRecord) -> str:
    """Return the fields that differ when a question is read again, as JSON; nothing where none does."""
    lost = {
        name: as_json(getattr(record, name))
        for name in (*_OUR_FIELDS, "content", "source")
        if getattr(record, name) != getattr(again, name)
    }
    if "concepts" in lost:
        lost["concepts"] = [exported_path(path) for path in record.concepts]
    return json.dumps(lost, ensure_ascii=True) if lost else ""


def read_ours(source: str, row: dict[str, Any]) -> None:
    """Put the fields that `lost_fields` gave into a row; what is none of ours changes nothing."""
    try:
        found = json.loads(source)
        content = content_of(found["content"]) if "content" in found else row["grading"]
    except (ValueError, RecursionError, TypeError):
        return
    row |= {name: value for name, value in found.items() if name in _OUR_FIELDS}
    if "source" in found:
        row["set"] = found["source"]
    row["grading"] = content
