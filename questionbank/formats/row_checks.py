"""What looks wrong with a question that a row holds, though it can be imported: the one place that says so.

Page and command show these warnings grouped by their reason. A check is a function of the record that yields the field
and the reason; to add one, write it and put it into `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analytics.records import QuestionRecord
from questionbank.formats.spreadsheet_damage import damage_note

Warnings = Iterator[tuple[str, str]]


def _spreadsheet_damage(record: QuestionRecord) -> Warnings:
    if note := damage_note(record.answer):
        yield "answer", f"answer {note}"
    for option in record.options:
        if note := damage_note(option.text):
            yield "options", f"option {note}"


def _single_option(record: QuestionRecord) -> Warnings:
    if len(record.options) == 1:
        yield "options", "the question has a single option; it needs another one when it is edited"


CHECKS: tuple[Callable[[QuestionRecord], Warnings], ...] = (_spreadsheet_damage, _single_option)
"""Each yields (field, reason)."""


def record_warnings(record: QuestionRecord) -> Warnings:
    """Yield the field and the reason of whatever looks wrong."""
    for check in CHECKS:
        yield from check(record)
