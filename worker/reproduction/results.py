"""Putting a table into a document, in the place that the document keeps for it."""

from __future__ import annotations

from pathlib import Path

from analytics.atomic_file import write_text
from questionbank.errors import ValidationFailed


def put_table(document: Path, name: str, table: str) -> None:
    """Replace what is between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.

    Raises:
        ValidationFailed: the document is not there, or does not have both marks once, in this order.
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    before, mark, rest = text.partition(begin)
    _old, ended, after = rest.partition(end)
    if not mark or not ended or begin in rest or end in after:
        raise ValidationFailed(f"{document} must have the lines {begin} and {end} once.")
    write_text(document, f"{before}{begin}\n\n{table.strip()}\n\n{end}{after}")
