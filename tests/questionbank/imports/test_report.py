"""Reasons of many lines are one sentence each, in bounded memory."""

from __future__ import annotations

from questionbank.imports.report import ReasonGroups


def test_the_same_mistake_in_many_lines_is_one_sentence_with_value_and_count():
    groups = ReasonGroups()
    for line in range(2, 2_002):
        groups.add(line, "difficulty", f"difficulty '{line % 3},5x' is not a number")
    groups.add(7, "text", "text is missing")
    (first, second) = groups.ordered()
    assert str(first) == (
        "2,000 lines: difficulty '2,5x' is not a number (also '0,5x', '1,5x'); first in lines 2, 3, 4, 5, 6"
    )
    assert str(second) == "line 7: text is missing"


def test_numbers_and_formulas_do_not_make_other_reasons():
    groups = ReasonGroups()
    for n in range(50):
        groups.add(n, "", f"not JSON: expecting value at column {n}")
        groups.add(n, "formula", rf"The formula $\frac{{{n}}}{{$ cannot be drawn.")
    assert [group.count for group in groups.ordered()] == [50, 50]


def test_many_reasons_end_in_one_that_says_so():
    groups = ReasonGroups()
    for n in range(1_000):
        groups.add(n, "f" * (n + 1), "is wrong")
    assert len(groups.ordered()) == 201
    assert groups.ordered()[0].count == 800
