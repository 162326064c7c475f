r"""The value of what is written as LaTeX equals the value of what was typed, over ten thousand generated expressions.

The typed side is worth what its tree is worth; the tree is typed in many spellings by the precedence that schools
teach. The LaTeX side is worth what a small reader of LaTeX says that knows nothing of plain maths.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from fractions import Fraction

from analytics.text.plain_grammar import PlainMathsError, plain_to_latex
from analytics.text.plain_maths import mark_plain_maths
from tests.cases import each_case

EXPRESSIONS = 10_000
LETTERS = {"x": Fraction(7), "y": Fraction(-3), "n": Fraction(5, 2), "π": Fraction(22, 7)}
SUM, PRODUCT, FRACTION, RUN, POWER, ATOM = range(6)


@dataclass(frozen=True)
class Typed:
    """What somebody types: its text, its value, and how tightly it holds together."""

    text: str
    value: Fraction
    holds: int

    def within(self, weakest: int) -> str:
        """Return the text, in brackets where it holds less tightly than its place asks for."""
        return self.text if self.holds >= weakest else f"({self.text})"


class Typist:
    """Types expressions at random, as people do: many signs for one operation, blanks or none."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def expression(self, depth: int) -> Typed:
        kinds = [self.sum, self.product, self.fraction, self.run, self.power, self.root, self.atom]
        return self.draw.choice(kinds if depth else [self.atom])(depth - 1)

    def atom(self, _depth: int = 0) -> Typed:
        choice = self.draw.randrange(8)
        if choice < 3:
            number = self.draw.randint(1, 40)
            return Typed(str(number), Fraction(number), ATOM)
        if choice == 3:
            tenths = self.draw.randint(1, 99)
            return Typed(f"{tenths / 10:.1f}", Fraction(tenths, 10), ATOM)
        if choice == 4:
            letter = self.draw.choice(list(LETTERS))
            return Typed(letter, LETTERS[letter], ATOM)
        if choice == 5:
            thousands = self.draw.randint(1000, 9999)
            return Typed(f"{thousands:,}", Fraction(thousands), ATOM)
        if choice == 6:
            character, value = self.draw.choice([("½", Fraction(1, 2)), ("¾", Fraction(3, 4)), ("⅔", Fraction(2, 3))])
            whole = self.draw.choice(["", "", "3"])
            return Typed(whole + character, value + int(whole or 0), FRACTION)
        above = self.draw.randint(1, 8)
        below = self.draw.randint(above + 1, 12)
        whole = self.draw.randint(1, 9)
        return Typed(f"{whole} {above}/{below}", whole + Fraction(above, below), FRACTION)

    def sum(self, depth: int) -> Typed:
        left, right = self.expression(depth), self.expression(depth)
        sign = self.draw.choice("+-−")
        blank = self.draw.choice(["", " ", " "])
        value = left.value + right.value if sign == "+" else left.value - right.value
        return Typed(f"{left.within(SUM)}{blank}{sign}{blank}{right.within(PRODUCT)}", value, SUM)

    def product(self, depth: int) -> Typed:
        left, right = self.expression(depth), self.expression(depth)
        sign = self.draw.choice(["×", "*", "·", "÷", "÷", "x", "/", "\u00d7"])
        blank = self.draw.choice(["", " ", " "]) if sign not in "x/" else " "
        if sign in "÷/":
            if right.value == 0:
                return left
            value = left.value / right.value
        else:
            value = left.value * right.value
        return Typed(f"{left.within(PRODUCT)}{blank}{sign}{blank}{right.within(FRACTION)}", value, PRODUCT)

    def fraction(self, depth: int) -> Typed:
        above, below = self.expression(depth), self.expression(depth)
        if below.value == 0:
            return above
        return Typed(f"{above.within(RUN)}/{below.within(POWER)}", above.value / below.value, FRACTION)

    def run(self, depth: int) -> Typed:
        number, bracket = self.draw.randint(2, 12), self.expression(depth)
        letter = self.draw.choice(["x", "y", "n"])
        if self.draw.random() < 0.5:
            return Typed(f"{number}{letter}", number * LETTERS[letter], RUN)
        return Typed(f"{number}({bracket.text})", number * bracket.value, RUN)

    def power(self, depth: int) -> Typed:
        base, exponent = self.expression(depth), self.draw.choice([2, 3, -1, -2])
        if base.value == 0 or abs(base.value) > 10**6:
            return base
        raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        written = self.draw.choice([f"^{exponent}", f"^({exponent})", f"**{exponent}", raised])
        return Typed(f"{base.within(ATOM)}{written}", base.value**exponent, POWER)

    def root(self, _depth: int) -> Typed:
        number = self.draw.randint(1, 12)
        form = self.draw.choice(["sqrt({})", "√{}", "√({})", "sqrt {}"])
        return Typed(form.format(number * number), Fraction(number), POWER)


class Latex:
    """Reads the value of a formula from left to right: a number before a fraction is a mixed number."""

    TOKEN = re.compile(r"\\[A-Za-z]+|[0-9][0-9,]*(?:\.[0-9]+)?|\S")

    def __init__(self, latex: str) -> None:
        self.tokens = [*self.TOKEN.findall(latex), ""]
        self.place = 0

    @property
    def token(self) -> str:
        return self.tokens[self.place]

    def take(self, token: str = "") -> str:
        assert not token or self.token == token, (self.tokens, self.place)
        self.place += 1
        return self.tokens[self.place - 1]

    def value(self) -> Fraction:
        total = self.term()
        while self.token in ("+", "-"):
            total += self.term() if self.take() == "+" else -self.term()
        return total

    def term(self) -> Fraction:
        if self.token == "-":
            self.take()
            return -self.term()
        product = self.run()
        while self.token in (r"\times", r"\cdot", r"\div"):
            product = product / self.run() if self.take() == r"\div" else product * self.run()
        return product

    def run(self) -> Fraction:
        if self.token == "-":
            self.take()
            return -self.run()
        product = self.factor()
        while self.token and self.token not in ("+", "-", r"\times", r"\cdot", r"\div", "}", ")"):
            is_mixed = self.tokens[self.place - 1].isdigit() and self.token == r"\frac"
            product = product + self.factor() if is_mixed else product * self.factor()
        return product

    def factor(self) -> Fraction:
        base = self.base()
        if self.token == "^":
            self.take()
            base **= self.braces()
        return base

    def base(self) -> Fraction:
        token = self.take()
        if token == r"\frac":
            above = self.braces()
            return above / self.braces()
        if token == r"\sqrt":
            inner = self.braces()
            return Fraction(round(inner.numerator**0.5), round(inner.denominator**0.5))
        if token == "(":
            inner = self.value()
            self.take(")")
            return inner
        if token[0].isdigit():
            return Fraction(token.replace(",", ""))
        return LETTERS["π" if token == r"\pi" else token]

    def braces(self) -> Fraction:
        self.take("{")
        inner = self.value()
        self.take("}")
        return inner


def read(latex: str) -> Fraction:
    reader = Latex(latex)
    value = reader.value()
    assert not reader.token, latex
    return value


def test_the_value_of_the_latex_is_the_value_of_what_was_typed() -> None:
    typist = Typist(seed=36)
    refused = 0
    for _ in range(EXPRESSIONS):
        typed = typist.expression(typist.draw.randint(1, 3))
        try:
            latex = plain_to_latex(typed.text)
        except PlainMathsError:
            refused += 1
            continue
        try:
            value = read(latex)
        except ZeroDivisionError:
            value = None
        assert value == typed.value, (typed.text, latex)
    assert refused < EXPRESSIONS * 0.2, refused


@each_case("plain_maths", "values")
def test_values_that_schools_teach(typed: str, value: str | int) -> None:
    assert read(plain_to_latex(typed)) == Fraction(value)
    marked = mark_plain_maths(f"Work out {typed} today.")
    assert marked.startswith("Work out $")
    assert marked.endswith("$ today.")
    assert read(marked.removeprefix("Work out $").removesuffix("$ today.")) == Fraction(value)
