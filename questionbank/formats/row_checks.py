"""What looks wrong with a question that a row holds, though it can be imported: the one place that says so.

Page and command show these warnings grouped by their reason. A check is a function of the record that yields the field
and the reason; to add one, write it and put it into `CHECKS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from analytics.question_content import content_texts
from analytics.records import QuestionRecord
from analytics.text.pictures import PICTURE
from questionbank.formats.spreadsheet_damage import damage_note

_NUMERAL = re.compile(r"[\d½⅓⅔¼¾π∞一二三四五六七八九十]|\\(?:pi|infty)\b|(?<![A-Za-z])(?:e|pi)(?![A-Za-z])")
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


def _number_without_one(record: QuestionRecord) -> Warnings:
    if record.kind == "number":
        said = " ".join([record.answer, *(answer.text for answer in record.content.accepted)])
        if not _NUMERAL.search(said):
            yield "answer", "a question for a number has no number as its answer"


def _pictures_nobody_has(record: QuestionRecord) -> Warnings:
    # Of those that are missing in an item's file, their readers say so.
    known = {picture.name for picture in record.content.pictures}
    for field, text in (
        ("text", record.text),
        *(("options", option.text) for option in record.options),
        ("solution", record.solution),
        *(("grading", text) for text in content_texts(record.content)),
    ):
        for match in PICTURE.finditer(text) if "![" in text else ():
            name = match["name"].strip()
            if "://" in name:
                what = f"the picture at {name[:100]}, which is not fetched: its address stands instead"
                yield field, f"{field} shows {what}"
            elif name and name not in known:
                yield field, f"{field} names the picture {name[:60]!r}, which is not in the file"


CHECKS: tuple[Callable[[QuestionRecord], Warnings], ...] = (
    _spreadsheet_damage,
    _single_option,
    _number_without_one,
    _pictures_nobody_has,
)
"""Each yields (field, reason)."""


def record_warnings(record: QuestionRecord) -> Warnings:
    """Yield the field and the reason of whatever looks wrong."""
    for check in CHECKS:
        yield from check(record)
