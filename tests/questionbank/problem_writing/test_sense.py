"""Other numbers of a problem have the shape of its own: what could be still can."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import islice
from random import Random

from analytics.expression.evaluate import evaluate
from analytics.expression.tree import parse_expression
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots
from questionbank.problem_writing.names_and_numbers import renumbered
from questionbank.problem_writing.sense import Sense
from tests.cases import each_case


def sense_of(text: str, equation: str) -> Sense:
    slots = number_slots(text)
    return Sense(text, slots, target_tree(equation, slots))


@each_case("written_problems", "other_numbers")
def test_numbers_must_compare_as_they_did(text: str, equation: str, numbers: str, holds: bool) -> None:
    assert sense_of(text, equation).holds(list(map(Fraction, numbers.split()))) is holds


@each_case("written_problems", "kept_numbers")
def test_numbers_that_mean_more_than_an_amount_stay(text: str, equation: str, stays: str) -> None:
    made = list(islice(renumbered(text, equation, Random(1)), 5))
    assert made
    assert all(re.search(rf"(?<!\d){re.escape(stays)}(?!\d)", problem.text) for problem in made)
    for problem in made:
        assert evaluate(parse_expression(problem.equation)) == Fraction(problem.answer)


def test_a_part_is_never_all_of_it() -> None:
    text = "95% of the 240 seeds of a tray came up. How many seeds are that?"
    made = list(islice(renumbered(text, "240*95%", Random(1)), 30))
    assert len(made) == 30
    assert all(int(re.match(r"\d+", problem.text)[0]) < 100 for problem in made)
    assert all("%" in problem.equation for problem in made)
