"""Trees and nested tokens, the two shapes that the LaTeX reader works on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from analytics.errors import LatexError
from analytics.text.latex_symbols import CLOSERS, OPENERS

Tree = str | tuple["Tree", ...]
"""A leaf, or an operator followed by its operands: ``("+", "x", "1")``."""

BLANK = "blank"
"""The leaf where an operand is missing: the right side of ``3 + 4 =``."""

_COMMUTATIVE = frozenset({"+", "*", "=", "≠", "≈", "≡", "≅", "∪", "∩", "∧", "∨", "set"})
_CONSTANTS = frozenset(
    {"pi", "infinity", "e", "blank", "dots", "degree", "percent", "plus_minus", "minus_plus"}
)


@dataclass(slots=True, eq=False)
class Group:
    r"""Tokens between two brackets, or between ``\begin`` and ``\end`` (`opener` is then the name)."""

    opener: str
    closer: str = ""
    items: list[Item] = field(default_factory=list)


Item = str | Group


def nest(tokens: Iterable[str]) -> list[Item]:
    """Return the tokens with every bracketed stretch as a :class:`Group`.

    Raises:
        LatexError: brackets do not match.
    """
    top = Group("")
    stack = [top]
    for piece in tokens:
        begins, ends = piece.startswith("\\begin{"), piece.startswith("\\end{")
        if begins or piece in OPENERS:
            group = Group(piece[7:-1] if begins else piece)
            stack[-1].items.append(group)
            stack.append(group)
        elif ends or piece in CLOSERS:
            opener = stack[-1].opener
            if opener != piece[5:-1] if ends else opener not in CLOSERS[piece]:
                raise LatexError("brackets do not match")
            stack.pop().closer = piece
        else:
            stack[-1].items.append(piece)
    if len(stack) > 1:
        raise LatexError("brackets do not match")
    return top.items


def canonical(tree: Tree) -> str:
    """Return the tree as one string, the operands of commutative operators in one order.

    >>> canonical(("+", "y", ("*", "x", "2")))
    '(+ (* 2 x) y)'
    """
    if isinstance(tree, str):
        return tree
    head = tree[0] if isinstance(tree[0], str) else canonical(tree[0])
    operands = [canonical(child) for child in tree[1:]]
    if head in _COMMUTATIVE:
        operands.sort()
    return f"({' '.join([head, *operands])})"


def signature(tree: Tree) -> tuple[str, ...]:
    """Return the tree's nodes in prefix order, after the ordering of :func:`canonical`."""
    return tuple(canonical(tree).replace("(", " ( ").replace(")", " ) ").split())


def symbols(tree: Tree) -> frozenset[str]:
    """Return the free symbols: leaves that begin with a letter and name no constant."""
    names: set[str] = set()
    stack: list[Tree] = [tree]
    while stack:
        node = stack.pop()
        if not isinstance(node, str):
            stack.extend(node[1:] if isinstance(node[0], str) else node)
        elif node[:1].isalpha() and node not in _CONSTANTS:
            names.add(node)
    return frozenset(names)
