"""JSON: one question per object, one object per line or all of them in a list; also gzipped.

Only the text is required. The fields are those of `QuestionRecord`, with ``set`` for the name of the data set
(``source`` is free text in most published sets and is not read), or common names for them
(`questionbank.formats.columns`); other fields are reported but not read, null means absent. ``options`` is a list
of ``{"label", "text"}``, ``concepts`` a list of paths, each a list from coarse to fine. A line without ``equation`` may
have ``program`` (MathQA) or ``calculations`` (GSM8K, a list of ``left=result``), from which its equation is derived.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from typing import Any

from analytics.json_lines import parse_object
from analytics.question_content import as_json
from analytics.records import QuestionRecord
from questionbank.core.errors import LineProblem, LineWarning
from questionbank.formats.columns import CONCEPT_FIELDS, OBSERVED_FIELDS, WRITTEN, guess_fields
from questionbank.formats.fields import exported_path
from questionbank.formats.json_objects import (
    doubtful_command,
    has_undoubled_latex,
    is_command,
    mark_strings,
    read_object,
)
from questionbank.formats.layout import FileLayout
from questionbank.formats.seam import Attachments

_SHAPES_REMEMBERED = 1_000
_UNREAD_REMEMBERED = 1_000
_MARK = "\ufdd1"  # appended to strings to find the fields they are in; never occurs in a text


class FieldNames:
    """Maps the names in the objects of a file to our fields; objects may have different names.

    Args:
        layout: layout of the file, including the user's choices for its names.
    """

    def __init__(self, layout: FileLayout) -> None:
        self._fields = dict(zip(layout.names, layout.fields, strict=True))
        self._shapes: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        self.unread: dict[str, None] = {}

    def row(self, found: dict[str, Any]) -> dict[str, Any]:
        names = tuple(found)
        shape = self._shapes.get(names)
        if shape is None:
            shape = self._shape(names, found)
            if len(self._shapes) < _SHAPES_REMEMBERED:
                self._shapes[names] = shape
        return {field: found[name] for name, field in shape}

    def _shape(self, names: tuple[str, ...], found: dict[str, Any]) -> list[tuple[str, str]]:
        stated = {field for name in names if (field := self._fields.get(name))}
        guesses = guess_fields(names, list(found.values()))
        shape = []
        for name, guess in zip(names, guesses, strict=True):
            field = self._fields.get(name, "" if guess in stated else guess)
            if not field and guess == "text" and "text" not in stated:  # other objects use another name
                field = guess
            if field and not ("text" in stated and field in CONCEPT_FIELDS):
                shape.append((name, field))
            elif name not in OBSERVED_FIELDS and len(self.unread) < _UNREAD_REMEMBERED:
                self.unread.setdefault(name)
        return shape


def json_rows(
    objects: Iterable[tuple[int, bytes | LineProblem]], layout: FileLayout, names: FieldNames
) -> Iterator[tuple[int, dict[str, Any] | LineProblem | LineWarning]]:
    """Yield the values of each object by our field names, or its problem; warnings come first.

    Args:
        objects: as `json_objects` yields them.
    """
    for number, text in objects:
        if isinstance(text, LineProblem):
            yield number, text
            continue
        try:
            line, changed, found = read_object(text, layout.encoding)
        except ValueError as error:
            yield number, LineProblem(number, str(error))
            continue
        row = names.row(found)
        doubtful = doubtful_command(line) if not changed and has_undoubled_latex(text) else ""
        if doubtful:
            reason = rf"a line break or a tab may be meant as \{doubtful}; if so, double the backslash"
            yield number, LineWarning(number, reason)
        if changed:
            for name in _fields_of(line, changed, names):
                reason = f"{name} has LaTeX with single backslashes; it is read as if they were doubled"
                yield number, LineWarning(number, reason, name)
        yield number, row


def _fields_of(line: str, changed: list[int], names: FieldNames) -> list[str]:
    """Return our names of the fields that contain the changed strings of a line."""
    places = set(changed)
    marked = mark_strings(line, places, _MARK)
    row = names.row(parse_object(marked))
    return [field for field, value in row.items() if _MARK in json.dumps(value, ensure_ascii=False)]


def question_fields(record: QuestionRecord) -> dict[str, Any]:
    """Return the fields of a question as a line holds them, without empty ones."""
    fields: dict[str, Any] = {column.name: as_json(getattr(record, column.attribute)) for column in WRITTEN}
    fields |= {"responses": record.responses or None, "concepts": [exported_path(path) for path in record.concepts]}
    if record.observed is not None:
        fields |= dict(zip(OBSERVED_FIELDS, astuple(record.observed), strict=True))
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


_LIKE_LATEX = re.compile(r"((?<!\\)(?:\\\\)*)\\([bfnrt])([a-zA-Z]*)")
_BY_NUMBER = {"b": r"\u0008", "f": r"\u000c", "n": r"\u000a", "r": r"\u000d", "t": r"\u0009"}


def write_json_lines(records: Iterable[QuestionRecord], _attachments: Attachments) -> Iterator[bytes]:
    """Yield the lines of a JSON Lines file."""
    for record in records:
        yield f"{write_jsonl_line(record)}\n".encode()


def write_jsonl_line(record: QuestionRecord) -> str:
    r"""Return one line without its line end; escape control characters that look like LaTeX by number.

    For example, a line break before "eq" would otherwise be written ``\neq``.
    """
    line = json.dumps(question_fields(record), ensure_ascii=False, allow_nan=False)
    return _LIKE_LATEX.sub(_by_number, line)


def _by_number(match: re.Match[str]) -> str:
    before, sign, letters = match.groups()
    if sign in "bf" or is_command(sign + letters):
        return f"{before}{_BY_NUMBER[sign]}{letters}"
    return match[0]
