"""Scales of difficulty, and columns of difficulties that are no numbers: one scale, or none for a mixture."""

from __future__ import annotations

import pytest

from questionbank.core.errors import LineProblem
from questionbank.formats.catalog import read
from questionbank.formats.scales import AS_PUBLISHED, SCALES, read_column, scale_names, scale_percent, scale_value
from tests.cases import each_case
from tests.questionbank.formats.files import saved


@pytest.mark.parametrize("name", SCALES)
def test_the_easiest_is_0_and_the_hardest_100_per_cent(name):
    bounds = SCALES[name]
    easiest, hardest = (bounds.high, bounds.low) if bounds.inverted else (bounds.low, bounds.high)
    assert scale_percent(easiest, name) == 0
    assert scale_percent(hardest, name) == 100


@pytest.mark.parametrize("name", SCALES)
def test_per_cent_map_back_to_the_value(name):
    for percent in (0.0, 12.5, 50.0, 100.0):
        assert scale_percent(scale_value(percent, name), name) == pytest.approx(percent)


def test_an_estimate_outside_the_scale_is_clipped():
    assert (scale_percent(-0.2, "0-4"), scale_percent(5.3, "1-5")) == (0, 100)


def test_a_difficulty_without_a_known_scale_has_no_per_cent():
    assert AS_PUBLISHED in scale_names()
    assert [scale_percent(3, name) for name in (AS_PUBLISHED, "", "stars")] == [None] * 3
    assert scale_percent(None, "1-5") is None
    assert scale_value(50, AS_PUBLISHED) is None


@each_case("difficulty_column", "a_column_of_one_way_has_one_scale")
def test_a_column_of_one_way_has_one_scale(column, scale, values):
    reading = read_column(column)
    assert reading.scale == scale
    assert [reading.value(text) for text in column] == values
    assert reading.note().startswith("Difficulty is read from ")


@pytest.mark.parametrize(
    "column", [["75%", "Level 3"], ["easy", "3"], ["3/5", "hard"], ["easy", "75%", "2"], ["1", "2", "50%"]]
)
def test_a_mixture_is_not_guessed(tmp_path, column):
    path = tmp_path / "q.csv"
    path.write_text("text,difficulty\n" + "".join(f"1 + {n},{text}\n" for n, text in enumerate(column)))
    entries = [entry for _, entry in read(path)]
    refused = [entry for entry in entries if isinstance(entry, LineProblem)]
    assert refused
    assert all("cannot be placed: the column mixes" in problem.reason for problem in refused)
    kept = [entry for _, entry in read(path, without=["difficulty"])]
    assert [entry.difficulty for entry in kept] == [None] * len(column)


@pytest.mark.parametrize(
    ("cell", "value"), [("0,4", 0.4), ("1,5", 1.5), ("2.5", 2.5), ("3", 3), ("1e1", 10), ("-0,25", -0.25)]
)
def test_decimal_commas_are_numbers(tmp_path, cell, value):
    path = saved(tmp_path, f"Frage;Schwierigkeit\n1 + 1;{cell}\n", "q.csv")
    ((_, record),) = read(path)
    assert record.difficulty == value


def test_a_comma_before_three_digits_is_not_guessed(tmp_path):
    path = saved(tmp_path, "Frage;Schwierigkeit\n1 + 1;1,500\n", "q.csv")
    ((_, problem),) = read(path)
    assert "difficulty '1,500' is not a number" in problem.reason


def test_a_stated_scale_counts_more_than_the_guess(tmp_path):
    path = saved(tmp_path, "text,difficulty\n1 + 1,Level 3\n", "q.csv")
    ((_, record),) = read(path, scale="1-10")
    assert (record.difficulty, record.difficulty_scale) == (3, "1-10")


def test_shares_of_correct_answers_may_be_percentages(tmp_path):
    path = saved(tmp_path, "text;facility;responses\n1;75%;8\n2;0,5;8\n3;half;8\n", "q.csv")
    first, second, third = (entry for _, entry in read(path))
    assert (first.facility, second.facility) == (0.75, 0.5)
    assert "facility 'half' is not a share such as 0.75 or 75%" in third.reason
