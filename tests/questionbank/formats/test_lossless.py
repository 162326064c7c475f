"""The laws of every lossless format, and of every edit: what goes out comes back, and what does not is named before.

1. ``import(export(bank)) == bank``; 2. a foreign file in and out equals itself, element by element; 3. after one edit
exactly that field differs. Where a format cannot keep the third, `losses` says so: nothing is lost without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analytics.question_content import Feedback
from analytics.records import QuestionRecord
from questionbank.errors import ImportRefused
from questionbank.formats import FORMATS, WRITTEN
from questionbank.formats.seam import not_held
from tests.questionbank.formats.test_moodle_xml import Pictures, questions
from tests.questionbank.formats.test_outside_files import TRUTHS

Edit = Callable[[QuestionRecord], QuestionRecord]


def of_content(**changes: Any) -> Edit:
    return lambda record: replace(record, content=replace(record.content, **changes))


EDITS: dict[str, Edit] = {
    "text": lambda record: replace(record, text=f"{record.text} Wombats."),
    "solution": lambda record: replace(record, solution="Count the wombats."),
    "answer": lambda record: replace(record, answer="wombats"),
    "grade": lambda record: replace(record, grade="9"),
    "title": of_content(title="Wombats"),
    "points": of_content(points=3.5),
    "tags": of_content(tags=("wombats", "numbers, small")),
    "hints": of_content(hints=("Think of wombats.",)),
    "feedback": of_content(feedback=Feedback("All", "Right", "Nearly", "Wrong")),
}


def again(record: QuestionRecord, name: str, pictures: Pictures, folder: Path) -> QuestionRecord | None:
    """The question after it has left in a format and come back; None where it does not come back."""
    format = WRITTEN[name]
    data = b"".join(format.write([record], pictures))
    path = folder / f"again{format.ending(data)}"
    path.write_bytes(data)
    try:
        found = questions(path, pictures)
    except ImportRefused:
        return None
    return replace(found[0], source=record.source) if found else None


def lost(record: QuestionRecord, found: QuestionRecord) -> list[str]:
    """What differs; an opaque question's item is another once it is edited."""
    return not_held(record, replace(found, content=replace(found.content, original=record.content.original)))


@cache
def strangers() -> list[tuple[Path, Pictures, list[QuestionRecord]]]:
    found = []
    for path in TRUTHS:
        pictures = Pictures()
        found.append((path, pictures, questions(path, pictures)))
    return found


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_what_only_its_own_system_can_ask_comes_back_or_is_named(name, tmp_path):
    checked = set()
    for path, pictures, records in strangers():
        for record in records:
            edited = EDITS[name](record)
            if record.kind != "opaque" or record.original.format not in WRITTEN or edited == record:
                continue
            format = FORMATS[record.original.format]
            named = format.losses(edited, pictures)
            assert format.losses(record, pictures) == [], path.name
            found = again(edited, format.name, pictures, tmp_path)
            assert found is not None, path.name
            is_named = {*lost(edited, found)} <= {*named} or any("changes made" in one for one in named)
            assert is_named, (path.name, record.text[:60], lost(edited, found), named)
            checked.add(format.name)
    assert checked >= {"moodle-xml", "canvas", "qti21", "qti3", "webwork", "prairielearn", "rexams", "amc"}
