"""Fields without a place in another system's format, as JSON beside the item: ignored there, read by us.

In GIFT and LaTeX they are in comments before a question: ``[id:7] [tag:easy]`` and ``kindred: {"grade": "7"}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from analytics.question_content import as_json, content_of
from analytics.records import QuestionRecord
from questionbank.formats.fields import exported_path

_ID = re.compile(r"\[id:((?:[^\]\\]|\\.)*)\]")
_TAG = re.compile(r"\[tag:((?:[^\]\\]|\\.)*)\]")
_OURS = re.compile(r"\W*kindred:\s*(\{.*\})\s*")
_NOT_OURS = frozenset({"original", "content", "source", "predicted", "observed"})
_OUR_FIELDS = tuple(sorted({column.name for column in fields(QuestionRecord)} - _NOT_OURS))
_COMPARED = (*_OUR_FIELDS, "content", "source")
_TEXTS = frozenset({"text", "options", "answer", "solution", "content"})
_GUESSED = frozenset({"language", "kind"})  # from the texts, if a file does not state them


def lost_fields(record: QuestionRecord, again: QuestionRecord) -> str:
    """Return the fields that differ when a question is read again, as JSON; empty if none differ.

    If a text is among them, the fields guessed from texts are included too: a guess from the text read back may differ
    from a guess from this one.
    """
    names = {name for name in _COMPARED if getattr(record, name) != getattr(again, name)}
    if names & _TEXTS:
        names |= _GUESSED
    lost = {name: as_json(getattr(record, name)) for name in _COMPARED if name in names}
    if "concepts" in lost:
        lost["concepts"] = [exported_path(path) for path in record.concepts]
    return json.dumps(lost, ensure_ascii=True) if lost else ""


def read_ours(source: str, row: dict[str, Any]) -> None:
    """Put the fields written by `lost_fields` into a row; anything else changes nothing."""
    try:
        found = json.loads(source)
        content = content_of(found["content"]) if "content" in found else row["grading"]
    except (ValueError, RecursionError, TypeError):
        return
    row |= {name: value for name, value in found.items() if name in _OUR_FIELDS}
    if "source" in found:
        row["set"] = found["source"]
    row["grading"] = content


def mark_comments(record: QuestionRecord, sign: str, lost: str = "") -> Iterator[str]:
    """Yield the comments before a question.

    Args:
        sign: start of a comment.
        lost: the fields that the format has no place for, as JSON.
    """
    marks = [f"[id:{_bracketed(record.id)}]"] if record.id else []
    marks += [f"[tag:{_bracketed(tag)}]" for tag in record.content.tags]
    if lost:
        yield f"{sign} kindred: {lost}"
    if marks:
        yield f"{sign} {' '.join(marks)}"


def read_marks(comments: Iterable[str]) -> tuple[str, tuple[str, ...], str]:
    """Return the identifier, the tags and our fields (as JSON) from comments; each is empty if absent."""
    ours, others = "", []
    for line in comments:
        if found := _OURS.fullmatch(line):
            ours = found[1]
        else:
            others.append(line)
    said = "\n".join(others)
    identifier = _ID.search(said)
    tags = tuple(dict.fromkeys(_unbracketed(tag) for tag in _TAG.findall(said)))
    return _unbracketed(identifier[1]) if identifier else "", tags, ours


def _bracketed(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", " ".join(text.split()))


def _unbracketed(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text).strip()
