"""Columns that hold the marks of each question."""

from __future__ import annotations

from questionbank.documents.paper import Line, Role
from questionbank.documents.readings import guess_roles


def paper(*marks: str) -> list[Line]:
    """Return questions, each with what stands in the column beside it."""
    return [
        line
        for number, given in enumerate(marks, 1)
        for line in (Line(f"What is {number} + 5?", f"{number}."), Line("", given))
    ]


def test_a_column_of_numbers_holds_marks_and_no_parts():
    roles = guess_roles(paper("2", "3", "2", "1"))
    assert roles == [Role.QUESTION, Role.NOTHING] * 4


def test_a_number_that_stands_alone_once_is_kept():
    lines = [Line("What is 1 + 5?", "1."), Line("", "2"), Line("What is 2 + 5?", "2.")]
    assert guess_roles(lines)[1] is not Role.NOTHING
