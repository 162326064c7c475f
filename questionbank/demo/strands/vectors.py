"""Vectors and matrices."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import (
    answer,
    braced,
    column,
    determinant,
    frac,
    m,
    matrix,
    root,
    rounded,
    signed_sum,
    surd,
    term,
    tex,
)
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.angles import degrees
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]

Vector = tuple[int, ...]
Matrix = tuple[tuple[int, int], tuple[int, int]]


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
            f"For ${bold(u)} = {column(*a)}$ and ${bold(v)} = {column(*b)}$, work out ${shown}$ as a column vector.",
        ),
        answer=m(column(*result)),
        steps=(
            f"${term(p, bold(u))} = {column(*(p * x for x in a))}$ and ${term(q, bold(v))} = {column(*(q * x for x in b))}$.",
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
    at = lambda point: f"({', '.join(map(str, point))})"
    return Item(
        ask=(
            rf"Find the vector $\overrightarrow{{{p}{q}}}$ from ${p}{at(a)}$ to ${q}{at(b)}$.",
            rf"${p}{at(a)}$ and ${q}{at(b)}$ are two points. Write $\overrightarrow{{{p}{q}}}$ as a column vector.",
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
            f"${letter} = {k} \\times {braced(b if top_known else a)} = {result}$",
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
            f"Divide by {length}: ${result}$."
            if k == 1
            else f"Divide by {length} and multiply by {k}: ${result}$.",
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
            f"What angle does the vector ${column(x, y)}$ make with the positive $x$-axis? Give it to one decimal place.",
            f"A boat moves with velocity ${column(x, y)}$ (east, north). At what angle to the east does it travel, to one decimal place?",
        )
        if force
        else (
            f"Find the angle between ${column(x, y)}$ and the positive $x$-axis, to one decimal place.",
            f"A force has the components {x} N to the right and {y} N upwards. What is its angle to the horizontal, to one decimal place?",
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
            rf"Find the scalar product ${bold(u)} \cdot {bold(v)}$ for ${bold(u)} = {column(*a)}$ and ${bold(v)} = {column(*b)}$.",
            rf"Let ${bold(u)} = {column(*a)}$ and ${bold(v)} = {column(*b)}$. What is ${bold(u)} \cdot {bold(v)}$?",
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
    result = rounded(value, 1)
    return Item(
        ask=(
            f"Find the angle between ${column(*a)}$ and ${column(*b)}$, to one decimal place.",
            f"What angle do the vectors ${column(*a)}$ and ${column(*b)}$ enclose? Round to one decimal place.",
        ),
        answer=degrees(result),
        steps=(
            f"The scalar product is ${signed_sum([tex(a[0] * b[0]), tex(a[1] * b[1])])} = {dot}$, the lengths are ${root(la)}$ and ${root(lb)}$.",
            rf"$\cos \alpha = {frac(dot, f'{root(la)} {root(lb)}')}$, so $\alpha \approx {result}^\circ$.",
        ),
        wrong=(
            (degrees(rounded(180 - value, 1)), "Has the wrong sign of the scalar product"),
            (degrees(rounded(abs(90 - value), 1)), "Uses the sine instead of the cosine"),
            (degrees(rounded(value / 2, 1)), "Halves the angle"),
        ),
        choice=0.3,
    )


def small_matrix(d: Draw, limit: int = 6) -> Matrix:
    """Draw a 2 by 2 matrix."""
    a, b, c, e = (d.whole(-limit, limit) for _ in range(4))
    return ((a, b), (c, e))


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return the matrix product."""
    rows = tuple(tuple(sum(a[i][k] * b[k][j] for k in range(2)) for j in range(2)) for i in range(2))
    return ((rows[0][0], rows[0][1]), (rows[1][0], rows[1][1]))


def entrywise(a: Matrix, b: Matrix, p: int = 1, q: int = 1) -> Matrix:
    """Return ``p a + q b``."""
    return (
        (p * a[0][0] + q * b[0][0], p * a[0][1] + q * b[0][1]),
        (p * a[1][0] + q * b[1][0], p * a[1][1] + q * b[1][1]),
    )


def matrix_sum(d: Draw) -> Item:
    a, b = small_matrix(d), small_matrix(d)
    p, q = d.whole(1, 4), d.whole(-3, 3, but=(0, 1))
    result = entrywise(a, b, p, q)
    d.require(a != b)
    shown = signed_sum([term(p, "A"), term(q, "B")])
    return Item(
        ask=(
            f"Let $A = {matrix(a)}$ and $B = {matrix(b)}$. Find ${shown}$.",
            f"For $A = {matrix(a)}$ and $B = {matrix(b)}$, calculate ${shown}$.",
        ),
        answer=m(matrix(result)),
        steps=(
            f"${term(p, 'A')} = {matrix(entrywise(a, a, p, 0))}$ and ${term(q, 'B')} = {matrix(entrywise(b, b, q, 0))}$.",
            f"Add entry by entry: ${matrix(result)}$.",
        ),
        wrong=(
            (m(matrix(entrywise(a, b, p, -q))), "Makes a sign error with the second matrix"),
            (m(matrix(entrywise(a, b, q, p))), "Swaps the two factors"),
            (m(matrix(product(a, b))), "Multiplies the matrices"),
        ),
        choice=0.35,
    )


def matrix_equation(d: Draw) -> Item:
    x, b = small_matrix(d), small_matrix(d)
    k = d.whole(2, 5)
    right = entrywise(x, b, k, 1)
    return Item(
        ask=(
            f"Find the matrix $X$ with ${k}X + {matrix(b)} = {matrix(right)}$.",
            f"Solve ${k}X + {matrix(b)} = {matrix(right)}$ for the matrix $X$.",
        ),
        answer=m(matrix(x)),
        steps=(
            f"Subtract: ${k}X = {matrix(entrywise(x, x, k, 0))}$.",
            f"Divide every entry by {k}: $X = {matrix(x)}$.",
        ),
    )


def matrix_product(d: Draw) -> Item:
    a, b = small_matrix(d, 5), small_matrix(d, 5)
    result = product(a, b)
    d.require(result != product(b, a) and all(any(row) for row in (*a, *b)))
    corner = f"{a[0][0]} \\times {braced(b[0][0])} {'+' if a[0][1] >= 0 else '-'} {abs(a[0][1])} \\times {braced(b[1][0])} = {result[0][0]}"
    return Item(
        ask=(
            f"Multiply: ${matrix(a)} {matrix(b)}$",
            f"Let $A = {matrix(a)}$ and $B = {matrix(b)}$. Find the product $AB$.",
        ),
        answer=m(matrix(result)),
        steps=(
            "Multiply the rows of the first matrix by the columns of the second one.",
            f"The entry at the top left is ${corner}$.",
            f"The product is ${matrix(result)}$.",
        ),
        wrong=(
            (m(matrix(product(b, a))), "Multiplies in the wrong order"),
            (
                m(matrix(((a[0][0] * b[0][0], a[0][1] * b[0][1]), (a[1][0] * b[1][0], a[1][1] * b[1][1])))),
                "Multiplies entry by entry",
            ),
            (m(matrix(entrywise(a, b))), "Adds the matrices"),
        ),
        choice=0.4,
    )


def matrix_times_vector(d: Draw) -> Item:
    a, v = small_matrix(d), vector(d, 2)
    result = (a[0][0] * v[0] + a[0][1] * v[1], a[1][0] * v[0] + a[1][1] * v[1])
    swapped = (a[0][0] * v[0] + a[1][0] * v[1], a[0][1] * v[0] + a[1][1] * v[1])
    d.require(result != swapped and any(a[0]) and any(a[1]))
    return Item(
        ask=(
            f"Work out ${matrix(a)} {column(*v)}$.",
            f"The matrix ${matrix(a)}$ maps the vector ${column(*v)}$ to which vector?",
            f"A point with position vector ${column(*v)}$ is transformed by the matrix ${matrix(a)}$. Find the position vector of its image.",
        ),
        answer=m(column(*result)),
        steps=(
            f"First row: ${signed_sum([tex(a[0][0] * v[0]), tex(a[0][1] * v[1])])} = {result[0]}$."
            if a[0][0] and a[0][1]
            else f"First row: ${result[0]}$.",
            f"Second row: ${signed_sum([tex(a[1][0] * v[0]), tex(a[1][1] * v[1])])} = {result[1]}$."
            if a[1][0] and a[1][1]
            else f"Second row: ${result[1]}$.",
            f"The image is ${column(*result)}$.",
        ),
        wrong=(
            (m(column(*swapped)), "Uses the columns instead of the rows"),
            (
                m(matrix(((a[0][0] * v[0], a[0][1] * v[0]), (a[1][0] * v[1], a[1][1] * v[1])))),
                "Multiplies each row by one component",
            ),
            (m(column(result[1], result[0])), "Writes the components in the wrong order"),
        ),
        choice=0.35,
    )


def two_by_two_determinant(d: Draw) -> Item:
    a = small_matrix(d, 9)
    value = a[0][0] * a[1][1] - a[0][1] * a[1][0]
    d.require(all(entry for row in a for entry in row) and value != 0)
    one, two = a[0][0] * a[1][1], a[0][1] * a[1][0]
    return Item(
        ask=(
            f"Find the determinant of ${matrix(a)}$.",
            f"Evaluate ${determinant(a)}$.",
            f"What is $\\det A$ for $A = {matrix(a)}$?",
        ),
        answer=answer(value),
        steps=(
            f"Product of the main diagonal minus product of the other one: ${one} - {braced(two)}$.",
            f"${one} - {braced(two)} = {value}$",
        ),
        wrong=(
            (answer(one + two), "Adds the products of the diagonals"),
            (answer(-value), "Subtracts in the wrong order"),
            (answer(a[0][0] * a[0][1] - a[1][0] * a[1][1]), "Multiplies along the rows"),
            (answer(a[0][0] + a[1][1] - a[0][1] - a[1][0]), "Adds along the diagonals"),
        ),
        choice=0.35,
    )


def matrix_inverse(d: Draw) -> Item:
    a = small_matrix(d, 6)
    det = a[0][0] * a[1][1] - a[0][1] * a[1][0]
    d.require(det not in (0, 1) and abs(det) <= 12 and all(entry for row in a for entry in row))
    adjugate = ((a[1][1], -a[0][1]), (-a[1][0], a[0][0]))

    def scaled(rows: Matrix, factor: int) -> str:
        return m(f"{tex(Fraction(1, factor)) if factor != -1 else '-'}{matrix(rows)}")

    return Item(
        ask=(
            f"Find the inverse of ${matrix(a)}$.",
            f"Let $A = {matrix(a)}$. Write down $A^{{-1}}$.",
        ),
        answer=scaled(adjugate, det),
        steps=(
            f"The determinant is ${a[0][0] * a[1][1]} - {braced(a[0][1] * a[1][0])} = {det}$.",
            f"Swap the entries of the main diagonal, change the signs of the others, divide by ${det}$: {scaled(adjugate, det)}.",
        ),
        wrong=(
            (scaled(a, det), "Divides by the determinant without changing the entries"),
            (m(matrix(adjugate)), "Forgets to divide by the determinant"),
            (scaled(((a[1][1], a[0][1]), (a[1][0], a[0][0])), det), "Forgets to change the signs"),
            (scaled(((-a[0][0], a[1][0]), (a[0][1], -a[1][1])), det), "Changes the wrong signs"),
        ),
        choice=0.35,
    )


def singular_parameter(d: Draw) -> Item:
    a, b, c = d.whole(1, 6), d.whole(-6, 8, but=(0,)), d.whole(-6, 8, but=(0,))
    d.require(b * c % a == 0)
    k = b * c // a
    rows = ((a, b), (c, "k"))
    return Item(
        ask=(
            f"For which value of $k$ has the matrix ${matrix(rows)}$ no inverse?",
            f"Find $k$ such that ${matrix(rows)}$ is singular.",
        ),
        answer=m(f"k = {k}"),
        steps=(
            f"The determinant must be 0: ${term(a, 'k')} - {braced(b * c)} = 0$.",
            f"$k = {k}$",
        ),
        wrong=(
            (m(f"k = {-k}"), "Adds the products of the diagonals"),
            (m(f"k = {tex(Fraction(1 + b * c, a))}"), "Sets the determinant equal to 1"),
            (
                m(f"k = {b * c}") if a > 1 else m(f"k = {b + c}"),
                "Forgets the last division" if a > 1 else "Adds instead of multiplying",
            ),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("vector-combination", "Vector arithmetic", 10, -0.1, vector_combination),
    Pattern("vector-between", "Vector arithmetic", 10, 0.0, vector_between),
    Pattern("parallel-vectors", "Vector arithmetic", 10, 0.4, parallel_vectors),
    Pattern("vector-length", "Magnitude and direction", 10, 0.0, vector_length),
    Pattern("unit-vector", "Magnitude and direction", 11, 0.6, unit_vector),
    Pattern("direction-angle", "Magnitude and direction", 11, 0.4, direction_angle),
    Pattern("scalar-product", "Scalar product", 11, 0.0, scalar_product),
    Pattern("perpendicular-vectors", "Scalar product", 11, 0.5, perpendicular_vectors),
    Pattern("angle-between", "Scalar product", 11, 0.8, angle_between),
    Pattern("matrix-sum", "Matrix arithmetic", 11, -0.2, matrix_sum),
    Pattern("matrix-equation", "Matrix arithmetic", 11, 0.3, matrix_equation),
    Pattern("matrix-product", "Matrix multiplication", 11, 0.3, matrix_product),
    Pattern("matrix-times-vector", "Matrix multiplication", 11, 0.0, matrix_times_vector),
    Pattern("two-by-two-determinant", "Determinant and inverse", 11, 0.0, two_by_two_determinant),
    Pattern("matrix-inverse", "Determinant and inverse", 12, 0.7, matrix_inverse),
    Pattern("singular-parameter", "Determinant and inverse", 12, 0.5, singular_parameter),
)
