"""Solve an equation for one of its numbers, given the answer. Torch-free."""

from __future__ import annotations

from analytics.expression.tree import ExpressionTree


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
