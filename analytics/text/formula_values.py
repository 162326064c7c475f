"""Values of formulas at chosen points, in bounded time: what decides whether two formulas mean the same.

Symbolic simplification may run for hours; a value does not. Two terms that agree to 40 digits at several points are
equal: for rational functions this is the Schwartz-Zippel lemma, for roots, powers and functions of these it is as good
as certain at the sizes that `analytics.text.formula_trees` admits. Each value is computed with 60 and with 90 digits;
where the two disagree it is left out, and so is what is undefined in real numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import mpmath
import sympy
from sympy.core.function import AppliedUndef

from analytics.errors import LatexError

_DIGITS = (60, 90)
_SAME = mpmath.mpf(10) ** -40
_APART = mpmath.mpf(10) ** -12
_LARGEST, _SMALLEST = mpmath.mpf(10) ** 400, mpmath.mpf(10) ** -40
_NOISE = mpmath.mpf(10) ** -15  # a difference of equal terms is about 10 ** -58
_FUNCTIONS = frozenset("sin cos tan cot sec csc asin acos atan exp log".split())

Point = dict[str, Any]


class Evaluator:
    """Evaluates trees at points that are the same for all trees with the same symbols."""

    def __init__(self, symbols: Iterable[str]) -> None:
        names = sorted(symbols)
        self._contexts = [mpmath.mp.clone() for _ in _DIGITS]
        for context, digits in zip(self._contexts, _DIGITS, strict=True):
            context.dps = digits
        chooser = random.Random(37)  # noqa: S311 - the points need only be unlikely ones
        self.points = [
            {name: mpmath.mpf(chooser.randint(low, 3_000_000)) / 1_000_003 for name in names}
            for low in ([-3_000_000, 1_000] * 5 if names else [0])
        ]

    def values(self, tree: Any) -> list[Any]:
        """Return the value at each point; None where it is undefined."""
        return [self.value(tree, point) for point in self.points]

    def value(self, tree: Any, point: Point) -> Any:
        """Return the value at a point; None where it is undefined or numerically unstable."""
        try:
            coarse, fine = (_value(tree, point, context) for context in self._contexts)
        except (ArithmeticError, ValueError, RecursionError):
            return None
        return fine if is_same(coarse, fine) else None


def is_same(first: Any, second: Any) -> bool:
    """Return whether two values are equal as far as they are known."""
    return bool(abs(first - second) <= _SAME * max(_NOISE, abs(first), abs(second)))


def is_apart(first: Any, second: Any) -> bool:
    """Return whether two values are different beyond any doubt."""
    return bool(abs(first - second) > _APART * max(abs(first), abs(second)))


def symbols_of(tree: Any) -> frozenset[str]:
    """Return the names of what a tree's value depends on: letters, texts, values of unknown functions."""
    if name := _symbol(tree):
        return frozenset([name])
    return frozenset[str]().union(*(symbols_of(child) for child in tree.args))


def _symbol(node: Any) -> str:
    if isinstance(node, sympy.Symbol):
        return str(node.name)
    return str(node) if isinstance(node, AppliedUndef) else ""


def _value(node: Any, point: Point, context: Any) -> Any:  # noqa: C901 - a branch for each kind of node
    if isinstance(node, sympy.Rational):
        return context.mpf(node.p) / node.q
    if symbol := _symbol(node):
        return context.mpf(point[symbol])
    name = type(node).__name__
    if name in ("Pi", "Exp1"):
        return +(context.pi if name == "Pi" else context.e)
    if name == "Pow":
        return _bounded(_power(node, point, context), context)
    if name == "factorial":
        count = _value(node.args[0], point, context)
        if count != int(count) or not 0 <= count <= 100:
            raise ArithmeticError
        return context.factorial(int(count))
    values = [_value(child, point, context) for child in node.args]
    if name == "Add":
        return context.fsum(values)
    if name == "Mul":
        return _bounded(context.fprod(values), context)
    if name == "UnevaluatedExpr":
        return values[0]
    if name == "Abs":
        return abs(values[0])
    if name not in _FUNCTIONS:
        raise LatexError(f"{name} is not known")
    if name == "log" and (min(values) <= 0 or values[1:] == [1]):
        raise ArithmeticError
    return _bounded(getattr(context, name)(*values), context)  # asin(2) is no mpf


def _power(node: Any, point: Point, context: Any) -> Any:
    base, exponent = (_value(child, point, context) for child in node.args)
    if base == 0:
        if exponent <= 0:
            raise ArithmeticError
        return context.mpf(0)
    if abs(exponent) > 2_000:
        raise ArithmeticError
    if base < 0 and exponent != int(exponent):
        root = 1 / exponent
        degree = int(context.nint(root))
        if abs(root - degree) > context.mpf(10) ** (10 - context.dps) or not degree % 2:
            raise ArithmeticError
        return -((-base) ** exponent)  # the real cube root
    return base ** (int(exponent) if exponent == int(exponent) else exponent)


def _bounded(value: Any, context: Any) -> Any:
    """Return a real value that is neither huge nor tiny."""
    if isinstance(value, context.mpf) and (not value or _SMALLEST < abs(value) < _LARGEST):
        return value
    raise ArithmeticError
