"""The equations of the word problems, evaluated with exact fractions."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

CONSTANTS = {"1", "2", "1000"}  # may stand in an equation without standing in the text


def evaluate(expression: str) -> Fraction:
    """Evaluate infix arithmetic with ``+ - * / %`` and brackets exactly."""
    tokens = re.findall(r"\d+(?:\.\d+)?|[-+*/()%]", expression)
    assert "".join(tokens) == expression, expression

    def total() -> Fraction:
        value = product()
        while tokens and tokens[0] in "+-":
            value = value + product() if tokens.pop(0) == "+" else value - product()
        return value

    def product() -> Fraction:
        value = atom()
        while tokens and tokens[0] in "*/":
            value = value * atom() if tokens.pop(0) == "*" else value / atom()
        return value

    def atom() -> Fraction:
        token = tokens.pop(0)
        if token == "(":
            value = total()
            assert tokens.pop(0) == ")"
        else:
            value = Fraction(token)
        while tokens and tokens[0] == "%":
            tokens.pop(0)
            value /= 100
        return value

    value = total()
    assert tokens == []
    return value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("80*(1-25%)", 60),
        ("1/(1/3+1/6)", 2),
        ("7-2-1", 4),
        ("0.5*3", Fraction(3, 2)),
    ],
)
def test_the_evaluator_itself(expression, value):
    assert evaluate(expression) == value


def as_number(answer: str) -> Fraction:
    """Return a displayed answer as a number."""
    return Fraction(answer.strip("$").replace(",", "").removesuffix("%"))


def test_every_equation_evaluates_to_the_answer(questions, shown_answer):
    with_equation = [question for question in questions if question.record.equation]
    assert len(with_equation) > 500
    for question in with_equation:
        assert evaluate(question.record.equation) == as_number(shown_answer(question)), question.record


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
