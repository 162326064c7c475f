"""Layout of a question file: encoding, delimiter, header, and what each column or field holds.

The command and the page share these guesses; users can overrule each of them.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.columns import COLUMN_FIELDS, OBSERVED_FIELDS, guess_fields, holds_rows
from questionbank.formats.json_objects import json_objects, read_object
from questionbank.formats.limits import COLUMNS_LIMIT
from questionbank.formats.lines import ENCODINGS, file_encoding, first_bytes

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
_SAMPLE = 65_536  # bytes on which guesses are based
MOST_TITLE_ROWS = 200  # leading lines among which the header is searched
_OBJECTS_LOOKED_AT = 20
_SEPARATOR = re.compile(r'"?sep=(.|\\t)"?', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How to read a file.

    Attributes:
        names: names of a table's columns, or of the fields of JSON objects.
        fields: the field that each of them holds, in the same order; empty if it is not read.
        delimiter: separator of a table's cells; empty for JSON.
        header_line: first line of a table's header, counted from 1; 0 if there is no header.
        sheet: name of the workbook sheet that is read.
        sheets, hidden: names of all sheets, and of the hidden ones.
    """

    names: tuple[str, ...]
    fields: tuple[str, ...]
    encoding: str = "utf-8"
    delimiter: str = ""
    header_line: int = 1
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject impossible layouts.

        Raises:
            ImportRefused: the layout is invalid; the message gives the reason.
        """
        if self.delimiter and self.delimiter not in DELIMITERS:
            raise ImportRefused(f"The delimiter is not known; use one of {', '.join(DELIMITERS.values())}.")
        _check_encoding(self.encoding)
        used = [field for field in self.fields if field]
        unknown = sorted({*used} - {*COLUMN_FIELDS})
        if unknown:
            raise ImportRefused(f"A column cannot hold {unknown[0]!r}; use one of {', '.join(COLUMN_FIELDS)}.")
        twice = sorted({field for field in used if used.count(field) > 1})
        if twice:
            reason = f"two columns are read as {twice[0]}"
            raise ImportRefused(f"The columns cannot be read: {reason}.", [LineProblem(self.header_line, reason)])

    @property
    def is_table(self) -> bool:
        """Whether the file has rows and columns: CSV or a workbook."""
        return bool(self.delimiter or self.sheet)

    @property
    def format(self) -> str:
        return "xlsx" if self.sheet else "csv" if self.delimiter else "jsonl"

    @property
    def notes(self) -> list[str]:
        """Notes on the file as a whole: which sheets are not read."""
        others = [
            f"{name!r} (hidden)" if name in self.hidden else repr(name) for name in self.sheets if name != self.sheet
        ]
        hidden = [f"The sheet {self.sheet!r} is hidden and is read."] if self.sheet in self.hidden else []
        if not others:
            return hidden
        what = "The sheet" if len(others) == 1 else "The sheets"
        return [*hidden, f"{what} {', '.join(others)} {'is' if len(others) == 1 else 'are'} not read."]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(name, field) for name, field in zip(self.names, self.fields, strict=True) if field]

    @property
    def unread(self) -> list[str]:
        """Names of the columns that are not read, but for those of figures; columns without a name appear by number."""
        return [
            name or f"({place})"
            for place, (name, field) in enumerate(zip(self.names, self.fields, strict=True), start=1)
            if not field and name not in OBSERVED_FIELDS
        ]


def _check_encoding(encoding: str) -> None:
    if encoding not in ENCODINGS:
        raise ImportRefused(f"The encoding {encoding!r} is not known; use one of {', '.join(ENCODINGS)}.")


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a table: its names, its first line, the delimiter, and the cells of the row below."""

    names: tuple[str, ...]
    line: int
    delimiter: str
    sample: tuple[str, ...]


def table_sample(path: Path, encoding: str) -> str:
    """Return the beginning of a table as text, with normalised line ends.

    Raises:
        ImportRefused: the file cannot be read.
    """
    beginning = first_bytes(path, _SAMPLE).removeprefix(codecs.BOM_UTF8)
    text = beginning.decode("utf-8" if encoding == "utf-16" else encoding, "replace")
    return re.sub(r"\r\n|\r", "\n", text)


def separator_line(line: str) -> str:
    r"""Return the delimiter that Excel's first line ``sep=;`` names; empty if there is none.

    >>> separator_line("sep=;"), separator_line('"sep=,"'), separator_line("sep")
    (';', ',', '')
    """
    match = _SEPARATOR.fullmatch(line.rstrip("\r\n"))
    sign = match[1].replace(r"\t", "\t") if match else ""
    return sign if sign in DELIMITERS else ""


def find_header(sample: str, count_known: Any, *, delimiter: str = "", line: int | None = None) -> Header:
    """Return the leading row with the most recognised columns, under the delimiter that reveals the most.

    Args:
        sample: the beginning of the table.
        count_known: given a row and the row below it, returns the number of recognised columns.
        delimiter: delimiter chosen by the user.
        line: header line chosen by the user; 0 for a table without a header.
    """
    first = sample.partition("\n")[0]
    stated = separator_line(first)
    best: _Best | None = None
    for candidate in (delimiter,) if delimiter else (stated,) if stated else DELIMITERS:
        rows = _rows(sample, candidate, skip=1 if stated else 0)
        best = best_header(rows, count_known, delimiter=candidate, line=line, best=best)
    return best[1] if best else Header((), line or 1, delimiter or stated or ",", ())


_Best = tuple[tuple[int, int, int], Header]


def best_header(
    rows: Sequence[tuple[int, tuple[str, ...]]],
    count_known: Any,
    *,
    delimiter: str = "",
    line: int | None = None,
    best: _Best | None = None,
) -> _Best | None:
    """Return the leading row with the most recognised columns and its score; `best` if no row beats it.

    Args:
        rows: the rows that are not blank, each with its line number.
        count_known, delimiter, line: see `find_header`.
    """
    for place, (number, cells) in enumerate(rows):
        below = rows[place + 1][1] if place + 1 < len(rows) else ()
        if line == 0:
            names = tuple(f"Column {column}" for column in range(1, len(cells) + 1))
            known, header = 0, Header(names, 0, delimiter, cells)
        else:
            known = count_known(cells, below)
            header = Header(cells, number, delimiter, below)
        if line not in (None, 0, number):
            continue
        wins = (known, min(sum(map(bool, cells)), 2) if not known else 0, -place)
        if best is None or wins > best[0] or (wins == best[0] and len(cells) > len(best[1].names)):
            best = wins, header
    return best


def _rows(sample: str, delimiter: str, *, skip: int) -> list[tuple[int, tuple[str, ...]]]:
    """Return the first non-blank rows, each with its first line number."""
    rows: list[tuple[int, tuple[str, ...]]] = []
    reader = csv.reader(sample.splitlines(keepends=True)[skip:], delimiter=delimiter)
    start = 1
    while len(rows) <= MOST_TITLE_ROWS and start <= MOST_TITLE_ROWS:
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error:
            start = reader.line_num + 1
            continue
        tidy = tuple(" ".join(cell.split()) for cell in cells)
        last = max((place for place, cell in enumerate(tidy) if cell), default=0)
        tidy = tidy[: last + 1]
        if any(tidy):
            rows.append((start + skip, tidy))
        start = reader.line_num + 1
    return rows


def check_columns(header: Header, path: Path) -> None:
    """Raise `ImportRefused` if a header has too many columns."""
    if len(header.names) > COLUMNS_LIMIT:
        raise ImportRefused(
            f"The header of {path.name} has {len(header.names):,} columns, more than {COLUMNS_LIMIT:,}."
        )


def count_known(cells: Sequence[str], below: Sequence[str]) -> int:
    """Return how many columns of a header are recognised; 0 if they cannot make up questions or concepts."""
    if len(cells) > COLUMNS_LIMIT:
        return 0
    fields = guess_fields(cells, below)
    return sum(map(bool, fields)) if holds_rows(fields) else 0


def guess_layout(
    path: Path,
    *,
    is_table: bool,
    delimiter: str = "",
    encoding: str = "",
    columns: Mapping[str, str] | None = None,
    header_line: int | None = None,
    sheet: str = "",
) -> FileLayout:
    """Return the layout of a file; anything not given is guessed.

    Args:
        columns: field by column name, to correct wrong guesses; an empty field for a column that is not read.
        header_line: line of a table's header; 0 if it has none.
        sheet: sheet of a workbook; refused, since this file is not a workbook.

    Raises:
        ImportRefused: the header cannot be read, or there is no such column.
    """
    if sheet:
        raise ImportRefused(f"{path.name} is not a workbook; it has no sheets.")
    encoding = encoding or file_encoding(path)
    _check_encoding(encoding)
    if is_table:
        sample = table_sample(path, encoding)
        header = find_header(sample, count_known, delimiter=delimiter, line=header_line)
        check_columns(header, path)
        names, values = header.names, header.sample
        guess = FileLayout(names, guess_fields(names, values), encoding, header.delimiter, header.line)
    else:
        names, values = _json_names(path, encoding)
        guess = FileLayout(names, guess_fields(names, values, mixes_rows=True), encoding)
    return with_fields(guess, columns or {}, path)


def with_fields(layout: FileLayout, columns: Mapping[str, str], path: Path) -> FileLayout:
    """Return the layout with the user's columns; a guess of the same field for another column is dropped.

    Raises:
        ImportRefused: the file has no such column.
    """
    missing = sorted(set(columns) - set(layout.names))
    if missing:
        raise ImportRefused(f"{path.name} has no column {missing[0]!r}; it has {', '.join(layout.names)}.")
    fields = tuple(
        columns.get(name, "" if guess in columns.values() else guess)
        for name, guess in zip(layout.names, layout.fields, strict=True)
    )
    return replace(layout, fields=fields)


def _json_names(path: Path, encoding: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Return the field names of the first objects, and the first value of each."""
    values: dict[str, Any] = {}
    for _line, text in islice(json_objects(path), _OBJECTS_LOOKED_AT):
        try:
            row = read_object(text, encoding)[2] if isinstance(text, bytes) else {}
        except ValueError:
            continue
        for name, value in row.items():
            if name not in values and len(values) < COLUMNS_LIMIT:
                values[name] = value
    return tuple(values), tuple(values.values())
