"""Algebraic expressions: brackets and factors."""

from __future__ import annotations

import math

from questionbank.demo.notation import braced, m, plus, poly, power, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def bracket(a: int, b: int, variable: str = "x") -> str:
    """Return ``(ax + b)``."""
    return f"({poly([a, b], variable)})"


def expand_single(d: Draw) -> Item:
    x = d.one_of("x", "y", "a", "t")
    a, b, c = d.whole(-9, 9, but=(0, 1, -1)), d.whole(1, 6), d.whole(-9, 9, but=(0,))
    p, q, r = d.whole(2, 6), d.whole(1, 4), d.whole(-7, 7, but=(0,))
    minus = d.chance()
    k = -p if minus else p
    shown = f"{term(a, bracket(b, c, x))} {'-' if minus else '+'} {p}{bracket(q, r, x)}"
    first, second = [a * b, a * c], [k * q, k * r]
    result = [first[0] + second[0], first[1] + second[1]]
    d.require(result[0] != 0)
    return Item(
        ask=(
            f"Expand and simplify ${shown}$.",
            f"Multiply out the brackets and collect like terms: ${shown}$.",
            f"Write ${shown}$ without brackets, as simply as possible.",
        ),
        answer=m(poly(result, x)),
        steps=(
            f"${term(a, bracket(b, c, x))} = {poly(first, x)}$",
            f"${term(k, bracket(q, r, x))} = {poly(second, x)}$",
            f"Together: ${poly(result, x)}$.",
        ),
        wrong=(
            (
                m(poly([result[0], a * c + (-k * r if minus else r)], x)),
                (
                    "Makes a sign error in the second bracket"
                    if minus
                    else "Multiplies only the first term of the second bracket"
                ),
            ),
            (m(poly([result[0], c + r], x)), "Multiplies only the first term in each bracket"),
            (m(poly([result[0], -result[1]], x)), "Has the wrong sign of the number"),
            (m(poly([a * b - second[0], result[1]], x)), "Makes a sign error when collecting terms"),
        ),
        choice=0.4,
    )


def expand_double(d: Draw) -> Item:
    x = d.one_of("x", "y", "n")
    a, c = d.one_of((1, 1), (1, 1), (2, 1), (3, 2), (1, 4))
    b, e = d.whole(-9, 9, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require((a, b) != (c, e))
    square = d.chance(0.3)
    if square:
        c, e = a, b
    coefficients = [a * c, a * e + b * c, b * e]
    shown = f"{bracket(a, b, x)}^2" if square else f"{bracket(a, b, x)}{bracket(c, e, x)}"
    result = poly(coefficients, x)
    products = signed_sum([term(a * c, f"{x}^2"), term(a * e, x), term(b * c, x), tex(b * e)])
    return Item(
        ask=(
            f"Expand ${shown}$.",
            f"Multiply out and simplify ${shown}$.",
            f"Write ${shown}$ as a polynomial.",
            f"Multiplied out, ${shown} =$ ____.",
        ),
        effort=0.4 if a * c > 1 else 0.0,
        answer=m(result),
        steps=(
            "Multiply each term of the first bracket by each term of the second one.",
            f"${products}$",
            f"Collected: ${result}$." if products != result else f"This is ${result}$.",
        ),
        wrong=(
            (m(poly([a * c, 0, b * e], x)), "Multiplies only first with first and last with last"),
            (m(poly([a * c, a * e + b * c, -b * e], x)), "Makes a sign error in the product of the numbers"),
            (m(poly([a * c, a * e + b * c, b + e], x)), "Adds the numbers instead of multiplying them"),
            (m(poly([a * c, -(a * e + b * c), b * e], x)), "Makes a sign error in the middle term"),
        ),
        choice=0.4,
    )


def common_factor(d: Draw) -> Item:
    x = d.one_of("x", "y", "a", "p")
    factor, (b, c) = d.whole(2, 12), d.several(2, 1, 9)
    d.require(math.gcd(b, c) == 1)
    c = c if d.chance() else -c
    squared = d.chance()
    outside = f"{factor}{x}" if squared else str(factor)
    shown = poly([factor * b, factor * c, 0], x) if squared else poly([factor * b, factor * c], x)
    result = f"{outside}{bracket(b, c, x)}"
    small = next(p for p in (2, 3, 5, 7, 11) if factor % p == 0)
    partly = f"{small}({poly([factor // small * b, factor // small * c] + ([0] if squared else []), x)})"
    return Item(
        ask=(
            f"Factorise ${shown}$ fully.",
            f"Take out the highest common factor: ${shown}$.",
            f"Write ${shown}$ as a product with the largest possible factor in front of the bracket.",
            f"Fully factorised, ${shown} =$ ____.",
        ),
        answer=m(result),
        steps=(
            f"The highest common factor of the terms is ${outside}$.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (m(partly), "Takes out a common factor that is not the highest"),
            (m(f"{outside}{bracket(b, factor * c, x)}"), "Divides only the first term"),
            (m(f"{outside}{bracket(b, -c, x)}"), "Makes a sign error in the bracket"),
            (m(f"{outside}({poly([b, c, 0], x)})"), "Leaves the letter in the bracket as well"),
        ),
        choice=0.4,
    )


def common_factor_two_letters(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("a", "b"), ("m", "n"))
    factor, (b, c) = d.whole(2, 9), d.several(2, 1, 7)
    p, q = d.whole(1, 2), d.whole(1, 2)
    d.require(math.gcd(b, c) == 1)
    c = c if d.chance() else -c
    first = f"{power(x, p + 1)}{power(y, q)}"
    second = f"{power(x, p)}{power(y, q + 1)}"
    outside = f"{factor}{power(x, p)}{power(y, q)}"
    shown = signed_sum([term(factor * b, first), term(factor * c, second)])
    inside = signed_sum([term(b, x), term(c, y)])
    return Item(
        ask=(
            f"Factorise ${shown}$ completely.",
            f"Write ${shown}$ as a product by taking out all common factors.",
        ),
        answer=m(f"{outside}({inside})"),
        steps=(
            f"Both terms contain ${outside}$.",
            f"${shown} = {outside}({inside})$",
        ),
    )


def factorise_quadratic(d: Draw) -> Item:
    x = d.one_of("x", "y", "t")
    a = d.one_of(1, 1, 1, 2, 3)
    p, q = d.whole(-9, 9, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require(p != q and p != -q and math.gcd(a, p) == 1)
    # (a x + p)(x + q)
    coefficients = [a, a * q + p, p * q]
    d.require(coefficients[1] != 0)
    shown = poly(coefficients, x)
    factors = [bracket(a, p, x), bracket(1, q, x)]
    if a == 1:
        search = f"Find two numbers with product ${p * q}$ and sum ${p + q}$: ${p}$ and ${q}$."
    else:
        search = (
            f"Split the middle term: ${a * q} \\times {braced(p)} = {a * p * q}$ and ${a * q} {plus(p)} ="
            f" {a * q + p}$."
        )
    return Item(
        ask=(
            f"Factorise ${shown}$.",
            f"Write ${shown}$ as a product of two brackets.",
            f"Factor the quadratic expression ${shown}$.",
        ),
        effort=0.8 if a > 1 else 0.0,
        answer=m("".join(factors)),
        steps=(search, f"${shown} = {''.join(factors)}$"),
        wrong=(
            (m(f"{bracket(a, -p, x)}{bracket(1, -q, x)}"), "Has both signs wrong"),
            (m(f"{bracket(a, -p, x)}{bracket(1, q, x)}"), "Has one sign wrong"),
            (m(f"{bracket(a, p, x)}{bracket(1, -q, x)}"), "Has the sign of the other bracket wrong"),
            (m(f"{x}{bracket(a, a * q + p, x)}"), "Drops the constant term"),
        ),
        choice=0.4,
    )


def difference_of_squares(d: Draw) -> Item:
    x = d.one_of("x", "y", "a")
    a, b, k = d.one_of(1, 2, 3, 4, 5), d.whole(2, 12), d.one_of(1, 1, 2, 3, 5)
    d.require(math.gcd(a, b) == 1)
    shown = poly([k * a * a, 0, -k * b * b], x)
    result = f"{k if k > 1 else ''}{bracket(a, -b, x)}{bracket(a, b, x)}"
    steps = [f"${shown} = {k}({poly([a * a, 0, -b * b], x)})$"] if k > 1 else []
    square = f"({term(a, x)})^2" if a > 1 else f"{x}^2"
    return Item(
        ask=(
            f"Factorise ${shown}$ completely.",
            f"Write ${shown}$ as a product of factors that cannot be factorised further.",
        ),
        answer=m(result),
        steps=(
            *steps,
            f"A difference of squares: ${poly([a * a, 0, -b * b], x)} = {square} - {b}^2$.",
            f"So the factors are ${result}$.",
        ),
        wrong=(
            (
                m(f"{k if k > 1 else ''}{bracket(a, -b, x)}^2"),
                "Takes a difference of squares for the square of a difference",
            ),
            (
                m(f"{k if k > 1 else ''}{bracket(a * a, -b, x)}{bracket(1, b, x)}"),
                "Does not take the root of the first square",
            ),
            (
                m(f"{k if k > 1 else ''}{bracket(a, b, x)}^2"),
                "Takes a difference of squares for the square of a sum",
            ),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("expand-single", "Expanding brackets", 8, -0.5, expand_single),
    Pattern("expand-double", "Expanding brackets", 9, -0.3, expand_double),
    Pattern("common-factor", "Common factors", 8, -0.8, common_factor),
    Pattern("common-factor-two-letters", "Common factors", 9, 0.2, common_factor_two_letters),
    Pattern("factorise-quadratic", "Factorising quadratics", 9, 0.0, factorise_quadratic),
    Pattern("difference-of-squares", "Factorising quadratics", 9, 0.3, difference_of_squares),
)
