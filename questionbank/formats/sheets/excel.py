"""Excel workbooks (XLSX, XLSM): rows of a sheet, with values as displayed by the spreadsheet."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from questionbank.formats.sheets.workbook import NEVER_CALCULATED, Cell, Row, SheetName
from questionbank.formats.written_numbers import plain

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
