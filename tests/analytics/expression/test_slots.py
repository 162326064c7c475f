"""Number slots and constants."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate
from analytics.expression.notation import to_infix
from analytics.expression.parser import parse_expression
from analytics.expression.slots import constant_label, fill_slots, with_slots


def values(*numbers: object) -> list[Fraction]:
    return [Fraction(str(number)) for number in numbers]


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        ("(11-1)*2", values(2, 11), "(N1-1)*N0"),
        ("6*6", values(6, 6), "N0*N0"),  # the first of equal numbers
        ("80*(1-25%)", values(80, "1/4", 25), "N0*(1-N1)"),
        ("80*25/100", values(80, "1/4", 25), "N0*N2/100"),
        ("150*(1+(1/5))", values(150, "1/5"), "N0*(1+N1)"),
        ("6/2", values(2, 6), "N1/N0"),  # a quotient that is no number of the text
        ("3.14*2*2", values(2), "3.14*N0*N0"),
    ],
)
def test_numbers_of_the_text_become_slots_and_others_constants(text, numbers, expected) -> None:
    assert to_infix(with_slots(parse_expression(text), numbers)) == expected


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
