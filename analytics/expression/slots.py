"""Expression trees over number slots: which leaves are numbers in the text, and which are constants.

A slot is ``N0``, ``N1``, ... by the position of its number in the text (Xie and Sun 2019). A leaf with a
value that is not among the text's numbers is a constant and keeps its value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from analytics.errors import DataError
from analytics.expression.evaluate import number_value
from analytics.expression.tree import ExpressionTree

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

    >>> from analytics.expression.notation import to_infix
    >>> from analytics.expression.parser import parse_expression
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

    >>> from analytics.expression.notation import to_infix
    >>> from analytics.expression.parser import parse_expression
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
