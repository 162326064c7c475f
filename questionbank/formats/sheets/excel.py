"""Workbooks of Excel (XLSX, XLSM): rows of a sheet by openpyxl, one after the other, with what their cells show.

A formula counts as the value that its file keeps for it; its text is never looked at. Macros are never looked at.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from questionbank.formats.sheets.shown_values import shown
from questionbank.formats.sheets.workbook import NEVER_CALCULATED, Cell, Row, SheetName

_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s+ref=["']([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})["']""")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_PIECE, _TAG = 1 << 20, 200
_MERGED_LIMIT = 100_000  # ranges
_ROW_LIMIT = 16 * 1024 * 1024  # bytes


class _Parser(WorkSheetParser):
    """Also says of a cell whether it has a formula."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        cell: dict[str, Any] = super().parse_cell(element)
        cell["is_formula"] = element.find(FORMULA_TAG) is not None
        return cell


class ExcelWorkbook:
    """A workbook of Excel.

    Args:
        archive: already looked at, see `questionbank.formats.archives`.
    """

    label = "Excel workbook"

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._merged = {
            name: _merged_down(archive, name)
            for name in archive.namelist()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what openpyxl would lose on the way back
            self._book = load_workbook(archive.fp, read_only=True, data_only=True, keep_links=False)
        self._archive = archive
        self._sheets = {sheet.title: sheet for sheet in self._book.worksheets}
        self.sheets = tuple(
            SheetName(sheet.title, sheet.sheet_state != "visible") for sheet in self._book.worksheets
        )

    def rows(self, name: str) -> Iterator[Row]:
        sheet = self._sheets[name]
        book, member = self._book, sheet._worksheet_path
        formats = [book._number_formats, book._cell_styles]
        down = self._merged.get(member, {})
        kept: dict[int, tuple[int, Cell]] = {}  # column -> last row of its merged cells, and what they show
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
            return Cell(
                text, problem="" if cell["data_type"] != "e" else f"an error of the spreadsheet, {text}"
            )
        if value is None:
            return Cell("", problem=NEVER_CALCULATED if cell["is_formula"] else "")
        number = styles[cell["style_id"]].numFmtId if cell["style_id"] < len(styles) else 0
        return Cell(shown(value, _format(number, formats)))


def _merged_down(archive: zipfile.ZipFile, member: str) -> dict[int, list[tuple[int, int]]]:
    """Return (column, last row) of the merged cells that go over several rows, by their first row.

    Raises:
        ValueError: a row is longer than anything that a program writes.
    """
    merged: dict[int, list[tuple[int, int]]] = defaultdict(list)
    count, rest, row = 0, b"", 0
    with archive.open(member) as source:
        while piece := source.read(_PIECE):
            text = rest + piece
            row = len(text) - text.rfind(b"row>") if b"row>" in text else row + len(piece)
            if row > _ROW_LIMIT:  # before a parser keeps all of it
                raise ValueError("a row is too long")
            for match in _MERGED.finditer(text) if b"mergeCell " in text else ():
                left, top, _right, bottom = range_boundaries(match[1].decode())
                if bottom > top and count < _MERGED_LIMIT:
                    count += 1
                    merged[top].append((left - 1, bottom))
            rest = text[-_TAG:]
    return {first: list(dict.fromkeys(found)) for first, found in merged.items()}


def _unescaped(match: re.Match[str]) -> str:
    """Return a character that XML cannot hold and Excel writes as ``_x000D_``."""
    sign = chr(int(match[1], 16))
    return match[0] if "\ud800" <= sign <= "\udfff" else sign


def _format(number: int, formats: Any) -> str:
    if number < BUILTIN_FORMATS_MAX_SIZE:
        return str(BUILTIN_FORMATS.get(number, "General"))
    place = number - BUILTIN_FORMATS_MAX_SIZE
    return str(formats[place]) if place < len(formats) else "General"
