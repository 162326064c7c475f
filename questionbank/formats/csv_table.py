"""CSV: a header line with the names of the columns, then one question a row; gzip too.

Columns: ``id text language kind A B C D E options answer solution equation numbers concepts difficulty
difficulty_scale grade stage facility responses set``, or usual names for them (`questionbank.formats.column_names`);
only the text is needed, their order is free, others are named and not read. ``program`` and ``calculations`` are read
where a row has no ``equation``. Options stand one a column (A to H) or together in ``options``. A hierarchy alone has
``path``, or ``id``, ``name`` and ``parent``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from analytics.json_lines import UNPACKED_LIMIT
from analytics.question_content import Option
from analytics.records import QuestionRecord
from questionbank.errors import LineProblem, LineWarning
from questionbank.formats.cells import guard_cell, join_list, join_paths
from questionbank.formats.csv_rows import DecodedLines, table_rows
from questionbank.formats.jsonl import question_fields
from questionbank.formats.layout import FileLayout
from questionbank.formats.lines import Progress, read_lines
from questionbank.formats.seam import Attachments

COLUMNS = (
    "id", "text", "language", "kind", "A", "B", "C", "D", "E", "options", "answer", "solution", "equation",
    "numbers", "concepts", "difficulty", "difficulty_scale", "grade", "stage", "facility", "responses", "set",
    "grading",
)  # fmt: skip
_WRITTEN_LABELS = tuple("ABCDE")

CSV_HEAD = "\ufeff" + ",".join(COLUMNS) + "\r\n"
"""First line of what we write; the byte order mark tells spreadsheet programs that it is UTF-8."""


def csv_rows(
    path: Path, layout: FileLayout, *, progress: Progress | None = None, unpacked_limit: int = UNPACKED_LIMIT
) -> Iterator[tuple[int, dict[str, Any] | LineProblem | LineWarning]]:
    """Yield the cells of each row that is not blank by our names of fields, or its problem, by the line it begins on.

    Raises:
        ImportRefused: the file as a whole cannot be read on.
    """
    read = read_lines(path, progress=progress, unpacked_limit=unpacked_limit)
    lines = DecodedLines(read, layout.encoding)
    lines.skip_to(layout.header_line)
    if layout.header_line:
        next(csv.reader(lines, delimiter=layout.delimiter), None)
        lines.take_bad()
    yield from table_rows(lines, layout.fields, layout.delimiter)


def write_csv(records: Iterable[QuestionRecord], _attachments: Attachments) -> Iterator[bytes]:
    """Yield the header and the rows of a file."""
    yield CSV_HEAD.encode()
    for record in records:
        yield write_csv_row(record).encode()


def write_csv_row(record: QuestionRecord) -> str:
    """Return one row with its line end, safe to open in a spreadsheet program."""
    row = question_cells(record)
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerow(guard_cell(row.get(name, "")) for name in COLUMNS)
    return buffer.getvalue()


def question_cells(record: QuestionRecord) -> dict[str, str]:
    """Return the cells of a question by their columns."""
    fields = question_fields(record)
    if _fits_columns(record.options):
        fields |= {"options": "", **{option.label: option.text for option in record.options}}
    return {name: _cell(name, value) for name, value in fields.items()}


def _fits_columns(options: Sequence[Option]) -> bool:
    labels = tuple(option.label for option in options)
    return labels == _WRITTEN_LABELS[: len(labels)] and all(
        option == Option(option.label, option.text) for option in options
    )


def _cell(name: str, value: Any) -> str:
    if isinstance(value, list) and name in ("numbers", "concepts"):
        return join_list(value) if name == "numbers" else join_paths(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else repr(value)
