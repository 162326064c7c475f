"""Vectors and matrices: vectors."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import (
    answer,
    braced,
    column,
    degrees,
    frac,
    m,
    root,
    rounded,
    signed_sum,
    surd,
    term,
    tex,
)
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS", "Vector", "vector"]

Vector = tuple[int, ...]


def vector(d: Draw, size: int = 2, limit: int = 7) -> Vector:
    """Draw a vector without a zero component."""
    return tuple(d.whole(-limit, limit, but=(0,)) for _ in range(size))


def combine(p: int, a: Vector, q: int, b: Vector) -> Vector:
    """Return ``p a + q b``."""
    return tuple(p * x + q * y for x, y in zip(a, b, strict=True))


def bold(name: str) -> str:
    """Return a vector's name in bold."""
    return rf"\mathbf{{{name}}}"


def vector_combination(d: Draw) -> Item:
    size = d.one_of(2, 2, 3)
    a, b = vector(d, size), vector(d, size)
    p, q = d.whole(1, 4), d.whole(-4, 4, but=(0, 1))
    u, v = d.one_of(("a", "b"), ("p", "q"), ("u", "v"))
    shown = signed_sum([term(p, bold(u)), term(q, bold(v))])
    result = combine(p, a, q, b)
    return Item(
        ask=(
            f"Let ${bold(u)} = {column(*a)}$ and ${bold(v)} = {column(*b)}$. Find ${shown}$.",
            (
                f"For ${bold(u)} = {column(*a)}$ and ${bold(v)} = {column(*b)}$, work out ${shown}$ as a"
                " column vector."
            ),
        ),
        answer=m(column(*result)),
        steps=(
            (
                f"${term(p, bold(u))} = {column(*(p * x for x in a))}$ and ${term(q, bold(v))} ="
                f" {column(*(q * x for x in b))}$."
            ),
            f"Add component by component: ${column(*result)}$.",
        ),
        wrong=(
            (m(column(*combine(p, a, -q, b))), "Makes a sign error with the second vector"),
            (
                m(column(*combine(1, a, q, b))) if p > 1 else m(column(*combine(p, a, 1, b))),
                "Multiplies only one of the vectors",
            ),
            (m(column(*combine(q, a, p, b))), "Swaps the two factors"),
            (
                m(column(*(x + p + q + y for x, y in zip(a, b, strict=True)))),
                "Adds the factors to the components",
            ),
        ),
        choice=0.35,
    )


def vector_between(d: Draw) -> Item:
    size = d.one_of(2, 2, 3)
    a, b = vector(d, size, 8), vector(d, size, 8)
    p, q = d.one_of(("A", "B"), ("P", "Q"), ("C", "D"))
    result = combine(1, b, -1, a)

    def at(point: Vector) -> str:
        return f"({', '.join(map(str, point))})"

    return Item(
        ask=(
            rf"Find the vector $\overrightarrow{{{p}{q}}}$ from ${p}{at(a)}$ to ${q}{at(b)}$.",
            (
                rf"${p}{at(a)}$ and ${q}{at(b)}$ are two points. Write $\overrightarrow{{{p}{q}}}$ as a"
                r" column vector."
            ),
        ),
        answer=m(column(*result)),
        steps=(
            f"End point minus starting point: ${column(*b)} - {column(*a)}$.",
            rf"$\overrightarrow{{{p}{q}}} = {column(*result)}$",
        ),
        wrong=(
            (m(column(*combine(1, a, -1, b))), "Subtracts the end point from the starting point"),
            (m(column(*combine(1, a, 1, b))), "Adds the coordinates"),
            (m(column(*(abs(x) for x in result))), "Drops the signs"),
            (m(column(*reversed(result))), "Writes the components in the wrong order"),
        ),
        choice=0.35,
    )


def parallel_vectors(d: Draw) -> Item:
    a, b = d.whole(-6, 7, but=(0,)), d.whole(-6, 7, but=(0,))
    k = d.one_of(-3, -2, 2, 3, 4)
    d.require(abs(a) != abs(b))
    letter = d.one_of("t", "k", "m")
    top_known = d.chance()
    second = column(k * a, letter) if top_known else column(letter, k * b)
    result = k * b if top_known else k * a
    return Item(
        ask=(
            f"The vectors ${column(a, b)}$ and ${second}$ are parallel. Find ${letter}$.",
            f"For which value of ${letter}$ is ${second}$ parallel to ${column(a, b)}$?",
        ),
        answer=m(f"{letter} = {result}"),
        steps=(
            f"One is a multiple of the other: the factor is ${k}$.",
            f"${k} \\times {braced(b if top_known else a)} = {result}$, so ${letter} = {result}$.",
        ),
        wrong=(
            (m(f"{letter} = {-result}"), "Has the wrong sign"),
            (
                m(f"{letter} = {(b + k * a - a) if top_known else (a + k * b - b)}"),
                "Adds the difference instead of multiplying",
            ),
            (
                m(f"{letter} = {tex(Fraction(-a * k * a, b) if top_known else Fraction(-b * k * b, a))}"),
                "Makes the vectors perpendicular",
            ),
        ),
        choice=0.35,
    )


def vector_length(d: Draw) -> Item:
    a = d.one_of(
        (3, 4),
        (6, 8),
        (5, 12),
        (8, 15),
        (1, 2),
        (2, 3),
        (2, 4),
        (4, 6),
        (1, 3),
        (3, 5),
        (1, 2, 2),
        (2, 3, 6),
        (1, 4, 8),
        (2, 6, 9),
        (4, 4, 7),
        (2, 2, 4),
        (1, 1, 3),
        (1, 2, 3),
        (2, 4, 4),
        (6, 6, 7),
    )
    a = tuple(x * d.one_of(-1, 1) for x in d.shuffled(a))
    square = sum(x * x for x in a)
    result = surd(1, square)
    name = d.one_of("a", "v", "u")
    total = sum(abs(x) for x in a)
    squares = " + ".join(f"{braced(x)}^2" for x in a)
    return Item(
        ask=(
            rf"Find the magnitude of ${bold(name)} = {column(*a)}$.",
            rf"Let ${bold(name)} = {column(*a)}$. What is $|{bold(name)}|$? Give an exact answer.",
            f"The vector ${column(*a)}$ has the length ____.",
        ),
        answer=answer(int(result)) if result.isdigit() else m(result),
        steps=(
            f"$|{bold(name)}| = {root(squares)} = {root(square)}$",
            *((f"${root(square)} = {result}$",) if result != root(square) else ()),
        ),
        wrong=(
            (str(total), "Adds the components"),
            (str(square), "Forgets the root"),
            (m(root(total)), "Takes the root of the sum of the components"),
            (m(root(abs(a[0] ** 2 - a[1] ** 2))), "Subtracts the squares"),
        ),
        choice=0.35,
    )


def unit_vector(d: Draw) -> Item:
    a = d.one_of(
        (3, 4), (5, 12), (8, 15), (7, 24), (1, 2, 2), (2, 3, 6), (1, 4, 8), (2, 6, 9), (4, 4, 7), (20, 21)
    )
    a = tuple(x * d.one_of(-1, 1) for x in d.shuffled(a))
    length = math.isqrt(sum(x * x for x in a))
    k = d.one_of(1, 1, 2, 3)
    result = column(*(Fraction(x * k, length) for x in a))
    what = "the unit vector" if k == 1 else f"the vector of length {k}"
    return Item(
        ask=(
            f"Find {what} in the direction of ${column(*a)}$.",
            f"Write down {what} that points the same way as ${column(*a)}$.",
        ),
        answer=m(result),
        steps=(
            f"The length of the vector is ${root(' + '.join(f'{braced(x)}^2' for x in a))} = {length}$.",
            (
                f"Divide by {length}: ${result}$."
                if k == 1
                else f"Divide by {length} and multiply by {k}: ${result}$."
            ),
        ),
    )


def direction_angle(d: Draw) -> Item:
    x, y = d.whole(2, 12), d.whole(2, 12)
    d.require(x != y)
    value = math.degrees(math.atan2(y, x))
    result = rounded(value, 1)
    force = d.chance()
    return Item(
        ask=(
            (
                (
                    f"What angle does the vector ${column(x, y)}$ make with the positive $x$-axis? Give it to"
                    " one decimal place."
                ),
                (
                    f"A boat moves with velocity ${column(x, y)}$ (east, north). At what angle to the east"
                    " does it travel, to one decimal place?"
                ),
            )
            if force
            else (
                f"Find the angle between ${column(x, y)}$ and the positive $x$-axis, to one decimal place.",
                (
                    f"A force has the components {x} N to the right and {y} N upwards. What is its angle to"
                    " the horizontal, to one decimal place?"
                ),
            )
        ),
        answer=degrees(result),
        steps=(rf"$\tan \alpha = {frac(y, x)}$", rf"$\alpha \approx {result}^\circ$"),
        wrong=(
            (degrees(rounded(90 - value, 1)), "Divides the wrong way round"),
            (
                degrees(rounded(math.degrees(math.asin(min(x, y) / max(x, y))), 1)),
                "Uses the sine instead of the tangent",
            ),
            (degrees(rounded(180 - value, 1)), "Gives the angle to the negative axis"),
        ),
        choice=0.35,
    )


def scalar_product(d: Draw) -> Item:
    size = d.one_of(2, 3)
    a, b = vector(d, size), vector(d, size)
    value = sum(x * y for x, y in zip(a, b, strict=True))
    products = [x * y for x, y in zip(a, b, strict=True)]
    u, v = d.one_of(("a", "b"), ("p", "q"), ("u", "v"))
    return Item(
        ask=(
            (
                rf"Find the scalar product ${bold(u)} \cdot {bold(v)}$ for ${bold(u)} = {column(*a)}$ and"
                rf" ${bold(v)} = {column(*b)}$."
            ),
            (
                rf"Let ${bold(u)} = {column(*a)}$ and ${bold(v)} = {column(*b)}$. What is ${bold(u)} \cdot"
                rf" {bold(v)}$?"
            ),
            (
                rf"For ${bold(u)} = {column(*a)}$ and ${bold(v)} = {column(*b)}$ the scalar product"
                rf" ${bold(u)} \cdot {bold(v)}$ is ____."
            ),
        ),
        answer=answer(value),
        steps=(
            "Multiply matching components and add.",
            f"${signed_sum([tex(p) for p in products])} = {value}$",
        ),
        wrong=(
            (m(column(*products)), "Leaves the products as a vector"),
            (answer(sum(a) * sum(b)), "Multiplies the sums of the components"),
            (answer(sum(abs(p) for p in products)), "Drops the signs"),
            (answer(sum(a) + sum(b)), "Adds all components"),
        ),
        choice=0.35,
    )


def perpendicular_vectors(d: Draw) -> Item:
    size = d.one_of(2, 3)
    a, b = list(vector(d, size)), list(vector(d, size))
    i = d.whole(0, size - 1)
    rest = sum(x * y for k, (x, y) in enumerate(zip(a, b, strict=True)) if k != i)
    d.require(rest % a[i] == 0 and rest != 0)
    value = -rest // a[i]
    letter = d.one_of("t", "k", "c")
    shown = [letter if k == i else y for k, y in enumerate(b)]
    parts = [term(a[k], letter) if k == i else tex(a[k] * b[k]) for k in range(size)]
    return Item(
        ask=(
            f"For which value of ${letter}$ are ${column(*a)}$ and ${column(*shown)}$ perpendicular?",
            f"The vectors ${column(*a)}$ and ${column(*shown)}$ are at right angles. Find ${letter}$.",
        ),
        answer=m(f"{letter} = {value}"),
        steps=(
            f"The scalar product must be 0: ${signed_sum(parts)} = 0$.",
            f"${letter} = {value}$",
        ),
        wrong=(
            (m(f"{letter} = {-value}"), "Makes a sign error"),
            (m(f"{letter} = {-rest}"), "Forgets to divide by the factor"),
            (m(f"{letter} = {tex(Fraction(1 - rest, a[i]))}"), "Sets the scalar product equal to 1"),
        ),
        choice=0.35,
    )


def angle_between(d: Draw) -> Item:
    a, b = vector(d, 2, 6), vector(d, 2, 6)
    dot = a[0] * b[0] + a[1] * b[1]
    la, lb = a[0] ** 2 + a[1] ** 2, b[0] ** 2 + b[1] ** 2
    d.require(a[0] * b[1] != a[1] * b[0] and dot != 0)
    value = math.degrees(math.acos(dot / math.sqrt(la * lb)))
    below = rf"{surd(1, la)} \times {surd(1, lb)}"
    result = rounded(value, 1)
    return Item(
        ask=(
            f"Find the angle between ${column(*a)}$ and ${column(*b)}$, to one decimal place.",
            (
                f"What angle do the vectors ${column(*a)}$ and ${column(*b)}$ enclose? Round to one decimal"
                " place."
            ),
        ),
        answer=degrees(result),
        steps=(
            (
                f"The scalar product is ${signed_sum([tex(a[0] * b[0]), tex(a[1] * b[1])])} = {dot}$, the"
                f" lengths are ${surd(1, la)}$ and ${surd(1, lb)}$."
            ),
            rf"$\cos \alpha = {frac(dot, below)}$, so $\alpha \approx {result}^\circ$.",
        ),
        wrong=(
            (degrees(rounded(180 - value, 1)), "Has the wrong sign of the scalar product"),
            (degrees(rounded(abs(90 - value), 1)), "Uses the sine instead of the cosine"),
            (degrees(rounded(value / 2, 1)), "Halves the angle"),
        ),
        choice=0.3,
    )


PATTERNS = (
    Pattern("vector-combination", "Vector arithmetic", 10, -0.7, vector_combination),
    Pattern("vector-between", "Vector arithmetic", 10, -0.5, vector_between),
    Pattern("parallel-vectors", "Vector arithmetic", 10, 0.2, parallel_vectors),
    Pattern("vector-length", "Magnitude and direction", 10, -0.5, vector_length),
    Pattern("unit-vector", "Magnitude and direction", 11, 0.5, unit_vector),
    Pattern("direction-angle", "Magnitude and direction", 11, 0.2, direction_angle),
    Pattern("scalar-product", "Scalar product", 11, -0.5, scalar_product),
    Pattern("perpendicular-vectors", "Scalar product", 11, 0.3, perpendicular_vectors),
    Pattern("angle-between", "Scalar product", 11, 0.8, angle_between),
)
