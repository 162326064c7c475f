"""Parse infix arithmetic to a tree, by Pratt's top-down operator precedence, without evaluating it.

It accepts the notation of the public data sets: ``+ - * / ^``, ``:`` for a ratio, round and square brackets,
per cent, mixed numbers such as ``5(1/2)`` or ``5((1)/(2))``, and implicit products such as ``2(3+4)``; and
what people write: mixed numbers such as ``5 1/2``, and thousands such as ``1,000``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analytics.errors import DataError
from analytics.expression.tree import ExpressionTree

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
            raise DataError(f"The equation is deeper than {MAX_DEPTH} levels.")
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
