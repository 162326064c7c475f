"""Functions and graphs, first part: functions and straight lines."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import (
    answer,
    braced,
    frac,
    m,
    plus,
    poly,
    power,
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


def line(gradient: int | Fraction, intercept: int | Fraction) -> str:
    """Return ``y = mx + c``."""
    return f"y = {poly([gradient, intercept])}"


def point(x: int | Fraction, y: int | Fraction) -> str:
    """Return ``(x, y)``."""
    return f"({tex(x)}, {tex(y)})"


def function_value(d: Draw) -> Item:
    f = d.one_of("f", "g", "h")
    a, b, c, u = (
        d.whole(-4, 5, but=(0,)),
        d.whole(-7, 7),
        d.whole(-9, 9, but=(0,)),
        d.whole(-5, 5, but=(0, 1)),
    )
    value = a * u * u + b * u + c
    shown = poly([a, b, c])
    put_in = signed_sum(
        [term(a, power(u, 2)) if abs(a) == 1 else f"{a} \\times {power(u, 2)}", tex(b * u), tex(c)]
    )
    return Item(
        ask=(
            f"The function ${f}$ is given by ${f}(x) = {shown}$. Find ${f}({u})$.",
            f"Let ${f}(x) = {shown}$. What is the value of ${f}({u})$?",
            f"If ${f}(x) = {shown}$, then ${f}({u}) =$ ____.",
        ),
        answer=answer(value),
        steps=(
            f"Put $x = {u}$: ${put_in}$.",
            f"${f}({u}) = {signed_sum([tex(a * u * u), tex(b * u), tex(c)])} = {value}$",
        ),
        wrong=(
            (answer((a * u) ** 2 + b * u + c), "Squares the coefficient too"),
            (answer(-a * u * u + b * u + c), "Makes a sign error with the square"),
            (answer(a * u * u - b * u + c), "Makes a sign error in the middle term"),
            (answer(2 * a * u + b * u + c), "Doubles instead of squaring"),
        ),
        choice=0.35,
    )


def composition(d: Draw) -> Item:
    a, b = d.whole(2, 6), d.whole(-7, 7, but=(0,))
    c, u = d.whole(-6, 6, but=(0,)), d.whole(-4, 5, but=(0,))
    f, g = poly([a, b]), poly([1, 0, c])
    outer_f = d.chance()
    inside = u * u + c if outer_f else a * u + b
    value = a * inside + b if outer_f else inside**2 + c
    other = (a * u + b) ** 2 + c if outer_f else a * (u * u + c) + b
    name = "f(g" if outer_f else "g(f"
    first = "g" if outer_f else "f"
    return Item(
        ask=(
            f"Let $f(x) = {f}$ and $g(x) = {g}$. Find ${name}({u}))$.",
            f"For $f(x) = {f}$ and $g(x) = {g}$, work out ${name}({u}))$.",
        ),
        answer=answer(value),
        steps=(
            f"The inner function first: ${first}({u}) = {inside}$.",
            f"Then ${name}({u})) = {name[0]}({inside}) = {value}$.",
        ),
        wrong=(
            (answer(other), "Applies the functions in the wrong order"),
            (answer((a * u + b) * (u * u + c)), "Multiplies the two values"),
            (answer(a * u + b + u * u + c), "Adds the two values"),
            (answer(inside), "Stops after the inner function"),
        ),
        choice=0.4,
    )


def composite_expression(d: Draw) -> Item:
    a, b, c, e = d.whole(2, 6), d.whole(-9, 9, but=(0,)), d.whole(2, 6), d.whole(-9, 9, but=(0,))
    d.require((a, b) != (c, e))
    f, g = poly([a, b]), poly([c, e])
    result, swapped = poly([a * c, a * e + b]), poly([a * c, c * b + e])
    return Item(
        ask=(
            f"Given $f(x) = {f}$ and $g(x) = {g}$, find $f(g(x))$ in its simplest form.",
            f"The functions $f(x) = {f}$ and $g(x) = {g}$ are composed. Simplify $f(g(x))$.",
        ),
        answer=m(result),
        steps=(f"$f(g(x)) = {a}({g}) {plus(b)}$", f"$f(g(x)) = {result}$"),
        wrong=(
            (m(swapped), "Applies the functions in the wrong order"),
            (m(poly([a * c, a * e + b * c, b * e])), "Multiplies the functions"),
            (m(poly([a * c, e + b])), "Multiplies only the first term in the bracket"),
            (m(poly([a + c, b + e])), "Adds the functions"),
        ),
        choice=0.4,
    )


def inverse_linear(d: Draw) -> Item:
    a, b = d.whole(2, 9), d.whole(-12, 12, but=(0,))
    f = poly([a, b])
    result = frac(poly([1, -b]), a)
    return Item(
        ask=(
            f"Find the inverse function $f^{{-1}}(x)$ of $f(x) = {f}$.",
            f"The function $f(x) = {f}$ has an inverse. Write down $f^{{-1}}(x)$.",
            f"Which function undoes $f(x) = {f}$?",
        ),
        answer=m(result),
        steps=(
            f"Solve $y = {f}$ for $x$: ${a}x = y {plus(-b)}$.",
            f"So $x = {frac(poly([1, -b], 'y'), a)}$ and $f^{{-1}}(x) = {result}$.",
        ),
        wrong=(
            (m(frac(1, f)), "Takes the reciprocal instead of the inverse function"),
            (m(frac(poly([1, b]), a)), "Does not change the sign of the number"),
            (m(f"{frac('x', a)} {plus(-b)}"), "Undoes the steps in the wrong order"),
            (m(poly([-a, -b])), "Changes all signs"),
        ),
        choice=0.4,
    )


def inverse_value(d: Draw) -> Item:
    kind = d.whole(0, 2)
    u = d.whole(1, 6)
    a, b = d.whole(2, 5), d.whole(-8, 8, but=(0,))
    if kind == 0:
        f, value = poly([a, 0, 0, b]), a * u**3 + b
        equation, last = f"{poly([a, 0, 0, b])} = {value}", f"x^3 = {u**3}"
        domain = ""
    elif kind == 1:
        f, value = root(poly([a, abs(b)])), u + 3
        equation, last = f"{f} = {value}", f"{poly([a, abs(b)])} = {value * value}"
        d.require((value * value - abs(b)) % a == 0 and value * value > abs(b))
        u = (value * value - abs(b)) // a
        domain = ""
    else:
        f, value = poly([1, 0, b]), u * u + b
        equation, last = f"{f} = {value}", f"x^2 = {u * u}"
        domain = r" for $x \ge 0$"
    return Item(
        ask=(
            f"Let $f(x) = {f}${domain}. Find $f^{{-1}}({value})$.",
            f"The function $f$ with $f(x) = {f}${domain} has an inverse. What is $f^{{-1}}({value})$?",
        ),
        answer=str(u),
        steps=(f"Solve ${equation}$.", f"${last}$, so $f^{{-1}}({value}) = {u}$."),
    )


def gradient_two_points(d: Draw) -> Item:
    x1, x2 = d.several(2, -7, 8)
    y1, y2 = d.several(2, -9, 9)
    value = Fraction(y2 - y1, x2 - x1)
    d.require(abs(value) != 1 and value.denominator <= 5)
    return Item(
        ask=(
            f"Find the gradient of the line through ${point(x1, y1)}$ and ${point(x2, y2)}$.",
            f"What is the slope of the line that passes through the points ${point(x1, y1)}$ and ${point(x2, y2)}$?",
            f"A straight line joins $A{point(x1, y1)}$ and $B{point(x2, y2)}$. Work out its gradient.",
        ),
        answer=answer(value),
        steps=(
            f"Gradient: ${frac(f'{y2} - {braced(y1)}', f'{x2} - {braced(x1)}')} = {raw_fraction(y2 - y1, x2 - x1)}$.",
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
    """Return a quotient as it comes out of a subtraction, its sign in front."""
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
            f"${line(gradient, intercept)}$, so the {what} is ${tex(result)}$.",
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
    result = line(gradient, c)
    return Item(
        ask=(
            f"Find the equation of the line with gradient ${tex(gradient)}$ through ${point(x1, y1)}$. Give it in the form "
            "$y = mx + c$.",
            f"A line has gradient ${tex(gradient)}$ and passes through the point ${point(x1, y1)}$. Write down its equation.",
        ),
        answer=m(result),
        steps=(
            f"$y = {term(gradient, 'x')} + c$ with $x = {x1}$ and $y = {tex(y1)}$: ${tex(y1)} = {tex(gradient * x1)} + c$.",
            f"$c = {c}$, so the line is ${result}$.",
        ),
        wrong=(
            (m(line(gradient, y1)), "Takes the $y$-coordinate of the point for the intercept"),
            (m(line(gradient, gradient * x1 + y1)), "Adds instead of subtracting"),
            (m(line(gradient, y1 * gradient - x1)), "Swaps the coordinates of the point"),
            (m(line(-gradient, c)), "Has the wrong sign of the gradient"),
        ),
        choice=0.4,
    )


def line_from_table(d: Draw) -> Item:
    gradient, c = d.whole(-5, 6, but=(0, 1)), d.whole(-8, 9, but=(0,))
    start, step = d.whole(-2, 2), d.whole(1, 3)
    xs = [start + step * i for i in range(4)]
    d.require(0 not in xs)
    shown = table(["x", *xs], ["y", *(gradient * x + c for x in xs)])
    result = line(gradient, c)
    first, second = gradient * xs[0] + c, gradient * xs[1] + c
    return Item(
        ask=(
            f"The table shows points of a straight line. Find its equation.\n$${shown}$$",
            f"All points of this table lie on one line. What is its equation?\n$${shown}$$",
        ),
        answer=m(result),
        steps=(
            f"From $x = {xs[0]}$ to $x = {xs[1]}$ the value of $y$ changes by ${second - first}$, so the gradient is "
            f"${raw_fraction(second - first, step)} = {gradient}$."
            if step > 1
            else f"From $x = {xs[0]}$ to $x = {xs[1]}$ the value of $y$ changes by ${second - first}$, so the gradient is "
            f"${gradient}$.",
            f"${first} = {gradient} \\times {braced(xs[0])} + c$ gives $c = {c}$.",
            f"The equation is ${result}$.",
        ),
        wrong=(
            (
                m(line(gradient * step, c) if step > 1 else line(gradient, first)),
                "Ignores the step in $x$" if step > 1 else "Takes the first value for the intercept",
            ),
            (m(line(c, gradient)), "Swaps gradient and intercept"),
            (m(line(-gradient, c)), "Has the wrong sign of the gradient"),
            (m(line(gradient, -c)), "Has the wrong sign of the intercept"),
        ),
        choice=0.35,
    )


def parallel_line(d: Draw) -> Item:
    gradient, c = d.whole(-6, 6, but=(-1, 0, 1)), d.whole(-9, 9, but=(0,))
    x1, y1 = d.whole(-5, 6, but=(0,)), d.whole(-9, 9)
    new_c = y1 - gradient * x1
    d.require(new_c not in (c, 0))
    result = line(gradient, new_c)
    return Item(
        ask=(
            f"Find the equation of the line through ${point(x1, y1)}$ that is parallel to ${line(gradient, c)}$.",
            f"A line is parallel to ${line(gradient, c)}$ and passes through ${point(x1, y1)}$. What is its equation?",
        ),
        answer=m(result),
        steps=(
            f"Parallel lines have the same gradient, here ${gradient}$.",
            f"${y1} = {gradient} \\times {braced(x1)} + c$ gives $c = {new_c}$.",
            f"The line is ${result}$.",
        ),
        wrong=(
            (m(line(gradient, y1)), "Takes the $y$-coordinate of the point for the intercept"),
            (m(line(Fraction(-1, gradient), y1 + Fraction(x1, gradient))), "Finds the perpendicular line"),
            (m(line(-gradient, y1 + gradient * x1)), "Changes the sign of the gradient"),
            (m(line(gradient, y1 + gradient * x1)), "Makes a sign error in the intercept"),
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
            f"A line has the equation ${line(gradient, c)}$. What is the gradient of a line perpendicular to it?",
            f"Find the gradient of every line that is perpendicular to ${line(gradient, c)}$.",
            f"Lines at right angles to ${line(gradient, c)}$ have the gradient ____.",
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
                f"The points $A{point(x1, y1)}$ and $B{point(x2, y2)}$ are joined. What are the coordinates of the midpoint?",
            ),
            answer=m(point(mx, my)),
            steps=(
                f"Means of the coordinates: ${frac(signed_sum([str(x1), tex(x2)]), 2)} = {tex(mx)}$ and "
                f"${frac(signed_sum([str(y1), tex(y2)]), 2)} = {tex(my)}$."
                if x1 and x2 and y1 and y2
                else "Take the means of the coordinates.",
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
            f"The segment from $A{point(x1, y1)}$ to $B$ has the midpoint ${point(mx, my)}$. What are the coordinates of $B$?",
        ),
        answer=m(point(x2, y2)),
        steps=(
            f"Go from $A$ to $M$ and the same way again: ${signed_sum([tex(mx), tex(mx - x1)]) if mx and mx != x1 else x2}$ and "
            f"${signed_sum([tex(my), tex(my - y1)]) if my and my != y1 else y2}$.",
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
            f"Work out the length of the segment from ${point(x1, y1)}$ to ${point(x2, y2)}$. Leave surds in your answer.",
        ),
        answer=answer(int(result)) if result.isdigit() else m(result),
        steps=(
            f"The differences are {abs(dx)} and {abs(dy)}.",
            f"${root(f'{abs(dx)}^2 + {abs(dy)}^2')} = {root(square)}$"
            + (f"$ = {result}$" if result != root(square) else ""),
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
    Pattern("function-value", "Function values and composition", 9, -0.3, function_value),
    Pattern("composition", "Function values and composition", 10, 0.3, composition),
    Pattern("composite-expression", "Function values and composition", 10, 0.6, composite_expression),
    Pattern("inverse-linear", "Inverse functions", 10, 0.4, inverse_linear),
    Pattern("inverse-value", "Inverse functions", 10, 0.7, inverse_value),
    Pattern("gradient-two-points", "Gradient and intercept", 8, 0.0, gradient_two_points),
    Pattern("gradient-from-equation", "Gradient and intercept", 9, 0.4, gradient_from_equation),
    Pattern("line-through-point", "Equation of a line", 9, 0.4, line_through_point),
    Pattern("line-from-table", "Equation of a line", 8, 0.4, line_from_table),
    Pattern("parallel-line", "Parallel and perpendicular lines", 9, 0.5, parallel_line),
    Pattern("perpendicular-gradient", "Parallel and perpendicular lines", 9, 0.4, perpendicular_gradient),
    Pattern("midpoint", "Midpoint and distance", 9, 0.0, midpoint),
    Pattern("distance", "Midpoint and distance", 9, 0.4, distance),
)
