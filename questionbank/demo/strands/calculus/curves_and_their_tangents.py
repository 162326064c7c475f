"""Calculus: curves and their tangents."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import braced, line_equation, m, poly, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.calculus.derivatives import differentiated, value_at
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def tangent_line(d: Draw) -> Item:
    a, b, c, u = d.whole(-3, 4, but=(0,)), d.whole(-6, 6), d.whole(-8, 8), d.whole(-3, 4, but=(0,))
    coefficients = [a, b, c]
    height, slope = value_at(coefficients, u), value_at(differentiated(coefficients), u)
    d.require(slope not in (0,) and (b or c))
    result = line_equation(slope, height - slope * u)
    return Item(
        ask=(
            f"Find the equation of the tangent to $y = {poly(coefficients)}$ at the point where $x = {u}$.",
            (
                f"A line touches the curve $y = {poly(coefficients)}$ at $({u}, {height})$. What is its"
                " equation?"
            ),
        ),
        answer=m(result),
        steps=(
            (
                f"$\\frac{{dy}}{{dx}} = {poly(differentiated(coefficients))}$, so the gradient at $x = {u}$"
                f" is ${slope}$."
            ),
            (
                f"The tangent passes through $({u}, {height})$: $y - {braced(height)} ="
                f" {slope}({poly([1, -u])})$."
            ),
            f"${result}$",
        ),
        wrong=(
            (m(line_equation(slope, height)), "Takes the height of the point for the intercept"),
            (m(line_equation(Fraction(-1, slope), height + Fraction(u, slope))), "Finds the normal"),
            (m(line_equation(height, slope)), "Swaps gradient and height"),
            (m(line_equation(slope, height + slope * u)), "Makes a sign error in the intercept"),
        ),
        choice=0.4,
    )


def normal_line(d: Draw) -> Item:
    a, b, c, u = d.one_of(-2, -1, 1, 2), d.whole(-5, 5), d.whole(-6, 8), d.whole(-2, 3, but=(0,))
    coefficients = [a, b, c]
    height, slope = value_at(coefficients, u), value_at(differentiated(coefficients), u)
    d.require(slope not in (0, 1, -1) and abs(slope) <= 6 and (b or c))
    gradient = Fraction(-1, slope)
    result = line_equation(gradient, height - gradient * u)
    return Item(
        ask=(
            f"Find the equation of the normal to $y = {poly(coefficients)}$ at the point $({u}, {height})$.",
            (
                f"Which line is perpendicular to the curve $y = {poly(coefficients)}$ at the point where $x ="
                f" {u}$?"
            ),
        ),
        answer=m(result),
        steps=(
            (
                f"The gradient of the curve at $x = {u}$ is ${slope}$, so that of the normal is"
                f" ${tex(gradient)}$."
            ),
            f"The normal passes through $({u}, {height})$.",
            f"${result}$",
        ),
        wrong=(
            (m(line_equation(slope, height - slope * u)), "Finds the tangent"),
            (m(line_equation(-gradient, height + gradient * u)), "Forgets the minus sign of the gradient"),
            (m(line_equation(gradient, height)), "Takes the height of the point for the intercept"),
        ),
        choice=0.35,
    )


def given_gradient_point(d: Draw) -> Item:
    a, b, c, u = d.whole(-3, 4, but=(0,)), d.whole(-8, 8), d.whole(-8, 8), d.whole(-4, 5)
    coefficients = [a, b, c]
    slope, height = value_at(differentiated(coefficients), u), value_at(coefficients, u)
    shift = d.whole(11, 19)
    d.require(abs(slope) < 25 and slope != 0 and (b or c) and shift != height - slope * u)
    return Item(
        ask=(
            f"At which point of the curve $y = {poly(coefficients)}$ is the gradient ${slope}$?",
            (
                f"A tangent to $y = {poly(coefficients)}$ is parallel to ${line_equation(slope, shift)}$."
                " Where does it touch the curve?"
            ),
        ),
        answer=m(f"({u}, {height})"),
        steps=(
            f"${poly(differentiated(coefficients))} = {slope}$ gives $x = {u}$.",
            f"There $y = {height}$, so the point is $({u}, {height})$.",
        ),
        wrong=(
            (m(f"({u}, {slope})"), "Takes the gradient for the second coordinate"),
            (m(f"({-u}, {value_at(coefficients, -u)})"), "Has the wrong sign of $x$"),
            (m(f"({height}, {u})"), "Swaps the coordinates"),
            (m(f"({u}, 0)"), "Takes the point to lie on the $x$-axis"),
        ),
        choice=0.35,
    )


def stationary_cubic(d: Draw) -> Item:
    p, q = sorted(d.several(2, -4, 5))
    d.require((p + q) % 2 == 0)
    k = d.one_of(1, 1, 2)
    # f' = 3k (x - p)(x - q)
    c = d.whole(-9, 9)
    coefficients = [k, -3 * k * (p + q) // 2, 3 * k * p * q, c]
    ys = value_at(coefficients, p), value_at(coefficients, q)
    d.require(max(map(abs, ys)) < 120)
    wants = d.one_of("maximum", "minimum")
    x, y = (p, ys[0]) if wants == "maximum" else (q, ys[1])
    opposite = (q, ys[1]) if wants == "maximum" else (p, ys[0])
    second = poly(differentiated(differentiated(coefficients)))
    curvature = value_at(differentiated(differentiated(coefficients)), x)
    return Item(
        ask=(
            f"Find the local {wants} of $f(x) = {poly(coefficients)}$.",
            f"The curve $y = {poly(coefficients)}$ has one local {wants}. Give its coordinates.",
        ),
        answer=m(f"({x}, {y})"),
        steps=(
            (
                f"$f'(x) = {poly(differentiated(coefficients))} = {3 * k}{binomial(p)}{binomial(q)}$, which"
                f" is 0 for $x = {p}$ and $x = {q}$."
            ),
            f"$f''(x) = {second}$ and $f''({x}) = {curvature}$, so there is a {wants} at $x = {x}$.",
            f"The local {wants} is $({x}, {y})$.",
        ),
        wrong=(
            (m(f"({opposite[0]}, {opposite[1]})"), "Confuses maximum and minimum"),
            (m(f"({x}, 0)"), "Gives the value of the derivative"),
            (
                m(f"({-x}, {value_at(coefficients, -x)})") if x else m(f"({y}, {x})"),
                "Has the wrong sign of $x$" if x else "Swaps the coordinates",
            ),
            (m(f"({x}, {curvature})"), "Gives the value of the second derivative"),
        ),
        choice=0.35,
    )


def binomial(value: int) -> str:
    """Return the factor that vanishes at `value`."""
    return "x" if value == 0 else f"({poly([1, -value])})"


def increasing_interval(d: Draw) -> Item:
    a, h, k = d.one_of(-2, -1, 1, 2, 3), d.whole(-5, 6, but=(0,)), d.whole(-9, 9)
    coefficients = [a, -2 * a * h, a * h * h + k]
    grows = d.chance()
    sign = ">" if (a > 0) == grows else "<"
    what = "increasing" if grows else "decreasing"
    opposite = "<" if sign == ">" else ">"
    return Item(
        ask=(
            f"For which $x$ is the function $f(x) = {poly(coefficients)}$ {what}?",
            f"On which side of its vertex is $f(x) = {poly(coefficients)}$ {what}? Give a condition on $x$.",
        ),
        answer=m(f"x {sign} {h}"),
        steps=(
            f"$f'(x) = {poly(differentiated(coefficients))}$",
            f"The function is {what} where $f'(x) {'>' if grows else '<'} 0$, that is for $x {sign} {h}$.",
        ),
        wrong=(
            (m(f"x {opposite} {h}"), "Takes the wrong side"),
            (m(f"x {sign} {-h}"), "Has the wrong sign of the number"),
            (m(f"x {sign} 0"), "Takes every parabola to turn at 0"),
            (m(f"x {opposite} {-h}"), "Takes the wrong side and the wrong sign"),
        ),
        choice=0.4,
    )


def inflection(d: Draw) -> Item:
    a, h = d.one_of(1, 1, 2), d.whole(-4, 4, but=(0,))
    b, c, e = -3 * a * h, d.whole(-9, 9), d.whole(-9, 9)
    coefficients = [a, b, c, e]
    y = value_at(coefficients, h)
    d.require(abs(y) < 100)
    return Item(
        ask=(
            f"Find the point of inflection of the curve $y = {poly(coefficients)}$.",
            f"At which point does $f(x) = {poly(coefficients)}$ change from one curvature to the other?",
        ),
        answer=m(f"({h}, {y})"),
        steps=(
            (
                f"$y'' = {poly(differentiated(differentiated(coefficients)))}$, which changes its sign at $x"
                f" = {h}$."
            ),
            f"There $y = {y}$: the point is $({h}, {y})$.",
        ),
        wrong=(
            (m(f"({-h}, {value_at(coefficients, -h)})"), "Has the wrong sign of $x$"),
            (m(f"({h}, 0)"), "Gives the value of the second derivative"),
            (m(f"({3 * h}, {value_at(coefficients, 3 * h)})"), "Forgets a factor in the second derivative"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("tangent-line", "Tangents and normals", 11, 0.3, tangent_line),
    Pattern("normal-line", "Tangents and normals", 11, 0.8, normal_line),
    Pattern("given-gradient-point", "Tangents and normals", 11, 0.5, given_gradient_point),
    Pattern("stationary-cubic", "Stationary points", 11, 0.8, stationary_cubic),
    Pattern("increasing-interval", "Stationary points", 11, 0.2, increasing_interval),
    Pattern("inflection", "Stationary points", 12, 0.8, inflection),
)
