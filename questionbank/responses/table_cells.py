"""Files as tables of cells (CSV in any encoding, workbooks), and the marks and times that cells hold."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.archives import is_archive
from questionbank.formats.csv_files import DecodedLines, table_rows
from questionbank.formats.layout import MOST_TITLE_ROWS, best_header, find_header, table_sample
from questionbank.formats.limits import COLUMNS_LIMIT
from questionbank.formats.lines import file_encoding, read_lines, refuse_unreadable
from questionbank.formats.sheets import sheet_texts
from questionbank.responses.column_roles import count_known, is_published

UNANSWERED = frozenset(("", "-", "–", "—", "n/a", "not yet answered", "no answer"))
_UNGRADED = frozenset(("requires grading", "not yet graded", "bewertung notwendig"))
UNFINISHED = frozenset(("in progress", "overdue", "never submitted", "in bearbeitung", "en curso", "en cours"))
_RIGHT = frozenset(("correct", "right", "richtig", "✓", "✔", "correcto", "juste"))
_WRONG = frozenset(("incorrect", "wrong", "falsch", "✗", "✘", "incorrecto", "faux"))
_TRUE_FALSE = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)?")
_PER_CENT = re.compile(r"\d+(?:[.,]\d+)?\s*%")
_MONTHS = "jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]"
_DATE = re.compile(
    rf"\d{{4}}-\d\d?-\d\d?(?:[ T].*)?|\d\d?[./]\d\d?[./](?:\d{{2,4}})?|\d\d?[-./ ]\s?(?:{_MONTHS})\w*\.?(?:[-/ ]\d+)?"
    rf"|(?:{_MONTHS})\w*\.?[-/ ]\d+",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)")


def parse_mark(text: str) -> float:
    """Return a mark with a decimal point or comma.

    >>> parse_mark("0,5"), parse_mark("2.00")
    (0.5, 2.0)

    Raises:
        ValueError: it is no mark; the message says why.
    """
    plain = text.strip()
    if _NUMBER.fullmatch(plain):
        return float(plain.replace(",", ".").replace("−", "-"))
    if _DATE.fullmatch(plain):
        raise ValueError(f"“{plain}” is a date; a spreadsheet program makes dates of marks such as 1-2")
    if _PER_CENT.fullmatch(plain):
        raise ValueError(f"“{plain}” is a percentage; write the mark")
    if plain.casefold() in _UNGRADED:
        raise ValueError("the answer has not been graded yet")
    raise ValueError(f"“{plain[:40]}” is not a mark")


def parse_seconds(text: str) -> float | None:
    """Return a time in seconds, given as a number or as minutes:seconds; None if it is neither.

    >>> parse_seconds("12,5"), parse_seconds("1:02:03"), parse_seconds("soon")
    (12.5, 3723.0, None)
    """
    if match := _CLOCK.fullmatch(text.strip()):
        hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in match.groups())
        return 3600 * hours + 60 * minutes + seconds
    return float(text.strip().replace(",", ".")) if re.fullmatch(r"\s*\d+(?:[.,]\d+)?\s*", text) else None


def person_key(text: str) -> str:
    """Return a pupil's identification without differences of case, spacing and Unicode form.

    >>> person_key("  Ada   LOVELACE")
    'ada lovelace'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def number_of(text: str) -> float:
    """Return a number; 0 for anything else."""
    return float(text.replace(",", ".").replace("−", "-")) if _NUMBER.fullmatch(text) else 0.0


def looks_like_mark(text: str) -> bool:
    """Return whether a cell is a mark, a per cent, a date that may have been a mark, or a word such as "correct"."""
    return any(pattern.fullmatch(text) for pattern in (_NUMBER, _PER_CENT, _DATE)) or text.casefold() in _RIGHT | _WRONG


def parse_verdict(text: str) -> float:
    """Return a mark that may be a word.

    >>> parse_verdict("Correct"), parse_verdict("0,5")
    (1.0, 0.5)

    Raises:
        ValueError: as for `parse_mark`.
    """
    word = text.casefold()
    return float(word in _RIGHT) if word in _RIGHT | _WRONG else parse_mark(text)


def parse_score(text: str) -> float:
    """Return the value of a column of scores, where "true" means a right answer.

    Raises:
        ValueError: as for `parse_mark`.
    """
    word = text.casefold()
    return _TRUE_FALSE[word] if word in _TRUE_FALSE else parse_verdict(text)


CELLS_LIMIT = 10_000_000


@dataclass(frozen=True, slots=True)
class CellTable:
    """The cells of a file.

    Attributes:
        header: names of the columns, tidied.
        rows: line number and cells of each row below the header that is not blank.
        problems: rows and cells that cannot be read.
        notes: remarks about the file as a whole.
    """

    header: tuple[str, ...]
    rows: list[tuple[int, list[str]]]
    problems: list[LineProblem]
    notes: list[str]


def read_table(path: Path) -> CellTable:
    """Read a file and find its header.

    Raises:
        ImportRefused: the file cannot be read, is too large or is not a table.
    """
    refuse_unreadable(path)
    problems: list[LineProblem] = []
    notes: list[str] = []
    if is_archive(path):
        rows = list(_checked(sheet_texts(path, notes, is_preferred=is_published), path, problems))
        head = rows[:MOST_TITLE_ROWS]
        best = best_header([(line, _tidy(cells)) for line, cells in head], count_known)
        header, header_line = (best[1].names, best[1].line) if best else ((), 0)
    else:
        encoding = file_encoding(path)
        found = find_header(table_sample(path, encoding), count_known)
        header, header_line = found.names, found.line
        rows = list(_checked(_csv_texts(path, encoding, found.delimiter, header_line), path, problems))
        rows = list(_of_width(rows, len(header), problems))
    if len(header) < 2:
        raise ImportRefused(f"{path.name} is not a table: it needs a column for the pupil and one for each question.")
    if len(header) > COLUMNS_LIMIT:
        raise ImportRefused(f"{path.name} has {len(header):,} columns, more than {COLUMNS_LIMIT:,}.")
    return CellTable(header, [(line, cells) for line, cells in rows if line > header_line], problems, notes)


def _csv_texts(
    path: Path, encoding: str, delimiter: str, header_line: int
) -> Iterator[tuple[int, list[str] | LineProblem]]:
    lines = DecodedLines(read_lines(path), encoding)
    lines.skip_to(header_line)
    next(csv.reader(lines, delimiter=delimiter), None)
    lines.take_bad()
    names = [str(column) for column in range(COLUMNS_LIMIT)]
    for number, row in table_rows(lines, names, delimiter):
        if isinstance(row, LineProblem):
            yield number, row
        else:
            width = max(map(int, row)) + 1
            yield number, [row.get(name, "") for name in names[:width]]


def _checked(
    rows: Iterator[tuple[int, list[str] | LineProblem]], path: Path, problems: list[LineProblem]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows; put problems aside.

    Raises:
        ImportRefused: there are too many cells.
    """
    count = 0
    for line, cells in rows:
        if isinstance(cells, LineProblem):
            problems.append(cells)
            continue
        count += len(cells)
        if count > CELLS_LIMIT:
            raise ImportRefused(f"{path.name} has more than {CELLS_LIMIT:,} cells; split it.")
        if any(cell.strip() for cell in cells):
            yield line, [cell.strip() for cell in cells]


def _of_width(
    rows: Iterable[tuple[int, list[str]]], width: int, problems: list[LineProblem]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that have no cells beyond the header: a comma in a mark has divided the others."""
    for line, cells in rows:
        if any(cells[width:]):
            said = f"the row has {len(cells)} cells, the header {width}; a mark with a decimal comma needs"
            problems.append(LineProblem(line, f"{said} quotation marks around it"))
        else:
            yield line, cells


def _tidy(cells: list[str]) -> tuple[str, ...]:
    width = max((place + 1 for place, cell in enumerate(cells) if cell), default=0)
    return tuple(" ".join(cell.split()) for cell in cells[:width])
