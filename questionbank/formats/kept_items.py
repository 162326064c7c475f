"""Items of other systems whose rows cannot be read: kept as opaque questions, with their text alone."""

from __future__ import annotations

from typing import Any

from analytics.question_content import QuestionContent
from analytics.records import QuestionRecord
from questionbank.formats.fields import FieldProblems, read_question
from questionbank.formats.item_pictures import Say

_OF_ANY = ("text", "id", "concepts", "language", "grade", "stage")


def read_or_keep(row: dict[str, Any], type: str, digest: str, say: Say) -> QuestionRecord:
    """Return the record of a row, else that of an opaque question, which can only leave as it came.

    Args:
        type: what the item's format calls its kind.
        digest: SHA-256 of the item.
        say: is told why it is kept.

    Raises:
        FieldProblems: it cannot even be kept.
    """
    try:
        return read_question(row)
    except FieldProblems as error:
        if row["kind"] == "opaque":
            raise
        say("kind", f"the question is kept as another type, because {error}")
    content: QuestionContent = row["grading"]
    kept = QuestionContent(
        title=content.title,
        tags=content.tags,
        pictures=content.pictures,
        stimulus=content.stimulus,
        settings={"type": type or "unknown"},
        original=digest,
    )
    fields = {name: row[name] for name in _OF_ANY if name in row}
    return read_question(fields | {"kind": "opaque", "grading": kept})
