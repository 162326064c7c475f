"""Hierarchies as files of their own."""

from __future__ import annotations

import pytest

from questionbank.core.errors import ImportRefused
from questionbank.formats.fields import FieldProblems
from questionbank.formats.seam import is_concept_row, read_concept_row, resolve_concept_rows


def _rows(*dicts):
    return [read_concept_row(row, line) for line, row in enumerate(dicts, start=1)]


def test_only_lines_without_a_question_are_concepts():
    assert is_concept_row({"id": 1, "name": "Maths"})
    assert is_concept_row({"path": ["Maths"]})
    assert not is_concept_row({"name": "x", "text": "1 + 1"})
    assert not is_concept_row({"original": "a", "paraphrase": "b"})


def test_paths_are_taken_as_they_stand():
    assert resolve_concept_rows(_rows({"path": ["Maths"]}, {"path": ["Maths", "Number"]})) == (
        [("Maths",), ("Maths", "Number")],
        [],
    )


def test_parents_may_come_after_their_children():
    rows = _rows(
        {"id": 3, "name": "Fractions", "parent": 2},
        {"id": 2, "name": "Number", "parent": 1},
        {"id": 1, "name": "Maths"},
        {"id": 4, "name": "Halves", "parent": 3},
    )
    assert resolve_concept_rows(rows)[0] == [
        ("Maths", "Number", "Fractions"),
        ("Maths", "Number"),
        ("Maths",),
        ("Maths", "Number", "Fractions", "Halves"),
    ]


def test_a_cycle_of_parents_is_named_with_its_lines():
    rows = _rows(
        {"id": 9, "name": "Root"},
        {"id": 1, "name": "A", "parent": 3},
        {"id": 2, "name": "B", "parent": 1},
        {"id": 3, "name": "C", "parent": 2},
    )
    with pytest.raises(ImportRefused, match=r"The concepts form a cycle: A > B > C > A\.") as caught:
        resolve_concept_rows(rows)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]


def test_a_concept_that_is_its_own_parent_is_a_cycle():
    with pytest.raises(ImportRefused, match="cycle: A > A"):
        resolve_concept_rows(_rows({"id": 1, "name": "A", "parent": 1}))


def test_a_cycle_is_found_even_where_paths_are_given():
    rows = _rows({"id": 1, "name": "A", "parent": 2, "path": ["A"]}, {"id": 2, "name": "B", "parent": 1, "path": ["B"]})
    with pytest.raises(ImportRefused, match="cycle"):
        resolve_concept_rows(rows)


def test_a_hundred_thousand_links_are_followed_without_recursion():
    rows = _rows(*({"id": n, "name": f"c{n}", "parent": n - 1 if n else None} for n in range(20_000)))
    paths, problems = resolve_concept_rows(rows)
    assert len(paths) == 30
    assert problems[0].reason == "the concept lies deeper than 30 levels"


def test_a_parent_that_is_not_in_the_file_is_a_problem_of_its_lines():
    paths, problems = resolve_concept_rows(_rows({"id": 1, "name": "A", "parent": 7}, {"id": 2, "name": "B"}))
    assert paths == [("B",)]
    assert str(problems[0]) == "line 1: parent '7' is not in the file"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"name": 5}, "name must be a string"),
        ({"name": " "}, "name is empty"),
        ({"path": "Maths"}, "path must be a list of names"),
        ({"path": ["A", "B", "A"]}, "contain a cycle"),
        ({"name": "A", "parent": 1.5}, "parent must be a string or a whole number"),
        ({"name": "A\0"}, "NUL"),
        ({"name": "A", "id": "\ud800"}, "surrogate"),
    ],
)
def test_a_wrong_field_is_named(row, reason):
    with pytest.raises(FieldProblems, match=reason):
        read_concept_row(row, 1)
