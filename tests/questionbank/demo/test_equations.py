"""The equations of the word problems, evaluated with exact fractions."""

from __future__ import annotations

import re
from fractions import Fraction

from analytics.expression.evaluate import evaluate
from analytics.expression.parser import parse_expression

CONSTANTS = {"1", "2", "1000"}  # may stand in an equation without standing in the text


def as_number(answer: str) -> Fraction:
    """Return a displayed answer as a number."""
    return Fraction(answer.strip("$").replace(",", "").removesuffix("%"))


def test_every_equation_evaluates_to_the_answer(questions, shown_answer):
    with_equation = [question for question in questions if question.record.equation]
    assert len(with_equation) > 500
    for question in with_equation:
        assert evaluate(parse_expression(question.record.equation)) == as_number(shown_answer(question)), (
            question.record
        )


def test_every_number_of_an_equation_stands_in_the_text(questions):
    for question in questions:
        record = question.record
        if not record.equation:
            assert record.numbers == ()
            continue
        parts = {part for number in record.numbers for part in (number, *number.split("/"))}
        used = re.findall(r"\d+(?:\.\d+)?%?", record.equation)
        assert set(used) <= parts | CONSTANTS, record


def test_numbers_stand_in_the_text_in_their_order(questions):
    for question in questions:
        record = question.record
        text = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", record.text).replace(",", "")
        position = 0
        for number in record.numbers:
            position = text.index(number, position) + len(number)
