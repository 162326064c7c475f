"""Solving an equation for one of its numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.expression.evaluate import EvaluationError, constant_label, evaluate, fill_slots
from analytics.expression.tree import ExpressionTree, parse_expression
from analytics.solver.inversion import UnsolvableError, count_uses, solve_for


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
