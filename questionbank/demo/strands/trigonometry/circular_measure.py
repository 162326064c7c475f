"""Trigonometry: circular measure."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, degrees, frac, m, pi_times, quantity, rounded
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def degrees_and_radians(d: Draw) -> Item:
    angle = d.one_of(
        15,
        18,
        20,
        24,
        30,
        36,
        40,
        45,
        50,
        54,
        60,
        70,
        72,
        75,
        80,
        100,
        105,
        108,
        120,
        135,
        140,
        144,
        150,
        160,
        200,
        210,
        225,
        240,
        250,
        270,
        280,
        300,
        315,
        320,
        330,
    )
    exact = pi_times(Fraction(angle, 180))
    if d.chance():
        return Item(
            ask=(
                rf"Convert {degrees(angle)} to radians, in terms of $\pi$.",
                rf"Write {degrees(angle)} in radian measure as a multiple of $\pi$.",
                f"In radians, {degrees(angle)} is ____.",
            ),
            answer=m(exact),
            steps=(r"$\pi$ radians are $180^\circ$.", rf"${frac(angle, 180)} \times \pi = {exact}$"),
            wrong=(
                (m(pi_times(Fraction(angle, 360))), r"Takes a full turn for $\pi$"),
                (m(pi_times(Fraction(angle, 90))), r"Takes a right angle for $\pi$"),
                (m(pi_times(Fraction(180, angle))), "Divides the wrong way round"),
            ),
            choice=0.4,
        )
    return Item(
        ask=(
            f"Convert ${exact}$ radians to degrees.",
            f"How many degrees are ${exact}$ radians?",
        ),
        answer=degrees(angle),
        steps=(
            r"$\pi$ radians are $180^\circ$.",
            f"Replacing $\\pi$ by $180^\\circ$ gives {degrees(angle)}.",
        ),
        wrong=(
            (degrees(2 * angle), r"Takes $\pi$ for a full turn"),
            (degrees(Fraction(angle, 2)), r"Takes $\pi$ for a right angle"),
            (degrees(abs(180 - angle)), "Gives the supplementary angle"),
        ),
        choice=0.4,
    )


def arc_and_sector(d: Draw) -> Item:
    r, theta = d.whole(3, 25), Fraction(d.whole(3, 28, but=(10,)), 10)
    area = d.chance()
    value = r * r * theta / 2 if area else r * theta
    unit = (
        (lambda amount: quantity(decimal(amount), "cm", 2))
        if area
        else (lambda amount: f"{decimal(amount)} cm")
    )
    return Item(
        ask=(
            (
                f"A sector of a circle with radius {r} cm has an angle of {decimal(theta)} radians. Find"
                f" {'its area' if area else 'the length of its arc'}."
            ),
            (
                f"What is the {'area of a sector' if area else 'length of an arc'} with radius {r} cm and"
                f" angle {decimal(theta)} radians?"
            ),
        ),
        answer=unit(value),
        steps=(
            r"Area of a sector: $\frac{1}{2}r^2\theta$." if area else r"Length of an arc: $r\theta$.",
            (
                rf"${frac(1, 2)} \times {r}^2 \times {decimal(theta)} = {decimal(value)}$, so the area is"
                rf" {unit(value)}."
                if area
                else rf"${r} \times {decimal(theta)} = {decimal(value)}$, so the arc is {unit(value)} long."
            ),
        ),
        wrong=(
            (
                unit(r * theta if area else r * r * theta / 2),
                f"Uses the formula for the {'arc' if area else 'area'}",
            ),
            (unit(value * 2), "Forgets the factor one half" if area else "Takes the diameter for the radius"),
            (
                unit(r + theta if not area else r * theta / 2),
                "Adds instead of multiplying" if not area else "Forgets to square the radius",
            ),
        ),
        choice=0.35,
    )


def angle_from_arc(d: Draw) -> Item:
    r, theta = d.whole(4, 20), Fraction(d.whole(3, 28, but=(10,)), 10)
    arc = r * theta
    return Item(
        ask=(
            (
                f"An arc of a circle with radius {r} cm is {decimal(arc)} cm long. What is the angle at the"
                " centre, in radians?"
            ),
            (
                f"Find the angle in radians that belongs to an arc of {decimal(arc)} cm on a circle of radius"
                f" {r} cm."
            ),
        ),
        answer=f"{decimal(theta)} radians",
        steps=(
            r"$s = r\theta$",
            rf"$\theta = {decimal(arc)} \div {r} = {decimal(theta)}$, that is {decimal(theta)} radians.",
        ),
        wrong=(
            (f"{rounded(1 / theta, 2)} radians", "Divides the wrong way round"),
            (f"{decimal(arc * r)} radians", "Multiplies instead of dividing"),
            (f"{decimal(theta / 2)} radians", "Takes the diameter for the radius"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("degrees-and-radians", "Radians and arcs", 11, -0.8, degrees_and_radians),
    Pattern("arc-and-sector", "Radians and arcs", 11, -0.3, arc_and_sector),
    Pattern("angle-from-arc", "Radians and arcs", 11, -0.2, angle_from_arc),
)
