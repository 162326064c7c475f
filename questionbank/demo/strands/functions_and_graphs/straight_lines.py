"""Functions and graphs: straight lines."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import (
    answer,
    braced,
    frac,
    line_equation,
    m,
    poly,
    root,
    signed_sum,
    surd,
    table,
    term,
    tex,
)
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def point(x: int | Fraction, y: int | Fraction) -> str:
    """Return ``(x, y)``."""
    return f"({tex(x)}, {tex(y)})"


def gradient_two_points(d: Draw) -> Item:
    x1, x2 = d.several(2, -7, 8)
    y1, y2 = d.several(2, -9, 9)
    value = Fraction(y2 - y1, x2 - x1)
    d.require(abs(value) != 1 and value.denominator <= 5)
    return Item(
        ask=(
            f"Find the gradient of the line through ${point(x1, y1)}$ and ${point(x2, y2)}$.",
            (
                f"What is the slope of the line that passes through the points ${point(x1, y1)}$ and"
                f" ${point(x2, y2)}$?"
            ),
            f"A straight line joins $A{point(x1, y1)}$ and $B{point(x2, y2)}$. Work out its gradient.",
            f"The line through ${point(x1, y1)}$ and ${point(x2, y2)}$ has the gradient ____.",
        ),
        answer=answer(value),
        steps=(
            (
                f"Gradient: ${frac(f'{y2} - {braced(y1)}', f'{x2} - {braced(x1)}')} ="
                f" {raw_fraction(y2 - y1, x2 - x1)}$."
            ),
            f"The gradient is ${tex(value)}$.",
        ),
        wrong=(
            (answer(1 / value), "Divides the horizontal change by the vertical change"),
            (answer(-value), "Subtracts in different orders above and below"),
            (
                answer(Fraction(y1 + y2, x1 + x2)) if x1 + x2 else answer(Fraction(y1 + y2)),
                "Adds the coordinates",
            ),
            (answer(-1 / value), "Gives the gradient of a perpendicular line"),
        ),
    )


def raw_fraction(top: int, bottom: int) -> str:
    """Return a quotient as it comes out of a subtraction, its sign in front; a whole number as such."""
    if abs(bottom) == 1:
        return tex(top * bottom)
    return frac(-abs(top), abs(bottom)) if (top < 0) != (bottom < 0) else frac(abs(top), abs(bottom))


def gradient_from_equation(d: Draw) -> Item:
    a, b, c = d.whole(-8, 9, but=(0,)), d.whole(2, 6), d.whole(-12, 12, but=(0,))
    d.require(math.gcd(a, b) == 1)
    gradient, intercept = Fraction(-a, b), Fraction(c, b)
    shown = f"{signed_sum([term(a, 'x'), term(b, 'y')])} = {c}"
    wants_gradient = d.chance()
    result = gradient if wants_gradient else intercept
    what = "gradient" if wants_gradient else "$y$-intercept"
    return Item(
        ask=(
            f"Find the {what} of the line ${shown}$.",
            f"A straight line has the equation ${shown}$. What is its {what}?",
        ),
        answer=answer(result),
        steps=(
            f"Solve for $y$: ${term(b, 'y')} = {poly([-a, c])}$.",
            f"${line_equation(gradient, intercept)}$, so the {what} is ${tex(result)}$.",
        ),
        wrong=(
            (answer(-result), "Has the wrong sign"),
            (answer(Fraction(a if wants_gradient else c)), "Reads the number off without solving for $y$"),
            (answer(intercept if wants_gradient else gradient), "Confuses gradient and intercept"),
            (answer(1 / result), "Divides the wrong way round"),
        ),
        choice=0.45,
    )


def line_through_point(d: Draw) -> Item:
    gradient = Fraction(d.whole(-6, 6, but=(0, 1)), d.one_of(1, 1, 1, 2, 3))
    x1, c = d.whole(-6, 6, but=(0,)), d.whole(-9, 9, but=(0,))
    y1 = gradient * x1 + c
    d.require(y1.denominator == 1)
    result = line_equation(gradient, c)
    return Item(
        ask=(
            (
                f"Find the equation of the line with gradient ${tex(gradient)}$ through ${point(x1, y1)}$."
                " Give it in the form $y = mx + c$."
            ),
            (
                f"A line has gradient ${tex(gradient)}$ and passes through the point ${point(x1, y1)}$. Write"
                " down its equation."
            ),
        ),
        answer=m(result),
        steps=(
            (
                f"$y = {term(gradient, 'x')} + c$ with $x = {x1}$ and $y = {tex(y1)}$: ${tex(y1)} ="
                f" {tex(gradient * x1)} + c$."
            ),
            f"$c = {c}$, so the line is ${result}$.",
        ),
        wrong=(
            (m(line_equation(gradient, y1)), "Takes the $y$-coordinate of the point for the intercept"),
            (m(line_equation(gradient, gradient * x1 + y1)), "Adds instead of subtracting"),
            (m(line_equation(gradient, y1 * gradient - x1)), "Swaps the coordinates of the point"),
            (m(line_equation(-gradient, c)), "Has the wrong sign of the gradient"),
        ),
        choice=0.4,
    )


def line_from_table(d: Draw) -> Item:
    gradient, c = d.whole(-5, 6, but=(0, 1)), d.whole(-8, 9, but=(0,))
    start, step = d.whole(-2, 2), d.whole(1, 3)
    xs = [start + step * i for i in range(4)]
    d.require(0 not in xs)
    shown = table(["x", *xs], ["y", *(gradient * x + c for x in xs)])
    result = line_equation(gradient, c)
    first, second = gradient * xs[0] + c, gradient * xs[1] + c
    return Item(
        ask=(
            f"The table shows points of a straight line. Find its equation.\n$${shown}$$",
            f"All points of this table lie on one line. What is its equation?\n$${shown}$$",
        ),
        answer=m(result),
        steps=(
            (
                f"From $x = {xs[0]}$ to $x = {xs[1]}$ the value of $y$ changes by ${second - first}$, so the"
                f" gradient is ${raw_fraction(second - first, step)} = {gradient}$."
                if step > 1
                else (
                    f"From $x = {xs[0]}$ to $x = {xs[1]}$ the value of $y$ changes by ${second - first}$, so"
                    f" the gradient is ${gradient}$."
                )
            ),
            f"${first} = {gradient} \\times {braced(xs[0])} + c$ gives $c = {c}$.",
            f"The equation is ${result}$.",
        ),
        wrong=(
            (
                m(line_equation(gradient * step, c) if step > 1 else line_equation(gradient, first)),
                "Ignores the step in $x$" if step > 1 else "Takes the first value for the intercept",
            ),
            (m(line_equation(c, gradient)), "Swaps gradient and intercept"),
            (m(line_equation(-gradient, c)), "Has the wrong sign of the gradient"),
            (m(line_equation(gradient, -c)), "Has the wrong sign of the intercept"),
        ),
        choice=0.35,
    )


def parallel_line(d: Draw) -> Item:
    gradient, c = d.whole(-6, 6, but=(-1, 0, 1)), d.whole(-9, 9, but=(0,))
    x1, y1 = d.whole(-5, 6, but=(0,)), d.whole(-9, 9)
    new_c = y1 - gradient * x1
    d.require(new_c not in (c, 0))
    result = line_equation(gradient, new_c)
    return Item(
        ask=(
            (
                f"Find the equation of the line through ${point(x1, y1)}$ that is parallel to"
                f" ${line_equation(gradient, c)}$."
            ),
            (
                f"A line is parallel to ${line_equation(gradient, c)}$ and passes through ${point(x1, y1)}$."
                " What is its equation?"
            ),
        ),
        answer=m(result),
        steps=(
            f"Parallel lines have the same gradient, here ${gradient}$.",
            f"${y1} = {gradient} \\times {braced(x1)} + c$ gives $c = {new_c}$.",
            f"The line is ${result}$.",
        ),
        wrong=(
            (m(line_equation(gradient, y1)), "Takes the $y$-coordinate of the point for the intercept"),
            (
                m(line_equation(Fraction(-1, gradient), y1 + Fraction(x1, gradient))),
                "Finds the perpendicular line",
            ),
            (m(line_equation(-gradient, y1 + gradient * x1)), "Changes the sign of the gradient"),
            (m(line_equation(gradient, y1 + gradient * x1)), "Makes a sign error in the intercept"),
        ),
        choice=0.4,
    )


def perpendicular_gradient(d: Draw) -> Item:
    top, bottom = d.whole(-9, 9, but=(0,)), d.one_of(1, 2, 3, 4, 5, 7)
    gradient = Fraction(top, bottom)
    d.require(abs(gradient) != 1)
    result = -1 / gradient
    c = d.whole(-9, 9, but=(0,))
    return Item(
        ask=(
            (
                f"A line has the equation ${line_equation(gradient, c)}$. What is the gradient of a line"
                " perpendicular to it?"
            ),
            f"Find the gradient of every line that is perpendicular to ${line_equation(gradient, c)}$.",
            f"Lines at right angles to ${line_equation(gradient, c)}$ have the gradient ____.",
        ),
        answer=answer(result),
        steps=(
            "The gradients of perpendicular lines have the product $-1$.",
            f"$-1 \\div {braced(gradient) if gradient < 0 else tex(gradient)} = {tex(result)}$",
        ),
        wrong=(
            (answer(-gradient), "Only changes the sign"),
            (answer(1 / gradient), "Only takes the reciprocal"),
            (answer(gradient), "Gives the gradient of a parallel line"),
        ),
    )


def midpoint(d: Draw) -> Item:
    x1, y1, x2, y2 = (d.whole(-9, 12) for _ in range(4))
    d.require((x1, y1) != (x2, y2) and x1 != x2 and y1 != y2)
    mx, my = Fraction(x1 + x2, 2), Fraction(y1 + y2, 2)
    if d.chance():
        return Item(
            ask=(
                f"Find the midpoint of the segment from ${point(x1, y1)}$ to ${point(x2, y2)}$.",
                (
                    f"The points $A{point(x1, y1)}$ and $B{point(x2, y2)}$ are joined. What are the"
                    " coordinates of the midpoint?"
                ),
            ),
            answer=m(point(mx, my)),
            steps=(
                (
                    f"Means of the coordinates: ${frac(signed_sum([str(x1), tex(x2)]), 2)} = {tex(mx)}$ and "
                    f"${frac(signed_sum([str(y1), tex(y2)]), 2)} = {tex(my)}$."
                    if x1 and x2 and y1 and y2
                    else "Take the means of the coordinates."
                ),
                f"The midpoint is ${point(mx, my)}$.",
            ),
            wrong=(
                (
                    m(point(Fraction(x2 - x1, 2), Fraction(y2 - y1, 2))),
                    "Subtracts the coordinates instead of adding them",
                ),
                (m(point(x1 + x2, y1 + y2)), "Forgets to halve"),
                (m(point(my, mx)), "Swaps the coordinates"),
            ),
            choice=0.4,
        )
    d.require(mx.denominator == 1 and my.denominator == 1)
    return Item(
        ask=(
            f"$M{point(mx, my)}$ is the midpoint of $AB$, and $A$ is the point ${point(x1, y1)}$. Find $B$.",
            (
                f"The segment from $A{point(x1, y1)}$ to $B$ has the midpoint ${point(mx, my)}$. What are the"
                " coordinates of $B$?"
            ),
        ),
        effort=0.6,
        answer=m(point(x2, y2)),
        steps=(
            (
                "Go from $A$ to $M$ and the same way again:"
                f" ${signed_sum([tex(mx), tex(mx - x1)]) if mx and mx != x1 else x2}$ and"
                f" ${signed_sum([tex(my), tex(my - y1)]) if my and my != y1 else y2}$."
            ),
            f"$B$ is ${point(x2, y2)}$.",
        ),
    )


def distance(d: Draw) -> Item:
    x1, y1 = d.whole(-6, 6), d.whole(-6, 6)
    dx, dy = d.one_of(
        (3, 4),
        (5, 12),
        (6, 8),
        (8, 15),
        (1, 2),
        (2, 3),
        (2, 4),
        (3, 6),
        (1, 5),
        (4, 6),
        (2, 6),
        (5, 5),
        (3, 3),
        (4, 4),
        (7, 1),
        (9, 12),
    )
    if d.chance():
        dx, dy = dy, dx
    dx, dy = dx * d.one_of(-1, 1), dy * d.one_of(-1, 1)
    x2, y2 = x1 + dx, y1 + dy
    square = dx * dx + dy * dy
    result = surd(1, square)
    return Item(
        ask=(
            f"Find the exact distance between ${point(x1, y1)}$ and ${point(x2, y2)}$.",
            f"How far apart are the points $P{point(x1, y1)}$ and $Q{point(x2, y2)}$? Give an exact answer.",
            (
                f"Work out the length of the segment from ${point(x1, y1)}$ to ${point(x2, y2)}$. Leave surds"
                " in your answer."
            ),
            f"The exact distance between ${point(x1, y1)}$ and ${point(x2, y2)}$ is ____.",
        ),
        answer=answer(int(result)) if result.isdigit() else m(result),
        steps=(
            f"The differences are {abs(dx)} and {abs(dy)}.",
            (
                f"${root(f'{abs(dx)}^2 + {abs(dy)}^2')} ="
                f" {root(square)}{'' if result == root(square) else f' = {result}'}$"
            ),
        ),
        wrong=(
            (str(abs(dx) + abs(dy)), "Adds the differences"),
            (str(square), "Forgets the root"),
            (m(root(abs(dx) + abs(dy))), "Does not square the differences"),
            (
                m(root(abs(dx * dx - dy * dy))) if abs(dx) != abs(dy) else m(root(2 * abs(dx))),
                "Subtracts the squares",
            ),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("gradient-two-points", "Gradient and intercept", 8, -0.5, gradient_two_points),
    Pattern("gradient-from-equation", "Gradient and intercept", 9, 0.2, gradient_from_equation),
    Pattern("line-through-point", "Equation of a line", 9, 0.2, line_through_point),
    Pattern("line-from-table", "Equation of a line", 8, 0.2, line_from_table),
    Pattern("parallel-line", "Parallel and perpendicular lines", 9, 0.3, parallel_line),
    Pattern("perpendicular-gradient", "Parallel and perpendicular lines", 9, 0.2, perpendicular_gradient),
    Pattern("midpoint", "Midpoint and distance", 9, -0.5, midpoint),
    Pattern("distance", "Midpoint and distance", 9, 0.2, distance),
)
