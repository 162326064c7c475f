"""Marks typed into a grid or pasted from a spreadsheet."""

from __future__ import annotations

import pytest

from questionbank.core.errors import ImportRefused
from questionbank.responses.typed_marks import TypedQuestion, read_typed

QUESTIONS = [TypedQuestion(1, 2.0), TypedQuestion(2), TypedQuestion(3, 1.5)]


def marks(grid: list[list[str]], pasted: str = "") -> list[tuple[str, int | None, float | None]]:
    table = read_typed(QUESTIONS, grid, pasted)
    return [(row.person, table.questions[row.question].position, row.mark) for row in table.rows]


def test_a_grid_with_decimal_commas_and_empty_cells():
    assert marks([["Ada", "1,5", "1", ""], ["", "", "", ""], ["Ben", "2", "0", "1,5"]]) == [
        ("ada", 1, 1.5), ("ada", 2, 1.0), ("ben", 1, 2.0), ("ben", 2, 0.0), ("ben", 3, 1.5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "pasted",
    [
        "Ada\t1,5\t1\t0\nBen\t2\t0\t1,5\n",
        "Ada;1,5;1;0\r\nBen;2;0;1,5;;\r\n",
        "Ada,1.5,1,0\nBen,2,0,1.5\n",
        "Name\t1\t2\t3\nAda\t1,5\t1\t0\n\nBen\t2\t0\t1,5\n",
        "\t1\t2\t3\nAda\t1,5\t1\t0\nBen\t2\t0\t1,5",
    ],
)
def test_rows_pasted_from_a_spreadsheet(pasted):
    assert marks([], pasted) == [
        ("ada", 1, 1.5), ("ada", 2, 1.0), ("ada", 3, 0.0), ("ben", 1, 2.0), ("ben", 2, 0.0), ("ben", 3, 1.5),
    ]  # fmt: skip


def test_points_of_the_worksheet_are_the_maximum_marks():
    table = read_typed(QUESTIONS, [["Ada", "3", "1", "1"], ["Ben", "2", "1", "1"]], "")
    assert [question.maximum for question in table.questions] == [2.0, 1.0, 1.5]
    assert [str(problem) for problem in table.problems] == ["line 1: Q1: the mark 3 is above the maximum, 2"]


def test_a_row_with_a_total_is_refused_and_one_without_a_name_too():
    table = read_typed(QUESTIONS, [["", "1", "1", "1"], ["Ada", "2", "1", "1"]], "Ben\t2\t1\t1\t4")
    assert [str(problem) for problem in table.problems] == [
        "line 1: the row names no pupil",
        "line 3: the row has 5 cells; write the pupil and 3 marks, without a total",
    ]


def test_nothing_typed_is_refused_with_what_to_do():
    with pytest.raises(ImportRefused, match="No row can be read: write a pupil and the marks in each"):
        read_typed(QUESTIONS, [["", "", "", ""]], " \n")
