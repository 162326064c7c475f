"""Columns that hold the marks of each question."""

from __future__ import annotations

from questionbank.papers.line_cutting import with_column_of_points
from questionbank.papers.paper_lines import Line
from questionbank.papers.question_assembly import assemble, guess_roles


def paper(*marks: str) -> list[Line]:
    """Return questions, each with what stands in the column beside it."""
    return [
        line
        for number, given in enumerate(marks, 1)
        for line in (Line(f"What is {number} + 5?", f"{number}."), Line("", given))
    ]


def test_a_column_of_numbers_holds_points_and_no_parts() -> None:
    lines = with_column_of_points(paper("2", "3", "2", "1"))
    found = assemble(lines, guess_roles(lines)).questions
    assert [question.record.content.points for question in found] == [2, 3, 2, 1]
    assert not any(question.record.content.parts for question in found)


def test_numbers_that_count_on_or_stand_alone_once_are_kept() -> None:
    for lines in (paper("1", "2", "3", "4"), [*paper("2"), Line("What is 2 + 5?", "2.")]):
        assert with_column_of_points(lines) == lines
