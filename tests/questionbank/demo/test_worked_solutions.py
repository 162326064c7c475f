"""Every chain of equal numbers in a worked solution really is one.

The formulas of the solutions are split at ``=`` and ``\\approx``; neighbours that consist of numbers alone are
evaluated and compared. Formulas with letters are the business of test_mathematics.py.
"""

from __future__ import annotations

import math
import re

import pytest

FUNCTIONS = {
    "sin": lambda degrees: math.sin(math.radians(degrees)),
    "cos": lambda degrees: math.cos(math.radians(degrees)),
    "tan": lambda degrees: math.tan(math.radians(degrees)),
    "log": math.log10,
    "ln": math.log,
}
ROUNDED_ON_PURPOSE = {"estimate-product"}  # its solutions say that 79 is about 80

TOKEN = re.compile(
    r"\d+(?:\\,\d{3})+|\d+(?:\.\d+)?|\\(?:times|div|frac|sqrt|pi|binom|left|right|circ|sin|cos|tan|log|ln|%|cdot|,)"
    r"|[-+*/^!(){}\[\]]|\s+"
)


class NotArithmetic(Exception):
    """The formula holds something that is not a number."""


class Evaluator:
    """Evaluates LaTeX arithmetic: sums, products, fractions, mixed numbers, powers, roots, binomials, factorials."""

    def __init__(self, formula: str) -> None:
        self.tokens: list[str] = []
        position = 0
        while position < len(formula):
            match = TOKEN.match(formula, position)
            if match is None:
                raise NotArithmetic(formula)
            token = match.group()
            if token.strip() and token not in {r"\left", r"\right", r"\,"}:
                self.tokens.append(token)
            position = match.end()

    def peek(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, expected: str = "") -> str:
        if not self.tokens or (expected and self.tokens[0] != expected):
            raise NotArithmetic(self.tokens)
        return self.tokens.pop(0)

    def value(self) -> float:
        result = self.sum()
        if self.tokens:
            raise NotArithmetic(self.tokens)
        return result

    def sum(self) -> float:
        sign = -1 if self.peek() == "-" else 1
        if self.peek() in {"-", "+"}:
            self.take()
        total = sign * self.product()
        while self.peek() in {"+", "-"}:
            total = total + self.product() if self.take() == "+" else total - self.product()
        return total

    def product(self) -> float:
        result = self.power()
        while True:
            token = self.peek()
            if token in {r"\times", r"\cdot"}:
                self.take()
                result *= self.signed_power()
            elif token == r"\div":
                self.take()
                result /= self.signed_power()
            elif token in {"(", r"\frac", r"\sqrt", r"\pi", r"\sin", r"\cos", r"\tan", r"\binom"}:
                result *= self.power()  # juxtaposition
            else:
                return result

    def signed_power(self) -> float:
        if self.peek() == "-":
            raise NotArithmetic("a sign after a product")
        return self.power()

    def power(self) -> float:
        base = self.atom()
        while self.peek() in {"^", "!", r"\%"}:
            token = self.take()
            if token == "!":
                base = math.factorial(round(base))
            elif token == r"\%":
                base /= 100
            elif self.peek() == r"\circ":
                self.take()
            else:
                base = base ** self.group()
        return base

    def group(self) -> float:
        if self.peek() != "{":
            return self.atom()
        self.take("{")
        if self.peek() == r"\circ":
            raise NotArithmetic("degrees")
        result = self.sum()
        self.take("}")
        return result

    def atom(self) -> float:
        token = self.take()
        if re.match(r"\d", token):
            number = float(token.replace(r"\,", ""))
            if self.peek() == r"\frac" and number == int(number):  # a mixed number
                self.take()
                return number + self.fraction()
            return number
        if token == r"\frac":
            return self.fraction()
        if token == r"\binom":
            return math.comb(round(self.group()), round(self.group()))
        if token == r"\pi":
            return math.pi
        if token == r"\sqrt":
            index = 2.0
            if self.peek() == "[":
                self.take()
                index = float(self.take())
                self.take("]")
            return self.group() ** (1 / index)
        if token[1:] in FUNCTIONS:
            return FUNCTIONS[token[1:]](self.power())
        if token == "(":
            result = self.sum()
            self.take(")")
            return result
        raise NotArithmetic(token)

    def fraction(self) -> float:
        top, bottom = self.group(), self.group()
        if bottom == 0:
            raise NotArithmetic("division by zero")
        return top / bottom


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (r"12 - 3 \times 4", 0),
        (r"2\frac{1}{2} \times 4", 10),
        (r"-\frac{3}{4} + 1", 0.25),
        (r"10\,000 \div 2^3", 1250),
        (r"\sqrt{3^2 + 4^2}", 5),
        (r"\sqrt[3]{27}", 3),
        (r"(-2)^3", -8),
        (r"-2^2", -4),
        (r"\binom{5}{2} \times 0.5^2", 2.5),
        (r"\frac{6!}{2! \times 3!}", 60),
        (r"6 \sin 30^\circ", 3),
        (r"\left(\frac{1}{2}\right)^3", 0.125),
        (r"3(4 + 1)", 15),
    ],
)
def test_the_evaluator_itself(formula, value):
    assert Evaluator(formula).value() == pytest.approx(value)


def test_letters_are_not_arithmetic():
    for formula in ("3x", r"\text{cm}", "5 m", ""):
        with pytest.raises(NotArithmetic):
            Evaluator(formula).value()


def close(left: str, right: str, relation: str) -> bool | None:
    """Return whether two displayed numbers agree; None where one is not arithmetic."""
    try:
        a, b = Evaluator(left).value(), Evaluator(right).value()
    except NotArithmetic:
        return None
    if relation == "=":
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    decimals = re.search(r"\.(\d+)$", right.strip())
    places = len(decimals.group(1)) if decimals else 0
    return abs(a - b) <= 0.51 * 10**-places + 2e-4 * abs(b)  # a product of rounded factors is rounded twice


BY_FORM = {  # an option may have the right value in a form that the question excludes
    "lowest-terms",
    "decimal-to-fraction",
    "to-standard-form",
    "multiply-standard-form",
    "prime-factorisation",
}


def number_in(option: str) -> tuple[float, str] | None:
    """Return the number of an option and what stands around it, its unit for one."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", option)
    match = re.fullmatch(r"([^\d$-]*)\$?(.*?)(?:\^\\circ|\\,\\text.*)?\$?([ %]?[a-z/ ]*)", text)
    try:
        return (Evaluator(match.group(2)).value(), match.group(1) + match.group(3)) if match else None
    except NotArithmetic:
        return None


def test_no_option_has_the_value_of_the_answer(questions):
    compared = 0
    for question in questions:
        if question.record.kind != "choice" or question.pattern.slug in BY_FORM:
            continue
        values = {option.label: number_in(option.text) for option in question.record.options}
        right = values.pop(question.record.answer)
        for label, wrong in values.items():
            if right is not None and wrong is not None and right[1] == wrong[1]:
                assert not math.isclose(right[0], wrong[0], rel_tol=1e-9), (question.record, label)
                compared += 1
    assert compared > 1000


def test_every_numerical_step_of_every_solution_is_right(questions):
    checked = 0
    for question in questions:
        if question.pattern.slug in ROUNDED_ON_PURPOSE:
            continue
        for formula in re.findall(r"\$([^$]+)\$", question.record.solution):
            pieces = re.split(r"(=|\\approx)", formula)
            for i in range(0, len(pieces) - 2, 2):
                verdict = close(pieces[i], pieces[i + 2], pieces[i + 1])
                assert verdict is not False, (question.record.id, formula)
                checked += verdict is True
    assert checked > 4000
