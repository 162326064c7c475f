"""JSON Lines: one question a line, as a JSON object; gzip too.

Only ``text`` is needed. The fields are those of `QuestionRecord`, with ``set`` for the name of the data set
(``source`` is free text in most published sets and is not read); others are ignored, null means absent.
``options`` is a list of ``{"label", "text"}``, ``concepts`` a list of paths, each a list from coarse to fine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analytics.json_lines import decode_line, parse_object
from analytics.records import QuestionRecord
from questionbank.errors import LineProblem
from questionbank.formats.concept_rows import ConceptRow, is_concept_row, read_concept_row
from questionbank.formats.fields import UNKNOWN_SCALE, FieldProblems, FileScale, exported_path, read_question
from questionbank.formats.lines import Progress, read_lines

__all__ = ["question_fields", "read_jsonl", "write_jsonl_line"]


def read_jsonl(
    path: Path, *, scale: FileScale = UNKNOWN_SCALE, progress: Progress | None = None
) -> Iterator[tuple[int, QuestionRecord | ConceptRow | LineProblem]]:
    """Yield the question, the concept or the problem of each line that is not blank.

    Raises:
        ImportRefused: the file as a whole cannot be read on.
    """
    for number, line in read_lines(path, progress=progress):
        if isinstance(line, LineProblem):
            yield number, line
        elif line.strip():
            yield number, _read_line(number, line, scale)


def _read_line(number: int, line: bytes, scale: FileScale) -> QuestionRecord | ConceptRow | LineProblem:
    try:
        row = parse_object(decode_line(line.rstrip()))
        if is_concept_row(row):
            return read_concept_row(row, number)
        return read_question(row, scale=scale)
    except FieldProblems as error:
        return LineProblem(number, str(error), error.problems[0][0])
    except ValueError as error:
        return LineProblem(number, str(error))


def question_fields(record: QuestionRecord) -> dict[str, Any]:
    """Return the fields of a question as a line holds them; what is empty is left out."""
    fields: dict[str, Any] = {
        "id": record.id,
        "text": record.text,
        "language": record.language,
        "kind": record.kind,
        "options": [
            {"label": option.label, "text": option.text}
            | ({"misconception": option.misconception} if option.misconception else {})
            for option in record.options
        ],
        "answer": record.answer,
        "solution": record.solution,
        "equation": record.equation,
        "numbers": list(record.numbers),
        "concepts": [exported_path(path) for path in record.concepts],
        "difficulty": record.difficulty,
        "difficulty_scale": record.difficulty_scale,
        "grade": record.grade,
        "stage": record.stage,
        "facility": record.facility,
        "responses": record.responses or None,
        "set": record.source,
    }
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


def write_jsonl_line(record: QuestionRecord) -> str:
    """Return one line, without its end."""
    return json.dumps(question_fields(record), ensure_ascii=False, allow_nan=False)
