"""Calculus: antiderivatives."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import frac, m, poly, power, term
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS", "bracketed", "integrated", "value_of"]


def integrated(coefficients: list[int]) -> list[Fraction]:
    """Return the coefficients of the antiderivative of a polynomial without its constant, highest power first."""
    degree = len(coefficients) - 1
    return [*(Fraction(value, degree + 1 - i) for i, value in enumerate(coefficients)), Fraction(0)]


def value_of(coefficients: list[Fraction], x: Fraction | int) -> Fraction:
    """Return the value of a polynomial."""
    total = Fraction(0)
    for value in coefficients:
        total = total * x + value
    return total


def bracketed(expression: str) -> str:
    """Return an integrand, in brackets where it is a sum."""
    return f"({expression})" if " + " in expression or " - " in expression else expression


def integrate_polynomial(d: Draw) -> Item:
    degree = d.one_of(1, 2, 2, 3)
    coefficients = [
        d.whole(1, 9) * d.one_of(1, 1, -1),
        *(d.whole(-8, 9) for _ in range(degree - 1)),
        d.whole(-9, 9, but=(0,)),
    ]
    shown = poly(coefficients)
    result = f"{poly(integrated(coefficients))} + C"
    derivative = [value * (degree - i) for i, value in enumerate(coefficients[:-1])]
    no_division = poly([*coefficients, 0])
    return Item(
        ask=(
            rf"Find $\int {bracketed(shown)} \, dx$.",
            f"Integrate ${shown}$ with respect to $x$.",
            f"Find all antiderivatives of $f(x) = {shown}$.",
            rf"$\int {bracketed(shown)} \, dx =$ ____",
        ),
        answer=m(result),
        steps=(
            "Raise each exponent by one and divide by the new exponent.",
            rf"$\int {bracketed(shown)} \, dx = {result}$",
        ),
        wrong=(
            (m(f"{poly(derivative)} + C"), "Differentiates instead of integrating"),
            (m(f"{no_division} + C"), "Does not divide by the new exponent"),
            (m(poly(integrated(coefficients))), "Forgets the constant of integration"),
        ),
        choice=0.35,
    )


def integrate_with_condition(d: Draw) -> Item:
    a, b, u = d.whole(-4, 5, but=(0,)), d.whole(-7, 7), d.whole(-3, 3, but=(0,))
    quadratic = d.chance(0.4)
    derivative = [3 * a, 2 * d.whole(-4, 4), b] if quadratic else [2 * a, b]
    c = d.whole(-9, 9, but=(0,))
    original = [int(value) for value in integrated(derivative)]
    original[-1] = c
    height = int(value_of([Fraction(v) for v in original], u))
    d.require(abs(height) < 60)
    return Item(
        ask=(
            (
                f"A curve has $\\frac{{dy}}{{dx}} = {poly(derivative)}$ and passes through $({u}, {height})$."
                " Find $y$ in terms of $x$."
            ),
            (
                f"The gradient of a curve at the point $(x, y)$ is ${poly(derivative)}$, and the curve passes"
                f" through $({u}, {height})$. Find its equation."
            ),
        ),
        answer=m(f"y = {poly(original)}"),
        steps=(
            f"Integrating gives ${poly([*original[:-1], 0])} + C$.",
            f"For $x = {u}$ this must be ${height}$, so $C = {c}$.",
            f"The equation is $y = {poly(original)}$.",
        ),
        wrong=(
            (m(f"y = {poly([*original[:-1], 0])}"), "Leaves out the constant"),
            (m(f"y = {poly([*original[:-1], height])}"), "Takes the given value for the constant"),
            (m(f"y = {poly([*original[:-1], -c])}"), "Makes a sign error in the constant"),
            (m(f"y = {poly([*derivative, c])}"), "Does not divide by the new exponents"),
        ),
        choice=0.35,
    )


def integrate_functions(d: Draw) -> Item:
    a, k = d.whole(1, 8), d.whole(2, 5)
    kind = d.whole(0, 3)
    if kind == 0:
        shown, result = f"{a * k}e^{{{k}x}}", term(a, f"e^{{{k}x}}")
        wrong = (
            (f"{a * k * k}e^{{{k}x}}", "Multiplies by the inner derivative instead of dividing"),
            (f"{a * k}e^{{{k}x}}", "Ignores the factor in the exponent"),
            (frac(f"{a * k}e^{{{k + 1}x}}", k + 1), "Uses the rule for powers"),
        )
    elif kind == 1:
        sine = rf"\sin {k}x"
        shown, result = rf"{a * k}\cos {k}x", term(a, sine)
        wrong = (
            (f"-{term(a, sine)}", "Has the wrong sign"),
            (f"{a * k * k}{sine}", "Multiplies by the inner derivative instead of dividing"),
            (f"{a * k}{sine}", "Ignores the factor of $x$"),
        )
    elif kind == 2:
        cosine = rf"\cos {k}x"
        shown, result = rf"{a * k}\sin {k}x", f"-{term(a, cosine)}"
        wrong = (
            (term(a, cosine), "Has the wrong sign"),
            (f"-{a * k * k}{cosine}", "Multiplies by the inner derivative instead of dividing"),
            (f"-{a * k}{cosine}", "Ignores the factor of $x$"),
        )
    else:
        n = d.whole(2, 4)
        shown, result = frac(a * n, power("x", n + 1)), f"-{frac(a, power('x', n))}"
        wrong = (
            (frac(a, power("x", n)), "Has the wrong sign"),
            (f"-{frac(a * n * (n + 1), power('x', n + 2))}", "Differentiates instead of integrating"),
            (f"-{frac(a * n, power('x', n))}", "Does not divide by the new exponent"),
        )
    return Item(
        ask=(
            rf"Find $\int {shown} \, dx$.",
            f"Integrate ${shown}$ with respect to $x$.",
            f"Find the general antiderivative of $f(x) = {shown}$.",
        ),
        answer=m(f"{result} + C"),
        steps=(
            "Check by differentiating: the derivative of the answer must be the integrand.",
            rf"$\int {shown} \, dx = {result} + C$",
        ),
        wrong=tuple((m(f"{text} + C"), why) for text, why in wrong),
        choice=0.4,
    )


def scaled(coefficient: Fraction, expression: str) -> str:
    """Return a fraction times an expression as one fraction in lowest terms."""
    top = term(coefficient.numerator, expression)
    return top if coefficient.denominator == 1 else frac(top, coefficient.denominator)


def integrate_by_substitution(d: Draw) -> Item:
    a, b, n = d.whole(2, 5), d.whole(-9, 9, but=(0,)), d.whole(2, 6)
    if d.chance():
        inside = poly([a, b])
        factor = a * (n + 1)
        shown, result = f"({inside})^{n}", frac(f"({inside})^{n + 1}", factor)
        wrong = (
            (frac(f"({inside})^{n + 1}", n + 1), "Forgets to divide by the inner derivative"),
            (
                f"{a * n}({inside})^{n - 1}" if n > 2 else f"{a * n}({inside})",
                "Differentiates instead of integrating",
            ),
            (
                scaled(Fraction(a, n + 1), f"({inside})^{n + 1}"),
                "Multiplies by the inner derivative instead of dividing",
            ),
        )
        inner = f"${a}$"
    else:
        inside = poly([1, 0, b])
        shown, result = f"2x({inside})^{n}", frac(f"({inside})^{n + 1}", n + 1)
        wrong = (
            (scaled(Fraction(2, n + 1), f"({inside})^{n + 1}"), "Keeps the factor 2"),
            (frac(f"x^2({inside})^{n + 1}", n + 1), "Integrates the factors separately"),
            (f"({inside})^{n + 1}", "Does not divide by the new exponent"),
        )
        inner = "$2x$"
    return Item(
        ask=(
            rf"Find $\int {shown} \, dx$.",
            rf"Use the substitution $u = {inside}$ to find $\int {shown} \, dx$.",
        ),
        answer=m(f"{result} + C"),
        steps=(
            f"With $u = {inside}$ the derivative $\\frac{{du}}{{dx}}$ is {inner}.",
            rf"$\int {shown} \, dx = {result} + C$",
        ),
        wrong=tuple((m(f"{text} + C"), why) for text, why in wrong),
        choice=0.35,
    )


PATTERNS = (
    Pattern("integrate-polynomial", "Indefinite integrals", 12, -1.0, integrate_polynomial),
    Pattern("integrate-with-condition", "Indefinite integrals", 12, 0.2, integrate_with_condition),
    Pattern("integrate-functions", "Indefinite integrals", 12, 0.2, integrate_functions),
    Pattern("integrate-by-substitution", "Indefinite integrals", 12, 1.0, integrate_by_substitution),
)
