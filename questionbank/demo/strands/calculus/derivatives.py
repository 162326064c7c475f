"""Calculus: derivatives."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import answer, frac, m, poly, power, root, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS", "differentiated", "value_at"]

Terms = list[tuple[Fraction, Fraction]]  # coefficient and exponent of each power of x


def differentiated(coefficients: list[int]) -> list[int]:
    """Return the coefficients of the derivative of a polynomial, highest power first."""
    degree = len(coefficients) - 1
    return [value * (degree - i) for i, value in enumerate(coefficients[:-1])] or [0]


def value_at(coefficients: list[int], x: int) -> int:
    """Return the value of a polynomial."""
    total = 0
    for value in coefficients:
        total = total * x + value
    return total


def powers(terms: Terms) -> str:
    """Return a sum of powers of x, with negative and fractional exponents."""
    return signed_sum([term(c, power("x", tex_exponent(e)) if e else "") for c, e in terms if c])


def tex_exponent(exponent: Fraction) -> int | str:
    """Return an exponent as `power` takes it."""
    return int(exponent) if exponent.denominator == 1 else tex(exponent)


def differentiate_polynomial(d: Draw) -> Item:
    degree = d.one_of(2, 3, 3, 4)
    coefficients = [
        d.whole(-5, 6, but=(0,)),
        *(d.whole(-7, 8) for _ in range(degree - 1)),
        d.whole(-9, 9, but=(0,)),
    ]
    d.require(sum(value != 0 for value in coefficients) >= 3)
    shown, result = poly(coefficients), poly(differentiated(coefficients))
    f, notation = d.one_of(("f(x)", "f'(x)"), ("y", r"\frac{dy}{dx}"), ("g(x)", "g'(x)"))
    kept = poly([*differentiated(coefficients)[:-1], differentiated(coefficients)[-1] + coefficients[-1]])
    no_factor = poly(coefficients[:-1])
    slip = poly([value * (degree - i) for i, value in enumerate(coefficients[:-1])] + [0])
    return Item(
        ask=(
            f"Differentiate ${f} = {shown}$.",
            f"Find ${notation}$ for ${f} = {shown}$.",
            f"What is the derivative of ${shown}$?",
            f"The derivative of ${shown}$ is ____.",
        ),
        answer=m(result),
        steps=(
            "Multiply each term by its exponent and lower the exponent by one; the constant vanishes.",
            f"${notation} = {result}$",
        ),
        wrong=(
            (m(kept), "Keeps the constant"),
            (m(no_factor), "Lowers the exponents without multiplying by them"),
            (m(slip), "Multiplies by the exponents without lowering them"),
            (m(poly([-value for value in differentiated(coefficients)])), "Changes all signs"),
        ),
        choice=0.35,
    )


def differentiate_powers(d: Draw) -> Item:
    kind = d.whole(0, 2)
    a, b = d.whole(2, 8), d.whole(-6, 6, but=(0,))
    if kind == 0:
        n = d.whole(1, 4)
        shown = signed_sum([poly([b, 0, 0]), frac(a, power("x", n))])
        terms: Terms = [(Fraction(b), Fraction(2)), (Fraction(a), Fraction(-n))]
    elif kind == 1:
        shown = signed_sum([term(2 * a, root("x")), term(b, "x")])
        terms = [(Fraction(2 * a), Fraction(1, 2)), (Fraction(b), Fraction(1))]
    else:
        n = d.one_of(3, 5)
        shown = signed_sum([term(2 * a, f"x^{{{frac(n, 2)}}}"), term(b, "x^2")])
        terms = [(Fraction(2 * a), Fraction(n, 2)), (Fraction(b), Fraction(2))]
    derivative = [(c * e, e - 1) for c, e in terms]
    first, second = derivative
    exact = {
        0: lambda: signed_sum(
            [poly([2 * b, 0]), f"-{frac(a * int(-terms[1][1]), power('x', int(1 - terms[1][1])))}"]
        ),
        1: lambda: signed_sum([frac(a, root("x")), tex(b)]),
        2: lambda: signed_sum([powers([first]), powers([second])]),
    }[kind]()
    rewritten = powers(terms)
    return Item(
        ask=(
            f"Differentiate $f(x) = {shown}$.",
            f"Find the derivative of $y = {shown}$ with respect to $x$.",
        ),
        answer=m(exact),
        steps=(
            (
                f"As powers: ${rewritten}$."
                if rewritten != shown
                else "Multiply by the exponent and lower it by one."
            ),
            f"The derivative is ${powers(derivative)}$"
            + (f", that is ${exact}$." if powers(derivative) != exact else "."),
        ),
        wrong=(
            (m(powers([(c * e, e + 1) for c, e in terms])), "Raises the exponents instead of lowering them"),
            (m(powers([(c, e - 1) for c, e in terms])), "Does not multiply by the exponents"),
            (m(powers([(-c * e, e - 1) for c, e in terms])), "Has the wrong signs"),
        ),
        choice=0.35,
    )


def gradient_at_point(d: Draw) -> Item:
    a, b, c, u = d.whole(-4, 5, but=(0,)), d.whole(-7, 8), d.whole(-9, 9), d.whole(-3, 4, but=(0,))
    cubic = d.chance(0.4)
    coefficients = [a, b, c, d.whole(-9, 9)] if cubic else [a, b, c]
    d.require(sum(value != 0 for value in coefficients) >= 2)
    slope = value_at(differentiated(coefficients), u)
    height = value_at(coefficients, u)
    d.require(slope != height)
    derivative = poly(differentiated(coefficients))
    return Item(
        ask=(
            f"Find the gradient of the curve $y = {poly(coefficients)}$ at the point where $x = {u}$.",
            f"What is the slope of the graph of $f(x) = {poly(coefficients)}$ at $x = {u}$?",
            f"Let $f(x) = {poly(coefficients)}$. Calculate $f'({u})$.",
            f"For $f(x) = {poly(coefficients)}$ we get $f'({u}) =$ ____.",
        ),
        answer=answer(slope),
        steps=(f"The derivative is ${derivative}$.", f"For $x = {u}$ its value is ${slope}$."),
        wrong=(
            (answer(height), "Substitutes into the function and not into its derivative"),
            (answer(-slope), "Makes a sign error"),
            (
                answer(value_at(differentiated(coefficients), -u)),
                "Substitutes the number with the wrong sign",
            ),
            (answer(value_at(differentiated(differentiated(coefficients)), u)), "Differentiates twice"),
        ),
        choice=0.4,
    )


def exponential_derivative(d: Draw) -> Item:
    a, k, b = d.whole(1, 6), d.whole(-5, 6, but=(0, 1)), d.whole(-8, 8, but=(0,))
    kind = d.one_of("exp", "sin", "cos", "ln")
    inner = term(k, "x")
    if kind == "exp":
        shown = signed_sum([term(a, f"e^{{{inner}}}"), term(b, "x")])
        result = signed_sum([term(a * k, f"e^{{{inner}}}"), tex(b)])
        wrong = (
            (signed_sum([term(a, f"e^{{{inner}}}"), tex(b)]), "Forgets the inner derivative"),
            (signed_sum([term(a * k, f"e^{{{poly([k, -1])}}}"), tex(b)]), "Uses the rule for powers of $x$"),
            (
                signed_sum([term(a * k, f"e^{{{inner}}}"), term(b, "x")]),
                "Does not differentiate the second term",
            ),
        )
        rule = rf"$(e^{{{inner}}})' = {term(k, f'e^{{{inner}}}')}$"
    elif kind == "ln":
        d.require(k > 1 and math.gcd(k, b) == 1)
        inside = f"{k}x + {abs(b)}"
        shown = signed_sum([term(a, rf"\ln({inside})"), term(b, "x")])
        result = signed_sum([frac(a * k, inside), tex(b)])
        wrong = (
            (signed_sum([frac(a, inside), tex(b)]), "Forgets the inner derivative"),
            (signed_sum([term(a, rf"\ln {k}"), tex(b)]), "Takes the logarithm of the inner derivative"),
            (signed_sum([frac(a * k, inside), term(b, "x")]), "Does not differentiate the second term"),
        )
        rule = rf"$(\ln({inside}))' = {frac(k, inside)}$"
    else:
        d.require(k > 1)
        cofunction = "cos" if kind == "sin" else "sin"
        sign = 1 if kind == "sin" else -1
        changed = rf"\{cofunction} {inner}"
        shown = signed_sum([term(a, rf"\{kind} {inner}"), term(b, "x")])
        result = signed_sum([term(sign * a * k, rf"\{cofunction} {inner}"), tex(b)])
        wrong = (
            (signed_sum([term(-sign * a * k, rf"\{cofunction} {inner}"), tex(b)]), "Has the wrong sign"),
            (signed_sum([term(sign * a, rf"\{cofunction} {inner}"), tex(b)]), "Forgets the inner derivative"),
            (signed_sum([term(a * k, rf"\{kind} {inner}"), tex(b)]), "Does not change the function"),
        )
        rule = rf"$(\{kind} {inner})' = {term(sign * k, changed)}$"
    return Item(
        ask=(
            f"Differentiate $f(x) = {shown}$.",
            f"Find the derivative of $y = {shown}$.",
            f"What is $f'(x)$ if $f(x) = {shown}$?",
        ),
        answer=m(result),
        steps=(f"By the chain rule, {rule}.", f"$f'(x) = {result}$"),
        wrong=tuple((m(text), why) for text, why in wrong),
        choice=0.4,
    )


def second_derivative(d: Draw) -> Item:
    kind = d.whole(0, 2)
    a, k = d.whole(2, 7), d.whole(2, 5)
    if kind == 0:
        shown, first, result = (
            term(a, f"e^{{{k}x}}"),
            term(a * k, f"e^{{{k}x}}"),
            term(a * k * k, f"e^{{{k}x}}"),
        )
        wrong = (
            (first, "Differentiates only once"),
            (term(2 * a * k, f"e^{{{k}x}}"), "Doubles the factor instead of squaring it"),
            (term(a, f"e^{{{k}x}}"), "Forgets the inner derivative"),
        )
    elif kind == 1:
        shown, first, result = rf"{a}\sin {k}x", rf"{a * k}\cos {k}x", rf"-{a * k * k}\sin {k}x"
        wrong = (
            (first, "Differentiates only once"),
            (rf"{a * k * k}\sin {k}x", "Has the wrong sign"),
            (rf"-{a}\sin {k}x", "Forgets the inner derivative"),
        )
    else:
        n = d.whole(4, 6)
        shown, first, result = (
            f"{a}x^{n} + {k}x^2",
            f"{a * n}{power('x', n - 1)} + {2 * k}x",
            f"{a * n * (n - 1)}{power('x', n - 2)} + {2 * k}",
        )
        wrong = (
            (first, "Differentiates only once"),
            (f"{a * n * (n - 1)}{power('x', n - 2)}", "Loses the second term"),
            (f"{a * n * n}{power('x', n - 2)} + {2 * k}", "Uses the first exponent twice"),
        )
    return Item(
        ask=(f"Find the second derivative of $f(x) = {shown}$.", f"Let $f(x) = {shown}$. What is $f''(x)$?"),
        answer=m(result),
        steps=(f"$f'(x) = {first}$", f"$f''(x) = {result}$"),
        wrong=tuple((m(text), why) for text, why in wrong),
        choice=0.4,
    )


PATTERNS = (
    Pattern("differentiate-polynomial", "Differentiating powers", 11, -1.4, differentiate_polynomial),
    Pattern("differentiate-powers", "Differentiating powers", 11, 0.3, differentiate_powers),
    Pattern("gradient-at-point", "Differentiating powers", 11, -0.5, gradient_at_point),
    Pattern(
        "exponential-derivative", "Exponential and trigonometric derivatives", 12, 0.0, exponential_derivative
    ),
    Pattern("second-derivative", "Exponential and trigonometric derivatives", 12, 0.0, second_derivative),
)
