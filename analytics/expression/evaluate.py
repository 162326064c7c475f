"""Exact evaluation of expression trees, with bounds on the work that a tree can cause.

Values are fractions, so that ``0.1 + 0.2`` is exactly ``3/10`` and two equations are either equal or not. A
power with a fractional exponent has a value only if the root is exact; `evaluate_float` approximates the
others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError
from analytics.expression.tree import ExpressionTree

_TOLERANCE = 1e-4  # for comparing two answers, relative to the larger
MAX_BITS = 4096  # in a numerator or denominator; about 1,200 digits
_MIXED = re.compile(r"(\d+)\(\(?(\d+)\)?/\(?(\d+)\)?\)")  # its brackets are balanced: the parser checked them
_LONGEST_NUMBER = 400  # characters
_DIVIDES_BY_ZERO = "The equation divides by zero."

Floats = npt.NDArray[np.float64]
_OPERATIONS: Mapping[str, Callable[..., Floats]] = MappingProxyType(
    {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": lambda left, right: left / np.where(right == 0, np.nan, right),
        "^": np.power,
        "neg": np.negative,
        "%": lambda values: values / 100,
    }
)

Slots = Mapping[str, Fraction]
NO_SLOTS: Slots = MappingProxyType({})


class EvaluationError(DataError):
    """The arithmetic has no exact value: a division by zero, an inexact root, or a number too large."""


@lru_cache(maxsize=4096)  # a request parses the same few numbers hundreds of times
def number_value(label: str) -> Fraction:
    """Parse a number as written in equations: ``12``, ``0.5``, ``25%``, ``5(1/2)``, ``5((1)/(2))``.

    >>> number_value("25%"), number_value("5(1/2)")
    (Fraction(1, 4), Fraction(11, 2))

    Raises:
        EvaluationError: it is not a number, or is longer than 400 characters.
    """
    if len(label) > _LONGEST_NUMBER:
        raise EvaluationError(f"A number has more than {_LONGEST_NUMBER} characters.")
    try:
        mixed = _MIXED.fullmatch(label)
        if mixed:
            whole, above, below = map(int, mixed.groups())
            return whole + Fraction(above, below)
        return Fraction(label[:-1]) / 100 if label.endswith("%") else Fraction(label)
    except ValueError:
        raise EvaluationError(f"{label[:40]!r} is not a number.") from None
    except ZeroDivisionError:
        raise EvaluationError(f"{label[:40]!r} divides by zero.") from None


def evaluate(tree: ExpressionTree, slots: Slots = NO_SLOTS) -> Fraction:
    """Return the exact value of a tree.

    >>> from analytics.expression.parser import parse_expression
    >>> evaluate(parse_expression("80*(1-25%)")), evaluate(parse_expression("4^0.5"))
    (Fraction(60, 1), Fraction(2, 1))
    >>> evaluate(ExpressionTree("+", (ExpressionTree("N0"), ExpressionTree("1"))), {"N0": Fraction(1, 2)})
    Fraction(3, 2)

    Args:
        slots: values of leaves that are not numbers, by label.

    Raises:
        EvaluationError: a division by zero, a root that is not exact, or a value beyond `MAX_BITS`.
    """
    if tree.is_number:
        return slots[tree.label] if tree.label in slots else number_value(tree.label)
    operands = [evaluate(child, slots) for child in tree.children]
    return _bounded(_applied(tree.label, operands))


def evaluate_float(tree: ExpressionTree, slots: Slots = NO_SLOTS) -> float:
    """Return the value of a tree as a float: exact if `evaluate` is, else with approximate roots.

    Raises:
        EvaluationError: as for `evaluate`, except for inexact roots; a root of a negative number has no
            value.
    """
    try:
        return float(evaluate(tree, slots))
    except OverflowError:
        raise EvaluationError("The value is too large.") from None
    except EvaluationError:
        return _approximate(tree, slots)


def evaluate_floats(tree: ExpressionTree, slots: Mapping[str, Floats]) -> Floats:
    """Return the values of a tree for many values of its slots at once, without the bounds of `evaluate`.

    >>> evaluate_floats(ExpressionTree("/", (ExpressionTree("6"), ExpressionTree("N0"))), {"N0": np.array([4.0, 0.0])})
    array([1.5, nan])

    Args:
        slots: (values,) for each leaf that is not a number, by label.

    Returns:
        (values,), or () for a tree without slots; not finite where no value exists.

    Raises:
        EvaluationError: a number of the tree cannot be read, or is too large.
    """
    with np.errstate(all="ignore"):
        return _floats(tree, slots)


def _floats(tree: ExpressionTree, slots: Mapping[str, Floats]) -> Floats:
    if tree.is_number:
        return slots[tree.label] if tree.label in slots else np.array(evaluate_float(tree))
    return _OPERATIONS[tree.label](*(_floats(child, slots) for child in tree.children))


def _approximate(tree: ExpressionTree, slots: Slots) -> float:
    operands = [_approximate(child, slots) for child in tree.children]
    try:
        if tree.is_number:
            return float(evaluate(tree, slots))
        if tree.label == "^":
            value = operands[0] ** operands[1]
        else:
            value = float(_applied(tree.label, [Fraction(operand) for operand in operands]))
    except OverflowError:
        raise EvaluationError("The value is too large.") from None
    except ZeroDivisionError:
        raise EvaluationError(_DIVIDES_BY_ZERO) from None
    if isinstance(value, complex) or not math.isfinite(value):
        raise EvaluationError("The root of a negative number has no value.")
    return value


def _applied(operator: str, operands: list[Fraction]) -> Fraction:
    if operator == "neg":
        return -operands[0]
    if operator == "%":
        return operands[0] / 100
    left, right = operands
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "/":
        if right == 0:
            raise EvaluationError(_DIVIDES_BY_ZERO)
        return left / right
    if operator == "^":
        return _power(left, right)
    raise EvaluationError(f"{operator!r} is not an operator.")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if base == 0 and exponent < 0:
        raise EvaluationError(_DIVIDES_BY_ZERO)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent.numerator) * bits > MAX_BITS:
        raise EvaluationError("The power is too large.")
    if exponent.denominator == 1:
        return base**exponent.numerator
    above = _exact_root(base.numerator, exponent.denominator)
    below = _exact_root(base.denominator, exponent.denominator)
    if above is None or below is None:
        raise EvaluationError("The root is not exact.")
    return Fraction(above, below) ** exponent.numerator


def _exact_root(number: int, degree: int) -> int | None:
    """Return the integer whose `degree`-th power is `number`, None if there is none."""
    if number < 0:
        return None
    if number < 2:
        return number
    if degree > number.bit_length():
        return None
    low, high = 1, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low if low**degree == number else None


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise EvaluationError("The value is too large.")
    return value


def answers_agree(first: float | None, second: float | None) -> bool:
    """Return whether two answers differ by at most a ten-thousandth of the larger one (of 1, if both are below 1).

    None means no answer, and agrees with nothing.
    """
    if first is None or second is None:
        return False
    return abs(first - second) <= _TOLERANCE * max(1.0, abs(first), abs(second))
