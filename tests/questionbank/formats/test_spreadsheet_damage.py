"""Answers that a spreadsheet has changed: told with the likely value, never changed."""

from __future__ import annotations

from questionbank.core.errors import LineWarning
from questionbank.formats.catalog import read
from questionbank.formats.written_numbers import damage_note
from tests.cases import each_case
from tests.questionbank.formats.files import saved


@each_case("spreadsheet_damage", "damage_is_told_with_the_likely_value")
def test_damage_is_told_with_the_likely_value(value, guess):
    note = damage_note(value)
    assert repr(value) in note
    assert guess in note


@each_case("spreadsheet_damage", "ordinary_answers_are_none")
def test_ordinary_answers_are_none(value):
    assert damage_note(value) == ""


def test_the_answer_stays_as_it_is(tmp_path):
    path = saved(tmp_path, "question,option A,option B,answer\nSimplify 6/8,04-Mar,1/2,A\n", "q.csv")
    (_, warning), (_, record) = read(path)
    assert isinstance(warning, LineWarning)
    assert warning.field == "options"
    assert record.options[0].text == "04-Mar"
