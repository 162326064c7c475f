"""CSV: cells, the rows of a table below its header, and one question per row; also gzipped."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from analytics.json_lines import UNPACKED_LIMIT
from analytics.question_content import Option
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.columns import WRITTEN_FIELDS, WRITTEN_LETTERS
from questionbank.formats.jsonl import question_fields
from questionbank.formats.layout import FileLayout
from questionbank.formats.lines import Progress, decode_text, read_lines
from questionbank.formats.seam import Attachments

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PIECE = re.compile(r"\\[\\;>]|[;>]|[^\\;>]+|\\")


def guard_cell(value: str) -> str:
    """Make a cell harmless in a spreadsheet.

    >>> guard_cell("=1+1"), guard_cell("-5"), guard_cell("x=1")
    ("'=1+1", '-5', 'x=1')
    """
    if _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return "'" + value
    return value


def unguard_cell(value: str) -> str:
    """Undo `guard_cell`.

    >>> unguard_cell("'=1+1"), unguard_cell("'tis")
    ('=1+1', "'tis")
    """
    return value[1:] if _GUARDED.match(value) else value


def _escape(name: str) -> str:
    return name.replace("\\", "\\\\").replace(";", "\\;").replace(">", "\\>")


def join_list(items: Iterable[str]) -> str:
    """Join several values in one cell."""
    return "; ".join(_escape(item) for item in items)


def join_paths(paths: Iterable[Sequence[str]]) -> str:
    r"""Join concept paths in one cell.

    >>> join_paths([("Algebra", "Equations"), ("Size > 10",)])
    'Algebra > Equations; Size \\> 10'
    """
    return "; ".join(" > ".join(_escape(name) for name in path) for path in paths)


def split_paths(cell: str) -> list[list[str]]:
    r"""Return the paths of one cell, with names stripped; a path may contain an empty name, which the caller refuses.

    >>> split_paths("Algebra > Equations; Size \\> 10;")
    [['Algebra', 'Equations'], ['Size > 10']]
    """
    paths: list[list[str]] = [[""]]
    for piece in _PIECE.findall(cell):
        if piece == ";":
            paths.append([""])
        elif piece == ">":
            paths[-1].append("")
        else:
            paths[-1][-1] += piece[1] if len(piece) == 2 and piece[0] == "\\" else piece
    tidy = [[name.strip() for name in path] for path in paths]
    return [path for path in tidy if path != [""]]


def split_list(cell: str) -> list[str]:
    """Return the values of one cell; here > has no special meaning.

    >>> split_list("11; 2")
    ['11', '2']
    """
    return [" > ".join(path) for path in split_paths(cell)]


_OLD_END = re.compile(rb"\r(?=[^\r\n])")
_CELL_LIMIT = 131_072  # characters: the csv module's default, so an unclosed quote cannot swallow a whole file
_BLANK_ROWS_LIMIT = 2_000_000  # consecutive; a sheet saved with all of its empty rows has 1,048,576
_RESUMED_LIMIT = 200  # unclosed quotation marks after which reading resumes on the next line
_Said = TypeVar("_Said", bound=LineProblem | LineWarning)
_UNCLOSED = "a quotation mark opens a cell here and is never closed"


class DecodedLines:
    """Feeds text to the csv module; remembers the lines of the current row and the first that was not text.

    Args:
        lines: as `questionbank.formats.lines.read_lines` yields them.
    """

    def __init__(self, lines: Iterator[tuple[int, bytes | LineProblem]], encoding: str = "utf-8") -> None:
        self._encoding = encoding
        self._lines = _with_old_ends(lines)
        self._again: deque[tuple[int, str, LineProblem | None]] = deque()
        self._row: list[tuple[int, str, LineProblem | None]] = []
        self.number = 0
        self.bad: LineProblem | None = None  # since `take_bad` was last called

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        entry = self._again.popleft() if self._again else self._read()
        self._row.append(entry)
        self.number, text, problem = entry
        self.bad = self.bad or problem
        return text

    def _read(self) -> tuple[int, str, LineProblem | None]:
        number, line = next(self._lines)
        if isinstance(line, LineProblem):
            return number, "\n", line
        try:
            return number, decode_text(line, self._encoding), None
        except ValueError as error:
            codec = "utf-8" if self._encoding == "utf-16" else self._encoding
            text = line.decode(codec, "replace").replace("\0", "�")
            return number, text, LineProblem(number, str(error))

    def skip_to(self, number: int) -> None:
        """Skip the lines before this one, or all of them if the file is shorter."""
        for _text in self if number > 1 else ():
            if self.number >= number - 1:
                break
        self.take_bad()

    def take_bad(self) -> LineProblem | None:
        """Return the problem with the first line of the row that is not text, if any, and start another row."""
        bad, self.bad = self.bad, None
        self._row.clear()
        return bad

    @property
    def spans_lines(self) -> bool:
        """Whether the current row spans several lines."""
        return len(self._row) > 1

    def resume_behind_first_line(self) -> None:
        """Queue the lines of the current row again, except the first."""
        self._again.extendleft(reversed(self._row[1:]))
        self.number = self._row[0][0]
        self.take_bad()


def table_rows(
    lines: DecodedLines, names: Sequence[str], delimiter: str
) -> Iterator[tuple[int, dict[str, str] | LineProblem]]:
    """Yield the start line of each row with its non-empty cells by column, or its problem.

    Args:
        lines: the lines after the header.
        names: names of the columns; columns without a name are left out.
        delimiter: the separator between cells.

    Raises:
        ImportRefused: the rest of the file cannot be read, or has too many blank rows.
    """
    for start, row in named_rows(_cells(lines, delimiter), names):
        yield (start, {name: unguard_cell(cell) for name, cell in row.items()} if isinstance(row, dict) else row)


def named_rows(
    rows: Iterator[tuple[int, list[str] | _Said]], names: Sequence[str]
) -> Iterator[tuple[int, dict[str, str] | _Said | LineProblem]]:
    """Yield the start line and the non-empty cells by column of each row that is not blank.

    Args:
        rows: the cells of each row; a problem or warning in place of a row is passed through.
        names: names of the columns; columns without a name are left out.

    Raises:
        ImportRefused: the table has too many consecutive blank rows.
    """
    width, blank = len(names), 0
    for start, cells in rows:
        if not isinstance(cells, list):
            blank = 0
            yield start, cells
            continue
        blank = 0 if any(cells) else blank + 1
        if len(cells) > width and any(cells[width:]):
            yield start, LineProblem(start, f"the row has {len(cells)} cells, the header {width}")
        elif not blank:
            row = {name: cell for name, cell in zip(names, cells, strict=False) if name and cell}
            if row:
                yield start, row
        elif blank > _BLANK_ROWS_LIMIT:
            raise ImportRefused(
                f"The file has more than {_BLANK_ROWS_LIMIT:,} consecutive blank rows; remove them.",
                [LineProblem(start, "only blank rows follow here")],
            )


def _cells(lines: DecodedLines, delimiter: str) -> Iterator[tuple[int, list[str] | LineProblem]]:
    """Yield the cells of each row; if a quotation mark is not closed, only its own line counts as the row."""
    resumed = 0
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = lines.number + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            if lines.spans_lines and resumed < _RESUMED_LIMIT:
                resumed += 1
                lines.resume_behind_first_line()
                rows = csv.reader(lines, delimiter=delimiter, strict=True)
                yield start, LineProblem(start, _UNCLOSED)
            else:
                lines.take_bad()
                yield start, LineProblem(start, _reason(error))
            continue
        problem = lines.take_bad()
        yield (start, cells) if problem is None else (problem.line, problem)


def _with_old_ends(lines: Iterator[tuple[int, bytes | LineProblem]]) -> Iterator[tuple[int, bytes | LineProblem]]:
    """Yield the lines; if a lone carriage return ends the header, as in old files, split every line at it.

    Elsewhere it is part of a quoted cell, or an error that the csv module refuses.
    """
    number = 0
    is_old = False
    for number_read, line in lines:
        if number_read == 1 and isinstance(line, bytes):
            is_old = _OLD_END.search(line) is not None
        pieces = line.splitlines(keepends=True) if is_old and isinstance(line, bytes) else [line]
        for piece in pieces:
            number += 1
            yield number, replace(piece, line=number) if isinstance(piece, LineProblem) else piece


def _reason(error: csv.Error) -> str:
    """Return why the csv module failed, in words for the author of the file."""
    reason = str(error)
    if "unexpected end of data" in reason:
        return _UNCLOSED
    if "field larger than field limit" in reason:
        return f"a cell has more than {_CELL_LIMIT:,} characters; is a quotation mark not closed?"
    if "new-line character seen" in reason:
        return "a carriage return is not part of a line ending; save the file with the usual line endings"
    if "expected after" in reason:
        return "text follows a closing quotation mark; double a quotation mark inside a cell"
    return f"not CSV: {reason}"


CSV_HEAD = "\ufeff" + ",".join(WRITTEN_FIELDS) + "\r\n"
"""Header line of the files we write; the byte order mark tells spreadsheet programs that it is UTF-8."""


def csv_rows(
    path: Path, layout: FileLayout, *, progress: Progress | None = None, unpacked_limit: int = UNPACKED_LIMIT
) -> Iterator[tuple[int, dict[str, Any] | LineProblem | LineWarning]]:
    """Yield each non-blank row's start line, and its cells by our field names or its problem.

    Raises:
        ImportRefused: the rest of the file cannot be read.
    """
    read = read_lines(path, progress=progress, unpacked_limit=unpacked_limit)
    lines = DecodedLines(read, layout.encoding)
    lines.skip_to(layout.header_line)
    if layout.header_line:
        next(csv.reader(lines, delimiter=layout.delimiter), None)
        lines.take_bad()
    yield from table_rows(lines, layout.fields, layout.delimiter)


def write_csv(records: Iterable[QuestionRecord], _attachments: Attachments) -> Iterator[bytes]:
    """Yield the header and the rows of a CSV file."""
    yield CSV_HEAD.encode()
    for record in records:
        yield write_csv_row(record).encode()


def write_csv_row(record: QuestionRecord) -> str:
    """Return one row with its line ending, safe to open in a spreadsheet program."""
    row = question_cells(record)
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerow(guard_cell(row.get(name, "")) for name in WRITTEN_FIELDS)
    return buffer.getvalue()


def question_cells(record: QuestionRecord) -> dict[str, str]:
    """Return the cells of a question by column."""
    fields = question_fields(record)
    if _fits_columns(record.options):
        fields |= {"options": "", **{option.label: option.text for option in record.options}}
    return {name: _cell(name, value) for name, value in fields.items()}


def _fits_columns(options: Sequence[Option]) -> bool:
    labels = tuple(option.label for option in options)
    return labels == WRITTEN_LETTERS[: len(labels)] and all(
        option == Option(option.label, option.text) for option in options
    )


def _cell(name: str, value: Any) -> str:
    if isinstance(value, list) and name in ("numbers", "concepts"):
        return join_list(value) if name == "numbers" else join_paths(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else repr(value)
