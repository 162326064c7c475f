"""How many cars 28 children need, and how many of five chairs each a hall of 28 has in a full row."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.solver.plausibility import rounded_solution, rounding_of
from analytics.solver.solution import Solution, solution_of, solution_steps

VALUES = [Fraction(28), Fraction(5), Fraction(3)]


@pytest.mark.parametrize(
    ("question", "rounding"),
    [
        ("How many cars are needed?", "up"),
        ("How many trips would they have to make?", "up"),
        ("How many tanks must be bought to hold it?", "up"),
        ("How many cars can they fill?", "down"),
        ("How many sweets does each child get?", "down"),
        ("How many full boxes does she need?", "down"),
        ("About how many shelves would they need?", "nearest"),
        ("How many sweets are left over?", ""),
        ("How many boxes are needed? Then how many pens remain?", ""),
        ("What does each child pay?", ""),
        ("每辆车坐5人，至少需要几辆车？", "up"),
        ("每辆车坐5人，可以坐满几辆车？", "down"),
        ("每辆车坐5人，平均分成几组？", ""),
        ("每本3元，最多买几本？还剩几元？", ""),
    ],
)
def test_the_words_behind_how_many_tell_how_to_round(question, rounding):
    assert rounding_of(f"There are 28 children. {question}") == rounding


@pytest.mark.parametrize(
    ("tokens", "question", "answer"),
    [
        ("/ N0 N1", "How many cars are needed?", "6"),
        ("/ N0 N1", "How many rows can they fill?", "5"),
        ("/ + N0 N1 2", "About how many rows are there?", "17"),
        ("/ N0 N2", "How many cars must come?", "10"),
    ],
)
def test_a_quotient_is_rounded(tokens, question, answer):
    solution = solution_of(tokens.split(), VALUES, 0.5)
    rounded = rounded_solution(question, solution)
    assert rounded is not None
    assert rounded.answer == rounded.exact == answer
    assert rounded.equation == solution.equation
    assert rounded.quotient == solution.value


@pytest.mark.parametrize(
    ("tokens", "question"),
    [
        ("/ N1 N0", "How many cars are needed?"),  # less than one: divided the wrong way round
        ("+ N0 / N1 N2", "How many cars are needed?"),  # the last operation is no division
        ("/ N0 N1", "How many children are left?"),
        ("/ N0 - N1 5", "How many cars are needed?"),  # no value
    ],
)
def test_what_is_no_quotient_or_asks_for_something_else_is_not_rounded(tokens, question):
    assert rounded_solution(question, solution_of(tokens.split(), VALUES, 0.5)) is None


def test_rounding_is_the_last_step():
    def steps(tokens: str, question: str) -> list[str]:
        rounded = rounded_solution(question, solution_of(tokens.split(), VALUES, 0.5))
        assert isinstance(rounded, Solution)
        return [str(step) for step in solution_steps(rounded)]

    assert steps("/ N0 N1", "How many cars are needed?") == ["28 / 5 = 5.6", "5.6 rounded up = 6"]
    assert steps("/ N0 N2", "About how many are they?")[-1] == "9.33333 rounded = 9"
