r"""Formulas as SymPy trees: the one adapter of latex2sympy2_extended. Nothing is ever evaluated here.

The library reads more than school mathematics and guesses where a formula can mean two things (``1/2x``, ``a(2)``), and
its parser takes seconds for twenty nested brackets. So a formula is first brought into one spelling
(`analytics.text.notation`), compared with a list of what is known for certain, and refused when it is long or deep.
"""

from __future__ import annotations

import re
from functools import lru_cache
from threading import Lock
from typing import Any

from analytics.errors import LatexError
from analytics.text.latex_lexer import formula_tokens
from analytics.text.notation import GREEK, normalise_latex

_LONGEST = 160  # characters in one spelling: some tens of milliseconds
_DEEPEST = 4  # brackets and braces within one another
_DEEPEST_ROUND = 2  # the parser doubles its work for each of these
_MOST_BARS, _LONGEST_TOKEN = 2, 20
_SIGNS = frozenset("+-*/^_{}()|!")
_FUNCTIONS = frozenset(r"\sin \cos \tan \cot \sec \csc \arcsin \arccos \arctan \ln \log".split())
_COMMANDS = frozenset(r"\frac \sqrt \times \cdot \div \pi \% \degree \infty".split()) | _FUNCTIONS
_TEXT = re.compile(r"\\text\{([^{}\\]*)\}")
# What the library has a reading of its own for becomes a text: d, E, I, i, degrees, infinity.
_ATOMS = re.compile(
    r"(\\text\{[^{}]*\}|_\{[^{}]*\})|\\(degree|infty)(?![a-zA-Z])|(?<![a-zA-Z\\])([dEIi])(?![a-zA-Z])"
)
_MIXED = re.compile(r"(?<![\d.^_}])(\d+)\\frac\{(\d+)\}\{(\d+)\}")
_DECIMAL = re.compile(r"(\d*)\.(\d+)")
# What can mean two things: 1/2x, 1/2/x, a power of a function that is its inverse or a reciprocal, log without a base.
_TWO_READINGS = re.compile(
    r"/(?:\d+|[a-zA-Z]|\\[a-z]+(?:\{[^{}]*\})*)(?:\^\{[^{}]*\})?(?:[a-zA-Z(]|\\(?!times|cdot|div|%)|/)"
    r"|!!|\\[a-z]+\^\{-|\\log(?!_)"
)
_FUNCTION_LETTERS = frozenset("fghFGHP")
_KNOWN = _SIGNS | _COMMANDS | {*GREEK, "[", "]"}
_lock = Lock()


def formula_tree(latex: str) -> Any:
    r"""Return a formula without relations as an unevaluated SymPy tree; texts within it (``\text{cm}``) are symbols.

    Raises:
        LatexError: it is too large, can mean two things, or is not known.

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
        with _lock, sympy.evaluate(False):  # the parser keeps state in its module
            tree = _Latex2Sympy(config=config).parse(prepared)
    except Exception as error:  # noqa: BLE001 - the library raises bare Exception and whatever SymPy raises
        raise LatexError(f"the formula cannot be read ({type(error).__name__})") from None
    if not isinstance(tree, sympy.Expr):
        raise LatexError("the formula is no expression")
    _check_calls(tree)
    return tree


def _prepared(spelling: str) -> str:
    """Return the formula as the library reads it without guessing."""
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
    spelling = _ATOMS.sub(
        lambda match: match[0] if match[1] else rf"\text{{{match[2] or match[3]}}}", spelling
    )
    spelling = _MIXED.sub(r"(\1+\\frac{\2}{\3})", spelling)
    return _DECIMAL.sub(_as_fraction, spelling)


def _as_fraction(match: re.Match[str]) -> str:
    """Write 0.25 as a fraction, since the library reads decimals as binary floats."""
    return rf"(\frac{{{int(match[1] + match[2])}}}{{{10 ** len(match[2])}}})"


def _check_calls(tree: Any) -> None:
    """Refuse ``a(2)``, a call or a product; of f, g, h and P it is a call."""
    from sympy.core.function import AppliedUndef

    if any(str(call.func) not in _FUNCTION_LETTERS for call in tree.atoms(AppliedUndef)):
        raise LatexError("brackets that are a call or a product")
