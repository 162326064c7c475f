"""Number slots and constants."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate
from analytics.expression.notation import to_infix
from analytics.expression.parser import parse_expression
from analytics.expression.slots import constant_label, fill_slots, with_slots
from tests.cases import each_case


def values(*numbers: object) -> list[Fraction]:
    return [Fraction(str(number)) for number in numbers]


@each_case("expressions", "slots")
def test_numbers_of_the_text_become_slots_and_others_constants(text, numbers, expected) -> None:
    assert to_infix(with_slots(parse_expression(text), values(*numbers))) == expected


def test_filled_slots_compute_with_other_numbers() -> None:
    tree = with_slots(parse_expression("(11-1)*2"), values(2, 11))
    assert evaluate(fill_slots(tree, [Fraction(3), Fraction(21)])) == 60
    assert evaluate(fill_slots(tree, [Fraction(1, 3), Fraction(-5)])) == -2
    with pytest.raises(DataError, match="has no number"):
        fill_slots(tree, [Fraction(3)])


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("100", "100"),
        ("3.14", "3.14"),
        ("1/3", "1/3"),
        ("-7/2", "-3.5"),
        (f"{10**400}/2", str(5 * 10**399)),
        (f"{10**400 + 1}/2", f"{5 * 10**399}.5"),
    ],
)
def test_a_constant_has_one_spelling(value: str, label: str) -> None:
    assert constant_label(Fraction(value)) == label
