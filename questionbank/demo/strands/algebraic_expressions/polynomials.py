"""Algebraic expressions: polynomials."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import answer, frac, m, poly, power, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def simplify_rational(d: Draw) -> Item:
    x = d.one_of("x", "x", "t", "y")
    p, q, r = d.several(3, -8, 8, but=(0,))
    d.require(p + q != 0 and p + r != 0 and q != -r)
    top, bottom = poly([1, p + q, p * q], x), poly([1, p + r, p * r], x)
    shared, above, below = poly([1, p], x), poly([1, q], x), poly([1, r], x)
    result = frac(above, below)
    return Item(
        ask=(
            f"Simplify ${frac(top, bottom)}$.",
            f"Write ${frac(top, bottom)}$ in its simplest form.",
            f"Factorise and cancel: ${frac(top, bottom)}$.",
        ),
        answer=m(result),
        steps=(
            f"Numerator: ${top} = ({shared})({above})$.",
            f"Denominator: ${bottom} = ({shared})({below})$.",
            f"Cancel ${shared}$: ${result}$.",
        ),
        wrong=(
            (m(frac(poly([p + q, p * q], x), poly([p + r, p * r], x))), "Cancels the squares term by term"),
            (m(frac(below, above)), "Turns the fraction upside down"),
            (m(frac(poly([1, -q], x), poly([1, -r], x))), "Has the signs of the factors wrong"),
            (m(frac(shared, below)), "Cancels the wrong factor"),
        ),
        choice=0.4,
    )


def add_rational(d: Draw) -> Item:
    a, b = d.whole(1, 5), d.whole(1, 5)
    p, q = d.several(2, -6, 6, but=(0,))
    minus = d.chance(0.4)
    k = -b if minus else b
    sign = "-" if minus else "+"
    first, second = poly([1, p]), poly([1, q])
    top = [a + k, a * q + k * p]
    d.require(
        top[0] != 0
        and top[1] != 0
        and math.gcd(*top) == 1
        and top[1] * 1 != p * top[0]
        and top[1] != q * top[0]
    )
    shown = f"{frac(a, first)} {sign} {frac(b, second)}"
    result = frac(poly(top), f"({first})({second})")
    expanded = f"{term(a, f'({second})')} {sign} {term(b, f'({first})')}"
    return Item(
        ask=(
            f"Write ${shown}$ as a single fraction.",
            f"Combine ${shown}$ into one fraction and simplify the numerator.",
        ),
        answer=m(result),
        steps=(
            f"The common denominator is $({first})({second})$.",
            f"The numerator is ${expanded} = {poly(top)}$.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (m(frac(a + k, poly([2, p + q]))), "Adds numerators and denominators separately"),
            (m(frac(a + k, f"({first})({second})")), "Changes the denominators but not the numerators"),
            (
                m(frac(poly([a + k, a * p + k * q]), f"({first})({second})")),
                "Multiplies each numerator by its own denominator",
            ),
        ),
        choice=0.4,
    )


def multiply_rational(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("a", "b"), ("p", "q"))
    a, b, c, e = d.whole(2, 9), d.whole(2, 9), d.whole(2, 9), d.whole(2, 9)
    p, q = d.whole(2, 4), d.whole(1, 3)
    value = Fraction(a * c, b * e)
    d.require(math.gcd(a, b) == 1 and math.gcd(c, e) == 1 and value.denominator not in (1, b * e) and p != q)
    shown = (
        rf"{frac(term(a, power(x, p)), term(b, y))} \times {frac(term(c, power(y, 2)), term(e, power(x, q)))}"
    )
    left = p - q
    numerator, denominator = (power(x, left) if left > 0 else ""), (power(x, -left) if left < 0 else "")
    result = frac(term(value.numerator, f"{numerator}{y}"), term(value.denominator, denominator))
    return Item(
        ask=(f"Simplify ${shown}$.", f"Write ${shown}$ as a single fraction in lowest terms."),
        answer=m(result),
        steps=(
            f"Numbers: ${frac(a, b)} \\times {frac(c, e)} = {tex(value)}$.",
            f"Letters: ${power(x, p)}$ over ${power(x, q)}$ and ${power(y, 2)}$ over ${y}$.",
            f"Together: ${result}$.",
        ),
    )


def remainder_theorem(d: Draw) -> Item:
    a, b, c, e = d.whole(1, 3), d.whole(-6, 6), d.whole(-9, 9), d.whole(-9, 9, but=(0,))
    u = d.whole(-3, 3, but=(0,))
    value = a * u**3 + b * u * u + c * u + e
    d.require(value != 0 and abs(value) < 90 and (b or c))
    shown, divisor = poly([a, b, c, e]), poly([1, -u])
    opposite = -a * u**3 + b * u * u - c * u + e
    terms = signed_sum([tex(a * u**3), tex(b * u * u), tex(c * u), tex(e)])
    return Item(
        ask=(
            f"Find the remainder when ${shown}$ is divided by ${divisor}$.",
            f"The polynomial $f(x) = {shown}$ is divided by ${divisor}$. What is the remainder?",
            f"Use the remainder theorem: what remains when $f(x) = {shown}$ is divided by ${divisor}$?",
        ),
        answer=answer(value),
        steps=(
            f"By the remainder theorem the remainder is $f({u})$.",
            f"$f({u}) = {terms} = {value}$" if terms != str(value) else f"$f({u}) = {value}$",
        ),
        wrong=(
            (answer(opposite), "Substitutes the number with the wrong sign"),
            (answer(e), "Gives the constant term"),
            (answer(-value), "Has the wrong sign at the end"),
            (answer(a + b + c + e), "Adds the coefficients"),
        ),
        choice=0.4,
    )


def factor_theorem_constant(d: Draw) -> Item:
    u, v, w = d.one_of(-3, -2, -1, 1, 2, 3), d.whole(-5, 5), d.whole(-6, 6)
    # (x - u)(x^2 + v x + w); the coefficient of x is the unknown k
    b, c, e = v - u, w - u * v, -u * w
    d.require(b != 0 and c != 0 and e != 0)
    divisor = poly([1, -u])
    shown = signed_sum(["x^3", term(b, "x^2"), "kx", tex(e)])
    known = u**3 + b * u * u + e
    equation = f"{signed_sum([tex(u**3), tex(b * u * u), term(u, 'k'), tex(e)])} = 0"
    return Item(
        ask=(
            f"${divisor}$ is a factor of ${shown}$. Find $k$.",
            f"For which value of $k$ does ${divisor}$ divide ${shown}$ without remainder?",
            f"The polynomial $f(x) = {shown}$ has the factor ${divisor}$. What is the value of $k$?",
        ),
        answer=m(f"k = {c}"),
        steps=(
            f"By the factor theorem the polynomial is 0 for $x = {u}$: ${equation}$.",
            (
                f"So ${signed_sum([term(u, 'k'), tex(known)])} = 0$ and $k = {c}$."
                if known
                else f"So ${term(u, 'k')} = 0$ and $k = {c}$."
            ),
        ),
    )


def factorise_cubic(d: Draw) -> Item:
    roots = d.several(3, -5, 5, but=(0,))
    p, q, r = roots
    coefficients = [1, -(p + q + r), p * q + p * r + q * r, -p * q * r]
    given = min(roots, key=lambda value: (abs(value), value))
    others = sorted(value for value in roots if value != given)
    shown = poly(coefficients)
    factors = "".join(f"({poly([1, -value])})" for value in [given, *others])
    quotient = poly([1, -sum(others), others[0] * others[1]])
    return Item(
        ask=(
            f"Factorise ${shown}$ completely.",
            (
                f"Show that ${poly([1, -given])}$ is a factor of $f(x) = {shown}$ and factorise $f(x)$"
                " completely."
            ),
            f"Write ${shown}$ as a product of three linear factors.",
        ),
        answer=m(factors),
        steps=(
            (
                f"Trying small numbers, $x = {given}$ makes the polynomial 0, so ${poly([1, -given])}$ is a"
                " factor."
            ),
            f"Division gives ${shown} = ({poly([1, -given])})({quotient})$.",
            f"Factorise the quadratic: ${factors}$.",
        ),
        wrong=(
            (m("".join(f"({poly([1, value])})" for value in [given, *others])), "Has all signs wrong"),
            (m(f"({poly([1, -given])})({quotient})"), "Does not factorise the quadratic"),
            (
                m(f"({poly([1, given])})" + "".join(f"({poly([1, -v])})" for v in others)),
                "Has one sign wrong",
            ),
        ),
        choice=0.3,
    )


PATTERNS = (
    Pattern("simplify-rational", "Algebraic fractions", 10, 0.2, simplify_rational),
    Pattern("multiply-rational", "Algebraic fractions", 10, 0.2, multiply_rational),
    Pattern("add-rational", "Algebraic fractions", 10, 1.0, add_rational),
    Pattern("remainder-theorem", "Remainder and factor theorems", 11, -0.3, remainder_theorem),
    Pattern("factor-theorem-constant", "Remainder and factor theorems", 11, 0.5, factor_theorem_constant),
    Pattern("factorise-cubic", "Remainder and factor theorems", 11, 0.8, factorise_cubic),
)
