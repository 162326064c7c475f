"""The rows of a table in CSV below its header, whatever its columns mean."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analytics.json_lines import decode_line
from questionbank.errors import LineProblem
from questionbank.formats.cells import unguard_cell

__all__ = ["DecodedLines", "table_rows"]

_OLD_END = re.compile(rb"\r(?=[^\r\n])")
_CELL_LIMIT = 131_072  # characters: the csv module's own, so an unclosed quote cannot swallow a whole file


class DecodedLines:
    """Feeds the csv module with text and remembers which lines were no text.

    Args:
        lines: as `questionbank.formats.lines.read_lines` yields them.
    """

    def __init__(self, lines: Iterator[tuple[int, bytes | LineProblem]], encoding: str = "utf-8") -> None:
        self._encoding = encoding
        self._lines = _with_old_ends(lines)
        self.number = 0
        self.bad: LineProblem | None = None  # since it was last taken

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        if isinstance(line, LineProblem):
            self.bad = self.bad or line
            return "\n"
        try:
            return self._decode(line)
        except ValueError as error:
            self.bad = self.bad or LineProblem(self.number, str(error))
            return line.decode(self._encoding, "replace").replace("\0", "�")

    def _decode(self, line: bytes) -> str:
        if self._encoding == "utf-8":
            return decode_line(line)
        try:
            return decode_line(line.decode(self._encoding).encode("utf-8"))
        except UnicodeDecodeError as error:
            where = f"at byte {error.start + 1} of the line (0x{line[error.start]:02x})"
            raise ValueError(f"invalid {self._encoding} {where}") from error

    def take_bad(self) -> LineProblem | None:
        bad, self.bad = self.bad, None
        return bad


def table_rows(
    lines: DecodedLines, names: Sequence[str], delimiter: str
) -> Iterator[tuple[int, dict[str, str] | LineProblem]]:
    """Yield the cells that say something by their columns, or the problem, of each row, by the line it begins on.

    Args:
        lines: behind the header.
        names: of the columns.
        delimiter: between the cells.

    Raises:
        ImportRefused: the file as a whole cannot be read on.
    """
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = lines.number + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            lines.take_bad()
            yield start, LineProblem(start, _reason(error))
            continue
        problem = lines.take_bad()
        if problem is not None:
            yield problem.line, problem
        elif any(cells[len(names) :]):
            yield start, LineProblem(start, f"the row has {len(cells)} cells, the header {len(names)}")
        elif any(cells):
            yield start, {name: unguard_cell(cell) for name, cell in zip(names, cells, strict=False) if cell}


def _with_old_ends(
    lines: Iterator[tuple[int, bytes | LineProblem]],
) -> Iterator[tuple[int, bytes | LineProblem]]:
    """Yield where a carriage return alone ends the header, as old programs save, let it end every line.

    Elsewhere it is part of a quoted cell, or a mistake that the csv module refuses.
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
    """Return why the csv module cannot read on, for whoever made the file."""
    reason = str(error)
    if "unexpected end of data" in reason:
        return "a quotation mark opens a cell here and is never closed"
    if "field larger than field limit" in reason:
        return f"a cell has more than {_CELL_LIMIT:,} characters; is a quotation mark not closed?"
    if "new-line character seen" in reason:
        return "a carriage return stands alone; save the file with usual line ends"
    if "expected after" in reason:
        return "text follows a closing quotation mark; double a quotation mark inside a cell"
    return f"not CSV: {reason}"
