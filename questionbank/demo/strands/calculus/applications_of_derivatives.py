"""Calculus: applications of derivatives."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, m, poly, prose, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.calculus.derivatives import differentiated, value_at
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def fenced_field(d: Draw) -> Item:
    side = d.whole(5, 30)
    wall = d.chance()
    material = d.one_of("fence", "wire netting", "rope barrier")
    length = 4 * side
    area = 2 * side * side if wall else side * side
    where = " against a long straight wall, which needs none on that side" if wall else ""
    expression = f"x({length} - 2x)" if wall else f"x({length // 2} - x)"
    derivative = f"{length} - 4x" if wall else f"{length // 2} - 2x"

    def shown(value: int) -> str:
        return rf"${tex(value)}\,\text{{m}}^2$"

    return Item(
        ask=(
            (
                f"A rectangular area is enclosed with {length} m of {material}{where}. What is the largest"
                " possible area?"
            ),
            f"With {length} m of {material} a farmer encloses a rectangle{where}. Find the greatest area.",
        ),
        answer=shown(area),
        steps=(
            f"With width $x$ the area is $A(x) = {expression}$.",
            f"$A'(x) = {derivative} = 0$ gives $x = {side}$.",
            (
                f"$A({side}) = {side} \\times {2 * side if wall else side} = {tex(area)}$, so the largest"
                f" area is {shown(area)}."
            ),
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
        ),
        choice=0.3,
    )


def open_box(d: Draw) -> Item:
    k = d.whole(1, 6)
    side, cut = 6 * k, k
    volume = cut * (side - 2 * cut) ** 2
    what = d.one_of("cardboard", "sheet metal", "plastic sheet")
    wants_cut = d.chance()
    question = (
        "How long must the sides of the cut squares be for the largest volume?"
        if wants_cut
        else "What is the largest possible volume?"
    )
    rewording = (
        "Find the side of these squares that makes the volume as large as possible."
        if wants_cut
        else "Find the greatest volume it can have."
    )
    return Item(
        ask=(
            f"Equal squares are cut from the corners of a square piece of {what} with sides of {side} cm, and the "
            f"edges are folded up to make an open box. {question}",
            f"An open box is folded from a square of {what}, {side} cm by {side} cm, after equal squares have been "
            f"cut from its corners. {rewording}",
        ),
        answer=f"{cut} cm" if wants_cut else rf"${tex(volume)}\,\text{{cm}}^3$",
        steps=(
            f"If squares with side $x$ are cut off, the volume is $V(x) = x({side} - 2x)^2$.",
            (
                f"$V'(x) = ({side} - 2x)({side} - 6x)$, which is 0 for $x = {cut}$ (for $x = {side // 2}$"
                " nothing is left)."
            ),
            (
                f"The side is {cut} cm."
                if wants_cut
                else (
                    rf"$V({cut}) = {cut} \times {side - 2 * cut}^2 = {tex(volume)}$, so the volume is"
                    rf" ${tex(volume)}\,\text{{cm}}^3$."
                )
            ),
        ),
        wrong=(
            (
                (f"{side // 2} cm", "Takes the solution that leaves no base"),
                (f"{decimal(Fraction(side, 4))} cm", "Halves the wrong length"),
                (f"{side // 3} cm", "Makes the box a cube"),
            )
            if wants_cut
            else (
                (
                    rf"${tex(cut * (side - cut) ** 2)}\,\text{{cm}}^3$",
                    "Subtracts only one square from each side",
                ),
                (rf"${tex((side // 3) ** 3)}\,\text{{cm}}^3$", "Makes the box a cube"),
                (rf"${tex((side - 2 * cut) ** 2)}\,\text{{cm}}^3$", "Forgets the height"),
            )
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
    question = (
        "How many bring the greatest profit?" if wants_number else "What is the greatest possible profit?"
    )
    rewording = "For which $n$ is the profit largest?" if wants_number else "Find the largest daily profit."
    return Item(
        ask=(
            f"The daily profit in pounds from making $n$ {thing} is $P(n) = {shown}$. {question}",
            f"A workshop that makes $n$ {thing} a day has a profit of $P(n) = {shown}$ pounds. {rewording}",
        ),
        answer=str(best) if wants_number else f"£{prose(top)}",
        steps=(
            f"$P'(n) = {poly([-2 * a, b], 'n')} = 0$ gives $n = {best}$.",
            (
                f"The parabola opens downwards, so this is the maximum: {best} {thing}."
                if wants_number
                else f"$P({best}) = {tex(top)}$, so the greatest profit is £{prose(top)}."
            ),
        ),
        wrong=(
            (
                (str(2 * best), "Finds where the variable part becomes 0"),
                (str(b), "Forgets to divide by the coefficient"),
                (prose(top), "Gives the profit and not the number"),
            )
            if wants_number
            else (
                (f"£{prose(top + fixed)}", "Forgets the fixed cost"),
                (f"£{prose(best)}", "Gives the number and not the profit"),
                (f"£{prose(top + 2 * fixed)}", "Adds the fixed cost instead of subtracting it"),
            )
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

    def fmt(number: int) -> str:
        return f"{number} {unit}" if number >= 0 else f"${number}$ {unit}"

    return Item(
        ask=(
            (
                "A particle moves along a line; after $t$ seconds its position in metres is $s(t) ="
                f" {shown}$. Find its {what} at $t = {t}$."
            ),
            (
                f"The position of a body after $t$ seconds is $s(t) = {shown}$ metres. What is its {what}"
                f" after {t} second{'s' if t > 1 else ''}?"
            ),
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
    p, q = sorted(d.several(2, 1, 11))
    d.require((p + q) % 2 == 0)
    coefficients = [1, -3 * (p + q) // 2, 3 * p * q, 0]
    shown = poly(coefficients, "t")
    return Item(
        ask=(
            (
                f"The position of a particle is $s(t) = {shown}$ (in metres, $t \\ge 0$ in seconds). At which"
                " times is it at rest?"
            ),
            (
                f"A toy train on a straight track has the position $s(t) = {shown}$ after $t$ seconds. When"
                " does it stand still?"
            ),
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
    Pattern("fenced-field", "Optimisation", 11, 1.4, fenced_field),
    Pattern("open-box", "Optimisation", 12, 2.0, open_box),
    Pattern("profit", "Optimisation", 11, 0.2, profit),
    Pattern("velocity-from-position", "Motion", 11, 0.0, velocity_from_position),
    Pattern("at-rest", "Motion", 12, 0.5, at_rest),
)
