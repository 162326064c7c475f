"""The interface of a question format: how it is recognised, read and written, and what it cannot hold.

A reader yields questions and, if a file contains a hierarchy, lines that hold a concept instead:
``{"path": ["Maths", "Number"]}`` gives its full path; ``{"id": 32, "name": "Number", "parent": 3}`` is placed by
following the parents, which may appear anywhere in the file. An item that is as it was read is exported unchanged.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol
from zipfile import ZipFile

from analytics.json_lines import UNPACKED_LIMIT, string_problem
from analytics.question_content import EMPTY, QuestionContent, as_json, own_text
from analytics.records import ConceptPath, QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats import limits
from questionbank.formats.columns import WRITTEN
from questionbank.formats.fields import FieldProblems, concept_name_problem, concept_path
from questionbank.formats.lines import Progress
from questionbank.formats.pictures import read_picture


@dataclass(frozen=True, slots=True)
class ConceptRow:
    """One concept of a file; `path` is empty if only the parent gives its position."""

    line: int
    id: str
    name: str
    parent: str
    path: ConceptPath


def is_concept_row(row: Mapping[str, Any]) -> bool:
    """Return whether a line without question text describes a concept."""
    return row.get("text") is None and ("path" in row or "name" in row) and "options" not in row


def read_concept_row(row: Mapping[str, Any], line: int) -> ConceptRow:
    """Build the concept from one line.

    Raises:
        FieldProblems: a field cannot be used.
    """
    identifier = _key(row, "id")
    parent = _key(row, "parent")
    path: ConceptPath = ()
    if row.get("path") is not None:
        if type(row["path"]) is not list:
            raise FieldProblems([("path", "path must be a list of names")])
        path, reason = concept_path(row["path"])
        if reason:
            raise FieldProblems([("path", f"path: names {reason}")])
    raw_name = row.get("name", path[-1] if path else "")
    if type(raw_name) is not str:
        raise FieldProblems([("name", "name must be a string")])
    name = " ".join(raw_name.split())
    if not name:
        raise FieldProblems([("name", "name is empty")])
    reason = concept_name_problem(name)
    if reason:
        raise FieldProblems([("name", f"name {reason}")])
    return ConceptRow(line, identifier, name, parent, path)


def _key(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if type(value) not in (int, str):
        raise FieldProblems([(field, f"{field} must be a string or a whole number")])
    text = str(value)
    reason = string_problem(text, limits.ID_LIMIT)
    if reason:
        raise FieldProblems([(field, f"{field} {reason}")])
    return text


def resolve_concept_rows(rows: Sequence[ConceptRow]) -> tuple[list[ConceptPath], list[LineProblem]]:
    """Return the path of each concept by following its parents, and a problem for each line that cannot be placed.

    Raises:
        ImportRefused: the parents form a cycle.
    """
    by_id = {row.id: row for row in rows if row.id}
    paths: dict[str, ConceptPath] = {}
    placed: list[ConceptPath] = []
    problems: list[LineProblem] = []
    for row in rows:
        chain: list[ConceptRow] = []
        seen: set[str] = set()
        at: ConceptRow | None = row
        base: ConceptPath | None = ()
        while at is not None:
            if at.id and at.id in paths:
                base = paths[at.id]
                break
            if at.id in seen:
                _refuse_cycle(chain, at)
            chain.append(at)
            if at.id:
                seen.add(at.id)
            if at.parent and at.parent not in by_id:
                base = () if at.path else None
                break
            at = by_id[at.parent] if at.parent else None
        if base is None:
            problems.append(LineProblem(row.line, f"parent {chain[-1].parent!r} is not in the file", "parent"))
            continue
        for link in reversed(chain):
            base = link.path or (*base, link.name)[: limits.CONCEPT_DEPTH_LIMIT + 1]
            if link.id:
                paths[link.id] = base
        if len(base) > limits.CONCEPT_DEPTH_LIMIT:
            reason = f"the concept lies deeper than {limits.CONCEPT_DEPTH_LIMIT} levels"
            problems.append(LineProblem(row.line, reason, "parent"))
            continue
        placed.append(base)
    return placed, problems


def _refuse_cycle(chain: Sequence[ConceptRow], again: ConceptRow) -> None:
    start = next(index for index, row in enumerate(chain) if row.id == again.id)
    ring = [*reversed(chain[start:])]
    names = " > ".join(row.name for row in [ring[-1], *ring])
    lines = sorted(row.line for row in ring)
    message = f"The concepts form a cycle: {names}."
    raise ImportRefused(message, [LineProblem(line, "this concept is its own ancestor", "parent") for line in lines])


Entry = QuestionRecord | ConceptRow | LineProblem | LineWarning
"""What a reader finds at a position in a file: a question, a concept, a problem or a warning."""


class Attachments(Protocol):
    """Storage for pictures."""

    def put(self, data: bytes) -> str:
        """Store a picture; return its SHA-256. Raises `PictureRefused`."""

    def get(self, sha256: str, /) -> bytes | None:
        """Return a picture, or None."""


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What a reader needs besides the file.

    Attributes:
        notes: the reader's remarks on the file as a whole.
    """

    attachments: Attachments
    progress: Progress | None = None
    unpacked_limit: int = UNPACKED_LIMIT
    notes: list[str] = field(default_factory=list)


ANOTHER_TYPE = "questions of other types, which can only be exported in the format they were imported from"
"""How `CannotHold` describes such questions."""


class CannotHold(Exception):
    """A format has no equivalent for a question; the message names the kind, as in "questions in parts"."""


def no_writer(_records: Iterable[QuestionRecord], _attachments: Attachments) -> Iterator[bytes]:
    """Placeholder writer of a read-only format."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Format:
    """A format of question files.

    Attributes:
        suffixes: file name suffixes, each with and without ``.gz``; the first is used for exports.
        is_table: whether the format has a header and columns.
        media_type: media type of exported files.
        write: yields the bytes of a file of questions; omits what it cannot hold, as described by `losses`.
        sniff: whether a file has this format, by its beginning and its name; None if its layout decides.
        sniff_archive: whether a ZIP archive has this format.
        read: yields the line and the entry of each item; raises `ImportRefused` if the file as a whole cannot be read.
            None if files are read by their layout (JSON, tables).
        losses: parts of a question that the format cannot hold, in plain words; raises `CannotHold`.
        reads_folders: whether archives of such files are read too.
        place: what the number of an entry counts: lines, rows or the entries themselves.
        takes_predictions: whether predicted concepts and difficulty can be exported, marked as predictions.
        is_paper: whether such a file can also be read as a test paper.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    media_type: str
    write: Callable[[Iterable[QuestionRecord], Attachments], Iterator[bytes]] = no_writer
    losses: Callable[[QuestionRecord, Attachments], list[str]] = lambda _record, _attachments: []
    is_table: bool = False
    sniff: Callable[[str, str], bool] | None = None
    sniff_archive: Callable[[ZipFile], bool] | None = None
    read: Callable[[Path, ReadContext], Iterator[tuple[int, Entry]]] | None = None
    reads_folders: bool = False
    takes_predictions: bool = False
    is_paper: bool = False
    place: str = "number"

    @property
    def is_written(self) -> bool:
        return self.write is not no_writer

    def ending(self, beginning: bytes) -> str:
        """Return the suffix of a written file from its first bytes: a text with pictures becomes an archive."""
        return ".zip" if self.reads_folders and beginning.startswith(b"PK\x03\x04") else self.suffixes[0]

    def file_name(self, stem: str, beginning: bytes) -> str:
        """Return the name of a written file; it includes the target system unless the suffix already shows it.

        >>> Format("qti21", "QTI 2.1", (".zip",), "").file_name("fractions", b"")
        'fractions-qti-2.1.zip'
        """
        ending = self.ending(beginning)
        system = re.sub(r"[^a-z0-9.]+", "-", self.label.lower()).strip("-")
        return f"{stem}{ending}" if ending == f".{self.name}" else f"{stem}-{system}{ending}"

    def headers(self, stem: str, beginning: bytes) -> dict[str, str]:
        """Return the headers with which a written file is downloaded."""
        media_type = self.media_type if self.ending(beginning) == self.suffixes[0] else "application/zip"
        return {
            "Content-Type": f"{media_type}; charset=utf-8",
            "Content-Disposition": f'attachment; filename="{self.file_name(stem, beginning)}"',
        }


class NoAttachments:
    """Stores nothing: for files that are only inspected."""

    def put(self, data: bytes) -> str:
        read_picture(data)
        return hashlib.sha256(data).hexdigest()

    def get(self, _sha256: str) -> bytes | None:
        return None


_NAMES = {column.attribute: column.lost for column in WRITTEN if column.lost}
_CONTENT_NAMES = {
    "title": "the title", "points": "the points", "accepted": "other accepted answers, their weights and tolerances",
    "pairs": "the pairs to match", "blanks": "the gaps with their answers", "parts": "the parts",
    "feedback": "feedback to students", "hints": "the hints", "tags": "the tags", "original": "the original",
    "settings": "settings such as shuffling and penalties", "pictures": "the pictures",
    "stimulus": "the text shared with other questions", "section": "the section of its paper",
}  # fmt: skip
_LINK = "the link between questions that share a text (each of them holds all of it)"


def not_held(record: QuestionRecord, again: QuestionRecord) -> list[str]:
    """Return what a question loses when it is read back, in a teacher's words."""
    lost = [
        _NAMES[column.name]
        for column in fields(QuestionRecord)
        if column.name in _NAMES and getattr(record, column.name) != getattr(again, column.name)
    ]
    if record.options != again.options:
        bare = tuple(replace(option, misconception="") for option in record.options)
        is_that_alone = bare == tuple(replace(option, misconception="") for option in again.options)
        lost.append("why students choose wrong options" if is_that_alone else "the options as they are in the bank")
    content = record.content or EMPTY
    is_in_text = own_text(record.text, content) != record.text
    names = _CONTENT_NAMES | ({"stimulus": _LINK} if is_in_text else {})
    lost += [
        names[column.name]
        for column in fields(QuestionContent)
        if getattr(content, column.name) != getattr(again.content, column.name)
    ]
    return list(dict.fromkeys(lost))


_SAID_BY_ITEM = ("text", "kind", "options", "answer", "solution")
WRITTEN_ANEW = "layout, media and special grading of an item that is rewritten, because its question was changed"
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
