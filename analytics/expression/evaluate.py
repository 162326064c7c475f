"""Exact values of expression trees, their number slots, and solving an equation for one of its numbers.

Values are fractions, so that ``0.1 + 0.2`` is exactly ``3/10`` and two equations are either equal or not. A
power with a fractional exponent has a value only if the root is exact; `evaluate_float` approximates the
others. The work that a tree can cause is bounded.

A slot is ``N0``, ``N1``, ... by the position of its number in the text (Xie and Sun 2019). A leaf with a
value that is not among the text's numbers is a constant and keeps its value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
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

    >>> from analytics.expression.tree import parse_expression
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


_SLOT = re.compile(r"N(\d{1,3})")
_DECIMALS = 6  # of a constant written as a decimal


def is_slot(label: str) -> bool:
    """Return whether a leaf's label names a number slot."""
    return label[:1] == "N" and _SLOT.fullmatch(label) is not None


def slot_index(label: str) -> int:
    """Return the index of a slot's number in the text, starting at 0.

    Raises:
        DataError: the label is not a slot.
    """
    match = _SLOT.fullmatch(label)
    if match is None:
        raise DataError(f"{label[:40]!r} is not a number slot.")
    return int(match[1])


def constant_label(value: Fraction) -> str:
    """Return the canonical spelling of a constant: a decimal if short, otherwise a fraction.

    >>> constant_label(Fraction(157, 50)), constant_label(Fraction(100)), constant_label(Fraction(1, 3))
    ('3.14', '100', '1/3')
    """
    if value.denominator == 1:
        return str(value.numerator)
    shifted = value * 10**_DECIMALS
    if shifted.denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    whole, decimals = divmod(abs(shifted.numerator), 10**_DECIMALS)
    return f"{'-' if value < 0 else ''}{whole}.{decimals:0{_DECIMALS}}".rstrip("0")


def binary_operators(tree: ExpressionTree) -> ExpressionTree:
    """Rewrite a sign as a difference from 0, and a per cent of an expression as a division by 100.

    >>> from analytics.expression.tree import parse_expression, to_infix
    >>> to_infix(binary_operators(parse_expression("80*(20+5)%")))
    '80*((20+5)/100)'
    """
    if tree.is_number:
        return tree
    children = tuple(binary_operators(child) for child in tree.children)
    if tree.label == "neg":
        return ExpressionTree("-", (ExpressionTree("0"), *children))
    if tree.label == "%":
        return ExpressionTree("/", (*children, ExpressionTree("100")))
    return ExpressionTree(tree.label, children)


def with_slots(tree: ExpressionTree, values: Sequence[Fraction]) -> ExpressionTree:
    """Return the tree with each number replaced by its slot, or by its constant's canonical spelling.

    A number that occurs more than once in the text gets the first of its slots. A division of two numbers
    with a quotient that is a single number in the text (``2/3`` of the cake) becomes that number's slot.

    Args:
        tree: tree over the numbers of an equation.
        values: values of the slots, ``N0`` first.

    >>> from analytics.expression.tree import parse_expression, to_infix
    >>> to_infix(with_slots(parse_expression("(11-1)*2"), [Fraction(2), Fraction(11)]))
    '(N1-1)*N0'
    """
    if tree.is_number:
        if is_slot(tree.label):
            return tree
        value = number_value(tree.label)
        place = _place(value, values)
        return ExpressionTree(constant_label(value) if place is None else f"N{place}")
    whole = _fraction_value(tree)
    if whole is not None and (place := _place(whole, values, only_fractions=True)) is not None:
        return ExpressionTree(f"N{place}")
    return ExpressionTree(tree.label, tuple(with_slots(child, values) for child in tree.children))


def renumbered(tree: ExpressionTree, numbers: Mapping[int, int]) -> ExpressionTree:
    """Return the tree with each slot ``Nk`` renumbered to ``numbers[k]``."""
    return tree.with_leaves(lambda label: ExpressionTree(f"N{numbers[slot_index(label)]}" if is_slot(label) else label))


def fill_slots(tree: ExpressionTree, numbers: Sequence[Fraction]) -> ExpressionTree:
    """Return the tree with each slot replaced by its number.

    Raises:
        DataError: a slot has no number.
    """

    def filled(label: str) -> ExpressionTree:
        if not is_slot(label):
            return ExpressionTree(label)
        index = slot_index(label)
        if index >= len(numbers):
            raise DataError(f"The slot {label} has no number: the text has {len(numbers)}.")
        return _number_tree(numbers[index])

    return tree.with_leaves(filled)


def _number_tree(value: Fraction) -> ExpressionTree:
    label = constant_label(abs(value))
    above, sign, below = label.partition("/")
    tree = ExpressionTree("/", (ExpressionTree(above), ExpressionTree(below))) if sign else ExpressionTree(label)
    return ExpressionTree("neg", (tree,)) if value < 0 else tree


def _place(value: Fraction, values: Sequence[Fraction], *, only_fractions: bool = False) -> int | None:
    if only_fractions and value.denominator == 1:
        return None
    try:
        return values.index(value)
    except ValueError:
        return None


def _fraction_value(tree: ExpressionTree) -> Fraction | None:
    """Return the value of a division of two whole numbers; None for any other tree."""
    if tree.label != "/" or not all(child.is_number and child.label.isdigit() for child in tree.children):
        return None
    above, below = (int(child.label) for child in tree.children)
    return Fraction(above, below) if below else None


class UnsolvableError(ValueError):
    """The number occurs several times, or in a place that no operation can undo."""


def count_uses(tree: ExpressionTree, label: str) -> int:
    """Return the number of leaves with this label."""
    return tree.leaves().count(label)


def solve_for(tree: ExpressionTree, label: str, answer: ExpressionTree) -> ExpressionTree:
    """Return a leaf's value in terms of the answer and the other leaves.

    The operations on the path from the root to the leaf are undone, outermost first.

    Args:
        tree: tree over ``+``, ``-``, ``*`` and ``/``.
        label: label of a leaf that occurs once.
        answer: the tree for the value of the whole equation.

    >>> from analytics.expression.tree import parse_expression, to_infix
    >>> to_infix(solve_for(parse_expression("80*(1-7)"), "7", ExpressionTree("60")))
    '1-60/80'

    Raises:
        UnsolvableError: the leaf does not occur exactly once, or is under a power.
    """
    if count_uses(tree, label) != 1:
        raise UnsolvableError("the number does not occur exactly once")
    value = answer
    while not tree.is_number:
        left, right = tree.children if len(tree.children) == 2 else (tree, tree)
        value, tree = (
            (_undo_left(tree.label, value, right), left)
            if count_uses(left, label)
            else (_undo_right(tree.label, value, left), right)
        )
    return value


def _undo_left(operator: str, value: ExpressionTree, right: ExpressionTree) -> ExpressionTree:
    """Return the x of ``x operator right = value``."""
    inverse = {"+": "-", "-": "+", "*": "/", "/": "*"}.get(operator)
    if inverse is None:
        raise UnsolvableError("the number is inside a power")
    return ExpressionTree(inverse, (value, right))


def _undo_right(operator: str, value: ExpressionTree, left: ExpressionTree) -> ExpressionTree:
    """Return the x of ``left operator x = value``."""
    if operator in ("-", "/"):
        return ExpressionTree(operator, (left, value))
    inverse = {"+": "-", "*": "/"}.get(operator)
    if inverse is None:
        raise UnsolvableError("the number is inside a power")
    return ExpressionTree(inverse, (value, left))
