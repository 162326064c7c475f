"""Equation and answer accuracy."""

from __future__ import annotations

import pytest

from analytics.records import ProblemRecord
from analytics.solver.targets import is_equation_right, score_solutions, solver_example


def example(text: str, equation: str):
    return solver_example(ProblemRecord("1", text, equation=equation))


def test_another_equation_of_the_same_value_is_a_right_answer_and_not_the_equation():
    problems = [example("3 and 4", "3+4"), example("3 and 4", "3*4"), example("5 and 8", "8-5")]
    written = [["+", "N1", "N0"], [], ["-", "N1", "N0"]]
    scores = score_solutions(problems, written)
    assert scores.equation_accuracy == pytest.approx(1 / 3)
    assert scores.answer_accuracy == pytest.approx(2 / 3)
    assert scores.as_metrics("test_") == {
        "test_equation_accuracy": scores.equation_accuracy,
        "test_answer_accuracy": scores.answer_accuracy,
    }


def test_a_repeated_number_is_right_from_either_place():
    repeated = example("5 cats, 5 dogs, 3 mice", "5+3")
    assert is_equation_right(repeated, ["+", "N1", "N2"])
    assert not is_equation_right(repeated, ["+", "N2", "N1"])


def test_an_equation_without_a_value_is_wrong():
    scores = score_solutions([example("3 and 4", "3+4")], [["/", "N0", "-", "N1", "N1"]])
    assert (scores.equation_accuracy, scores.answer_accuracy) == (0.0, 0.0)
