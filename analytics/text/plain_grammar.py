r"""Grammar of mathematics typed on a keyboard: a Pratt parser that writes equivalent LaTeX.

Operators bind as taught at school, the loosest first::

    relation     = < > <= >= != -> ~          a chain, written as typed
    sum          + - +- and the set operators
    product      * × · ÷ mod, x between numbers, and a slash with spaces around it: "12 / 4"
    fraction     a slash without spaces: "6 ÷ 2/3" is 6 ÷ (2/3)
    run          2x(y+1), juxtaposition
    power        x^2, x_1; right-associative
    postfix      5!  f'  20%  30°

Input with two common readings of different value (``x/2y``, ``sin x/2``, ``5 x n``, ``3,5``, ``2^3n``) is
rejected, and the caller leaves it as typed. Brackets are kept except around what LaTeX groups itself. After
Vaughan Pratt, "Top down operator precedence", 1973.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analytics.text.characters import keyboard_maths
from analytics.text.plain_tokens import (
    CLOSING,
    CONNECTIVES,
    CONSTANTS,
    DOTS,
    FUNCTIONS,
    GREEK,
    RELATIONS,
    ROOTS,
    SIGNS,
    SUMS,
    Cursor,
    PlainMathsError,
)

_ONLY_CALLED = frozenset({"max", "min", "det", "gcd", "lcm", "exp"})  # without a bracket they are prose
_CALLED_LETTERS = frozenset("fgFGP")  # in 1/f(x), the whole call is the denominator
_SETS = {"∪": r"\cup", "∩": r"\cap"}
_PRODUCTS = {"*": r"\times", "×": r"\times", "·": r"\cdot", "÷": r"\div", "mod": r"\bmod"}
_CONNECT, _RELATION, _SUM, _RATIO, _PRODUCT, _FRACTION, _RUN, _POWER, _POSTFIX = range(10, 100, 10)
_LONGEST = 2_000  # characters per typed formula
_DEEPEST = 120  # nesting of expressions
_COMMAND_AT_END = re.compile(r"\\[A-Za-z]+$")
_SCRIPT_WORD = re.compile(r"[A-Za-z]{2,12}(?![A-Za-z0-9])")


def plain_to_latex(text: str) -> str:
    r"""Return plain maths as equivalent LaTeX, without dollar signs.

    Raises:
        PlainMathsError: the grammar does not accept it, or it is ambiguous.

    >>> plain_to_latex("(x+1)/sqrt(2)"), plain_to_latex("2**-1 <= 3"), plain_to_latex("log_2(8)")
    ('\\frac{x + 1}{\\sqrt{2}}', '2^{-1} \\le 3', '\\log_{2}(8)')
    >>> plain_to_latex("2/3 ÷ 4/5"), plain_to_latex("3.6 x 10^5 + 3 1/2")
    ('\\frac{2}{3} \\div \\frac{4}{5}', '3.6 \\times 10^{5} + 3\\frac{1}{2}')
    """
    if len(text) > _LONGEST:
        raise PlainMathsError("the formula is too long", _LONGEST)
    return _Parser(keyboard_maths(text)).formula()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A parsed part: its LaTeX, its sort, and its LaTeX without the brackets around it.

    Attributes:
        before: for a run whose last factor is separate ("x dy"), the LaTeX before that factor.
    """

    latex: str
    sort: str
    bare: str = ""
    before: str = ""

    @property
    def grouped(self) -> str:
        return self.bare if self.sort == "bracket" else self.latex


class _Parser(Cursor):
    """Parser of one formula; every method returns what it parsed and leaves the next token in `token`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = self.nesting = 0
        self.bars = 0
        self.is_probability = False

    def formula(self) -> str:
        latex = self.list()
        if self.token.kind != "end":
            raise self.error(f"“{self.token.text}” is not expected")
        return latex

    def list(self) -> str:
        """Parse statements or list items between commas."""
        parts = [self.expression(0).latex]
        while self.token.text in (",", ";"):
            mark = self.advance()
            is_decimal = not (self.depth or mark.spaced or self.token.spaced) and self.token.kind == "number"
            if is_decimal and self.tokens[self.place - 2].kind == "number":
                raise self.error("a comma between digits is a decimal mark or a list")
            parts.append(mark.text + (" " if self.token.spaced or not self.depth else ""))
            parts.append(self.expression(0).latex)
        return "".join(parts)

    def expression(self, weakest: int) -> _Piece:
        """Parse an operand and every operator after it that binds at least as strongly as `weakest`."""
        self.nesting += 1
        if self.nesting > _DEEPEST:
            raise self.error("it is nested too deeply")
        left = self.operand()
        while (strength := self.strength()) >= max(weakest, 1):
            left = self.extended(left, strength)
        self.nesting -= 1
        return left

    def strength(self) -> int:
        """Return how strongly the next token binds to its left; 0 for one that ends the expression."""
        token = self.token
        if token.kind in ("number", "mixed", "letter"):
            return _RUN
        text = token.text
        if text in CONNECTIVES or (text == "|" and self.is_probability and not self.bars):
            return _CONNECT if self.is_probability else 0
        if text in RELATIONS:
            return _RELATION
        if text in SIGNS or text in _SETS:
            return _SUM
        if text in _PRODUCTS:
            return _PRODUCT
        if text == "/":
            return _FRACTION if self.is_tight() else _PRODUCT
        if text in ("^", "**", "_"):
            return _POWER
        if text in ("!", "'", "%", "°"):
            return _POSTFIX
        if text == ":":
            return _RATIO
        starts = token.kind == "name" or text in ("(", "[", "∫", *DOTS) or (text == "|" and not self.bars)
        return _RUN if starts else 0

    # -- operators -------------------------------------------------------------------------------------------------

    def extended(self, left: _Piece, strength: int) -> _Piece:  # noqa: C901 - a branch for each strength
        if strength == _RUN:
            return self.run(left)
        if strength == _POSTFIX:
            return self.postfix(left)
        if strength == _POWER:
            return self.script(left)
        if self.token.text == "/":
            return self.fraction(left)
        sign = self.advance().text
        if strength == _CONNECT:
            written = r"\mid" if sign == "|" else rf"\text{{ {sign} }}"
            return _Piece(f"{left.latex} {written} {self.expression(_CONNECT + 1).latex}", "statement")
        if strength == _RELATION:
            if self.token.kind == "end" and sign == "=":  # "2x + 3 =" before an answer blank
                return _Piece(f"{left.latex} =", "statement")
            return _Piece(f"{left.latex} {RELATIONS[sign]} {self.expression(_RELATION + 1).latex}", "statement")
        if strength == _SUM:
            written = SIGNS.get(sign) or _SETS[sign]
            return _Piece(f"{left.latex} {written} {self.expression(_SUM + 1).latex}", "sum")
        if strength == _RATIO:
            return _Piece(f"{left.latex} : {self.expression(_RATIO + 1).latex}", "ratio")
        right = self.expression(_PRODUCT + 1)
        if sign == "*" and _goes_without_sign(left, right):
            return _Piece(_beside(left.latex, right.latex), "product")
        return _Piece(f"{left.latex} {_PRODUCTS[sign]} {right.latex}", "product")

    def fraction(self, left: _Piece) -> _Piece:
        is_tight = self.is_tight()
        uncertain = ("open", "first power", "numeral power", "radical")  # sin x/2, x^1/2, 8^2/3, √16/25
        if (is_tight and left.sort in uncertain) or (not is_tight and r"\div" in left.latex):
            raise self.error("it is not certain what is above the stroke")
        self.advance()
        below = self.expression(_RUN + 1 if is_tight else _PRODUCT + 1)
        if not is_tight and (below.before or (below.sort == "run" and below.latex.endswith(")"))):
            raise self.error("it is not certain what is below the stroke")
        above, before = left, ""
        if left.before and is_tight:
            above, before = _Piece(left.latex.removeprefix(left.before), ""), left.before
        latex = rf"{before}\frac{{{above.grouped.strip()}}}{{{below.grouped}}}"
        is_number = left.sort == below.sort == "number"
        is_derivative = left.latex[:1] == below.latex[:1] == "d" and len(below.latex) > 1
        return _Piece(latex, "fraction" if is_number else "derivative" if is_derivative else "quotient")

    def run(self, left: _Piece) -> _Piece:
        """Parse a factor that follows another by juxtaposition; a number may only follow a bracket."""
        token = self.token
        is_name = token.kind in ("letter", "name")
        is_certain = left.sort != "dots"
        if token.kind in ("number", "mixed"):
            is_certain = left.sort in ("bracket", "list")
        elif left.sort in ("quotient", "radical"):  # x/2y, √2x
            is_certain = token.spaced
        elif left.sort in ("numeral power", "first power"):  # 2^3n
            is_certain = token.spaced or not is_name
        elif left.sort == "bars":  # "|a|b|c|"
            is_certain = token.text == "|"
        elif left.sort == "degrees":
            is_certain = token.spaced and not is_name
        if not is_certain or token.text in DOTS:
            raise self.error("it is not certain how this goes with what is before it")
        right = self.expression(_RUN + 1)
        latex = _beside(left.latex, right.latex)
        before = latex[: len(latex) - len(right.latex)] if token.spaced else ""
        return _Piece(latex, "open" if "open" in (left.sort, right.sort) else "run", before=before)

    def postfix(self, left: _Piece) -> _Piece:
        mark = self.advance().text
        if (mark == "'" and left.sort not in ("letter", "bracket", "list", "call")) or left.sort in (
            "mixed",
            "radical",
        ):
            raise self.error("this mark does not belong here")
        if mark == "°":
            return _Piece(rf"{left.latex}^{{\circ}}", "degrees")
        sort = "letter" if mark == "'" else "call"
        return _Piece(left.latex + {"%": r"\%"}.get(mark, mark), sort)

    def script(self, left: _Piece) -> _Piece:
        mark = self.advance()
        if mark.text == "_":
            if left.sort != "letter":
                raise self.error("only a letter has an index")
            return _Piece(rf"{left.latex}_{{{self.index()}}}", "letter")
        if left.sort not in ("letter", "number", "bracket", "list", "bars", "call"):
            raise self.error("it is not certain what is raised to this power")
        exponent, is_bare = self.exponent()
        sort = "call"
        if is_bare and exponent in ("1", "-1"):
            sort = "first power"  # "x^1/2"
        elif is_bare and (left.sort == "number" or left.latex == "e"):
            sort = "numeral power"  # "2^3n"
        return _Piece(rf"{left.latex}^{{{exponent}}}", sort)

    def index(self) -> str:
        word = _SCRIPT_WORD.match(self.text, self.token.start)
        if word is not None:
            while self.token.start < word.end():
                self.place += 1
            return rf"\text{{{word[0]}}}"
        if self.token.text in CLOSING:
            return self.bracketed().bare
        if self.token.kind not in ("number", "letter", "name"):
            raise self.error("an index is missing")
        return self.atom().latex

    def exponent(self) -> tuple[str, bool]:
        """Return an exponent without its brackets, and whether it was typed without brackets."""
        sign = SIGNS[self.advance().text] if self.token.text in SIGNS else ""
        sign = "" if sign == "+" else sign
        if self.token.text in CLOSING:
            inner, is_bare = self.bracketed(), False
        elif self.token.kind in ("number", "letter") or self.token.text in GREEK or self.token.text in CONSTANTS:
            inner, is_bare = self.atom(), True
        else:
            raise self.error("an exponent is missing")
        if self.token.text in ("^", "**"):
            self.advance()
            return rf"{sign}{inner.latex}^{{{self.expression(_POWER).grouped}}}", False
        return sign + inner.grouped, is_bare

    # -- operands --------------------------------------------------------------------------------------------------

    def operand(self) -> _Piece:
        token = self.token
        if token.text in SIGNS:
            self.advance()
            sign = SIGNS[token.text]
            piece = self.expression(_PRODUCT + 1)
            return _Piece(f"{sign} {piece.latex}" if sign[0] == "\\" else f"{sign}{piece.latex}", "signed")
        if token.kind == "name":
            return self.named()
        if token.text in CLOSING:
            return self.bracketed()
        if token.text == "|" and not self.bars:
            return self.absolute()
        if token.text == "∫":
            self.advance()
            return self.integral()
        if token.text in ("∠", "△"):
            return self.figure()
        if token.text in (*DOTS, "□"):
            self.advance()
            return _Piece(r"\square" if token.text == "□" else r"\dots", "dots")
        return self.atom()

    def atom(self) -> _Piece:
        token = self.advance()
        if token.kind == "mixed":
            whole, above, below = re.split(r"\D+", token.text)
            return _Piece(rf"{whole}\frac{{{above}}}{{{below}}}", "mixed")
        if token.text in _CALLED_LETTERS and self.token.text == "(" and not self.token.spaced:
            return _Piece(token.text + self.bracketed(is_probability=token.text == "P").latex, "call")
        if token.kind in ("number", "letter"):
            return _Piece(token.text, token.kind)
        if token.text in GREEK or token.text in CONSTANTS:
            return _Piece(CONSTANTS.get(token.text, f"\\{token.text}"), "letter")
        self.place -= 1
        raise self.error(f"“{token.text}” is not expected" if token.text else "something is missing")

    def bracketed(self, *, is_probability: bool = False) -> _Piece:
        outer = self.bars, self.is_probability
        self.bars, self.is_probability = 0, is_probability
        self.depth += 1
        opening = self.advance().text
        start = self.place
        inner = self.list()
        closing = self.token.text
        is_interval = {opening + closing} <= {"(]", "[)"} and sum(
            token.text in (",", ";") for token in self.tokens[start : self.place]
        ) == 1
        if closing != CLOSING[opening] and not is_interval:
            raise self.error(f"“{CLOSING[opening]}” is missing")
        self.advance()
        self.depth -= 1
        self.bars, self.is_probability = outer
        latex = rf"\{{{inner}\}}" if opening == "{" else f"{opening}{inner}{closing}"
        is_group = opening != "[" and not is_interval and "," not in inner and ";" not in inner
        return _Piece(latex, "bracket" if is_group else "list", inner)

    def absolute(self) -> _Piece:
        self.advance()
        self.bars += 1
        inner = self.expression(_SUM)
        self.expect("|")
        self.bars -= 1
        return _Piece(rf"\left|{inner.latex}\right|", "bars")

    def figure(self) -> _Piece:
        """Parse an angle or a triangle named by the letters of its points."""
        sign = r"\angle" if self.advance().text == "∠" else r"\triangle"
        points = ""
        while self.token.kind == "letter" and not (points and self.token.spaced):
            points += self.advance().text
        if not points:
            raise self.error("the points are missing")
        return _Piece(f"{sign} {points}", "letter")

    def named(self) -> _Piece:
        token = self.token
        if token.text in GREEK or token.text in CONSTANTS:
            return self.atom()
        word = self.advance().text
        if word in ROOTS:
            return self.root(ROOTS[word])
        if word in FUNCTIONS:
            return self.function(word)
        if word[0] == "d" and len(word) == 2:
            return _Piece(word, "letter")
        if word == "abs" and self.token.text == "(":
            return _Piece(rf"\left|{self.bracketed().bare}\right|", "call")
        if word == "lim":
            return self.limit()
        if word == "int" or word in SUMS:
            return self.integral(SUMS.get(word, r"\int"))
        if word == "not" and self.is_probability:
            return _Piece(rf"\text{{not }} {self.expression(_CONNECT + 1).latex}", "statement")
        raise self.error(f"“{word}” is a word here")

    def root(self, degree: str) -> _Piece:
        if self.token.text == "(":
            return _Piece(rf"\sqrt{degree}{{{self.bracketed().bare}}}", "call")
        inner = self.atom()
        following = self.token
        if following.text in ("^", "**") or (following.text == "(" and inner.sort == "number"):
            raise self.error("it is not certain how far the root goes")
        return _Piece(rf"\sqrt{degree}{{{inner.latex}}}", "radical" if inner.sort == "number" else "call")

    def function(self, word: str) -> _Piece:
        latex = FUNCTIONS[word]
        if word == "log" and self.token.kind == "number" and not self.token.spaced:
            if self.tokens[self.place + 1].text != "(":
                raise self.error("write a logarithm's base after “_”")
            latex += rf"_{{{self.advance().text}}}"  # log2(8)
        latex += self.scripts()
        if self.token.text in ("(", "["):
            return _Piece(latex + self.bracketed().latex, "call")
        if word in _ONLY_CALLED or self.strength() != _RUN:
            raise self.error(f"“{word}” has no argument")
        return _Piece(f"{latex} {self.expression(_RUN).latex}", "open")

    def scripts(self) -> str:
        scripts = ""
        while self.token.text in ("_", "^"):
            mark = self.advance().text
            scripts += rf"{mark}{{{self.index() if mark == '_' else self.exponent()[0]}}}"
        return scripts

    def integral(self, sign: str = r"\int") -> _Piece:
        scripts = self.scripts()
        if sign != r"\int" and not scripts:
            raise self.error("a sum has bounds")
        return _Piece(f"{sign}{scripts} {self.expression(_PRODUCT + 1).latex}", "open")

    def limit(self) -> _Piece:
        if self.token.text == "_":
            self.advance()
        if self.token.text in CLOSING:
            approach = self.bracketed().bare
        else:
            variable = self.atom().latex
            if self.token.text not in ("->", "→"):
                raise self.error("a limit has an arrow")
            self.advance()
            sign = SIGNS[self.advance().text] if self.token.text in SIGNS else ""
            approach = rf"{variable} \to {sign}{self.expression(_RUN + 1).latex}"
        return _Piece(rf"\lim_{{{approach}}} {self.expression(_PRODUCT + 1).latex}", "open")


def _goes_without_sign(left: _Piece, right: _Piece) -> bool:
    """Return whether a product typed with a star is written without a sign, as 2*x always is."""
    return right.latex[0].isalpha() and left.sort in ("number", "letter", "call", "product", "run")


def _beside(left: str, right: str) -> str:
    needs_blank = right[:1].isalpha() and _COMMAND_AT_END.search(left)
    return f"{left} {right}" if needs_blank else left + right
