"""Question files, read by iterating: files of items, or rows of a table or of JSON."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from analytics.json_lines import UNPACKED_LIMIT
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.csv_files import csv_rows
from questionbank.formats.fields import FileScale
from questionbank.formats.json_objects import json_objects
from questionbank.formats.jsonl import FieldNames, json_rows
from questionbank.formats.layout import FileLayout
from questionbank.formats.lines import Progress
from questionbank.formats.rows import RowReader
from questionbank.formats.seam import ConceptRow, Entry, Format, ReadContext
from questionbank.formats.sheets import sheet_rows


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


Named = TypeVar("Named", bound=_Identified | LineProblem | LineWarning)
"""Something with an identifier, or a problem or warning instead."""


class ItemFile:
    """A file of questions in an item format, read by iterating as with `QuestionFile`.

    Attributes:
        layout: always None, as items have no columns.
    """

    layout = None

    def __init__(self, path: Path, format: Format, context: ReadContext) -> None:
        self.path, self.format, self.label = path, format, format.label
        self.notes = context.notes
        self.unread: list[str] = []
        self._context = context

    def __iter__(self) -> Iterator[tuple[int, Entry]]:
        """Yield the entries of each item; no two records have the same line number, even if they share a line.

        Raises:
            ImportRefused: the file or the rest of it cannot be read; nothing read before may be kept.
        """
        assert self.format.read is not None  # noqa: S101
        first_line_of: dict[str, int] = {}
        last, is_empty = 0, True
        for line, entry in self.format.read(self.path, self._context):
            is_empty = False
            if isinstance(entry, QuestionRecord):
                line = last = max(line, last + 1)
                if entry.id:
                    first = first_line_of.setdefault(entry.id, line)
                    if first != line:
                        entry = replace(entry, id="")
                        reason = f"the identifier is already used in line {first:,}; this question gets none"
                        yield line, LineWarning(line, reason, "id")
            yield line, entry
        if is_empty:
            raise ImportRefused(f"{self.path.name} contains no questions.")


class QuestionFile:
    """A file of questions; iteration yields (line number, question, concept, warning or problem).

    Memory grows only with the number of identifiers, which must be unique.

    Attributes:
        layout: how to read the file.
        notes: how whole columns are treated; complete once the file has been read.
    """

    def __init__(
        self,
        path: Path,
        layout: FileLayout,
        format: Format,
        *,
        scale: FileScale,
        without: Collection[str] = (),
        progress: Progress | None = None,
        unpacked_limit: int = UNPACKED_LIMIT,
    ) -> None:
        self.path = path
        self.layout = layout
        self.format, self.label = format, format.label
        self._progress = progress
        self._unpacked_limit = unpacked_limit
        self._names = FieldNames(layout)
        self._reader = RowReader(
            self._values_of, scale=scale, without=without, has_own_paths=("concepts", "concepts") in layout.pairs
        )

    @property
    def notes(self) -> list[str]:
        return [*self.layout.notes, *self._reader.notes]

    @property
    def unread(self) -> list[str]:
        """Names of unread columns or fields; for JSON, those of the objects read so far."""
        return self.layout.unread if self.layout.is_table else list(self._names.unread)

    def __iter__(self) -> Iterator[tuple[int, Entry]]:
        """Yield the entry of each line.

        Raises:
            ImportRefused: the file or the rest of it cannot be read; nothing read before may be kept.
        """
        return self.without_repeats(self._entries(self._raw(self._progress)))

    def without_repeats(self, entries: Iterable[tuple[int, Named]]) -> Iterator[tuple[int, Named | LineProblem]]:
        """Yield the entries, replacing each one that repeats an earlier identifier by a problem.

        Raises:
            ImportRefused: the file has no entries.
        """
        first_line_of: dict[tuple[bool, str], int] = {}
        is_empty = True
        for line, entry in entries:
            is_empty = False
            if not isinstance(entry, LineProblem | LineWarning) and entry.id:
                first = first_line_of.setdefault((isinstance(entry, ConceptRow), entry.id), line)
                if first != line:
                    yield (line, LineProblem(line, f"the id {entry.id!r} is already used in line {first:,}", "id"))
                    continue
            yield line, entry
        if is_empty:
            raise ImportRefused(f"{self.path.name} contains no questions.")

    def share(self, index: int, count: int, *, rows: int) -> Iterator[list[tuple[int, Entry]]]:
        """Yield the entries of every `count`-th block of `rows` rows, starting with block `index`.

        Duplicate identifiers are left to `without_repeats`.
        """
        raw = self._raw(self._progress)
        for number in itertools.count():
            if not (block := list(itertools.islice(raw, rows))):
                return
            if number % count == index:
                yield list(self._entries(iter(block)))

    def _entries(self, raw: Iterator[Any]) -> Iterator[tuple[int, Entry]]:
        for line, row in self._rows(raw, self._names):
            if isinstance(row, dict):
                yield from self._reader.read(line, row)
            else:
                yield line, row

    def _raw(self, progress: Progress | None = None) -> Iterator[Any]:
        """Return the rows of a table, or the raw objects of JSON."""
        if self.layout.sheet:
            return sheet_rows(self.path, self.layout, progress=progress)
        if self.layout.is_table:
            return csv_rows(self.path, self.layout, progress=progress, unpacked_limit=self._unpacked_limit)
        return json_objects(self.path, progress=progress, unpacked_limit=self._unpacked_limit)

    def _rows(
        self, raw: Iterator[Any], names: FieldNames
    ) -> Iterator[tuple[int, dict[str, Any] | LineProblem | LineWarning]]:
        return raw if self.layout.is_table else json_rows(raw, self.layout, names)

    def _values_of(self, field: str) -> Iterator[Any]:
        for _line, row in self._rows(self._raw(), FieldNames(self.layout)):
            if isinstance(row, dict):
                yield row.get(field)
