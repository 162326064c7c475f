"""Moodle files that somebody wrote who had not seen the reader; what a good import gives is in their `expected.md`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused
from questionbank.formats import read

FOLDER = Path(__file__).parents[2] / "bench/outside/second/moodle"
QUESTIONS = re.findall(
    r"^\| ([mg]\d\d\.\w+) \| (\d+) \|$", (FOLDER / "expected.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_every_file_is_expected_to_hold_questions():
    assert sorted(name for name, _ in QUESTIONS) == sorted(path.name for path in FOLDER.glob("[mg]*.*"))


@pytest.mark.parametrize(("name", "expected"), QUESTIONS)
def test_no_question_of_a_strangers_file_is_missing(name, expected):
    questions = [entry for _, entry in read(FOLDER / name) if isinstance(entry, QuestionRecord)]
    assert len(questions) == int(expected)
    graded = [question for question in questions if question.kind not in ("opaque", "description", "open")]
    assert all(question.answer for question in graded)


@pytest.mark.parametrize("name", ["h01.xml", "h02.xml", "h05.xml", "h07.xml"])
def test_a_hostile_or_broken_file_is_refused(name):
    with pytest.raises(ImportRefused):
        list(read(FOLDER / name))
