"""Equations from the programs and calculations of the public sets' formats; all problems are our own."""

from __future__ import annotations

import pytest

from questionbank.formats.fields import read_question
from questionbank.formats.limits import EQUATION_LIMIT

CRATES = "A crate has 12 rows of 5 jars, and 7 jars are cracked. How many jars are whole?"
PROGRAM = "multiply(n0,n1)|subtract(#0,n2)|"
CALCULATIONS = ["12*5=60", "60-7=53"]


@pytest.mark.parametrize("row", [{"program": PROGRAM}, {"calculations": CALCULATIONS}])
@pytest.mark.parametrize("answer", ["53", "53 jars", "53.0", "most of them", None])
def test_a_solution_in_steps_becomes_one_equation_with_the_numbers_of_the_text(row, answer):
    assert read_question({"text": CRATES, "answer": answer, **row}).equation == "12*5-7"


def test_the_numbers_that_a_source_lists_are_those_that_its_program_names():
    row = {"text": CRATES, "program": PROGRAM, "numbers": ["12", "1,000", "7"]}
    assert read_question(row).equation == "12*1000-7"


def test_of_a_choice_the_text_of_the_right_option_is_compared():
    options = [{"label": "a", "text": "67"}, {"label": "b", "text": "rs . 53"}]
    row = {"text": CRATES, "program": PROGRAM, "options": options}
    assert read_question({**row, "answer": "b"}).equation == "12*5-7"
    assert read_question({**row, "answer": "a"}).equation == ""


def test_a_published_equation_comes_before_both():
    row = {"text": CRATES, "equation": "60-7", "program": PROGRAM, "calculations": CALCULATIONS}
    assert read_question(row).equation == "60-7"


def test_calculations_help_where_the_program_does_not():
    row = {"text": CRATES, "program": "gcd(n0,n1)|", "calculations": CALCULATIONS, "answer": "53"}
    assert read_question(row).equation == "12*5-7"


@pytest.mark.parametrize(
    "row",
    [
        {"program": PROGRAM, "answer": "54"},  # another value
        {"calculations": CALCULATIONS, "answer": "54"},
        {"program": "gcd(n0,n1)|"},  # not arithmetic
        {"program": "add(n0,n9)|"},  # names no number
        {"program": "subtract(n0,n0)|divide(n1,#0)|"},  # has no value
        {"program": "add("},
        {"program": 5},
        {"program": "add(n0,n1)\x00|"},
        {"program": "|".join(["multiply(n0,n0)", *(f"multiply(#{n},#{n})" for n in range(30))])},  # too large
        {"calculations": []},
        {"calculations": "12*5=60"},  # no list
        {"calculations": ["12*5"]},
        {"calculations": ["twelve=12"]},
        {"calculations": ["53=53"]},  # computes nothing
        {"calculations": [12]},
    ],
)
def test_what_cannot_be_used_leaves_the_equation_empty_and_the_line_whole(row):
    record = read_question({"text": CRATES, **row})
    assert (record.text, record.equation) == (CRATES, "")


@pytest.mark.parametrize("steps", [1, 5, 20])
def test_an_equation_that_is_too_long_for_the_bank_is_left_empty(steps):
    number = "7" * 300
    row = {"text": CRATES, "calculations": [f"{'+'.join([number] * steps)}={number}"]}
    equation = read_question(row).equation
    assert len(equation) <= EQUATION_LIMIT
    assert bool(equation) is (steps == 5)
