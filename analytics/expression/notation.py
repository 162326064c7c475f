"""The notations in which public data sets and decoders write arithmetic: infix, prefix and postfix tokens.

`to_infix` prints as few brackets as `parse_expression` needs to restore the same tree.
"""

from __future__ import annotations

from collections.abc import Sequence

from analytics.errors import DataError
from analytics.expression.parser import MAX_OPERATIONS
from analytics.expression.tree import ExpressionTree

ARITY = {"+": 2, "-": 2, "*": 2, "/": 2, "^": 2, "neg": 1, "%": 1}  # operator -> operands; a literal table
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4, "%": 5}
_ATOM = 6


def to_prefix(tree: ExpressionTree) -> list[str]:
    """Return the labels of a tree in pre-order.

    >>> from analytics.expression.parser import parse_expression
    >>> to_prefix(parse_expression("(11-1)*2"))
    ['*', '-', '11', '1', '2']
    """
    return [tree.label, *(label for child in tree.children for label in to_prefix(child))]


def to_postfix(tree: ExpressionTree) -> list[str]:
    """Return the labels of a tree in post-order.

    >>> from analytics.expression.parser import parse_expression
    >>> to_postfix(parse_expression("(11-1)*2"))
    ['11', '1', '-', '2', '*']
    """
    return [*(label for child in tree.children for label in to_postfix(child)), tree.label]


def from_prefix(tokens: Sequence[str]) -> ExpressionTree:
    """Return the tree whose labels in pre-order are `tokens`.

    >>> to_infix(from_prefix(["*", "-", "11", "1", "2"]))
    '(11-1)*2'

    Raises:
        DataError: the tokens do not form a single complete tree, or have more than `MAX_OPERATIONS`
            operators.
    """
    stack: list[ExpressionTree] = []
    operators = 0
    for token in reversed(tokens):  # from the leaves up
        arity = ARITY.get(token, 0)
        operators += arity > 0
        if operators > MAX_OPERATIONS:
            raise DataError(f"The equation has more than {MAX_OPERATIONS} operations.")
        if len(stack) < arity:
            raise DataError(f"The operator {token!r} lacks an operand.")
        operands = stack[len(stack) - arity :]
        del stack[len(stack) - arity :]
        stack.append(ExpressionTree(token, tuple(reversed(operands))))
    if len(stack) != 1:
        raise DataError("The tokens are not a single expression." if stack else "The equation is empty.")
    return stack[0]


def to_infix(tree: ExpressionTree) -> str:
    """Return infix arithmetic that `parse_expression` reads as the same tree.

    >>> from analytics.expression.parser import parse_expression
    >>> to_infix(parse_expression("8-((2-1))")), to_infix(parse_expression("(2^3)^2"))
    ('8-(2-1)', '(2^3)^2')
    """
    return _printed(tree)[0]


def _printed(tree: ExpressionTree) -> tuple[str, int]:
    """Return the text of a tree and how tightly its outermost operator binds."""
    if tree.is_number:
        is_fraction = "/" in tree.label and "(" not in tree.label
        return tree.label, _PRECEDENCE["/"] if is_fraction else _ATOM
    precedence = _PRECEDENCE[tree.label]
    parts = [_printed(child) for child in tree.children]
    if tree.label == "neg":
        return f"-{_bracketed(parts[0], precedence)}", precedence
    if tree.label == "%":
        # "12%" is a single number and "5(1/2)%" cannot be parsed: the operand of a per cent always gets
        # brackets
        return f"({parts[0][0]})%", precedence
    if tree.label == "^":
        return f"{_bracketed(parts[0], precedence + 1)}^{_bracketed(parts[1], precedence)}", precedence
    left, right = parts
    # a leading sign binds tighter than + - * /, but on the right it would be parsed as part of what follows
    right_text = _bracketed(right, precedence + 1)
    if right_text.startswith("-"):
        right_text = f"({right_text})"
    return f"{_bracketed(left, precedence)}{tree.label}{right_text}", precedence


def _bracketed(part: tuple[str, int], least: int) -> str:
    text, binding = part
    return text if binding >= least else f"({text})"
