"""Vectors and matrices: matrices."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import answer, braced, column, determinant, m, matrix, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.vectors_and_matrices.vectors import vector
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]

Matrix = tuple[tuple[int, int], tuple[int, int]]


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
            (
                f"${term(p, 'A')} = {matrix(entrywise(a, a, p, 0))}$ and ${term(q, 'B')} ="
                f" {matrix(entrywise(b, b, q, 0))}$."
            ),
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
    corner = (
        f"{a[0][0]} \\times {braced(b[0][0])} {'+' if a[0][1] >= 0 else '-'} {abs(a[0][1])} \\times"
        f" {braced(b[1][0])} = {result[0][0]}"
    )
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
            (
                f"A point with position vector ${column(*v)}$ is transformed by the matrix ${matrix(a)}$."
                " Find the position vector of its image."
            ),
        ),
        answer=m(column(*result)),
        steps=(
            (
                f"First row: ${signed_sum([tex(a[0][0] * v[0]), tex(a[0][1] * v[1])])} = {result[0]}$."
                if a[0][0] and a[0][1]
                else f"First row: ${result[0]}$."
            ),
            (
                f"Second row: ${signed_sum([tex(a[1][0] * v[0]), tex(a[1][1] * v[1])])} = {result[1]}$."
                if a[1][0] and a[1][1]
                else f"Second row: ${result[1]}$."
            ),
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
    main, second = a[0][0] * a[1][1], a[0][1] * a[1][0]
    return Item(
        ask=(
            f"Find the determinant of ${matrix(a)}$.",
            f"Evaluate ${determinant(a)}$.",
            f"What is $\\det A$ for $A = {matrix(a)}$?",
            f"${determinant(a)} =$ ____",
        ),
        answer=answer(value),
        steps=(
            f"Product of the main diagonal minus product of the other one: ${main} - {braced(second)}$.",
            f"${main} - {braced(second)} = {value}$",
        ),
        wrong=(
            (answer(main + second), "Adds the products of the diagonals"),
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
            (
                f"Swap the entries of the main diagonal, change the signs of the others, divide by ${det}$:"
                f" {scaled(adjugate, det)}."
            ),
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
    Pattern("matrix-sum", "Matrix arithmetic", 11, -0.8, matrix_sum),
    Pattern("matrix-equation", "Matrix arithmetic", 11, 0.0, matrix_equation),
    Pattern("matrix-product", "Matrix multiplication", 11, 0.0, matrix_product),
    Pattern("matrix-times-vector", "Matrix multiplication", 11, -0.5, matrix_times_vector),
    Pattern("two-by-two-determinant", "Determinant and inverse", 11, -0.5, two_by_two_determinant),
    Pattern("matrix-inverse", "Determinant and inverse", 12, 0.7, matrix_inverse),
    Pattern("singular-parameter", "Determinant and inverse", 12, 0.3, singular_parameter),
)
