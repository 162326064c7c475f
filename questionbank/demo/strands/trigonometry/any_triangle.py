"""Trigonometry: any triangle."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import decimal, degrees, frac, quantity, root, rounded
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.trigonometry.right_angled_triangles import EXACT_VALUES, cos, sin
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def sine_rule_side(d: Draw) -> Item:
    alpha, beta, a = d.whole(25, 80), d.whole(25, 80), d.whole(5, 30)
    d.require(alpha != beta and alpha + beta < 150)
    value = a * sin(beta) / sin(alpha)
    result = rounded(value, 1)
    return Item(
        ask=(
            (
                f"In triangle $ABC$, $A = {alpha}^\\circ$, $B = {beta}^\\circ$ and $a = {a}$ cm. Find $b$ to"
                " one decimal place."
            ),
            (
                f"A triangle has angles $A = {alpha}^\\circ$ and $B = {beta}^\\circ$. The side opposite $A$"
                f" is {a} cm long. How long is the side opposite $B$, to one decimal place?"
            ),
        ),
        answer=f"{result} cm",
        steps=(
            r"Sine rule: $\frac{b}{\sin B} = \frac{a}{\sin A}$.",
            (
                rf"$b = \frac{{{a} \sin {beta}^\circ}}{{\sin {alpha}^\circ}} \approx {result}$, so $b$ is"
                rf" {result} cm."
            ),
        ),
        wrong=(
            (f"{rounded(a * sin(alpha) / sin(beta), 1)} cm", "Swaps the two angles"),
            (f"{rounded(a * beta / alpha, 1)} cm", "Takes the sides to be proportional to the angles"),
            (f"{rounded(a * sin(180 - alpha - beta) / sin(alpha), 1)} cm", "Finds the third side"),
        ),
        choice=0.3,
    )


def sine_rule_angle(d: Draw) -> Item:
    alpha, a, b = d.whole(35, 110), d.whole(9, 30), d.whole(5, 24)
    d.require(a > b)
    ratio = b * sin(alpha) / a
    value = math.degrees(math.asin(ratio))
    d.require(value > 12)
    result = rounded(value, 1)
    return Item(
        ask=(
            (
                f"In triangle $ABC$, $A = {alpha}^\\circ$, $a = {a}$ cm and $b = {b}$ cm. Find the angle $B$"
                " to one decimal place."
            ),
            (
                f"A triangle has a side of {a} cm opposite an angle of {degrees(alpha)}, and another side of"
                f" {b} cm. How large is the angle opposite the side of {b} cm, to one decimal place?"
            ),
        ),
        answer=degrees(result),
        steps=(
            rf"Sine rule: $\sin B = \frac{{{b} \sin {alpha}^\circ}}{{{a}}} \approx {rounded(ratio, 4)}$.",
            rf"Since $b < a$, the angle is acute: $B \approx {result}^\circ$.",
        ),
        wrong=(
            (degrees(rounded(180 - alpha - value, 1)), "Finds the third angle"),
            (degrees(rounded(alpha * b / a, 1)), "Takes the sides to be proportional to the angles"),
            (degrees(rounded(180 - value, 1)), "Takes the obtuse solution, which does not fit"),
        ),
        choice=0.35,
    )


def cosine_rule_side(d: Draw) -> Item:
    b, c, alpha = d.whole(4, 24), d.whole(4, 24), d.whole(25, 140, but=(90, 60, 120))
    d.require(b != c)
    square = b * b + c * c - 2 * b * c * cos(alpha)
    value = math.sqrt(square)
    result = rounded(value, 1)
    unit, *ask = d.one_of(
        (
            "cm",
            (
                f"Two sides of a triangle are {b} cm and {c} cm long and enclose an angle of"
                f" {degrees(alpha)}. Find the third side to one decimal place."
            ),
            (
                f"In triangle $ABC$, $b = {b}$ cm, $c = {c}$ cm and $A = {alpha}^\\circ$. Find $a$ to one"
                " decimal place."
            ),
        ),
        (
            "km",
            (
                f"Two straight roads leave a village at an angle of {degrees(alpha)}. One leads to a farm {b}"
                f" km away, the other to a mill {c} km away. How far is it in a straight line from the farm"
                " to the mill, to one decimal place?"
            ),
            (
                f"From a harbour one ship has sailed {b} km and another {c} km, on courses that make an angle"
                f" of {degrees(alpha)}. How far apart are they, to one decimal place?"
            ),
        ),
    )
    return Item(
        ask=tuple(ask),
        answer=f"{result} {unit}",
        steps=(
            rf"Cosine rule: $a^2 = {b}^2 + {c}^2 - 2 \times {b} \times {c} \times \cos {alpha}^\circ "
            rf"\approx {rounded(square, 2)}$.",
            rf"$a \approx {result}$, so the length is {result} {unit}.",
        ),
        wrong=(
            (
                f"{rounded(math.sqrt(b * b + c * c), 1)} {unit}",
                "Uses Pythagoras' theorem without a right angle",
            ),
            (
                f"{rounded(math.sqrt(b * b + c * c + 2 * b * c * cos(alpha)), 1)} {unit}",
                "Has the wrong sign in the cosine rule",
            ),
            (f"{rounded(square, 1)} {unit}", "Forgets the root"),
        ),
        choice=0.35,
    )


def cosine_rule_angle(d: Draw) -> Item:
    a, b, c = d.whole(4, 20), d.whole(4, 20), d.whole(4, 20)
    d.require(a + b > c + 1 and a + c > b + 1 and b + c > a + 1 and len({a, b, c}) == 3)
    top = b * b + c * c - a * a
    value = math.degrees(math.acos(top / (2 * b * c)))
    d.require(abs(value - 90) > 3)
    result = rounded(value, 1)
    beta = math.degrees(math.acos((a * a + c * c - b * b) / (2 * a * c)))
    return Item(
        ask=(
            (
                f"The sides of a triangle are $a = {a}$ cm, $b = {b}$ cm and $c = {c}$ cm. Find the angle $A$"
                " opposite $a$, to one decimal place."
            ),
            (
                f"A triangle has sides of {a} cm, {b} cm and {c} cm. How large is the angle opposite the side"
                f" of {a} cm? Round to one decimal place."
            ),
        ),
        answer=degrees(result),
        steps=(
            rf"Cosine rule: $\cos A = {frac(f'{b}^2 + {c}^2 - {a}^2', 2 * b * c)} = {frac(top, 2 * b * c)}$.",
            rf"$A \approx {result}^\circ$",
        ),
        wrong=(
            (degrees(rounded(180 - value, 1)), "Has the wrong sign in the cosine rule"),
            (degrees(rounded(beta, 1)), "Finds the angle opposite another side"),
            (degrees(rounded(180 - value - beta, 1)), "Finds the third angle"),
        ),
        choice=0.35,
    )


def area_by_sine(d: Draw) -> Item:
    a, b, gamma = d.whole(4, 30), d.whole(4, 30), d.whole(20, 150, but=(30, 90, 150))
    value = a * b * sin(gamma) / 2
    result = rounded(value, 1)
    thing = d.one_of("triangle", "triangular field", "triangular sail", "triangular plate")
    unit = {"triangular field": "m", "triangular sail": "m"}.get(thing, "cm")

    def shown(number: float | Fraction) -> str:
        return quantity(rounded(number, 1), unit, 2)

    return Item(
        ask=(
            (
                f"Two sides of a {thing} are {a} {unit} and {b} {unit} long; the angle between them is"
                f" {degrees(gamma)}. Find the area to one decimal place."
            ),
            (
                f"A {thing} has sides of {a} {unit} and {b} {unit} that enclose an angle of {degrees(gamma)}."
                " What is its area, to one decimal place?"
            ),
        ),
        answer=quantity(result, unit, 2),
        steps=(
            r"Area: $\frac{1}{2}ab\sin C$.",
            (
                rf"$\frac{{1}}{{2}} \times {a} \times {b} \times \sin {gamma}^\circ \approx {result}$, so the"
                rf" area is {quantity(result, unit, 2)}."
            ),
        ),
        wrong=(
            (shown(2 * value), "Forgets to halve"),
            (shown(abs(a * b * cos(gamma) / 2)), "Uses the cosine instead of the sine"),
            (shown(Fraction(a * b, 2)), "Uses the formula for a right angle"),
        ),
        choice=0.4,
    )


def angle_from_area(d: Draw) -> Item:
    a, b, gamma = d.whole(3, 20), d.whole(3, 20), d.one_of(30, 30, 45, 60)
    product = Fraction(a * b, 4)
    exact = decimal(product) if gamma == 30 else scaled_root(product, 2 if gamma == 45 else 3)
    sine = EXACT_VALUES["sin", gamma]
    area = rf"${exact}\,\text{{cm}}^2$"
    return Item(
        ask=(
            (
                f"A triangle has sides of {a} cm and {b} cm and an area of {area}. The angle between the two"
                " sides is acute. How large is it?"
            ),
            (
                f"The sides $a = {a}$ cm and $b = {b}$ cm of a triangle enclose an acute angle $C$, and the"
                f" area is {area}. Find $C$."
            ),
        ),
        answer=degrees(gamma),
        steps=(
            rf"$\frac{{1}}{{2}} \times {a} \times {b} \times \sin C = {exact}$",
            rf"$\sin C = {sine}$, so $C = {gamma}^\circ$.",
        ),
        wrong=tuple(
            (
                degrees(angle),
                "Mixes up the values of the standard angles" if angle < 90 else "Takes the obtuse solution",
            )
            for angle in (60, 30, 45, 180 - gamma)
            if angle != gamma
        ),
        choice=0.4,
    )


def scaled_root(coefficient: Fraction, radicand: int) -> str:
    """Return a fraction times a root as one fraction."""
    top = root(radicand) if coefficient.numerator == 1 else f"{coefficient.numerator}{root(radicand)}"
    return top if coefficient.denominator == 1 else frac(top, coefficient.denominator)


PATTERNS = (
    Pattern("sine-rule-side", "Sine rule", 10, 0.0, sine_rule_side),
    Pattern("sine-rule-angle", "Sine rule", 10, 0.7, sine_rule_angle),
    Pattern("cosine-rule-side", "Cosine rule", 10, 0.3, cosine_rule_side),
    Pattern("cosine-rule-angle", "Cosine rule", 10, 0.8, cosine_rule_angle),
    Pattern("area-by-sine", "Area of a triangle by sine", 10, 0.0, area_by_sine),
    Pattern("angle-from-area", "Area of a triangle by sine", 11, 0.8, angle_from_area),
)
