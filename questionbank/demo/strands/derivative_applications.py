"""Calculus, second part: applications of derivatives."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import (
    braced,
    decimal,
    m,
    poly,
    prose,
    tex,
)
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.derivatives import differentiated, value_at
from questionbank.demo.strands.functions import line
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def tangent_line(d: Draw) -> Item:
    a, b, c, u = d.whole(-3, 4, but=(0,)), d.whole(-6, 6), d.whole(-8, 8), d.whole(-3, 4, but=(0,))
    coefficients = [a, b, c]
    height, slope = value_at(coefficients, u), value_at(differentiated(coefficients), u)
    d.require(slope not in (0,) and (b or c))
    result = line(slope, height - slope * u)
    return Item(
        ask=(
            f"Find the equation of the tangent to $y = {poly(coefficients)}$ at the point where $x = {u}$.",
            f"A line touches the curve $y = {poly(coefficients)}$ at $({u}, {height})$. What is its equation?",
        ),
        answer=m(result),
        steps=(
            f"$\\frac{{dy}}{{dx}} = {poly(differentiated(coefficients))}$, so the gradient at $x = {u}$ is ${slope}$.",
            f"The tangent passes through $({u}, {height})$: $y - {braced(height)} = {slope}({poly([1, -u])})$.",
            f"${result}$",
        ),
        wrong=(
            (m(line(slope, height)), "Takes the height of the point for the intercept"),
            (m(line(Fraction(-1, slope), height + Fraction(u, slope))), "Finds the normal"),
            (m(line(height, slope)), "Swaps gradient and height"),
            (m(line(slope, height + slope * u)), "Makes a sign error in the intercept"),
        ),
        choice=0.4,
    )


def normal_line(d: Draw) -> Item:
    a, b, c, u = d.one_of(-2, -1, 1, 2), d.whole(-5, 5), d.whole(-6, 8), d.whole(-2, 3, but=(0,))
    coefficients = [a, b, c]
    height, slope = value_at(coefficients, u), value_at(differentiated(coefficients), u)
    d.require(slope not in (0, 1, -1) and abs(slope) <= 6 and (b or c))
    gradient = Fraction(-1, slope)
    result = line(gradient, height - gradient * u)
    return Item(
        ask=(
            f"Find the equation of the normal to $y = {poly(coefficients)}$ at the point $({u}, {height})$.",
            f"Which line is perpendicular to the curve $y = {poly(coefficients)}$ at the point where $x = {u}$?",
        ),
        answer=m(result),
        steps=(
            f"The gradient of the curve at $x = {u}$ is ${slope}$, so that of the normal is ${tex(gradient)}$.",
            f"The normal passes through $({u}, {height})$.",
            f"${result}$",
        ),
        wrong=(
            (m(line(slope, height - slope * u)), "Finds the tangent"),
            (m(line(-gradient, height + gradient * u)), "Forgets the minus sign of the gradient"),
            (m(line(gradient, height)), "Takes the height of the point for the intercept"),
        ),
        choice=0.35,
    )


def given_gradient_point(d: Draw) -> Item:
    a, b, c, u = d.whole(-3, 4, but=(0,)), d.whole(-8, 8), d.whole(-8, 8), d.whole(-4, 5)
    coefficients = [a, b, c]
    slope, height = value_at(differentiated(coefficients), u), value_at(coefficients, u)
    d.require(abs(slope) < 25 and slope != 0 and (b or c))
    return Item(
        ask=(
            f"At which point of the curve $y = {poly(coefficients)}$ is the gradient ${slope}$?",
            f"A tangent to $y = {poly(coefficients)}$ is parallel to ${line(slope, d.whole(11, 19))}$. Where does it touch the curve?",
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
    other = (q, ys[1]) if wants == "maximum" else (p, ys[0])
    second = poly(differentiated(differentiated(coefficients)))
    curvature = value_at(differentiated(differentiated(coefficients)), x)
    return Item(
        ask=(
            f"Find the local {wants} of $f(x) = {poly(coefficients)}$.",
            f"The curve $y = {poly(coefficients)}$ has one local {wants}. Give its coordinates.",
        ),
        answer=m(f"({x}, {y})"),
        steps=(
            f"$f'(x) = {poly(differentiated(coefficients))} = {3 * k}{binomial(p)}{binomial(q)}$, which is 0 for $x = {p}$ and $x = {q}$.",
            f"$f''(x) = {second}$ and $f''({x}) = {curvature}$, so there is a {wants} at $x = {x}$.",
            f"The local {wants} is $({x}, {y})$.",
        ),
        wrong=(
            (m(f"({other[0]}, {other[1]})"), "Confuses maximum and minimum"),
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
    other = "<" if sign == ">" else ">"
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
            (m(f"x {other} {h}"), "Takes the wrong side"),
            (m(f"x {sign} {-h}"), "Has the wrong sign of the number"),
            (m(f"x {sign} 0"), "Takes every parabola to turn at 0"),
            (m(f"x {other} {-h}"), "Takes the wrong side and the wrong sign"),
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
            f"$y'' = {poly(differentiated(differentiated(coefficients)))}$, which changes its sign at $x = {h}$.",
            f"There $y = {y}$: the point is $({h}, {y})$.",
        ),
        wrong=(
            (m(f"({-h}, {value_at(coefficients, -h)})"), "Has the wrong sign of $x$"),
            (m(f"({h}, 0)"), "Gives the value of the second derivative"),
            (m(f"({3 * h}, {value_at(coefficients, 3 * h)})"), "Forgets a factor in the second derivative"),
        ),
        choice=0.35,
    )


def fenced_field(d: Draw) -> Item:
    side = d.whole(5, 30)
    wall = d.chance()
    material = d.one_of("fence", "wire netting", "rope barrier")
    length = 4 * side
    area = 2 * side * side if wall else side * side
    where = " against a long straight wall, which needs none on that side" if wall else ""
    expression = f"x({length} - 2x)" if wall else f"x({length // 2} - x)"
    derivative = f"{length} - 4x" if wall else f"{length // 2} - 2x"
    shown = lambda value: rf"${tex(value)}\,\text{{m}}^2$"
    return Item(
        ask=(
            f"A rectangular area is enclosed with {length} m of {material}{where}. What is the largest possible area?",
            f"With {length} m of {material} a farmer encloses a rectangle{where}. Find the greatest area.",
        ),
        answer=shown(area),
        steps=(
            f"With width $x$ the area is $A(x) = {expression}$.",
            f"$A'(x) = {derivative} = 0$ gives $x = {side}$.",
            f"$A({side}) = {side} \\times {2 * side if wall else side} = {tex(area)}$, so the largest area is {shown(area)}.",
        ),
        wrong=(
            (
                shown(side * side if wall else 2 * side * side),
                "Forgets the wall" if wall else "Counts one side too few",
            ),
            (
                shown(length * length // 9) if length * length % 9 == 0 else shown(length * side),
                "Makes all the sides used equally long",
            ),
            (shown(length * length), "Squares the whole length"),
            (shown(side * side // 2 if side % 2 == 0 else side * 3), "Makes a slip in the second side"),
        ),
        choice=0.3,
    )


def open_box(d: Draw) -> Item:
    k = d.whole(1, 6)
    side, cut = 6 * k, k
    volume = cut * (side - 2 * cut) ** 2
    what = d.one_of("cardboard", "sheet metal", "plastic sheet")
    wants_cut = d.chance()
    return Item(
        ask=(
            f"Equal squares are cut from the corners of a square piece of {what} with sides of {side} cm, and the edges are folded up to make an open box. "
            f"{'How long must the sides of the cut squares be for the largest volume?' if wants_cut else 'What is the largest possible volume?'}",
            f"An open box is folded from a square of {what}, {side} cm by {side} cm, after equal squares have been cut from its corners. "
            f"{'Find the side of these squares that makes the volume as large as possible.' if wants_cut else 'Find the greatest volume it can have.'}",
        ),
        answer=f"{cut} cm" if wants_cut else rf"${tex(volume)}\,\text{{cm}}^3$",
        steps=(
            f"If squares with side $x$ are cut off, the volume is $V(x) = x({side} - 2x)^2$.",
            f"$V'(x) = ({side} - 2x)({side} - 6x)$, which is 0 for $x = {cut}$ (for $x = {side // 2}$ nothing is left).",
            f"The side is {cut} cm."
            if wants_cut
            else rf"$V({cut}) = {cut} \times {side - 2 * cut}^2 = {tex(volume)}$, so the volume is ${tex(volume)}\,\text{{cm}}^3$.",
        ),
        wrong=(
            (f"{side // 2} cm", "Takes the solution that leaves no base"),
            (f"{decimal(Fraction(side, 4))} cm", "Halves the wrong length"),
            (f"{side // 3} cm", "Makes the box a cube"),
        )
        if wants_cut
        else (
            (rf"${tex(cut * (side - cut) ** 2)}\,\text{{cm}}^3$", "Subtracts only one square from each side"),
            (rf"${tex((side // 3) ** 3)}\,\text{{cm}}^3$", "Makes the box a cube"),
            (rf"${tex((side - 2 * cut) ** 2)}\,\text{{cm}}^3$", "Forgets the height"),
        ),
        choice=0.35,
    )


def profit(d: Draw) -> Item:
    best, a = d.whole(10, 60), d.one_of(1, 2, 3)
    fixed = d.whole(5, 60) * 10
    b = 2 * a * best
    top = a * best * best - fixed
    d.require(top > 0)
    wants_number = d.chance()
    thing = d.one_of("candles", "bags", "lamps", "bicycle helmets")
    shown = poly([-a, b, -fixed], "n")
    return Item(
        ask=(
            f"The daily profit in pounds from making $n$ {thing} is $P(n) = {shown}$. "
            f"{'How many should be made for the greatest profit?' if wants_number else 'What is the greatest possible profit?'}",
            f"A workshop that makes $n$ {thing} a day has a profit of $P(n) = {shown}$ pounds. "
            f"{'For which $n$ is the profit largest?' if wants_number else 'Find the largest daily profit.'}",
        ),
        answer=str(best) if wants_number else f"£{prose(top)}",
        steps=(
            f"$P'(n) = {poly([-2 * a, b], 'n')} = 0$ gives $n = {best}$.",
            f"The parabola opens downwards, so this is the maximum: {best} {thing}."
            if wants_number
            else f"$P({best}) = {tex(top)}$, so the greatest profit is £{prose(top)}.",
        ),
        wrong=(
            (str(2 * best), "Finds where the variable part becomes 0"),
            (str(b), "Forgets to divide by the coefficient"),
            (prose(top), "Gives the profit and not the number"),
        )
        if wants_number
        else (
            (f"£{prose(top + fixed)}", "Forgets the fixed cost"),
            (f"£{prose(best)}", "Gives the number and not the profit"),
            (f"£{prose(top + 2 * fixed)}", "Adds the fixed cost instead of subtracting it"),
        ),
        choice=0.35,
    )


def velocity_from_position(d: Draw) -> Item:
    a, b, c = d.whole(1, 3), d.whole(-9, 9, but=(0,)), d.whole(0, 12)
    t = d.whole(1, 5)
    coefficients = [a, b, c, 0]
    velocity, acceleration = (
        value_at(differentiated(coefficients), t),
        value_at(differentiated(differentiated(coefficients)), t),
    )
    wants_velocity = d.chance(0.6)
    value = velocity if wants_velocity else acceleration
    d.require(velocity != acceleration)
    unit = "m/s" if wants_velocity else r"$\text{m}/\text{s}^2$"
    what = "velocity" if wants_velocity else "acceleration"
    shown = poly(coefficients, "t")
    result = f"{value} {unit}" if value >= 0 else f"${value}$ {unit}"
    fmt = lambda number: f"{number} {unit}" if number >= 0 else f"${number}$ {unit}"
    return Item(
        ask=(
            f"A particle moves along a line; after $t$ seconds its position in metres is $s(t) = {shown}$. Find its {what} at $t = {t}$.",
            f"The position of a body after $t$ seconds is $s(t) = {shown}$ metres. What is its {what} after {t} second{'s' if t > 1 else ''}?",
        ),
        answer=result,
        steps=(
            f"$v(t) = s'(t) = {poly(differentiated(coefficients), 't')}$",
            *(
                (f"$a(t) = v'(t) = {poly(differentiated(differentiated(coefficients)), 't')}$",)
                if not wants_velocity
                else ()
            ),
            f"For $t = {t}$ the {what} is {result}.",
        ),
        wrong=(
            (
                fmt(acceleration if wants_velocity else velocity),
                "Differentiates once too often" if wants_velocity else "Differentiates only once",
            ),
            (fmt(value_at(coefficients, t)), "Gives the position"),
            (fmt(-value), "Has the wrong sign"),
        ),
        choice=0.35,
    )


def at_rest(d: Draw) -> Item:
    p, q = sorted(d.several(2, 1, 7))
    d.require((p + q) % 2 == 0)
    coefficients = [1, -3 * (p + q) // 2, 3 * p * q, 0]
    shown = poly(coefficients, "t")
    return Item(
        ask=(
            f"The position of a particle is $s(t) = {shown}$ (in metres, $t \\ge 0$ in seconds). At which times is it at rest?",
            f"A toy train on a straight track has the position $s(t) = {shown}$ after $t$ seconds. When does it stand still?",
        ),
        answer=m(rf"t = {p} \text{{ and }} t = {q}"),
        steps=(
            f"$v(t) = s'(t) = {poly(differentiated(coefficients), 't')}$",
            f"$v(t) = 3(t - {p})(t - {q})$",
            rf"The velocity is 0 for $t = {p} \text{{ and }} t = {q}$.",
        ),
        wrong=(
            (m("t = 0"), "Sets the position equal to 0"),
            (m(f"t = {(p + q) // 2}"), "Sets the acceleration equal to 0"),
            (m(rf"t = {-q} \text{{ and }} t = {-p}"), "Has the wrong signs"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("tangent-line", "Tangents and normals", 11, 0.5, tangent_line),
    Pattern("normal-line", "Tangents and normals", 11, 0.8, normal_line),
    Pattern("given-gradient-point", "Tangents and normals", 11, 0.6, given_gradient_point),
    Pattern("stationary-cubic", "Stationary points", 11, 0.8, stationary_cubic),
    Pattern("increasing-interval", "Stationary points", 11, 0.4, increasing_interval),
    Pattern("inflection", "Stationary points", 12, 0.8, inflection),
    Pattern("fenced-field", "Optimisation", 11, 1.1, fenced_field),
    Pattern("open-box", "Optimisation", 12, 1.5, open_box),
    Pattern("profit", "Optimisation", 11, 0.4, profit),
    Pattern("velocity-from-position", "Motion", 11, 0.3, velocity_from_position),
    Pattern("at-rest", "Motion", 12, 0.6, at_rest),
)
