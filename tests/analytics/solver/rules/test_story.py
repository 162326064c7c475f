"""Sums of unknown numbers, solved exactly; numbers of the text stay slots."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.expression.tree import ExpressionTree, to_infix
from analytics.solver.rules.story import Amount, Contradiction, Linear, solve


def slot(place: int, value: int) -> Amount:
    return Amount(Fraction(value), ExpressionTree(f"N{place}"))


X, Y = Linear.unknown(("x", "")), Linear.unknown(("y", ""))


def test_a_sum_and_a_difference() -> None:
    """x + y = 50 and x = y + 8: 2y = 50 - 8."""
    equations = [X + Y - Linear.known(slot(0, 50)), X - Y - Linear.known(slot(1, 8))]
    worth = solve(equations, Y)
    assert worth is not None
    assert {name[0]: amount.value for name, amount in worth.items()} == {"x": 29, "y": 21}
    assert to_infix(worth["y", ""].tree) == "(N0-N1)/2"


def test_an_open_sum_has_no_solution() -> None:
    assert solve([X + Y - Linear.known(slot(0, 5))], X) is None


@pytest.mark.parametrize("more", [X - Linear.known(slot(1, 6)), X + X - Linear.known(slot(1, 11))])
def test_sums_that_contradict_are_told(more: Linear) -> None:
    with pytest.raises(Contradiction):
        solve([X - Linear.known(slot(0, 5)), more], X)


def test_no_step_shows_what_does_nothing() -> None:
    number = slot(0, 7)
    assert to_infix((number * Amount.of(1) + Amount.of(0)).tree) == "N0"
    assert to_infix((Amount.of(6) / Amount.of(4)).tree) == "1.5"
    assert (number - number).is_constant
    assert to_infix((slot(1, 3) - number).tree) == "N0-N1"
