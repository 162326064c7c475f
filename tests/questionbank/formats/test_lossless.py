# ruff: noqa: E501 - tables
"""The laws of every lossless format, and of every edit: what goes out comes back, and what does not is named before.

1. ``import(export(bank)) == bank``; 2. a foreign file in and out equals itself, element by element; 3. after one edit
exactly that field differs. Where a format cannot keep the third, `losses` says so: nothing is lost without a word.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analytics.question_content import (
    AcceptedAnswer,
    Blank,
    Feedback,
    MatchingPair,
    Option,
    Picture,
    QuestionContent,
    QuestionPart,
    Stimulus,
)  # fmt: skip
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused
from questionbank.formats import FORMATS, WRITTEN
from questionbank.formats.kinds import derived_answer
from questionbank.formats.qti.metadata import VERSIONS
from questionbank.formats.seam import CannotHold, not_held
from tests.pictures import png
from tests.questionbank.formats.qti_rules import package_faults
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
def test_an_edit_of_a_strangers_question_comes_back_alone_or_is_named(name, tmp_path):
    checked = set()
    for path, pictures, records in strangers():
        for number, record in enumerate(records):
            edited = EDITS[name](record)
            is_looked_at = record.kind == "opaque" or number % 5 == len(name) % 5  # all of them take minutes
            if not is_looked_at or record.original.format not in WRITTEN or edited == record:
                continue
            if name == "answer" and record.kind not in ("opaque", "open"):
                continue  # which follows from what grades the question
            format = FORMATS[record.original.format]
            named = format.losses(edited, pictures)
            assert format.losses(record, pictures) == [], path.name
            found = again(edited, format.name, pictures, tmp_path)
            assert found is not None, path.name
            is_whole = any("changes made" in one or "how STACK" in one for one in named)
            is_named = is_whole or {*lost(edited, found)} <= {*named}
            assert is_named, (path.name, record.text[:60], lost(edited, found), named)
            checked.add(format.name)
    assert checked >= {"moodle-xml", "canvas", "qti21", "qti3"}


# -- what each format holds ---------------------------------------------------------------------------------------


def asked(
    kind: str, answer: str = "", options: tuple[Option, ...] = (), text: str = "What?", **content: Any
) -> QuestionRecord:
    held = QuestionContent(**content)
    derived = derived_answer(kind=kind, options=options, answer=answer, content=held)
    return QuestionRecord("w1", text, language="en", kind=kind, options=options, answer=derived, content=held)


def chosen(*weights: float | None, feedback: str = "", answer: str = "A", **content: Any) -> QuestionRecord:
    texts = zip("ABC", ("four", "five", "six"), weights, strict=True)
    options = tuple(Option(label, text, "", weight, feedback) for label, text, weight in texts)
    return asked("choice", answer, options, **content)


def typed(kind: str, *accepted: AcceptedAnswer, **content: Any) -> QuestionRecord:
    return asked(kind, accepted=accepted, **content)


PICTURE = png(9)
_DIGEST = Pictures().put(PICTURE)
_TWO = (Option("A", "even", "", 1.0), Option("B", "odd", "", 0.0))
HOLDINGS: dict[str, QuestionRecord] = {
    "weights of -50 %": chosen(0.5, 0.5, -0.5),
    "partial credit": chosen(1.0, 0.5, 0.0, settings={"single": "true"}),
    "feedback of options": chosen(None, None, None, feedback="Because."),
    "feedback of answers": asked("choice", "A", (Option("A", "x"), Option("B", "y")), feedback=Feedback("All", "Good", "Nearly", "No")),
    "tolerance": typed("number", AcceptedAnswer("10", tolerance=0.5)),
    "tolerance in %": typed("number", AcceptedAnswer("10", tolerance=0.05, tolerance_kind="relative")),
    "significant digits": typed("number", AcceptedAnswer("3.142", tolerance=3.0, tolerance_kind="digits")),
    "unit": typed("number", AcceptedAnswer("10", tolerance=0.5, unit="cm")),
    "case counts": typed("short", AcceptedAnswer("York"), AcceptedAnswer("york", 0.5), settings={"case": "1"}),
    "answers of less": typed("short", AcceptedAnswer("York"), AcceptedAnswer("Jork", 0.5, "Nearly")),
    "hints": chosen(None, None, None, hints=("Think.", "Draw.")),
    "points": chosen(None, None, None, points=2.5),
    "title and tags": chosen(None, None, None, title="Fours", tags=("easy", "a & b")),
    "shuffling": chosen(None, None, None, settings={"shuffle": "false"}),
    "pairs": asked("matching", pairs=(MatchingPair("1", "one"), MatchingPair("2", "two"), MatchingPair("", "three"))),
    "an order": asked("ordering", "A, B", (Option("A", "x"), Option("B", "y"))),
    "gaps of weights": asked("blanks", text="It is [[1]] and [[2]].", blanks=(
        Blank("number", (AcceptedAnswer("4", tolerance=0.5),)), Blank("choice", (), _TWO, 2.0))),
    "parts": asked("parts", parts=(QuestionPart("How many?", "number", (), "4"), QuestionPart("Which?", "choice", _TWO, "A"))),
    "pictures": replace(chosen(None, None, None), text="What? ![a grey field](g.png)", content=QuestionContent(pictures=(Picture("g.png", _DIGEST),))),
    "shared text": asked("number", "3", text="A farm has 3 cows.\n\nHow many?", stimulus=Stimulus("Farm", "A farm has 3 cows.")),
    "a description": asked("description"),
}  # fmt: skip
# K: kept. O: kept in a place of our own, and listed as what others do not see. L: listed as lost. R: refused, with why.
HELD_BY = ("moodle-xml", "gift", "canvas", "qti21", "qti22", "qti3", "jsonl", "csv", "xlsx", "exam")
HELD: dict[str, str] = {
    "weights of -50 %": "K K O K K K K K K O",
    "partial credit": "K K O K K K K K K O",
    "feedback of options": "K K K K K K K K K O",
    "feedback of answers": "L O O K K K K K K O",
    "tolerance": "K K K K K K K K K O",
    "tolerance in %": "L O K K K K K K K O",
    "significant digits": "L O K K K K K K K O",
    "unit": "K O O O O O K K K O",
    "case counts": "K O O K K K K K K O",
    "answers of less": "K K O O O O K K K O",
    "hints": "K O O K K K K K K O",
    "points": "K O K K K K K K K K",
    "title and tags": "K K O K K K K K K K",
    "shuffling": "K O O K K K K K K O",
    "pairs": "K K K K K K K K K R",
    "an order": "K O K K K K K K K R",
    "gaps of weights": "L O O O O O K K K O",
    "parts": "R O R O O O K K K O",
    "pictures": "K O K K K K O O O K",
    "shared text": "L O O K K K K K K O",
    "a description": "K K K K K K K K K O",
}


def holding(record: QuestionRecord, name: str, folder: Path) -> str:
    pictures = Pictures()
    pictures.put(PICTURE)
    try:
        named = FORMATS[name].losses(record, pictures)
    except CannotHold:
        return "R"
    found = again(record, name, pictures, folder)
    if found is None:
        return "?"
    gone = lost(record, found)
    if gone:
        return "L" if {*gone} <= {*named} else f"?{gone}{named}"
    return "O" if named else "K"


@pytest.mark.parametrize("what", HOLDINGS)
def test_a_format_keeps_what_it_is_said_to_keep_and_lists_the_rest(what, tmp_path):
    found = [holding(HOLDINGS[what], name, tmp_path) for name in HELD_BY]
    assert " ".join(found) == HELD[what]


@pytest.mark.parametrize("name", VERSIONS)
def test_questions_of_strangers_leave_as_qti_that_obeys_the_schemas(name):
    for path, pictures, records in strangers():
        ours = [replace(record, id=f"i{number}", original=None) for number, record in enumerate(records)]
        packed = zipfile.ZipFile(io.BytesIO(b"".join(FORMATS[name].write(ours, pictures))))
        found = [fault for fault in package_faults(packed, name) if "which is not there" not in fault]
        assert found == [], path.name  # but for pictures that their file lacks
