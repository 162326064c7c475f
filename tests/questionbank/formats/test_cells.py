"""Lists and formula-like text inside CSV cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questionbank.formats.csv_files import guard_cell, join_list, join_paths, split_list, split_paths, unguard_cell

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).map(str.strip)
PATHS = st.lists(st.lists(NAMES.filter(bool), min_size=1, max_size=4), max_size=4)


@given(PATHS)
def test_paths_survive_their_cell(paths):
    assert split_paths(join_paths(paths)) == paths


@given(st.lists(NAMES.filter(lambda name: name and ">" not in name), max_size=5))
def test_lists_survive_their_cell(items):
    assert split_list(join_list(items)) == items


@given(st.text(max_size=20) | st.from_regex(r"'*[=+\-@\t\r].*", fullmatch=True))
def test_a_guarded_cell_is_harmless_and_comes_back(value):
    guarded = guard_cell(value)
    assert unguard_cell(guarded) == value
    assert not guarded.startswith(("=", "@", "\t", "\r"))


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "+SUM(1)", "-2+3", "@x", "\t=1", "'=1"])
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(cell):
    assert guard_cell(cell) == "'" + cell


@pytest.mark.parametrize("cell", ["-5", "+0.5", "-1e3", "x=1", "", "'tis"])
def test_numbers_and_plain_text_stay_as_they_are(cell):
    assert guard_cell(cell) == cell


def test_separators_need_no_blanks_and_empty_parts_between_semicolons_do_not_count():
    assert split_paths("A>B;; C ;") == [["A", "B"], ["C"]]


def test_an_empty_name_is_left_for_the_caller_to_refuse():
    assert split_paths("A > > B") == [["A", "", "B"]]


def test_other_backslashes_are_themselves():
    assert split_paths(r"\frac > a\;b") == [[r"\frac", "a;b"]]
