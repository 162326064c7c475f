"""What formats of text say of a question in comments before it: ``[id:7] [tag:easy]`` and ``kindred: {"grade": "7"}``.

Other systems pass over what GIFT and LaTeX have no place for, and we read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from analytics.records import QuestionRecord

_ID = re.compile(r"\[id:((?:[^\]\\]|\\.)*)\]")
_TAG = re.compile(r"\[tag:((?:[^\]\\]|\\.)*)\]")
_OURS = re.compile(r"\W*kindred:\s*(\{.*\})\s*")


def mark_comments(record: QuestionRecord, sign: str, lost: str = "") -> Iterator[str]:
    """Yield the comments before a question.

    Args:
        sign: with which a comment begins.
        lost: fields that the format has no place for, as JSON.
    """
    marks = [f"[id:{_bracketed(record.id)}]"] if record.id else []
    marks += [f"[tag:{_bracketed(tag)}]" for tag in record.content.tags]
    if lost:
        yield f"{sign} kindred: {lost}"
    if marks:
        yield f"{sign} {' '.join(marks)}"


def read_marks(comments: Iterable[str]) -> tuple[str, tuple[str, ...], str]:
    """Return identifier, tags, and the fields of ours as JSON that comments hold; what is not there is empty."""
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
