"""Files of questions, read by iterating: items of their own, or rows of a table or of JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from analytics.json_lines import UNPACKED_LIMIT
from analytics.records import QuestionRecord
from questionbank.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.concept_rows import ConceptRow
from questionbank.formats.csv_table import csv_rows
from questionbank.formats.fields import FileScale
from questionbank.formats.jsonl import FieldNames, json_rows
from questionbank.formats.layout import FileLayout
from questionbank.formats.lines import Progress
from questionbank.formats.rows import RowReader
from questionbank.formats.seam import Entry, Format, ReadContext
from questionbank.formats.sheets.reading import sheet_rows


class ItemFile:
    """A file of questions that are items of their own, read by iterating as `QuestionFile` is.

    Attributes:
        layout: none: items have no columns.
    """

    layout = None

    def __init__(self, path: Path, format: Format, context: ReadContext) -> None:
        self.path, self.format, self.label = path, format, format.label
        self.notes = context.notes
        self.unread: list[str] = []
        self._context = context

    def __iter__(self) -> Iterator[tuple[int, Entry]]:
        """Yield what each item turns out to be; no two items on the same line, though they may share one.

        Raises:
            ImportRefused: the file as a whole cannot be read, or not on; nothing before it may be kept.
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
                        reason = f"the identifier stands already in line {first:,}; the question gets none"
                        yield line, LineWarning(line, reason, "id")
            yield line, entry
        if is_empty:
            raise ImportRefused(f"{self.path.name} contains no questions.")


class QuestionFile:
    """A file of questions, read by iterating: (line number, question, concept, warning or problem) of each line.

    Memory does not grow with the file but by its identifiers, which must not repeat.

    Attributes:
        layout: how it is read.
        notes: what is done with columns as a whole, complete when all is read.
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
            self._values_of,
            scale=scale,
            without=without,
            has_own_paths=("concepts", "concepts") in layout.pairs,
        )

    @property
    def notes(self) -> list[str]:
        return [*self.layout.notes, *self._reader.notes]

    @property
    def unread(self) -> list[str]:
        """Names of columns or fields that the file has and that are not read; of JSON, of the objects read so far."""
        return self.layout.unread if self.layout.is_table else list(self._names.unread)

    def __iter__(self) -> Iterator[tuple[int, Entry]]:
        """Yield what each line turns out to be.

        Raises:
            ImportRefused: the file as a whole cannot be read, or not on; nothing before it may be kept.
        """
        first_line_of: dict[tuple[bool, str], int] = {}
        is_empty = True
        for line, row in self._rows(self._names, self._progress):
            is_empty = False
            if not isinstance(row, dict):
                yield line, row
                continue
            for number, entry in self._reader.read(line, row):
                if isinstance(entry, QuestionRecord | ConceptRow) and entry.id:
                    first = first_line_of.setdefault((isinstance(entry, ConceptRow), entry.id), line)
                    if first != line:
                        reason = f"the id {entry.id!r} stands already in line {first:,}"
                        yield number, LineProblem(line, reason, "id")
                        continue
                yield number, entry
        if is_empty:
            raise ImportRefused(f"{self.path.name} contains no questions.")

    def _rows(
        self, names: FieldNames, progress: Progress | None = None
    ) -> Iterator[tuple[int, dict[str, Any] | LineProblem | LineWarning]]:
        if self.layout.sheet:
            return sheet_rows(self.path, self.layout, progress=progress)
        if self.layout.is_table:
            return csv_rows(self.path, self.layout, progress=progress, unpacked_limit=self._unpacked_limit)
        return json_rows(
            self.path, self.layout, names, progress=progress, unpacked_limit=self._unpacked_limit
        )

    def _values_of(self, field: str) -> Iterator[Any]:
        for _line, row in self._rows(FieldNames(self.layout)):
            if isinstance(row, dict):
                yield row.get(field)
