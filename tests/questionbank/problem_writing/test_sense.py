"""Other numbers of a problem have the shape of its own: what could be still can."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import islice
from random import Random

import pytest

from analytics.expression.evaluate import evaluate
from analytics.expression.parser import parse_expression
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots
from questionbank.problem_writing.names_and_numbers import renumbered
from questionbank.problem_writing.sense import Sense

TICKETS = (
    "At a fair adults pay £9 and children £5. On Monday 42 visitors paid £266 in total. How many were adults?",
    "(266-5*42)/(9-5)",
)


def sense_of(text: str, equation: str) -> Sense:
    slots = number_slots(text)
    return Sense(text, slots, target_tree(equation, slots))


@pytest.mark.parametrize(
    ("problem", "numbers", "holds"),
    [
        (TICKETS, "8 5 44 250", True),
        (TICKETS, "7 3 34 350", False),  # 62 adults of 34 visitors
        (TICKETS, "5 9 42 266", False),  # children pay more
        (("Of 40 pupils 30 can swim and 20 can ski; 15 can do both. How many can neither?", "40-(30+20-15)"),
         "44 34 21 16", True),
        (("Of 40 pupils 30 can swim and 20 can ski; 15 can do both. How many can neither?", "40-(30+20-15)"),
         "45 35 24 30", False),  # more who can both than who can ski
        (("A film lasts 95 minutes. Mia has seen 40 minutes. How many are left?", "95-40"), "80 70", False),
        (("A film lasts 95 minutes. Mia has seen 40 minutes. How many are left?", "95-40"), "80 30", True),
        (("A class has 30 pupils. 12 walk, 10 ride and 8 come by bus. How many do not walk?", "30-12"),
         "28 14 10 8", False),  # 14, 10 and 8 are not 28
        (("Ben is 7 years old, and Ann is 5 years older. How old is Ann?", "7+5"), "19 8", False),  # an adult
    ],
)  # fmt: skip
def test_numbers_must_compare_as_they_did(problem: tuple[str, str], numbers: str, holds: bool) -> None:
    assert sense_of(*problem).holds(list(map(Fraction, numbers.split()))) is holds


@pytest.mark.parametrize(
    ("text", "equation", "stays"),
    [
        ("The mean of 4 tests is 15 points. Three were 14, 12 and 16. How many is the last?", "15*4-14-12-16", "4"),
        ("A box is 12 cm long, 15 cm wide and 2 cm high. What is its surface area in square centimetres?",
         "2*(12*15+12*2+15*2)", "2"),
        ("Fabric costs £6 a metre. What do 250 cm cost? There are 100 cm in a metre.", "6*250/100", "100"),
        ("A cow has 4 legs. How many legs have 18 cows?", "4*18", "4"),
        ("Pens cost £3 each. Ben buys 4 and pays with a £20 note. How many pounds change does he get?", "20-4*3", "20"),
        ("A tank is filled to $\\frac{3}{4}$ and holds 96 litres. How many litres are in it?", "96*(3/4)", "{3}{4}"),
        ("At 8:30 there were 24 cars, and 9 left. How many stayed?", "24-9", "8:30"),
    ],
)  # fmt: skip
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
