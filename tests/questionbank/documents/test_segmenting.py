"""Lines with roles to questions: the grammar of test papers, and roles that people give."""

from __future__ import annotations

from questionbank.documents.paper import Paper
from questionbank.documents.reading import read_text
from questionbank.documents.roles import guess_roles
from questionbank.documents.segmenting import assemble


def paper_of(text: str) -> Paper:
    lines = read_text(text).lines
    return assemble(lines, guess_roles(lines))


def test_a_typed_test_is_read_with_its_options_answers_and_points() -> None:
    paper = paper_of("1. What is 2 + 2? (2 marks)\nA. 3   *B. 4   C. 5\n2) Find $x$.\nAnswer: 7")
    first, second = paper.questions
    assert [option.text for option in first.record.options] == ["3", "4", "5"]
    assert (first.record.kind, first.record.answer, first.record.content.points) == ("choice", "B", 2)
    assert (second.number, second.record.text, second.record.answer) == ("2)", "Find $x$.", "7")
