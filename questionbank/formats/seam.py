"""The interface of a question format: how it is recognised, read and written, and what it cannot hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Protocol
from zipfile import ZipFile

from analytics.json_lines import UNPACKED_LIMIT
from analytics.question_content import EMPTY, QuestionContent, own_text
from analytics.records import QuestionRecord
from questionbank.core.errors import LineProblem, LineWarning
from questionbank.formats.columns import WRITTEN
from questionbank.formats.concept_rows import ConceptRow
from questionbank.formats.lines import Progress

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

    def file_name(self, stem: str, ending: str) -> str:
        """Return the name of a written file; it includes the target system unless the suffix already shows it.

        >>> Format("qti21", "QTI 2.1", (".zip",), "").file_name("fractions", ".zip")
        'fractions-qti-2.1.zip'
        """
        system = re.sub(r"[^a-z0-9.]+", "-", self.label.lower()).strip("-")
        return f"{stem}{ending}" if ending == f".{self.name}" else f"{stem}-{system}{ending}"


class NoAttachments:
    """Stores nothing: for files that are only inspected."""

    def put(self, data: bytes) -> str:
        import hashlib

        from questionbank.formats.pictures import read_picture

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
