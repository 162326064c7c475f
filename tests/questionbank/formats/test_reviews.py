"""Decisions as JSON Lines and CSV."""

from __future__ import annotations

import csv
import io
import json

from questionbank.formats.pairs import review_lines

ROWS = [
    {"pair": 1, "comment": '=SUM("a")\n, twice', "random": True, "score": 0.25},
    {"pair": 2, "comment": "喜欢", "random": False, "score": None},
]


def test_json_lines_hold_the_values_as_they_are():
    lines = list(review_lines(ROWS, ["pair", "comment", "random", "score"], "jsonl"))
    assert [json.loads(line) for line in lines] == ROWS
    assert "喜欢" in lines[1]


def test_csv_holds_words_and_no_formula_that_a_spreadsheet_would_run():
    text = "".join(review_lines(ROWS, ["pair", "comment", "random", "score"], "csv"))
    assert list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))) == [
        ["pair", "comment", "random", "score"],
        ["1", '\'=SUM("a")\n, twice', "yes", "0.25"],
        ["2", "喜欢", "no", ""],
    ]


def test_a_csv_without_rows_has_its_header():
    assert list(review_lines([], ["pair"], "csv")) == ["\ufeffpair\r\n"]
