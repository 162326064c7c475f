"""Units: the unit that a question asks for, and conversion of quantities in other units."""

from __future__ import annotations

import re
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import unit_dimension
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when
from analytics.text.units import convert_quantity

_EXACT = ({"second", "minute", "hour", "day", "week"}, {"month", "year", "decade_of_years", "century"})


def asked_unit(reading: Reading) -> str:
    """Return pint's name for the unit in which the question asks for a quantity; empty if it names none.

    >>> asked_unit(Reading("A pencil costs 35 cents. How many dollars do 20 pencils cost?"))
    'dollar'
    """
    return reading.language.units.asked_unit(reading.question)


def conversion_factor(unit: str, target: str) -> Fraction | None:
    """Return the exact factor from one unit to another; None if it is inexact or the dimensions differ."""
    if unit == target:
        return Fraction(1)
    try:
        if unit_dimension(unit) != unit_dimension(target):
            return None
        if unit_dimension(unit) == "time" and not any(unit in group and target in group for group in _EXACT):
            return None
        return convert_quantity(Fraction(1), unit, target).limit_denominator(10**6)
    except DataError:
        return None


def in_unit(quantity: Quantity, target: str) -> ExpressionTree | None:
    """Return a quantity in another unit as a tree; None if its unit does not convert into it."""
    factor = conversion_factor(quantity.unit_name, target) if quantity.unit is not None else None
    return None if factor is None else scaled(quantity.tree, factor)


def scaled(tree: ExpressionTree, factor: Fraction) -> ExpressionTree:
    """Return a tree multiplied by a factor, written as a division if that is by a whole number."""
    if factor == 1:
        return tree
    if factor > 1 or factor.numerator != 1:
        return tree * constant(factor)
    return tree / constant(1 / factor)


_OTHERWISE = re.compile(
    r"\b(?:each|every|per|cuts?|times|twice|half|more|less|left|remain\w*|both"
    r"|and a|another|total|together|a (?:day|week|month|year|minute|hour))\b"
    r"|每|剩|共|多长|倍|用|周长|体积|面积|边长|格|相差|older|younger|age",
    re.IGNORECASE,
)


@when(1, 2, unless=_OTHERWISE)
def converted_quantity(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "Tim is 5 feet 4 inches tall. How many inches tall is he?", "How many seconds are there in 3 hours?"."""
    target = asked_unit(reading)
    if not target:
        return None
    parts = [in_unit(quantity, target) for quantity in quantities]
    units = [quantity.unit.unit for quantity in quantities if quantity.unit is not None]
    if len(units) != len(quantities) or units == [target] or len(set(units)) != len(units):
        return None
    if len(parts) == 2 and not _stand_together(reading, quantities):
        return None
    tree = parts[0]
    for part in parts[1:]:
        tree = tree + part if tree is not None and part is not None else None
    return None if tree is None else RuleAnswer(tree)


def _stand_together(reading: Reading, quantities: list[Quantity]) -> bool:
    first, second = quantities
    return reading.text[first.end : second.start].strip() in ("", "and", ",", "零")
