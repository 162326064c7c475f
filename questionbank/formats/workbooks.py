"""Workbooks as rows of cells with their displayed text: Excel's, and OpenDocument's (ODS), whose cells store that text.

OASIS OpenDocument 1.3, part 3, 9.
"""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple, Protocol
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import iterparse
from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from questionbank.formats.written_numbers import plain

NEVER_CALCULATED = "a formula that has never been calculated; open the file in its program, save it and upload it again"


class SheetName(NamedTuple):
    """A sheet of a workbook."""

    name: str
    is_hidden: bool = False


class Cell(NamedTuple):
    """A cell.

    Attributes:
        text: the displayed text.
        is_merged: whether it belongs to the cell above and repeats its text.
        problem: what is wrong with it, as in "a formula that ...".
    """

    text: str
    is_merged: bool = False
    problem: str = ""


Row = tuple[int, dict[int, Cell]]
"""The number of a row, counted from 1, and its cells by column, counted from 0."""


class Workbook(Protocol):
    """An open workbook.

    Attributes:
        label: its type, for people.
        sheets: its sheets, in order.
    """

    label: str
    sheets: tuple[SheetName, ...]

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the non-empty rows of a sheet, in order."""


_NOT_SHOWN = re.compile(r"\[[^\]]*\]|_.|\*.|\\(?=.)")
_QUOTED = re.compile(r'"([^"]*)"')
_DECIMALS = re.compile(r"[0#?][.]([0#?]+)")
_DENOMINATOR = re.compile(r"\?*/(\?+|\d+)")
_DATE_PART = re.compile(r"y+|m+|d+|h+|s+(?:\.0+)?|am/pm|a/p", re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_UNSTATED_DATE = "mm-dd-yy"  # format 14: programs display it in the locale of the machine


def shown(value: Any, format: str = "General") -> str:
    """Return a value as displayed.

    >>> shown(7.0), shown(0.1 + 0.2), shown(0.755, "0%"), shown(0.75, "# ?/?"), shown(7, "000")
    ('7', '0.3', '75.5%', '3/4', '007')
    >>> shown(datetime.datetime(2026, 3, 4), "d-mmm"), shown(datetime.datetime(2026, 3, 4), "mm-dd-yy")
    ('4-Mar', '2026-03-04')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, format.partition(";")[0])
    if isinstance(value, datetime.datetime | datetime.date):
        return _date(value, format.partition(";")[0])
    if isinstance(value, datetime.time):
        return value.strftime("%H:%M:%S").removesuffix(":00")
    if isinstance(value, datetime.timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return str(value)


def _number(value: float, format: str) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    bare = _NOT_SHOWN.sub("", _QUOTED.sub("", format)).strip()
    if "%" in bare:
        return f"{_padded(float(f'{value * 100:.13g}'), bare)}%"
    if fraction := _DENOMINATOR.search(bare):
        return _fraction(value, fraction[1], is_mixed="#" in bare.split("/")[0]) or plain(value)
    if re.fullmatch("0{2,}", bare) and value == int(value) and value >= 0:
        return str(int(value)).zfill(len(bare))
    return _padded(value, bare)


def _padded(value: float, format: str) -> str:
    """Return a number with at least as many decimals as the format requires."""
    text = plain(value)
    decimals = _DECIMALS.search(format)
    wanted = decimals[1].count("0") if decimals else 0
    if not wanted or "e" in text:
        return text
    whole, _point, rest = text.partition(".")
    return f"{whole}.{rest.ljust(wanted, '0')}"


def _fraction(value: float, denominator: str, *, is_mixed: bool) -> str:
    most = int(denominator) if denominator.isdigit() else 10 ** len(denominator) - 1
    exact = Fraction(value).limit_denominator(max(most, 1))
    if abs(float(exact) - value) > 1e-9:
        return ""
    if exact.denominator == 1:
        return str(exact.numerator)
    sign = "-" if exact < 0 else ""
    whole, rest = divmod(abs(exact.numerator), exact.denominator)
    if is_mixed and whole:
        return f"{sign}{whole} {rest}/{exact.denominator}"
    return str(exact)


def _date(value: datetime.datetime | datetime.date, format: str) -> str:
    moment = value if isinstance(value, datetime.datetime) else datetime.datetime.combine(value, datetime.time())
    literal = _NOT_SHOWN.sub("", _QUOTED.sub(r"\1", format)).strip()
    if not re.search("[ymdhs]", literal, re.IGNORECASE) or literal == _UNSTATED_DATE:
        return moment.isoformat(sep=" ").removesuffix(" 00:00:00")
    parts = [match[0].lower() for match in _DATE_PART.finditer(literal)]
    has_halves = any("/" in part for part in parts)
    place = -1

    def replaced(match: re.Match[str]) -> str:
        nonlocal place
        place += 1
        part = match[0].lower()
        is_minute = part in ("m", "mm") and (
            (place > 0 and parts[place - 1].startswith("h"))
            or (place + 1 < len(parts) and parts[place + 1].startswith("s"))
        )
        return _date_part(moment, part, is_minute=is_minute, has_halves=has_halves)

    return _DATE_PART.sub(replaced, literal)


def _date_part(moment: datetime.datetime, part: str, *, is_minute: bool, has_halves: bool) -> str:
    if "/" in part:
        return "AM" if moment.hour < 12 else "PM"
    wide = len(part) > 1
    hour = (moment.hour - 1) % 12 + 1 if has_halves else moment.hour
    number = {
        "m": moment.minute if is_minute else moment.month, "d": moment.day, "h": hour, "s": moment.second,
    }.get(part[0])  # fmt: skip
    if part[0] == "y":
        return f"{moment.year:04}" if len(part) > 2 else f"{moment.year % 100:02}"
    if part[0] in "md" and len(part) > 2:
        name = _MONTHS[moment.month - 1] if part[0] == "m" else _DAYS[moment.weekday()]
        return name[:1] if len(part) == 5 else name[:3] if len(part) == 3 else name
    return f"{number:02}" if wide else f"{number}"


_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s+ref=["']([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})["']""")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_PIECE, _TAG = 1 << 20, 200
_MERGED_LIMIT = 100_000  # ranges
_ROW_LIMIT = 16 * 1024 * 1024  # bytes


class _Parser(WorkSheetParser):
    """Also reports whether a cell has a formula."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        cell: dict[str, Any] = super().parse_cell(element)
        cell["is_formula"] = element.find(FORMULA_TAG) is not None
        return cell


class ExcelWorkbook:
    """An Excel workbook.

    Args:
        archive: an archive that has been checked; see `questionbank.formats.archives`.
    """

    label = "Excel workbook"

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._merged = {
            name: _merged_down(archive, name)
            for name in archive.namelist()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about what openpyxl would lose on writing
            self._book = load_workbook(archive.fp, read_only=True, data_only=True, keep_links=False)
        self._archive = archive
        self._sheets = {sheet.title: sheet for sheet in self._book.worksheets}
        self.sheets = tuple(SheetName(sheet.title, sheet.sheet_state != "visible") for sheet in self._book.worksheets)

    def rows(self, name: str) -> Iterator[Row]:
        sheet = self._sheets[name]
        book, member = self._book, sheet._worksheet_path
        formats = [book._number_formats, book._cell_styles]
        down = self._merged.get(member, {})
        kept: dict[int, tuple[int, Cell]] = {}  # column -> last row of its merged cells, and their cell
        with self._archive.open(member) as source, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parser = _Parser(
                source,
                sheet._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            for number, cells in parser.parse():
                row = {cell["column"] - 1: self._cell(cell, *formats) for cell in cells}
                kept = {column: held for column, held in kept.items() if held[0] >= number}
                for column, (_last, cell) in kept.items():
                    if not row.get(column, Cell("")).text:
                        row[column] = cell._replace(is_merged=True)
                for column, last in down.get(number, ()):
                    if column in row:
                        kept[column] = last, row[column]
                yield number, row

    def _cell(self, cell: dict[str, Any], formats: Any, styles: Any) -> Cell:
        value = cell["value"]
        if isinstance(value, str):
            text = _ESCAPED.sub(_unescaped, value)
            return Cell(text, problem="" if cell["data_type"] != "e" else f"an error of the spreadsheet, {text}")
        if value is None:
            return Cell("", problem=NEVER_CALCULATED if cell["is_formula"] else "")
        number = styles[cell["style_id"]].numFmtId if cell["style_id"] < len(styles) else 0
        return Cell(shown(value, _format(number, formats)))


def _merged_down(archive: zipfile.ZipFile, member: str) -> dict[int, list[tuple[int, int]]]:
    """Return (column, last row) of vertically merged cells, by first row.

    Raises:
        ValueError: a row is implausibly long.
    """
    merged: dict[int, list[tuple[int, int]]] = defaultdict(list)
    count, rest, row = 0, b"", 0
    with archive.open(member) as source:
        while piece := source.read(_PIECE):
            text = rest + piece
            row = len(text) - text.rfind(b"row>") if b"row>" in text else row + len(piece)
            if row > _ROW_LIMIT:  # before a parser loads all of it
                raise ValueError("a row is too long")
            for match in _MERGED.finditer(text) if b"mergeCell " in text else ():
                left, top, _right, bottom = range_boundaries(match[1].decode())
                if bottom > top and count < _MERGED_LIMIT:
                    count += 1
                    merged[top].append((left - 1, bottom))
            rest = text[-_TAG:]
    return {first: list(dict.fromkeys(found)) for first, found in merged.items()}


def _unescaped(match: re.Match[str]) -> str:
    """Return a character that XML cannot hold, which Excel escapes as in ``_x000D_``."""
    sign = chr(int(match[1], 16))
    return match[0] if "\ud800" <= sign <= "\udfff" else sign


def _format(number: int, formats: Any) -> str:
    if number < BUILTIN_FORMATS_MAX_SIZE:
        return str(BUILTIN_FORMATS.get(number, "General"))
    place = number - BUILTIN_FORMATS_MAX_SIZE
    return str(formats[place]) if place < len(formats) else "General"


_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_WRITTEN_OTHERWISE = re.compile(r"-?(?:\d+ )?\d+/\d+|0\d+|-?\d+\.\d+")  # a fraction, an id, 3.10
_COLUMNS_LIMIT, _ROWS_LIMIT = 16_384, 1_048_576


class OpenDocumentWorkbook:
    """An OpenDocument workbook.

    Args:
        archive: an archive that has been checked; see `questionbank.formats.archives`.
    """

    label = "OpenDocument spreadsheet"

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        hidden: set[str] = set()
        sheets: list[SheetName] = []
        for event, element in self._events():
            if event == "end" and element.tag == f"{_STYLE}style":
                properties = element.find(f"{_STYLE}table-properties")
                if properties is not None and properties.get(f"{_TABLE}display") == "false":
                    hidden.add(element.get(f"{_STYLE}name", ""))
            elif event == "start" and element.tag == f"{_TABLE}table":
                is_hidden = element.get(f"{_TABLE}style-name", "") in hidden
                sheets.append(SheetName(element.get(f"{_TABLE}name", ""), is_hidden))
            elif event == "end" and element.tag == f"{_TABLE}table-row":
                element.clear()
        self.sheets = tuple(sheets)

    def _events(self) -> Iterator[tuple[str, Element]]:
        with self._archive.open("content.xml") as source:
            yield from iterparse(source, events=("start", "end"), forbid_dtd=True)

    def rows(self, name: str) -> Iterator[Row]:
        is_here, number = False, 0
        kept: dict[int, tuple[int, Cell]] = {}  # column -> last row of its merged cells, and their cell
        for event, element in self._events():
            if element.tag == f"{_TABLE}table":
                if is_here and event == "end":
                    return
                is_here = event == "start" and element.get(f"{_TABLE}name", "") == name
            elif event == "end" and element.tag == f"{_TABLE}table-row":
                if is_here:
                    row, spans = _row(element)
                    repeated = _count(element, "number-rows-repeated")
                    for _again in range(min(repeated, _ROWS_LIMIT - number) if row or kept else 1):
                        number += 1
                        kept = {column: held for column, held in kept.items() if held[0] >= number}
                        merged = {
                            column: cell._replace(is_merged=True)
                            for column, (_last, cell) in kept.items()
                            if not row.get(column, Cell("")).text
                        }
                        kept |= {column: (number + span - 1, row[column]) for column, span in spans if column in row}
                        if row or merged:
                            yield number, row | merged
                    if not (row or kept):
                        number += repeated - 1
                element.clear()


def _count(element: Element, attribute: str) -> int:
    text = element.get(f"{_TABLE}{attribute}", "1")
    return max(1, int(text)) if text.isdecimal() and len(text) < 10 else 1


def _row(element: Element) -> tuple[dict[int, Cell], list[tuple[int, int]]]:
    """Return the non-empty cells, and (column, rows) of those that span several rows."""
    row: dict[int, Cell] = {}
    spans: list[tuple[int, int]] = []
    column = 0
    for cell in element:
        if cell.tag not in _CELLS:
            continue
        repeated = min(_count(cell, "number-columns-repeated"), _COLUMNS_LIMIT - column)
        text = _shown(cell)
        if text:
            row |= dict.fromkeys(range(column, column + repeated), Cell(text, problem=_problem(text)))
            if (rows := _count(cell, "number-rows-spanned")) > 1:
                spans.append((column, rows))
        column += repeated
        if column >= _COLUMNS_LIMIT:
            break
    return row, spans


def _problem(text: str) -> str:
    is_error = text.startswith("Err:") or re.fullmatch(r"#[A-Z/0]+[!?]?", text) is not None
    return f"an error of the spreadsheet, {text}" if is_error else ""


def _shown(cell: Element) -> str:
    kind = cell.get(f"{_OFFICE}value-type", "")
    text = "\n".join(_paragraph(part) for part in cell.iterfind(f"{_TEXT}p"))
    value = cell.get(f"{_OFFICE}value")
    if kind == "string" and not text:
        return cell.get(f"{_OFFICE}string-value", "")
    if kind not in ("float", "percentage", "currency") or value is None:
        return text or cell.get(f"{_OFFICE}date-value", "")
    try:
        number = float(value)
    except ValueError:
        return text
    if kind == "percentage":
        return f"{plain(float(f'{number * 100:.13g}'))}%"
    is_written_otherwise = _WRITTEN_OTHERWISE.fullmatch(text) is not None
    return text if is_written_otherwise and ("/" in text or float(text) == number) else plain(number)


def _paragraph(element: Element) -> str:
    pieces: list[Any] = [element.text or ""]
    for part in element:
        if part.tag == f"{_TEXT}s":
            count = part.get(f"{_TEXT}c", "1")
            pieces.append(" " * min(int(count), 1_000) if count.isdecimal() and len(count) < 6 else " ")
        elif part.tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
            pieces.append("\t" if part.tag.endswith("tab") else "\n")
        elif part.tag != f"{_OFFICE}annotation":
            pieces.append(_paragraph(part))
        pieces.append(part.tail or "")
    return "".join(pieces)
