r"""Parsing LaTeX formulas: the one adapter of latex2sympy2_extended.

Everything else in the project asks here and gets a :class:`ParsedFormula`, plain tuples and strings without
SymPy. Three layers: :mod:`~analytics.text.notation` gives a formula one spelling,
:mod:`~analytics.text.latex_structure` takes lists, relations and brackets apart, and the library parses the
arithmetic in between. Nothing is ever evaluated.

Parsing happens in a child process (:mod:`~analytics.text.latex_pool`) that is killed when it takes too
long, after limits on size and depth that cost nothing to check. A formula that cannot be parsed is handled
as tokens: :func:`formula_signature`.

``python -m analytics.text.latex_measure FOLDER`` measures the share that parses on the public data sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analytics.errors import LatexError, LatexLimitError
from analytics.text.latex_pool import ParserPool, shared_pool
from analytics.text.latex_tree import Tree, canonical, signature, symbols
from analytics.text.notation import formula_tokens, normalise_latex


@dataclass(frozen=True, slots=True)
class LatexLimits:
    """How large a formula may be before it is refused unread.

    Attributes:
        length: characters. The longest formula of 100,000 in the public sets has 1,600.
        depth: brackets and environments inside one another, counted before any parsing.
        digits: digits of one number.
        timeout: seconds that parsing one formula may take.
    """

    length: int = 3_000
    depth: int = 40
    digits: int = 120
    timeout: float = 5.0


DEFAULT_LIMITS = LatexLimits()


@dataclass(frozen=True, slots=True)
class ParsedFormula:
    """A formula that was parsed.

    Attributes:
        latex: the source.
        tree: nested tuples ``(operator, operand, ...)`` with strings as leaves; the order is the source's.
        canonical: the tree as one string, the same for ``x+1=y`` and ``y=1+x``.
        symbols: the free symbols.
    """

    latex: str
    tree: Tree
    canonical: str
    symbols: frozenset[str]


def check_limits(latex: str, limits: LatexLimits = DEFAULT_LIMITS) -> None:
    """Refuse a formula that is too large to parse, in linear time.

    Raises:
        LatexLimitError: it is longer or deeper than the limits allow, or holds too long a number.
    """
    if len(latex) > limits.length:
        raise LatexLimitError(f"a formula of {len(latex)} characters is longer than {limits.length}")
    depth = 0
    for piece in formula_tokens(latex):
        if piece in _OPENING or piece.startswith("\\begin"):
            depth += 1
            if depth > limits.depth:
                raise LatexLimitError(f"a formula is nested deeper than {limits.depth}")
        elif piece in _CLOSING or piece.startswith("\\end"):
            depth = max(depth - 1, 0)
        elif len(piece) > limits.digits:
            raise LatexLimitError(f"a number has more than {limits.digits} digits")


_OPENING = frozenset({"{", "(", "[", r"\{", r"\lfloor", r"\lceil", r"\langle"})
_CLOSING = frozenset({"}", ")", "]", r"\}", r"\rfloor", r"\rceil", r"\rangle"})


def parse_latex(latex: str, *, limits: LatexLimits = DEFAULT_LIMITS) -> ParsedFormula:
    """Parse one formula, given without its delimiters.

    Raises:
        LatexLimitError: it is too large.
        LatexError: it cannot be parsed, or not in time.
    """
    check_limits(latex, limits)
    return _parsed(latex, shared_pool().ask(latex, limits.timeout))


def parse_latex_many(
    formulas: Sequence[str],
    *,
    timeout: float | None = None,
    limits: LatexLimits = DEFAULT_LIMITS,
    pool: ParserPool | None = None,
) -> list[ParsedFormula | LatexError]:
    """Parse many formulas; what cannot be parsed is returned as its error, in place.

    Args:
        timeout: seconds for each formula, instead of the limits' own.
        pool: children of the caller's own; by default this process's one child.
    """
    seconds = limits.timeout if timeout is None else timeout
    results: list[ParsedFormula | LatexError] = []
    distinct = list(dict.fromkeys(latex for latex in formulas))
    allowed: list[str] = []
    outcome: dict[str, ParsedFormula | LatexError] = {}
    for latex in distinct:
        try:
            check_limits(latex, limits)
        except LatexLimitError as error:
            outcome[latex] = error
        else:
            allowed.append(latex)
    replies = (pool or shared_pool()).ask_many(allowed, seconds)
    for latex, reply in zip(allowed, replies, strict=True):
        try:
            outcome[latex] = _parsed(latex, reply)
        except LatexError as error:
            outcome[latex] = error
    results.extend(outcome[latex] for latex in formulas)
    return results


def formula_signature(latex: str, *, limits: LatexLimits = DEFAULT_LIMITS) -> tuple[str, ...]:
    """Return what a formula is compared by: its tree in prefix order, or else its normalised tokens.

    Never raises; the first item says which of the two it is (``"tree"`` or ``"tokens"``).
    """
    try:
        return ("tree", *signature(parse_latex(latex, limits=limits).tree))
    except LatexError:
        return ("tokens", *formula_tokens(normalise_latex(latex)))


def _parsed(latex: str, reply: Any) -> ParsedFormula:
    if isinstance(reply, LatexError):
        raise reply
    if "error" in reply:
        raise LatexError(reply["error"])
    tree = _tuples(reply["tree"])
    return ParsedFormula(latex, tree, canonical(tree), symbols(tree))


def _tuples(value: Any) -> Tree:
    return value if isinstance(value, str) else tuple(_tuples(child) for child in value)
