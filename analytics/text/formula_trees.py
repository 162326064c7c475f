"""Formulas as SymPy trees, their values at chosen points, and whether two equations are equivalent."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from threading import Lock
from typing import Any, Literal

import mpmath
import sympy
from sympy.core.function import AppliedUndef

from analytics.errors import LatexError
from analytics.text.notation import GREEK, formula_tokens, normalise_latex

_LONGEST = 160  # characters per spelling: some tens of milliseconds
_DEEPEST = 4  # nested brackets and braces
_DEEPEST_ROUND = 2  # the parser's work doubles with each level
_MOST_BARS, _LONGEST_TOKEN = 2, 20
_SIGNS = frozenset("+-*/^_{}()|!")
_FUNCTIONS = frozenset(r"\sin \cos \tan \cot \sec \csc \arcsin \arccos \arctan \ln \log".split())
_COMMANDS = frozenset(r"\frac \sqrt \times \cdot \div \pi \% \degree \infty".split()) | _FUNCTIONS
_TEXT = re.compile(r"\\text\{([^{}\\]*)\}")
# What the library would interpret itself becomes text: d, E, I, i, degrees, infinity.
_ATOMS = re.compile(r"(\\text\{[^{}]*\}|_\{[^{}]*\})|\\(degree|infty)(?![a-zA-Z])|(?<![a-zA-Z\\])([dEIi])(?![a-zA-Z])")
_MIXED = re.compile(r"(?<![\d.^_}])(\d+)\\frac\{(\d+)\}\{(\d+)\}")
_DECIMAL = re.compile(r"(\d*)\.(\d+)")
# Ambiguous input: 1/2x, 1/2/x, a power of a function (inverse or reciprocal), log without a base.
_TWO_READINGS = re.compile(
    r"/(?:\d+|[a-zA-Z]|\\[a-z]+(?:\{[^{}]*\})*)(?:\^\{[^{}]*\})?(?:[a-zA-Z(]|\\(?!times|cdot|div|%)|/)"
    r"|!!|\\[a-z]+\^\{-|\\log(?!_)"
)
_FUNCTION_LETTERS = frozenset("fghFGHP")
_KNOWN = _SIGNS | _COMMANDS | {*GREEK, "[", "]"}
_lock = Lock()


def formula_tree(latex: str) -> Any:
    r"""Return a formula without relations as an unevaluated SymPy tree; text within it (``\text{cm}``) becomes symbols.

    Raises:
        LatexError: the formula is too large, ambiguous or not understood.

    >>> formula_tree(r"\dfrac{1}{2}(x-3)").free_symbols
    {x}
    """
    return _tree(normalise_latex(latex))


@lru_cache(maxsize=512)
def _tree(spelling: str) -> Any:
    prepared = _prepared(spelling)
    import sympy
    from latex2sympy2_extended.latex2sympy2 import ConversionConfig, _Latex2Sympy

    config = ConversionConfig(
        interpret_contains_as_eq=False, interpret_simple_eq_as_assignment=False, lowercase_symbols=False
    )
    try:
        with _lock, sympy.evaluate(False):  # the parser keeps state at module level
            tree = _Latex2Sympy(config=config).parse(prepared)
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception and whatever SymPy raises
        raise LatexError(f"the formula cannot be read ({type(error).__name__})") from None
    if not isinstance(tree, sympy.Expr):
        raise LatexError("the formula is not an expression")
    _check_calls(tree)
    return tree


def _prepared(spelling: str) -> str:
    """Return the formula in a spelling that the library parses without guessing."""
    if not spelling or len(spelling) > _LONGEST:
        raise LatexError("the formula is empty or too long")
    bare = _TEXT.sub("", spelling)
    before, depth, round_depth, bars = "", 0, 0, 0
    for piece in formula_tokens(bare):
        is_letter = len(piece) == 1 and piece.isascii() and piece.isalpha()
        if not (is_letter or piece[-1].isdigit() or piece in _KNOWN):
            raise LatexError(f"“{piece}” is not known")
        if before.isalpha() and piece[0].isdigit():
            raise LatexError("a number after a letter")
        depth += (piece in "{([") - (piece in "})]")
        round_depth += (piece == "(") - (piece == ")")
        bars += piece == "|"
        is_deep = depth > _DEEPEST or round_depth > _DEEPEST_ROUND or bars > _MOST_BARS
        if is_deep or len(piece) > _LONGEST_TOKEN:
            raise LatexError("the formula is too deep, or has too long a number")
        before = piece
    if "[" in bare.replace(r"\sqrt[", "") or _TWO_READINGS.search(bare):
        raise LatexError("the formula can mean two things")
    spelling = _ATOMS.sub(lambda match: match[0] if match[1] else rf"\text{{{match[2] or match[3]}}}", spelling)
    spelling = _MIXED.sub(r"(\1+\\frac{\2}{\3})", spelling)
    return _DECIMAL.sub(_as_fraction, spelling)


def _as_fraction(match: re.Match[str]) -> str:
    """Write 0.25 as a fraction, because the library reads decimals as binary floats."""
    return rf"(\frac{{{int(match[1] + match[2])}}}{{{10 ** len(match[2])}}})"


def _check_calls(tree: Any) -> None:
    """Reject ``a(2)``, which may be a call or a product; with f, g, h and P it is a call."""
    from sympy.core.function import AppliedUndef

    if any(str(call.func) not in _FUNCTION_LETTERS for call in tree.atoms(AppliedUndef)):
        raise LatexError("brackets that are a call or a product")


_DIGITS = (60, 90)
_SAME = mpmath.mpf(10) ** -40
_APART = mpmath.mpf(10) ** -12
_LARGEST, _SMALLEST = mpmath.mpf(10) ** 400, mpmath.mpf(10) ** -40
_NOISE = mpmath.mpf(10) ** -15  # the difference of equal terms is about 10 ** -58
_SYMPY_FUNCTIONS = frozenset("sin cos tan cot sec csc asin acos atan exp log".split())

Point = dict[str, Any]


class Evaluator:
    """Evaluator of trees at points that are the same for all trees with the same symbols."""

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
        """Return the value at each point; None where the tree is undefined."""
        return [self.value(tree, point) for point in self.points]

    def value(self, tree: Any, point: Point) -> Any:
        """Return the value at a point; None if it is undefined or numerically unstable."""
        try:
            coarse, fine = (_value(tree, point, context) for context in self._contexts)
        except (ArithmeticError, ValueError, RecursionError):
            return None
        return fine if is_same(coarse, fine) else None


def is_same(first: Any, second: Any) -> bool:
    """Return whether two values are equal within the known precision."""
    return bool(abs(first - second) <= _SAME * max(_NOISE, abs(first), abs(second)))


def is_apart(first: Any, second: Any) -> bool:
    """Return whether two values certainly differ."""
    return bool(abs(first - second) > _APART * max(abs(first), abs(second)))


def symbols_of(tree: Any) -> frozenset[str]:
    """Return the names that a tree's value depends on: letters, text, values of unknown functions."""
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
    if name not in _SYMPY_FUNCTIONS:
        raise LatexError(f"{name} is not known")
    if name == "log" and (min(values) <= 0 or values[1:] == [1]):
        raise ArithmeticError
    return _bounded(getattr(context, name)(*values), context)  # asin(2) is not an mpf


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


_GRID = [-10.317 + 0.4631 * step for step in range(48)]
_MOST_ROOTS = 4
_BISECTIONS = 60
_NEAR = 1e-9
_HOLDS: dict[str, Callable[[int], bool]] = {
    "=": lambda sign: sign == 0,
    r"\neq": lambda sign: sign != 0,
    "<": lambda sign: sign < 0,
    r"\leq": lambda sign: sign <= 0,
}

Term = Callable[[Point], Any]


def compare_relations(
    first: Sequence[str], relation: str, second: Sequence[str], other_relation: str
) -> Literal["same", "different", "unknown"]:
    """Compare two statements, each with a left side, a relation and a right side.

    Raises:
        LatexError: a side cannot be parsed.
    """
    trees = [[formula_tree(side) for side in sides] for sides in (first, second)]
    symbols = [symbols_of(left) | symbols_of(right) for left, right in trees]
    if symbols[0] != symbols[1] or not symbols[0] or "i" in symbols[0]:
        return "unknown"
    evaluator = Evaluator(symbols[0])
    left, right = (_difference(evaluator, *pair) for pair in trees)
    values = [(left(point), right(point)) for point in evaluator.points]
    values = [pair for pair in values if None not in pair]
    if len(values) < 3 or not any(is_apart(values[0][0], value) for value, _ in values[1:]):
        return "unknown"
    factor = _common_factor(values)
    if factor and relation == other_relation and (factor > 0 or relation in ("=", r"\neq")):
        return "same"
    signs = [(_sign(value), _sign(other)) for value, other in values]
    signs += _signs_at_roots(left, right, evaluator.points[0], sorted(symbols[0])[:2], is_multiple=bool(factor))
    is_different = any(
        _HOLDS[relation](sign) != _HOLDS[other_relation](other)
        for sign, other in signs
        if sign is not None and other is not None
    )
    return "different" if is_different else "unknown"


def _common_factor(values: Sequence[tuple[Any, Any]]) -> Any:
    """Return the ratio of the second value to the first if it is the same for all pairs, else 0."""
    factor = values[0][1] / values[0][0] if values[0][0] else 0
    is_multiple = bool(factor) and all(is_same(value * factor, other) for value, other in values)
    return factor if is_multiple else 0


def _signs_at_roots(
    left: Term, right: Term, point: Point, letters: Sequence[str], *, is_multiple: bool
) -> Iterator[tuple[int | None, int | None]]:
    """Yield the signs of two terms where one of them is zero; with `is_multiple`, both are zero there."""
    for root in _roots(left, point, letters):
        yield 0, 0 if is_multiple else _sign(right(root))
    for root in _roots(right, point, letters):
        yield _sign(left(root)), 0


def _difference(evaluator: Evaluator, left: Any, right: Any) -> Term:
    def difference(point: Point) -> Any:
        values = evaluator.value(left, point), evaluator.value(right, point)
        return None if None in values else values[0] - values[1]

    return difference


def _sign(value: Any) -> int | None:
    """Return the sign of a value that is certainly not zero."""
    return None if value is None or abs(value) < _NEAR else (1 if value > 0 else -1)


def _roots(term: Term, point: Point, letters: Sequence[str]) -> Iterator[Point]:
    """Yield points where a term changes sign through zero, along one letter."""
    for letter in letters:
        yield from islice(_roots_along(term, point, letter), _MOST_ROOTS)


def _roots_along(term: Term, point: Point, letter: str) -> Iterator[Point]:
    values = [(place, term(point | {letter: place})) for place in _GRID]
    for (low, below), (high, above) in pairwise(values):
        if below is None or above is None or (below > 0) == (above > 0):
            continue
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            value = term(point | {letter: middle})
            if value is None:
                break
            low, high = (middle, high) if (value > 0) == (below > 0) else (low, middle)
        else:
            if value is not None and abs(value) < _NEAR:  # otherwise it is a pole
                yield point | {letter: middle}
