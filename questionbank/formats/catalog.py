"""The one table of file formats, and reading and writing by its names.

To add a format: one module with a reader (and a writer), one line here, its tests.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from analytics.records import QuestionRecord
from questionbank.atomic_file import written_aside
from questionbank.errors import ImportRefused, LineProblem, ValidationFailed
from questionbank.formats.concept_rows import ConceptRow
from questionbank.formats.csv_layout import CsvLayout
from questionbank.formats.csv_table import CSV_HEAD, header_delimiter, read_csv, unread_columns, write_csv_row
from questionbank.formats.fields import UNKNOWN_SCALE, FileScale
from questionbank.formats.jsonl import read_jsonl, write_jsonl_line
from questionbank.formats.lines import Progress, first_bytes, refuse_unreadable
from questionbank.scales import scale_names

__all__ = ["AUTO", "FORMATS", "Entry", "Format", "read", "sniff", "unread", "write"]

Entry = QuestionRecord | ConceptRow | LineProblem
"""What a line can turn out to be."""

AUTO = "auto"


class _Reader(Protocol):
    def __call__(
        self, path: Path, *, scale: FileScale = UNKNOWN_SCALE, progress: Progress | None = None
    ) -> Iterator[tuple[int, Entry]]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """How one kind of file is recognised, read and written.

    Attributes:
        suffixes: endings of file names, each with and without ``.gz``.
        recognise: whether the beginning of an unnamed file is of this format.
        read: the questions, concepts and problems of a file with their line numbers.
        media_type: of a file that is sent.
        write: one question as text, line end included; `head` goes before the first.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    media_type: str
    recognise: Callable[[str], bool]
    read: _Reader
    write: Callable[[QuestionRecord], str]
    head: str = ""


FORMATS: dict[str, Format] = {
    "jsonl": Format(
        name="jsonl",
        label="JSON Lines",
        suffixes=(".jsonl", ".ndjson"),
        media_type="application/x-ndjson",
        recognise=lambda beginning: beginning.startswith("{"),
        read=read_jsonl,
        write=lambda record: write_jsonl_line(record) + "\n",
    ),
    "csv": Format(
        name="csv",
        label="CSV",
        suffixes=(".csv", ".tsv"),
        media_type="text/csv",
        recognise=lambda beginning: bool(header_delimiter(re.split(r"[\r\n]", beginning, maxsplit=1)[0])),
        read=read_csv,
        write=write_csv_row,
        head=CSV_HEAD,
    ),
}


def _names() -> str:
    return ", ".join((AUTO, *FORMATS))


def sniff(path: Path) -> Format:
    """Return the format of a file by its name, else by its beginning.

    Raises:
        ImportRefused: it is none of ours.
    """
    name = path.name.lower().removesuffix(".gz")
    for candidate in FORMATS.values():
        if name.endswith(candidate.suffixes):
            return candidate
    beginning = first_bytes(path).decode("utf-8-sig", "replace").lstrip()
    for candidate in FORMATS.values():
        if candidate.recognise(beginning):
            return candidate
    hint = " A JSON list is not JSON Lines: write one object a line." if beginning.startswith("[") else ""
    raise ImportRefused(f"The format of {path.name} is not known; Kindred reads {_labels()}.{hint}")


def _labels() -> str:
    return " and ".join(candidate.label for candidate in FORMATS.values())


def read(
    path: Path,
    format: str = AUTO,
    *,
    scale: str = "",
    likely_scale: str = "",
    progress: Progress | None = None,
    layout: CsvLayout | None = None,
) -> Iterator[tuple[int, Entry]]:
    """Yield (line number, question, concept or problem) of each line that is not blank.

    Memory does not grow with the file but by its identifiers, which must not repeat.

    Args:
        format: a name of `FORMATS`, or ``"auto"``.
        scale: the difficulty scale of lines that name none; a value outside it is refused.
        likely_scale: the same, but a value outside it is kept as published.
        progress: called now and then with (bytes read, bytes of the file).
        layout: how a CSV file is laid out; the file is read as CSV then.

    Raises:
        ImportRefused: the file as a whole cannot be read; nothing before it may be kept.
    """
    refuse_unreadable(path)
    if format != AUTO and format not in FORMATS:
        raise ImportRefused(f"The format {format!r} is not known; use one of {_names()}.")
    if scale and scale not in scale_names():
        raise ImportRefused(
            f"The difficulty scale {scale!r} is not known; use one of {', '.join(scale_names())}."
        )
    file_scale = FileScale(scale, likely_scale)
    if layout is not None:
        return _entries(path, read_csv(path, scale=file_scale, progress=progress, layout=layout))
    chosen = sniff(path) if format == AUTO else FORMATS[format]
    return _entries(path, chosen.read(path, scale=file_scale, progress=progress))


def unread(path: Path, format: str = AUTO, layout: CsvLayout | None = None) -> list[str]:
    """Return the names of columns that the file has and that are not read; none for a format without columns.

    Raises:
        ImportRefused: the file cannot be read.
    """
    is_table = layout is not None or (sniff(path) if format == AUTO else FORMATS[format]).read is read_csv
    return unread_columns(path, layout) if is_table else []


def _entries(path: Path, entries: Iterator[tuple[int, Entry]]) -> Iterator[tuple[int, Entry]]:
    first_line_of: dict[tuple[bool, str], int] = {}
    is_empty = True
    for line, entry in entries:
        is_empty = False
        if not isinstance(entry, LineProblem) and entry.id:
            first = first_line_of.setdefault((isinstance(entry, ConceptRow), entry.id), line)
            if first != line:
                reason = f"the id {entry.id!r} stands already in line {first:,}"
                entry = LineProblem(line, reason, "id")
        yield line, entry
    if is_empty:
        raise ImportRefused(f"{path.name} contains no questions.")


def write(records: Iterable[QuestionRecord], path: Path, format: str) -> int:
    """Write questions to a file, aside and then renamed; returns their number.

    A name that ends in ``.gz`` gives a compressed file.

    Raises:
        ValidationFailed: the format is not known, or the file cannot be written there.
    """
    if format not in FORMATS:
        raise ValidationFailed(f"The format {format!r} is not known; use one of {', '.join(FORMATS)}.")
    chosen = FORMATS[format]
    with written_aside(path) as raw:
        return _write_to(raw, records, chosen, is_packed=path.name.lower().endswith(".gz"))


def _write_to(raw: BinaryIO, records: Iterable[QuestionRecord], chosen: Format, *, is_packed: bool) -> int:
    written = 0
    stream: BinaryIO | gzip.GzipFile = (
        gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if is_packed else raw
    )
    stream.write(chosen.head.encode("utf-8"))
    for record in records:
        stream.write(chosen.write(record).encode("utf-8"))
        written += 1
    if is_packed:
        stream.close()
    return written
