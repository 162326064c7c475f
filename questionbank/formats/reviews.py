"""Reviewers' decisions as JSON Lines or CSV, streamed line by line to a response or a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from questionbank.formats.csv_files import guard_cell

Row = Mapping[str, Any]


def _json_lines(rows: Iterable[Row], fields: Sequence[str]) -> Iterator[str]:
    for row in rows:
        yield json.dumps({name: row[name] for name in fields}, ensure_ascii=False) + "\n"


def _csv_lines(rows: Iterable[Row], fields: Sequence[str]) -> Iterator[str]:
    yield "\ufeff" + _csv_line(fields)
    for row in rows:
        yield _csv_line([_cell(row[name]) for name in fields])


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return guard_cell(str(value))


REVIEW_FORMATS: dict[str, tuple[str, Callable[[Iterable[Row], Sequence[str]], Iterator[str]]]] = {
    "jsonl": ("application/x-ndjson", _json_lines),  # name -> media type, writer; a literal table
    "csv": ("text/csv", _csv_lines),
}


def review_lines(rows: Iterable[Row], fields: Sequence[str], format: str) -> Iterator[str]:
    """Return the rows as lines of text; CSV starts with its header.

    Raises:
        KeyError: the format is not one of `REVIEW_FORMATS`.
    """
    return REVIEW_FORMATS[format][1](rows, fields)
