"""Equations and inequalities: quadratic equations."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import braced, frac, m, plus, poly, root, surd, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def two_roots(u: int | Fraction, v: int | Fraction, x: str = "x") -> str:
    """Return both solutions, the smaller one first."""
    small, large = sorted([u, v])
    return rf"{x} = {tex(small)} \text{{ or }} {x} = {tex(large)}"


def solve_by_factorising(d: Draw) -> Item:
    x = d.one_of("x", "x", "t", "n")
    a, p, q = d.one_of(1, 1, 1, 2, 3), d.whole(-9, 9, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require(math.gcd(a, p) == 1)
    u, v = Fraction(-p, a), Fraction(-q)
    d.require(u not in (v, -v))
    coefficients = [a, a * q + p, p * q]
    d.require(coefficients[1] != 0)
    moved = d.chance(0.3)
    left = poly([a, coefficients[1], 0], x) if moved else poly(coefficients, x)
    shown = f"{left} = {-coefficients[2]}" if moved else f"{left} = 0"
    factors = f"({poly([a, p], x)})({poly([1, q], x)})"
    return Item(
        ask=(
            f"Solve ${shown}$ by factorising.",
            f"Find all solutions of ${shown}$.",
            f"Solve the quadratic equation ${shown}$.",
        ),
        effort=0.8 * (a > 1) + 0.3 * moved,
        answer=m(two_roots(u, v, x)),
        steps=(
            *((f"Bring everything to one side: ${poly(coefficients, x)} = 0$.",) if moved else ()),
            f"Factorise: ${factors} = 0$.",
            f"One of the factors is 0, so ${two_roots(u, v, x)}$.",
        ),
        wrong=(
            (m(two_roots(-u, -v, x)), "Takes the numbers in the brackets with their own signs"),
            (m(two_roots(u, -v, x)), "Has one sign wrong"),
            (m(two_roots(-u, v, x)), "Has one sign wrong"),
            (m(f"{x} = {tex(v)}"), "Gives one solution only"),
        ),
        choice=0.35,
    )


def missing_term_quadratic(d: Draw) -> Item:
    a, b = d.one_of(1, 2, 3, 4), d.whole(2, 12)
    linear = d.chance()
    if linear:
        c = a * d.whole(2, 9) * d.one_of(-1, 1)
        u = Fraction(-c, a)
        shown, result = f"{poly([a, c, 0])} = 0", two_roots(Fraction(0), u)
        steps = (f"Take out the common factor: ${term(a, 'x')}({poly([1, c // a])}) = 0$.", f"So ${result}$.")
        wrong = (
            (m(f"x = {tex(u)}"), "Divides by $x$ and loses the solution 0"),
            (m(two_roots(Fraction(0), -u)), "Has the wrong sign"),
            (m("x = 0"), "Finds the solution 0 only"),
        )
    else:
        shown, result = f"{term(a, 'x^2')} = {a * b * b}", two_roots(Fraction(-b), Fraction(b))
        steps = (
            f"Divide by {a}: $x^2 = {b * b}$." if a > 1 else "Take the square root on both sides.",
            f"So ${result}$.",
        )
        wrong = (
            (m(f"x = {b}"), "Forgets the negative root"),
            (m(two_roots(Fraction(-b * b), Fraction(b * b))), "Does not take the root"),
            (m(f"x = {tex(Fraction(b * b, 2))}"), "Halves instead of taking the root"),
        )
    return Item(
        ask=(
            f"Solve ${shown}$.",
            f"Find every solution of ${shown}$.",
            f"For which values of $x$ is ${shown}$?",
        ),
        answer=m(result),
        steps=steps,
        wrong=wrong,
        choice=0.45,
    )


def area_quadratic(d: Draw) -> Item:
    width, gap = d.whole(4, 15), d.whole(2, 9)
    area = width * (width + gap)
    thing = d.one_of("garden", "poster", "playing field", "rug")
    unit = {"garden": "m", "poster": "dm", "playing field": "m", "rug": "dm"}[thing]
    return Item(
        ask=(
            (
                f"A rectangular {thing} is {gap} {unit} longer than it is wide. Its area is"
                f" ${area}\\,\\text{{{unit}}}^2$. How wide is it?"
            ),
            (
                f"The length of a rectangular {thing} is {gap} {unit} more than the width, and the area is "
                f"${area}\\,\\text{{{unit}}}^2$. Find the width."
            ),
        ),
        answer=f"{width} {unit}",
        steps=(
            f"With width $x$: $x(x + {gap}) = {area}$, so $x^2 + {gap}x - {area} = 0$.",
            f"$(x + {width + gap})(x - {width}) = 0$.",
            f"The width is positive, so it is {width} {unit}.",
        ),
    )


def completing_the_square(d: Draw) -> Item:
    p, q = d.whole(-8, 8, but=(0,)), d.whole(-15, 15, but=(0,))
    b, c = 2 * p, p * p + q
    d.require(c != 0)
    shown = poly([1, b, c])
    result = f"({poly([1, p])})^2 {plus(q)}"
    return Item(
        ask=(
            f"Write ${shown}$ in the form $(x + a)^2 + b$.",
            f"Complete the square: ${shown}$.",
            f"Express ${shown}$ as a square plus a constant.",
            f"Completing the square, we get ${shown} =$ ____.",
        ),
        answer=m(result),
        steps=(
            f"Half of the coefficient of $x$ is ${p}$, and $({poly([1, p])})^2 = {poly([1, b, p * p])}$.",
            f"The constant must change by ${c} - {p * p} = {q}$.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (m(f"({poly([1, b])})^2 {plus(c)}"), "Does not halve the coefficient"),
            (m(f"({poly([1, p])})^2 {plus(c)}"), "Does not subtract the square that was added"),
            (m(f"({poly([1, p])})^2 {plus(c + p * p)}"), "Adds the square instead of subtracting it"),
            (m(f"({poly([1, -p])})^2 {plus(q)}"), "Has the wrong sign in the bracket"),
        ),
    )


def solve_by_completing(d: Draw) -> Item:
    p, r = d.whole(-6, 6, but=(0,)), d.one_of(2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 18, 20)
    b, c = 2 * p, p * p - r
    d.require(c != 0)
    shown = poly([1, b, c])
    result = rf"x = {-p} \pm {surd(1, r)}"
    return Item(
        ask=(
            f"Solve ${shown} = 0$ by completing the square. Leave surds in your answer.",
            f"Find the exact solutions of ${shown} = 0$.",
        ),
        answer=m(result),
        steps=(
            f"${shown} = ({poly([1, p])})^2 - {r}$",
            f"$({poly([1, p])})^2 = {r}$, so ${poly([1, p])} = \\pm {root(r)}$.",
            f"${result}$",
        ),
        wrong=(
            (m(rf"x = {p} \pm {surd(1, r)}"), "Does not change the sign of the number"),
            (m(rf"x = {-p} \pm {r}"), "Forgets to take the root"),
            (m(rf"x = {-b} \pm {surd(1, r)}"), "Does not halve the coefficient"),
        ),
        choice=0.3,
    )


def plus_minus(first: int, radicand: int, bottom: int = 1) -> str:
    """Return ``x = (first ± root) / bottom`` with the root as it stands."""
    top = rf"{first} \pm {root(radicand)}"
    return f"x = {frac(top, bottom)}" if bottom > 1 else f"x = {top}"


def quadratic_formula(d: Draw) -> Item:
    a, b, c = d.one_of(1, 2, 3, 5), d.whole(-9, 9, but=(0,)), d.whole(-7, 7, but=(0,))
    disc = b * b - 4 * a * c
    d.require(disc > 0 and math.isqrt(disc) ** 2 != disc and math.gcd(a, b, c) == 1)
    square = max(k for k in range(1, 20) if disc % (k * k) == 0)
    common = math.gcd(b, square, 2 * a)
    top = rf"{-b // common} \pm {surd(square // common, disc // (square * square))}"
    bottom = 2 * a // common
    result = f"x = {frac(top, bottom)}" if bottom > 1 else f"x = {top}"
    raw = plus_minus(-b, disc, 2 * a)
    slip = b * b + 4 * a * c
    shown = poly([a, b, c])
    return Item(
        ask=(
            f"Solve ${shown} = 0$. Give exact answers.",
            f"Use the quadratic formula to solve ${shown} = 0$.",
            f"Find the exact roots of ${shown}$.",
        ),
        answer=m(result),
        steps=(
            f"Discriminant: ${braced(b)}^2 - 4 \\times {a} \\times {braced(c)} = {disc}$.",
            f"${raw}$" if raw != result else f"So ${result}$.",
            *((f"Simplified: ${result}$.",) if raw != result else ()),
        ),
        wrong=(
            (m(plus_minus(b, disc, 2 * a)), "Forgets the minus sign in front of the coefficient"),
            *(
                [(m(plus_minus(-b, slip, 2 * a)), "Makes a sign error in the discriminant")]
                if slip > 0
                else []
            ),
            (m(plus_minus(-b, disc, a)), "Divides by $a$ instead of $2a$"),
            (m(plus_minus(-b, disc, 4 * a)), "Divides by $4a$ instead of $2a$"),
        ),
        choice=0.35,
    )


def discriminant(d: Draw) -> Item:
    a, b, c = d.whole(1, 5), d.whole(-9, 9, but=(0,)), d.whole(-6, 9, but=(0,))
    if d.chance(0.3):
        p = d.whole(-6, 6, but=(0,))
        k = d.whole(1, 3)
        a, b, c = k * k, 2 * k * p, p * p
    disc = b * b - 4 * a * c
    texts = ("no real solutions", "exactly one real solution", "two different real solutions")
    result = texts[(disc > 0) - (disc < 0) + 1]
    reason = {1: "positive", 0: "zero", -1: "negative"}[(disc > 0) - (disc < 0)]
    shown = poly([a, b, c])
    return Item(
        ask=(
            f"How many real solutions has the equation ${shown} = 0$?",
            f"Use the discriminant to decide how many real roots ${shown}$ has.",
        ),
        answer=result,
        steps=(
            f"$b^2 - 4ac = {braced(b)}^2 - 4 \\times {a} \\times {braced(c)} = {disc}$",
            (
                f"The discriminant is {reason}, so there are {result}."
                if disc != 0
                else f"The discriminant is zero, so there is {result}."
            ),
        ),
        wrong=tuple(
            (text, why)
            for text, why in (
                (texts[2], "Believes that every quadratic has two solutions"),
                (texts[0], "Makes a sign error in the discriminant"),
                (texts[1], "Confuses a small discriminant with zero"),
                ("infinitely many real solutions", "Confuses a solvable equation with an identity"),
            )
            if text != result
        ),
        choice=0.6,
    )


def parameter_for_one_root(d: Draw) -> Item:
    a, p = d.one_of(1, 1, 4, 9), d.whole(2, 9)
    s = math.isqrt(a)
    b = 2 * s * p
    sign = d.one_of("+", "-")
    shown = f"{term(a, 'x^2')} {sign} {b}x + k"
    return Item(
        ask=(
            f"For which value of $k$ does ${shown} = 0$ have exactly one solution?",
            f"The graph of $y = {shown}$ touches the $x$-axis. Find $k$.",
        ),
        answer=m(f"k = {p * p}"),
        steps=(
            f"The discriminant must be 0: ${b}^2 - 4 \\times {a} \\times k = 0$.",
            f"${4 * a}k = {b * b}$, so $k = {p * p}$.",
        ),
        wrong=(
            (m(f"k = {-p * p}"), "Makes a sign error in the discriminant"),
            (m(f"k = {b * b}"), "Forgets the factor in the discriminant"),
            (m(f"k = {p}"), "Forgets to square"),
            (m(f"k = {4 * p * p}"), "Forgets the factor 4 in the discriminant"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("solve-by-factorising", "Solving by factorising", 9, -0.2, solve_by_factorising),
    Pattern("missing-term-quadratic", "Solving by factorising", 9, -0.3, missing_term_quadratic),
    Pattern("area-quadratic", "Solving by factorising", 9, 0.8, area_quadratic),
    Pattern("completing-the-square", "Completing the square", 10, 0.0, completing_the_square),
    Pattern("solve-by-completing", "Completing the square", 10, 0.8, solve_by_completing),
    Pattern("quadratic-formula", "Quadratic formula", 10, 0.5, quadratic_formula),
    Pattern("discriminant", "Quadratic formula", 10, -0.2, discriminant),
    Pattern("parameter-for-one-root", "Quadratic formula", 11, 1.0, parameter_for_one_root),
)
