"""OpenDocument workbooks (ODS, OASIS OpenDocument 1.3, part 3, 9), whose cells store their displayed text."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import iterparse

from questionbank.formats.sheets.workbook import Cell, Row, SheetName
from questionbank.formats.written_numbers import plain

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
