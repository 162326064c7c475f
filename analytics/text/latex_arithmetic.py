r"""Arithmetic for the expression reader: numbers, letters, fractions, roots, powers, functions; nothing else.

:class:`ArithmeticWriter` writes a run of items as LaTeX in the small language that the expression reader
knows well. Whatever lies outside it (a subscript, an accent, a word, a sum, a set in brackets) is read on
its own and stands in the written LaTeX as a name, so that no unusual character and no collection ever
reaches the reader.
"""

from __future__ import annotations

import unicodedata
from typing import Protocol

from analytics.errors import LatexError
from analytics.text.latex_symbols import (
    ACCENTS,
    CALLABLE_NAMES,
    DROPPED_WITH_ARGUMENT,
    FUNCTION_LETTERS,
    FUNCTIONS,
    LIBRARY_LETTERS,
    QUANTIFIED,
    SYMBOLS,
    TRANSPARENT,
)
from analytics.text.latex_tree import BLANK, Group, Item, Tree

ARITHMETIC_SIGNS: dict[str, str] = {
    "+": "+",
    "-": "-",
    "*": r"\times ",
    r"\times": r"\times ",
    r"\cdot": r"\times ",
    r"\centerdot": r"\times ",
    r"\div": "/",
    "/": "/",
    r"\plus": "+",
    r"\minus": "-",
}
"""Sign -> how it is written for the expression reader."""

_SYMBOL_NAMES = frozenset(SYMBOLS.values())
_WORDS = frozenset({r"\text", r"\operatorname", r"\textbf", r"\textrm"})
_IGNORED = frozenset(
    {r"\limits", r"\nolimits", r"\noindent", r"\centering", r"\left", r"\right", "`", "‘", "’", "“", "”"}
)


class OuterReader(Protocol):
    """What `ArithmeticWriter` asks of the reader of the outer grammar, `latex_structure.FormulaReader`."""

    def formula(self, items: list[Item]) -> Tree:
        """Read a list of statements."""

    def elements(self, items: list[Item]) -> list[Tree]:
        """Read the elements of a bracket."""

    def bracketed(self, group: Group) -> Tree:
        """Read what stands in brackets."""

    def argument(self, item: Item) -> Tree:
        """Read an argument of a command."""

    def inline(self, item: Item) -> str:
        """Write an argument as LaTeX for the expression reader."""

    def named(self, tree: Tree) -> str:
        """Give a tree a name that stands for it in the written LaTeX."""

    def is_arithmetic(self, items: list[Item]) -> bool:
        """Return whether a run holds no list, relation or foreign operator on its own level."""


class ArithmeticWriter:
    """Writes one run of items, from left to right.

    Args:
        reader: reads what is not arithmetic, and keeps the names that stand for it.
        items: the run.
    """

    def __init__(self, reader: OuterReader, items: list[Item]) -> None:
        self._reader = reader
        self._items = items
        self._at = 0
        self._parts: list[str] = []
        self._wants_operand = True

    def write(self) -> str:
        """Return the run as LaTeX for the expression reader."""
        while self._at < len(self._items):
            item = self._items[self._at]
            self._at += 1
            if isinstance(item, Group):
                self._bracket(item)
            elif item in ARITHMETIC_SIGNS:
                self._sign(item)
            elif item == "^":
                self._exponent()
            elif item == "!":
                self._factorial()
            elif item == "_":
                self._argument()  # a subscript under a bracket names it; it does not change its value
            elif item[0] == "\\":
                self._command(item)
            else:
                self._characters(item)
        if self._wants_operand:
            self._operand(self._reader.named(BLANK))
        return " ".join(self._parts)

    # -- pieces --------------------------------------------------------------------------------------------

    def _operand(self, latex: str) -> None:
        self._parts.append(latex)
        self._wants_operand = False

    def _tree(self, tree: Tree) -> None:
        self._operand(self._reader.named(tree))

    def _peek(self) -> Item | None:
        return self._items[self._at] if self._at < len(self._items) else None

    def _argument(self) -> Item:
        """Take the next item as an argument; a blank where there is none."""
        item = self._peek()
        if item is None:
            return Group("{")
        self._at += 1
        return item

    def _sign(self, sign: str) -> None:
        if self._wants_operand and sign not in {"+", "-"}:
            self._operand(self._reader.named(BLANK))
        self._parts.append(ARITHMETIC_SIGNS[sign])
        self._wants_operand = True

    def _exponent(self) -> None:
        if self._wants_operand:
            self._operand(self._reader.named(BLANK))
        item = self._argument()
        if self._parts[-1].startswith("^"):
            raise LatexError("two exponents on one base")
        self._parts.append("^{" + self._reader.inline(item) + "}")

    def _factorial(self) -> None:
        if self._wants_operand:
            self._operand(self._reader.named(BLANK))
        self._parts.append("!")

    def _bracket(self, group: Group) -> None:
        if group.opener in {"(", "[", "{"} and group.items and self._reader.is_arithmetic(group.items):
            if not self._wants_operand:
                self._parts.append(r"\times ")  # else the expression reader would take "x (...)" for a call
            self._operand("(" + self._reader.inline(group).removeprefix("(").removesuffix(")") + ")")
        else:
            self._tree(self._reader.bracketed(group))

    def _characters(self, piece: str) -> None:
        if piece[0].isdigit() or piece[0] == ".":
            self._number(piece)
        elif piece == "'":
            return  # a prime that belongs to no name
        elif piece in SYMBOLS:
            self._named_symbol(SYMBOLS[piece])
        elif piece.isalpha() and piece.isascii():
            self._named_symbol(piece)
        elif piece.isalpha():
            while (
                isinstance(following := self._peek(), str) and following.isalpha() and not following.isascii()
            ):
                piece += following  # a run of Chinese characters is one word
                self._at += 1
            self._named_symbol(piece)
        elif unicodedata.category(piece[0]) in {"So", "Sm", "Sc"}:
            self._named_symbol(piece)
        elif piece not in _IGNORED:
            raise LatexError(f"the character {piece} has no meaning here")

    def _number(self, piece: str) -> None:
        following = self._peek()
        if piece == ".":
            self._full_stop()
        elif following == "." and self._is_repeating(
            self._at + 1
        ):  # a repeating decimal: 0.\overline{3}, 0.\dot{3}
            self._at += 1
            digits = piece + "."
            while self._peek() in {r"\overline", r"\dot", r"\bar"}:
                self._at += 1
                digits += "(" + _flat(self._argument()) + ")"
            self._tree(digits)
        elif following == "_":  # a number with its base
            self._at += 1
            self._tree(("base", piece, _flat(self._argument())))
        else:
            self._operand(piece)

    def _is_repeating(self, at: int) -> bool:
        return at < len(self._items) and self._items[at] in {r"\overline", r"\dot", r"\bar"}

    def _full_stop(self) -> None:
        """Read ``...`` as dots; a single full stop ends a sentence."""
        count = 1
        while self._peek() == ".":
            self._at += 1
            count += 1
        if count > 1:
            self._tree("dots")
        elif self._peek() is not None:
            raise LatexError("a full stop inside an expression")

    def _named_symbol(self, name: str) -> None:
        """Write a letter or a name with its subscript, its primes and, for a function, its arguments."""
        bare = name
        while self._peek() in {"_", "'"} or (self._peek() == "^" and self._is_prime(self._at + 1)):
            mark = self._argument()
            if mark == "'":
                name += "'"
            elif mark == "^":
                name += "'" * _flat(self._argument()).count("prime")
            else:
                name += "_" + _flat(self._argument())
        callable_ = bare in FUNCTION_LETTERS or bare in CALLABLE_NAMES or self._starts_a_call(bare)
        if callable_ and self._call(name):
            return
        is_plain = len(name) == 1 and name.isascii() and name not in LIBRARY_LETTERS
        if is_plain or (name == "e" and self._peek() == "^"):
            self._operand(name)
        else:
            self._tree(name)

    def _starts_a_call(self, name: str) -> bool:
        """Return whether an unusual function's name is meant: a word, or ``y(0)`` at the start of a run."""
        if len(name) > 1:
            return name not in _SYMBOL_NAMES
        following = self._peek()
        return not self._parts and isinstance(following, Group) and len(following.items) == 1

    def _is_prime(self, at: int) -> bool:
        return at < len(self._items) and _flat(self._items[at]) in {"prime", "primeprime"}

    def _call(self, name: str) -> bool:
        """Read ``f(x, y)`` and ``f^{-1}(x)``; return whether it was one."""
        at = self._at
        head: Tree = name
        if self._peek() == "^" and at + 2 < len(self._items) and _is_round(self._items[at + 2]):
            head = ("^", name, self._reader.argument(self._items[at + 1]))
            at += 2
        group = self._items[at] if at < len(self._items) else None
        if not isinstance(group, Group) or not _is_round(group):
            return False
        self._at = at + 1
        self._tree(("apply", head, *self._reader.elements(group.items)))
        return True

    # -- commands ------------------------------------------------------------------------------------------

    def _command(self, command: str) -> None:
        if command in FUNCTIONS:
            self._function(command)
        elif command == r"\frac":
            self._fraction()
        elif command == r"\sqrt":
            self._root()
        elif command == r"\binom":
            self._tree(
                ("binomial", self._reader.argument(self._argument()), self._reader.argument(self._argument()))
            )
        elif command in QUANTIFIED:
            self._quantified(QUANTIFIED[command])
        elif command in {r"\pm", r"\mp"}:
            self._parts.append("+")
            self._parts.append(self._reader.named(SYMBOLS[command]))
            self._parts.append(r"\times ")
            self._wants_operand = True
        elif command in SYMBOLS:
            self._named_symbol(SYMBOLS[command])
        elif command in ACCENTS:
            self._accent(ACCENTS[command])
        elif command in _WORDS:
            word = _flat(self._argument())
            if any(character.isalnum() for character in word):
                self._named_symbol(word)
        elif command in TRANSPARENT:
            self._items[self._at : self._at + 1] = _content(self._argument_at())
        elif command in DROPPED_WITH_ARGUMENT:
            self._argument()
        elif command not in _IGNORED:
            raise LatexError(f"unknown command {command}")

    def _argument_at(self) -> Item:
        return self._items[self._at] if self._at < len(self._items) else Group("{")

    def _function(self, command: str) -> None:
        r"""Write ``\sin``, ``\log_{2}`` ...; without an argument it is a name."""
        written = FUNCTIONS[command]
        if self._peek() == "_":
            self._at += 1
            written += "_{" + self._reader.inline(self._argument()) + "}"
        if self._peek() == "^":
            self._at += 1
            written += "^{" + self._reader.inline(self._argument()) + "}"
        following = self._peek()
        if following is None or (
            isinstance(following, str) and following in ARITHMETIC_SIGNS and following != "-"
        ):
            self._tree(command[1:])
        elif isinstance(following, Group):
            self._at += 1
            self._operand(f"{written}({self._reader.inline(following).removeprefix('(').removesuffix(')')})")
        elif following == "-":
            self._at += 1
            self._operand(f"{written}(-{self._reader.inline(self._argument())})")
        else:
            self._parts.append(written + " ")
            self._wants_operand = True

    def _fraction(self) -> None:
        upper, lower = self._argument(), self._argument()
        below = _content(lower)
        if len(below) > 1 and below[0] in {"d", r"\partial"} and _content(upper)[:1] == below[:1]:
            above = _content(upper)[1:]
            self._tree(("derivative", self._reader.formula(above), self._reader.formula(below[1:])))
        elif self._parts and self._parts[-1].isdigit() and _is_digits(upper) and _is_digits(lower):
            whole = (
                self._parts.pop()
            )  # a mixed number; the expression reader would compare, and so evaluate, it
            self._tree(("+", whole, f"{_flat(upper)}/{_flat(lower)}"))
        else:
            self._operand(rf"\frac{{{self._reader.inline(upper)}}}{{{self._reader.inline(lower)}}}")

    def _root(self) -> None:
        index = ""
        following = self._peek()
        if isinstance(following, Group) and following.opener == "[" and following.closer == "]":
            self._at += 1
            index = f"[{self._reader.inline(Group('{', '}', following.items))}]"
        self._operand(rf"\sqrt{index}{{{self._reader.inline(self._argument())}}}")

    def _accent(self, name: str) -> None:
        item = self._argument()
        content = _content(item)
        if all(isinstance(part, str) and part not in ARITHMETIC_SIGNS for part in content):
            self._named_symbol(f"{_flat(item)}.{name}")
        else:
            self._tree((name, self._reader.argument(item)))

    def _quantified(self, name: str) -> None:
        """Read a sum, product, integral or limit with its bounds; its body is the rest of the term."""
        bounds: dict[str, Tree] = {"_": BLANK, "^": BLANK}
        while (mark := self._peek()) in {"_", "^"}:
            self._at += 1
            bounds[str(mark)] = self._reader.argument(self._argument())
        end = self._at
        stop = "d" if name == "integral" else "+-"
        while end < len(self._items):
            item = self._items[end]
            if (
                isinstance(item, str)
                and item in stop
                and (name != "integral" or end + 1 < len(self._items))
                and end > self._at
            ):
                break
            end += 1
        body = self._reader.formula(self._items[self._at : end])
        self._at = end
        if name == "integral" and self._peek() == "d":
            self._at += 1
            body = ("d", body, self._reader.argument(self._argument()))
        self._tree((name, bounds["_"], bounds["^"], body))


def _is_round(item: Item | None) -> bool:
    return isinstance(item, Group) and item.opener == "(" and item.closer == ")"


def _is_digits(item: Item) -> bool:
    return _flat(item).isdigit()


def _content(item: Item) -> list[Item]:
    return item.items if isinstance(item, Group) and item.opener == "{" else [item]


def _flat(item: Item) -> str:
    """Return an argument as one word, for the name of a symbol."""
    if isinstance(item, str):
        return SYMBOLS.get(item, item).lstrip("\\")
    inner = "".join(_flat(part) for part in item.items)
    return inner if item.opener == "{" else f"{item.opener}{inner}{item.closer}"
