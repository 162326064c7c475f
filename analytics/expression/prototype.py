"""The shape of an equation: what is computed, whatever the numbers are.

Two word problems of one shape are the same idea with new numbers. A shape is canonical: sums and products
are flattened and their parts sorted, so that ``3*(4+5)`` and ``(2+9)*6`` share one.
"""

from __future__ import annotations

from collections.abc import Iterable

from analytics.errors import DataError
from analytics.expression.parser import parse_expression
from analytics.expression.tree import ExpressionTree

__all__ = ["equation_shape", "shape_reading", "shapes_differ_in_operations", "tree_shape"]

_MASK = "n"
_LETTERS = "abcdfghjkmnpqrstuvwxyz"  # without those that are read as numbers or constants


def equation_shape(expression: str, numbers: Iterable[str] = ()) -> str:
    """The shape of infix arithmetic, or ``""`` where it cannot be parsed or computes nothing.

    Args:
        expression: the equation.
        numbers: those of the question's text; a fraction among them is one number, not a division.

    >>> equation_shape("(11-1)*2"), equation_shape("3*(25-4)"), equation_shape("7")
    ('n*(n-n)', 'n*(n-n)', '')
    >>> equation_shape("12*(4/5)"), equation_shape("12*(4/5)", ["12", "(4/5)"])
    ('n*n/n', 'n*n')
    """
    for number in numbers:
        if "/" in number:
            expression = expression.replace(f"({number.strip('()')})", "1")
    try:
        shape = tree_shape(parse_expression(expression))
    except DataError:
        return ""
    return "" if shape == _MASK else shape


def tree_shape(tree: ExpressionTree) -> str:
    """The shape of a tree, with every number masked as ``n``."""
    if tree.is_number:
        return _MASK
    if tree.label in ("+", "-", "neg"):
        added: list[str] = []
        taken: list[str] = []
        _terms(tree, 1, added, taken)
        return "+".join(_ordered(added)) + "".join(f"-{term}" for term in _ordered(taken))
    if tree.label in ("*", "/"):
        above: list[str] = []
        below: list[str] = []
        _factors(tree, 1, above, below)
        return "*".join(_ordered(above)) + "".join(f"/{factor}" for factor in _ordered(below))
    if tree.label == "%":
        return f"{_bracketed(tree_shape(tree.children[0]), '+-*/^')}%"
    base, exponent = map(tree_shape, tree.children)
    return f"{_bracketed(base, '+-*/^')}^{_bracketed(exponent, '+-*/^')}"


def shape_reading(shape: str) -> str:
    """A shape as people write it, with a letter for each number.

    >>> shape_reading("n*(n-n)")
    'a × (b − c)'
    """
    letters = iter(_LETTERS)
    signs = {"+": " + ", "-": " − ", "*": " × ", "/": " ÷ "}
    read = "".join(
        next(letters, "…") if sign == _MASK else signs.get(sign, sign) for sign in shape.lstrip("-")
    )
    return f"−{read}" if shape.startswith("-") else read


def shapes_differ_in_operations(shape: str, other: str) -> bool:
    """Whether two shapes need another operation each, or the same number of operations in another order.

    One more step of the same kind (``n+n+n`` beside ``n+n``), and a step that the other has too, prove nothing:
    a fraction may be written as a division, a sum as a product.

    >>> shapes_differ_in_operations("n-n", "n+n"), shapes_differ_in_operations("n+n+n", "n+n")
    (True, False)
    >>> shapes_differ_in_operations("n*(n-n)", "n*n-n"), shapes_differ_in_operations("n*n/n", "n*n")
    (True, False)
    """
    shape, other = shape.replace("%", ""), other.replace("%", "")
    if shape == other:
        return False
    operations, others = ({sign for sign in one if sign in "+-*/^"} for one in (shape, other))
    if operations - others and others - operations:
        return True
    return operations == others and shape.count(_MASK) == other.count(_MASK)


def _terms(tree: ExpressionTree, sign: int, added: list[str], taken: list[str]) -> None:
    """Collect the terms of a nested sum, each with the sign it has in the whole."""
    if tree.label == "+":
        for child in tree.children:
            _terms(child, sign, added, taken)
    elif tree.label == "-":
        _terms(tree.children[0], sign, added, taken)
        _terms(tree.children[1], -sign, added, taken)
    elif tree.label == "neg":
        _terms(tree.children[0], -sign, added, taken)
    else:
        (added if sign > 0 else taken).append(tree_shape(tree))


def _factors(tree: ExpressionTree, sign: int, above: list[str], below: list[str]) -> None:
    """Collect the factors of a nested product, above or below the fraction bar."""
    if tree.label == "*":
        for child in tree.children:
            _factors(child, sign, above, below)
    elif tree.label == "/":
        _factors(tree.children[0], sign, above, below)
        _factors(tree.children[1], -sign, above, below)
    else:
        (above if sign > 0 else below).append(_bracketed(tree_shape(tree), "+-"))


def _ordered(parts: list[str]) -> list[str]:
    return sorted(parts, key=lambda part: (len(part), part))


def _bracketed(shape: str, signs: str) -> str:
    """Put brackets around a shape that has one of `signs` outside brackets of its own."""
    depth = 0
    for character in shape:
        depth += (character == "(") - (character == ")")
        if depth == 0 and character in signs:
            return f"({shape})"
    return shape
