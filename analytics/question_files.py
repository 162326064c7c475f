"""Questions from JSON Lines files, for training and evaluation without a database."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.analysed_text import line_text
from analytics.errors import DataError
from analytics.json_lines import TEXT_LIMIT, naming_line, read_objects, string_problem
from analytics.records import ConceptPath


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """The fields of a question file's line that models learn from.

    `id` is empty if the line has none. `text` is the analysed text of the question
    (`analytics.analysed_text`). `source` identifies the question's origin: the first two folders of a path,
    or the first entry of a list; empty if the line has none.
    """

    text: str
    language: str
    paths: tuple[ConceptPath, ...]
    difficulty: float | None
    scale: str
    solution: str = ""
    id: str = ""
    source: str = ""


def read_rows(path: Path) -> list[QuestionRow]:
    """Read questions from a JSON Lines file (``.jsonl`` or ``.jsonl.gz``), or from all such files in a folder.

    In a folder, files named ``test*`` are skipped, so that nothing learns from a test set. Lines without a
    text (a concept tree, a pair) are skipped.

    Raises:
        DataError: there are no questions, or a line cannot be read; the message names file and line.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(
            file
            for file in path.iterdir()
            if file.name.endswith((".jsonl", ".jsonl.gz")) and not file.name.startswith("test")
        )
    else:
        files = [path]
    if not files or not all(file.is_file() for file in files):
        raise DataError(f"There is no question file (.jsonl or .jsonl.gz) at {path}.")
    rows = [row for file in files for row in _rows_of_file(file)]
    if not rows:
        raise DataError(f"There are no questions in {path}.")
    return rows


def _rows_of_file(file: Path) -> Iterator[QuestionRow]:
    for number, body in read_objects(file):
        with naming_line(file, number):
            row = question_row(body)
        if row is not None:
            yield row


def question_row(body: Mapping[str, Any]) -> QuestionRow | None:
    """Return the question of a line, or None if it has no text.

    Raises:
        ValueError: a value has the wrong type; the message is for the user.
    """
    text = body.get("text")
    if text is None:
        return None
    if not isinstance(text, str):
        raise ValueError("the text is not a string")
    if problem := string_problem(text, TEXT_LIMIT):
        raise ValueError(f"the text {problem}")
    paths = body.get("concepts") or []
    if not isinstance(paths, list) or not all(
        isinstance(path, list) and all(isinstance(name, str) for name in path) for path in paths
    ):
        raise ValueError("concepts is not a list of paths")
    difficulty = body.get("difficulty")
    if difficulty is not None and (isinstance(difficulty, bool) or not isinstance(difficulty, int | float)):
        raise ValueError("the difficulty is not a number")
    if difficulty is not None and abs(difficulty) > sys.float_info.max:
        raise ValueError("the difficulty is not a finite number")
    return QuestionRow(
        text=line_text(body),
        language=str(body.get("language") or "en"),
        paths=tuple(tuple(path) for path in paths if path),
        difficulty=None if difficulty is None else float(difficulty),
        scale=str(body.get("difficulty_scale") or ""),
        solution=str(body.get("solution") or ""),
        id=str(body.get("id") or ""),
        source=_source(body.get("source")),
    )


def _source(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else value
    return "/".join(first.split("/")[:2]) if isinstance(first, str) else ""
