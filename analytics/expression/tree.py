"""Immutable expression trees, and the notations in which they are read and written: infix, prefix and postfix.

`parse_expression` is a Pratt parser (top-down operator precedence). It accepts the notation of the public data sets:
``+ - * / ^``, ``:`` for a ratio, round and square brackets, per cent, mixed numbers such as ``5(1/2)`` or
``5((1)/(2))``, and implicit products such as ``2(3+4)``; and what people write: mixed numbers such as ``5 1/2``, and
thousands such as ``1,000``. `to_infix` prints as few brackets as it needs to restore the same tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analytics.errors import DataError


@dataclass(frozen=True, slots=True)
class ExpressionTree:
    """A number, or an operator with its operands.

    Attributes:
        label: the number as it was written (``"25%"``, ``"5(1/2)"``), or the operator: ``"+"``, ``"-"``,
            ``"*"``, ``"/"``, ``"^"``, ``"neg"`` (one child) or ``"%"`` (one child).
        children: empty for a number.
    """

    label: str
    children: tuple[ExpressionTree, ...] = ()

    @property
    def is_number(self) -> bool:
        return not self.children

    @property
    def size(self) -> int:
        """Number of nodes."""
        return 1 + sum(child.size for child in self.children)

    def leaves(self) -> list[str]:
        """Return the labels of the numbers, from left to right."""
        if self.is_number:
            return [self.label]
        return [label for child in self.children for label in child.leaves()]

    def with_leaves(self, leaf: Callable[[str], ExpressionTree]) -> ExpressionTree:
        """Return the tree with each number replaced by another tree, given its label."""
        if self.is_number:
            return leaf(self.label)
        return ExpressionTree(self.label, tuple(child.with_leaves(leaf) for child in self.children))

    def __add__(self, other: ExpressionTree) -> ExpressionTree:
        return ExpressionTree("+", (self, other))

    def __sub__(self, other: ExpressionTree) -> ExpressionTree:
        return ExpressionTree("-", (self, other))

    def __mul__(self, other: ExpressionTree) -> ExpressionTree:
        return ExpressionTree("*", (self, other))

    def __truediv__(self, other: ExpressionTree) -> ExpressionTree:
        return ExpressionTree("/", (self, other))


MAX_LENGTH = 2000  # characters
MAX_DEPTH = 100  # of nested brackets, signs and powers
MAX_OPERATIONS = 300  # a chain such as 1+1+1 is as deep a tree as it is long, and trees are walked recursively

_TOKEN = re.compile(
    r"\s*(?:(?P<mixed>\d+\((?:\d+|\(\d+\))/(?:\d+|\(\d+\))\))"
    r"|(?P<number>(?:[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)%?)"
    r"|(?P<sign>[-+*/÷^:%()\[\]]))"
)
_TYPED_MIXED = re.compile(r"\s*(?<![\d./])(?P<typed_mixed>(?P<whole>\d+)\s(?P<above>\d+)/(?P<below>\d+))(?!\d|[./]\d)")
_SPELLINGS = str.maketrans("×·−–（）【】：％", "**--()[]:%")
_RESULT = re.compile(r"(?<=[\d)\]%])\s*=\s*[-\w.,/%]*(?:\s+[A-Za-z]+)*\s*$")  # 24-6 = 18, 24-6 = x, 24-6 = 18 eggs
_CLOSING = {"(": ")", "[": "]"}
# Binding powers: higher binds tighter. A power is right-associative: 2^3^2 = 2^(3^2).
_LEFT = {"+": 10, "-": 10, "*": 20, "/": 20, "÷": 20, ":": 20, "^": 41, "%": 50}
_DIVISIONS = frozenset("/÷:")
_IMPLIED_PRODUCT = 20
_SIGN = 30
_POWER = 40


def parse_expression(text: str) -> ExpressionTree:
    """Parse infix arithmetic; a leading ``x =`` is dropped.

    >>> parse_expression("(11-1)*2").label, parse_expression("5 1/2").label
    ('*', '5(1/2)')

    Raises:
        DataError: it is not valid arithmetic; the message says where.
    """
    text = text.translate(_SPELLINGS).replace("**", "^")
    if len(text) > MAX_LENGTH:
        raise DataError(f"The equation is longer than {MAX_LENGTH} characters.")
    _, sign, right = text.rpartition("=")
    if sign and re.fullmatch(r"\s*[A-Za-z]?\s*=\s*", text[: len(text) - len(right)]):
        text = right.rjust(len(text))  # keeps the positions unchanged
    parser = _Parser(_tokens(text))
    tree = parser.expression(0, 0)
    if parser.current.kind != "end":
        raise DataError(f"The equation {parser.current}, where it is out of place.")
    return tree


def parse_written_equation(text: str) -> ExpressionTree:
    """Parse an equation as language models write it: a trailing result is dropped too.

    >>> parse_written_equation("x = 24-6 = 18") == parse_expression("24-6")
    True
    >>> parse_written_equation("80*25% = 20 dollars") == parse_expression("80*25%")
    True

    Raises:
        DataError: as for `parse_expression`.
    """
    return parse_expression(_RESULT.sub("", text))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # number, sign, other or end
    text: str
    position: int  # counted from 1

    def __str__(self) -> str:
        """Return the token's description for errors that begin with "The equation"."""
        verb = "ends" if self.kind == "end" else f"has {self.text!r}"
        return f"{verb} at character {self.position}"


def _tokens(text: str) -> list[_Token]:
    tokens, position, end = [], 0, len(text.rstrip())
    has_blanks = len(text.split()) > 1
    while position < end:
        match = (has_blanks and _typed_mixed(text, position)) or _TOKEN.match(text, position)
        if match is None:
            rest = text[position:].lstrip()
            token = _Token("other", rest[0], len(text) - len(rest) + 1)
            raise DataError(f"The equation {token}, which is not arithmetic.")
        group = match.lastgroup or ""
        kind = "sign" if group == "sign" else "number"
        tokens.append(_Token(kind, _label(match), match.start(group) + 1))
        position = match.end()
    tokens.append(_Token("end", "", len(text) + 1))
    return tokens


def _typed_mixed(text: str, position: int) -> re.Match[str] | None:
    match = _TYPED_MIXED.match(text, position)
    return match if match and int(match["above"]) < int(match["below"]) else None


def _label(match: re.Match[str]) -> str:
    """Return a number in tree notation: ``5 1/2`` as ``5(1/2)``, ``1,000`` as ``1000``."""
    if match.lastgroup == "typed_mixed":
        return f"{match['whole']}({match['above']}/{match['below']})"
    return match[match.lastgroup or 0].replace(",", "")


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._index = 0
        self._operations = 0

    @property
    def current(self) -> _Token:
        return self._tokens[self._index]

    def _take(self) -> _Token:
        token = self.current
        self._index += token.kind != "end"
        return token

    def expression(self, right_power: int, depth: int) -> ExpressionTree:
        """Parse for as long as operators bind tighter than `right_power`."""
        if depth > MAX_DEPTH:
            raise DataError(f"The equation is nested more than {MAX_DEPTH} levels deep.")
        left = self._prefix(self._take(), depth)
        while True:
            token = self.current
            self._check_neighbours()
            if token.kind == "number" or token.text in _CLOSING:  # 2(3+4), (1+2)(3+4)
                if right_power >= _IMPLIED_PRODUCT:
                    return left
                self._count()
                left = ExpressionTree("*", (left, self.expression(_IMPLIED_PRODUCT, depth + 1)))
                continue
            if right_power >= _LEFT.get(token.text, -1):
                return left
            self._count()
            self._take()
            if token.text == "%":
                left = ExpressionTree("%", (left,))
                continue
            power = _POWER if token.text == "^" else _LEFT[token.text]
            right = self.expression(power, depth + 1)
            left = ExpressionTree("/" if token.text in _DIVISIONS else token.text, (left, right))

    def _check_neighbours(self) -> None:
        """Reject a number directly after another: ``12 500`` is not a product."""
        if self.current.kind == "number" == self._tokens[self._index - 1].kind:
            raise DataError(f"The equation {self.current}, directly after another number.")

    def _count(self) -> None:
        self._operations += 1
        if self._operations > MAX_OPERATIONS:
            raise DataError(f"The equation has more than {MAX_OPERATIONS} operations.")

    def _prefix(self, token: _Token, depth: int) -> ExpressionTree:
        if token.kind == "number":
            return ExpressionTree(token.text)
        if token.text in ("+", "-"):
            inner = self.expression(_SIGN, depth + 1)
            return inner if token.text == "+" else ExpressionTree("neg", (inner,))
        if token.text in _CLOSING:
            inner = self.expression(0, depth + 1)
            closing = self._take()
            if closing.text != _CLOSING[token.text]:
                raise DataError(
                    f"The equation {closing}, where {_CLOSING[token.text]!r} must close the bracket"
                    f" at character {token.position}."
                )
            return inner
        raise DataError(f"The equation {token}, where a number is missing.")


ARITY = {"+": 2, "-": 2, "*": 2, "/": 2, "^": 2, "neg": 1, "%": 1}  # operator -> operands; a literal table
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "^": 4, "%": 5}
_ATOM = 6


def to_prefix(tree: ExpressionTree) -> list[str]:
    """Return the labels of a tree in pre-order.

    >>> to_prefix(parse_expression("(11-1)*2"))
    ['*', '-', '11', '1', '2']
    """
    return [tree.label, *(label for child in tree.children for label in to_prefix(child))]


def to_postfix(tree: ExpressionTree) -> list[str]:
    """Return the labels of a tree in post-order.

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
