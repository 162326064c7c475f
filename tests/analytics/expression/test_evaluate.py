"""Exact values, what has none, number slots, and solving for one number."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.errors import DataError
from analytics.expression.evaluate import (
    MAX_BITS,
    EvaluationError,
    UnsolvableError,
    answers_agree,
    constant_label,
    count_uses,
    evaluate,
    evaluate_float,
    evaluate_floats,
    fill_slots,
    number_value,
    solve_for,
    with_slots,
)
from analytics.expression.tree import ExpressionTree, parse_expression, to_infix
from tests.analytics.expression.trees import number_trees, slot_trees
from tests.cases import each_case


def python_value(tree: ExpressionTree) -> Fraction:
    """The same by Python's own operators."""
    if tree.is_number:
        return number_value(tree.label)
    values = [python_value(child) for child in tree.children]
    if tree.label == "neg":
        return -values[0]
    if tree.label == "%":
        return values[0] / 100
    left, right = values
    if tree.label == "^":
        if right.denominator != 1 or abs(right) > 64:
            raise OverflowError
        return left ** int(right)
    return {"+": left.__add__, "-": left.__sub__, "*": left.__mul__, "/": left.__truediv__}[tree.label](right)


@given(number_trees)
def test_values_are_python_s(tree: ExpressionTree) -> None:
    try:
        expected = python_value(tree)
    except (ZeroDivisionError, OverflowError):
        return
    if max(expected.numerator.bit_length(), expected.denominator.bit_length()) < MAX_BITS // 64:
        assert evaluate(tree) == expected, to_infix(tree)


@each_case("expressions", "values")
def test_values_are_exact(text: str, value: str | int) -> None:
    assert evaluate(parse_expression(text)) == Fraction(value)


@each_case("expressions", "without_value")
@pytest.mark.usefixtures("no_hang")
def test_what_has_no_exact_value_says_why(text: str, problem: str) -> None:
    with pytest.raises(EvaluationError, match=problem):
        evaluate(parse_expression(text))


@pytest.mark.parametrize(
    ("text", "problem"), [("*".join(["9" * 90] * 20), "too large"), ("9" * 401, "more than 400 characters")]
)
@pytest.mark.usefixtures("no_hang")
def test_values_of_thousands_of_digits_are_refused(text: str, problem: str) -> None:
    with pytest.raises(EvaluationError, match=problem):
        evaluate(parse_expression(text))


def test_a_float_approximates_a_root_and_refuses_that_of_a_negative_number() -> None:
    assert evaluate_float(parse_expression("2^0.5*2")) == pytest.approx(2.8284271)
    with pytest.raises(EvaluationError, match="negative"):
        evaluate_float(parse_expression("(-2)^0.5"))


@each_case("expressions", "without_float")
def test_a_float_that_is_too_large_and_a_division_by_zero_are_told_apart(text: str, message: str) -> None:
    with pytest.raises(EvaluationError) as refusal:
        evaluate_float(parse_expression(text))
    assert str(refusal.value) == message


@given(slot_trees)
def test_many_values_at_once_are_those_one_by_one(tree: ExpressionTree) -> None:
    columns = {"N0": [1, 5], "N1": [2, 0], "N2": [3, 7], "N3": [4, 0.25]}
    slots = {label: np.array(values, dtype=float) for label, values in columns.items()}
    results = np.broadcast_to(evaluate_floats(tree, slots), 2)
    for row, result in enumerate(results):
        try:
            value = evaluate_float(tree, {label: Fraction(values[row]) for label, values in columns.items()})
        except EvaluationError:
            assert not np.isfinite(result) or abs(result) > 1e9  # a difference that floats do not see as nothing
        else:
            assert result == pytest.approx(value, rel=1e-6, abs=1e-9) or abs(value) > 1e9


def test_a_number_that_no_float_holds_is_an_error_beside_a_root_too() -> None:
    for text in ("2^0.5+" + "9" * 310, "9" * 310):
        with pytest.raises(EvaluationError, match="too large"):
            evaluate_float(parse_expression(text))


def test_answers_agree_within_a_ten_thousandth():
    assert answers_agree(1 / 3, 0.33333)
    assert answers_agree(1e6, 1e6 + 50)
    assert not answers_agree(5, 5.01)


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


@st.composite
def trees(draw):
    """Trees over N0, N1, ... each used once, with whole values above 0."""
    count = draw(st.integers(2, 6))
    nodes = [ExpressionTree(f"N{number}") for number in range(count)]
    while len(nodes) > 1:
        place = draw(st.integers(0, len(nodes) - 2))
        pair = (nodes.pop(place), nodes.pop(place))
        nodes.insert(place, ExpressionTree(draw(st.sampled_from("+-*/")), pair))
    return nodes[0], draw(st.lists(st.fractions(1, 50), min_size=count, max_size=count))


@given(trees(), st.integers(0, 5))
def test_the_solved_equation_gives_the_number_back(drawn, place):
    tree, values = drawn
    label = f"N{place % len(values)}"
    try:
        answer = evaluate(fill_slots(tree, values))
        solved = solve_for(tree, label, ExpressionTree("N9"))
        value = evaluate(fill_slots(solved, [*(values * 9)[:9], answer]))
    except EvaluationError:
        return  # it divides by zero: 0 * x = 0 says nothing of x
    assert value == values[place % len(values)]
    assert count_uses(solved, label) == 0


def test_powers_and_repeated_numbers_cannot_be_solved_for():
    for equation, label in (("2^3", "2"), ("2^3", "3"), ("5*7+5", "5"), ("5*7", "9")):
        with pytest.raises(UnsolvableError):
            solve_for(parse_expression(equation), label, ExpressionTree("8"))
    assert constant_label(evaluate(parse_expression("1/4"))) == "0.25"
