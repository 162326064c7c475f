"""Answers that a spreadsheet has changed: told with the likely value, never changed."""

from __future__ import annotations

import pytest

from questionbank.core.errors import LineWarning
from questionbank.formats.catalog import read
from questionbank.formats.spreadsheet_damage import damage_note
from tests.questionbank.formats.files import saved


@pytest.mark.parametrize(
    ("value", "guess"),
    [
        ("04-Mar", "3/4"),
        ("1-May", "1/5"),
        ("Apr 3", "3/4"),
        ("2024-03-04 00:00:00", "3/4"),
        ("1.2E+07", "12000000"),
        ("03. Apr", "3.4"),
        ("4. März", "3/4"),
        ("04-mars", "3/4"),
        ("4-avr.", "4/4"),
        ("05-ene", "1/5"),
        ("3月4日", "3/4"),
        ("3/4/2024", "3/4"),
        ("04.03.2024", "3/4"),
        ("2024-03-04", "3/4"),
        ("2024-03-04T00:00:00", "3/4"),
        ("Mar-25", "3/25"),
        ("4-Mar-24", "3/4"),
        ("1,2E+07", "12000000"),
        ("5E-05", "0.00005"),
        ("12-Dez", "12/12"),
    ],
)
def test_damage_is_told_with_the_likely_value(value, guess):
    note = damage_note(value)
    assert repr(value) in note
    assert guess in note


@pytest.mark.parametrize(
    "value",
    [
        "3/4",
        "x = 3",
        "March",
        "4 marbles",
        "1.5",
        "12",
        "3-4",
        "2024",
        "E = 5",
        "mar 4x",
        "5 apples",
        "1e5",
        "40-May",
        "",
    ],
)
def test_ordinary_answers_are_none(value):
    assert damage_note(value) == ""


def test_the_answer_stays_as_it_is(tmp_path):
    path = saved(tmp_path, "question,option A,option B,answer\nSimplify 6/8,04-Mar,1/2,A\n", "q.csv")
    (_, warning), (_, record) = read(path)
    assert isinstance(warning, LineWarning)
    assert warning.field == "options"
    assert record.options[0].text == "04-Mar"
