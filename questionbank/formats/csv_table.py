"""CSV: a header line with the names of the columns, then one question a row; gzip too.

Columns: ``id text language kind A B C D E options answer solution equation numbers concepts difficulty
difficulty_scale grade stage facility responses set``; only ``text`` is needed, their order is free, others
are ignored. Options stand one a column (A to H) or as JSON in ``options``. A hierarchy alone has ``path``,
or ``id``, ``name`` and ``parent``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from analytics.records import Option, QuestionRecord
from questionbank.errors import ImportRefused, LineProblem
from questionbank.formats.cells import (
    guard_cell,
    join_list,
    join_paths,
    split_list,
    split_paths,
)
from questionbank.formats.concept_rows import ConceptRow, is_concept_row, read_concept_row
from questionbank.formats.csv_layout import (
    COLUMN_FIELDS,
    DELIMITERS,
    OPTION_COLUMNS,
    CsvLayout,
    header_cells,
    known_columns,
)
from questionbank.formats.csv_rows import DecodedLines, table_rows
from questionbank.formats.fields import UNKNOWN_SCALE, FieldProblems, FileScale, exported_path, read_question
from questionbank.formats.limits import UNPACKED_LIMIT
from questionbank.formats.lines import Progress, read_lines

__all__ = [
    "COLUMNS",
    "CSV_HEAD",
    "header_delimiter",
    "read_csv",
    "unread_columns",
    "write_csv_row",
]

COLUMNS = (
    "id", "text", "language", "kind", "A", "B", "C", "D", "E", "options", "answer", "solution", "equation",
    "numbers", "concepts", "difficulty", "difficulty_scale", "grade", "stage", "facility", "responses", "set",
)  # fmt: skip
_WRITTEN_LABELS = tuple("ABCDE")
_KNOWN = frozenset(COLUMN_FIELDS)

CSV_HEAD = "\ufeff" + ",".join(COLUMNS) + "\r\n"
"""First line of what we write; the byte order mark tells spreadsheet programs that it is UTF-8."""


def header_delimiter(line: str) -> str:
    """Return the delimiter of a header line, or nothing where it is none of ours.

    >>> header_delimiter("id;text;answer"), header_delimiter("Once upon a time")
    (';', '')
    """
    best, best_known = "", 0
    for delimiter in DELIMITERS:
        try:
            cells = next(csv.reader([line.strip("\r\n")], delimiter=delimiter), [])
        except csv.Error:
            continue
        names = set(known_columns(cells))
        known = len(names & _KNOWN) if names & {"text", "path", "name"} else 0
        if known > best_known:
            best, best_known = delimiter, known
    return best


def read_csv(
    path: Path,
    *,
    scale: FileScale = UNKNOWN_SCALE,
    progress: Progress | None = None,
    layout: CsvLayout | None = None,
    unpacked_limit: int = UNPACKED_LIMIT,
) -> Iterator[tuple[int, QuestionRecord | ConceptRow | LineProblem]]:
    """Yield the question, the concept or the problem of each row, by the line it begins on.

    Args:
        layout: how to read the file; by default UTF-8 with our own names of columns.

    Raises:
        ImportRefused: the header is not one, or the file as a whole cannot be read on.
    """
    read = read_lines(path, progress=progress, unpacked_limit=unpacked_limit)
    lines = DecodedLines(read, layout.encoding if layout else "utf-8")
    header_line = next(iter(lines), "")
    if layout is not None:
        lines.take_bad()
        names, delimiter = list(layout.columns), layout.delimiter
    else:
        names, delimiter = _own_header(header_line, lines.take_bad(), path)
    for number, row in table_rows(lines, names, delimiter):
        yield number, row if isinstance(row, LineProblem) else _read_row(row, number, scale)


def unread_columns(path: Path, layout: CsvLayout | None = None) -> list[str]:
    """Return the names of the columns of a CSV file that are not read.

    Raises:
        ImportRefused: the header cannot be read.
    """
    encoding, delimiter = (layout.encoding, layout.delimiter) if layout else ("utf-8", "")
    cells, _delimiter = header_cells(path, encoding, delimiter)
    read = layout.columns if layout else known_columns(cells)
    return [
        cell.strip() or f"({place})"
        for place, (cell, field) in enumerate(zip(cells, read, strict=False), start=1)
        if field not in _KNOWN
    ]


def _own_header(line: str, problem: LineProblem | None, path: Path) -> tuple[list[str], str]:
    """Return the fields and delimiter of a header in our own names."""
    delimiter = header_delimiter(line)
    if problem or not delimiter:
        reason = problem.reason if problem else "it needs at least the column text"
        raise ImportRefused(
            f"The first line of {path.name} is not a header of columns: {reason}.", [LineProblem(1, reason)]
        )
    names = known_columns(next(csv.reader([line.strip("\r\n")], delimiter=delimiter)))
    twice = sorted({name for name in names if name in _KNOWN and names.count(name) > 1})
    if twice:
        reason = f"the column {twice[0]} is there twice"
        raise ImportRefused(f"The header of {path.name} is wrong: {reason}.", [LineProblem(1, reason)])
    return names, delimiter


def _read_row(
    row: Mapping[str, str], line: int, scale: FileScale
) -> QuestionRecord | ConceptRow | LineProblem:
    try:
        fields = _fields({name: cell for name, cell in row.items() if name in _KNOWN})
        if is_concept_row(fields):
            return read_concept_row(fields, line)
        return read_question(fields, scale=scale)
    except FieldProblems as error:
        return LineProblem(line, str(error), error.problems[0][0])


def _fields(row: dict[str, str]) -> dict[str, Any]:
    """Return the row in the shape of a JSON line."""
    fields: dict[str, Any] = {name: cell for name, cell in row.items() if name not in OPTION_COLUMNS}
    if "concepts" in row:
        fields["concepts"] = split_paths(row["concepts"])
    if "path" in row:
        paths = split_paths(row["path"])
        if len(paths) != 1:
            raise FieldProblems([("path", "path must be one path of names")])
        fields["path"] = paths[0]
    if "numbers" in row:
        fields["numbers"] = split_list(row["numbers"])
    for name in ("difficulty", "facility"):
        if name in row:
            fields[name] = _number(name, row[name])
    if "responses" in row:
        if not row["responses"].strip().isdecimal() or len(row["responses"]) > 12:
            raise FieldProblems([("responses", "responses must be a whole number, zero or more")])
        fields["responses"] = int(row["responses"])
    if "options" in row:
        fields["options"] = _json_options(row["options"])
    lettered = [{"label": label, "text": row[label]} for label in OPTION_COLUMNS if label in row]
    if lettered and "options" in row:
        raise FieldProblems([("options", "options stand both in their own columns and in options")])
    if lettered:
        fields["options"] = lettered
    return fields


def _number(name: str, cell: str) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise FieldProblems([(name, f"{name} must be a number such as 3 or 2.5")]) from error


def _json_options(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise FieldProblems(
            [("options", "options must be JSON, a list of objects with label and text")]
        ) from error


def write_csv_row(record: QuestionRecord) -> str:
    """Return one row with its line end, safe to open in a spreadsheet program."""
    lettered = _fits_columns(record.options)
    options = [
        {"label": option.label, "text": option.text}
        | ({"misconception": option.misconception} if option.misconception else {})
        for option in record.options
    ]
    row = {
        "id": record.id,
        "text": record.text,
        "language": record.language,
        "kind": record.kind,
        "options": "" if lettered or not options else json.dumps(options, ensure_ascii=False),
        "answer": record.answer,
        "solution": record.solution,
        "equation": record.equation,
        "numbers": join_list(record.numbers),
        "concepts": join_paths(exported_path(path) for path in record.concepts),
        "difficulty": _shown(record.difficulty),
        "difficulty_scale": record.difficulty_scale,
        "grade": record.grade,
        "stage": record.stage,
        "facility": _shown(record.facility),
        "responses": str(record.responses or ""),
        "set": record.source,
    }
    if lettered:
        row |= {option.label: option.text for option in record.options}
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerow(guard_cell(row.get(name, "")) for name in COLUMNS)
    return buffer.getvalue()


def _fits_columns(options: Sequence[Option]) -> bool:
    labels = tuple(option.label for option in options)
    return labels == _WRITTEN_LABELS[: len(labels)] and not any(option.misconception for option in options)


def _shown(value: float | None) -> str:
    return "" if value is None else repr(value)
