"""Measurement: perimeter and area.

Perimeters and areas are asked for in the same rectangles.
"""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import decimal, frac, pi_times, prose, quantity, rounded, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]

_PLOTS = (
    ("garden", "m"),
    ("playground", "m"),
    ("car park", "m"),
    ("paddock", "m"),
    ("picture", "cm"),
    ("mirror", "cm"),
)


def fence_round(d: Draw) -> Item:
    a, b = d.several(2, 6, 45)
    a, b = max(a, b), min(a, b)
    plot, unit = d.one_of(*_PLOTS)
    result = 2 * (a + b)
    metres = "metres" if unit == "m" else "centimetres"
    edge = {
        "garden": "fence",
        "playground": "fence",
        "car park": "kerb",
        "paddock": "fence",
        "picture": "frame",
        "mirror": "frame",
    }[plot]
    return Item(
        ask=(
            (
                f"A rectangular {plot} is {a} {unit} long and {b} {unit} wide. What is its perimeter, in"
                f" {metres}?"
            ),
            (
                f"A rectangular {plot} measures {a} {unit} by {b} {unit}. How many {metres} of {edge} go all"
                " the way round it?"
            ),
        ),
        answer=str(result),
        steps=(
            f"There are two sides of each length: $2 \\times ({a} + {b}) = {result}$.",
            f"The perimeter is {result} {unit}.",
        ),
        wrong=(
            (str(a * b), "Calculates the area"),
            (str(a + b), "Counts only two of the sides"),
            (str(2 * a + b), "Counts only three of the sides"),
        ),
        choice=0.35,
        equation=f"2*({a}+{b})",
    )


def side_from_perimeter(d: Draw) -> Item:
    a, b = d.several(2, 5, 40)
    perimeter = 2 * (a + b)
    plot, unit = d.one_of(*_PLOTS)
    metres = "metres" if unit == "m" else "centimetres"
    return Item(
        ask=(
            (
                f"The perimeter of a rectangular {plot} is {perimeter} {unit}. It is {a} {unit}"
                f" {'long' if a > b else 'wide'}. How {'wide' if a > b else 'long'} is it, in {metres}?"
            ),
            (
                f"A rectangular {plot} with a side of {a} {unit} has a perimeter of {perimeter} {unit}. Find"
                f" the other side in {unit}."
            ),
        ),
        answer=str(b),
        steps=(
            f"Half of the perimeter is one length and one width: ${perimeter} \\div 2 = {a + b}$.",
            f"${a + b} - {a} = {b}$, so the other side is {b} {unit}.",
        ),
        wrong=(
            (str(perimeter - a), "Subtracts the side only once"),
            (str(perimeter - 2 * a), "Forgets to halve"),
            (
                (
                    decimal(Fraction(perimeter, a), None)
                    if Fraction(perimeter * 10, a).denominator == 1
                    else str(perimeter // a)
                ),
                "Divides as if the area were given",
            ),
        ),
        choice=0.3,
        equation=f"{perimeter}/2-{a}",
    )


def l_shape(d: Draw) -> Item:
    a, b = d.whole(9, 20), d.whole(8, 18)
    c, e = d.whole(2, 6), d.whole(2, 6)
    d.require(a - c > 2 and b - e > 2 and a != b)
    area = a * b - c * e
    wants_area = d.chance(0.6)
    opening = (
        f"A rectangle of {a} cm by {b} cm has a smaller rectangle of {c} cm by {e} cm cut out of one corner."
    )
    if wants_area:
        return Item(
            ask=(
                f"{opening} What is the area of the L-shape that is left?",
                f"{opening} Find the remaining area.",
            ),
            answer=quantity(area, "cm", 2),
            steps=(
                f"Whole rectangle: ${a} \\times {b} = {a * b}$. Cut out: ${c} \\times {e} = {c * e}$.",
                f"${a * b} - {c * e} = {area}$, so the area is {quantity(area, 'cm', 2)}.",
            ),
            wrong=(
                (quantity(a * b + c * e, "cm", 2), "Adds the piece that was cut out"),
                (quantity(a * b, "cm", 2), "Ignores the missing corner"),
                (quantity((a - c) * (b - e), "cm", 2), "Subtracts the lengths before multiplying"),
            ),
            choice=0.4,
        )
    perimeter = 2 * (a + b)
    return Item(
        ask=(
            f"{opening} What is the perimeter of the L-shape that is left?",
            f"{opening} How long is the edge of the remaining shape all the way round?",
        ),
        answer=f"{perimeter} cm",
        steps=(
            "The two new edges are as long as the parts of the old edges that were removed.",
            f"So the perimeter is still $2 \\times ({a} + {b}) = {perimeter}$, that is {perimeter} cm.",
        ),
        wrong=(
            (f"{perimeter - 2 * (c + e)} cm", "Subtracts the perimeter of the piece that was cut out"),
            (f"{perimeter - c - e} cm", "Subtracts the removed edges and forgets the new ones"),
            (f"{perimeter + c + e} cm", "Adds the new edges and forgets the removed ones"),
        ),
        choice=0.5,
    )


def lawn_area(d: Draw) -> Item:
    a, b = d.several(2, 6, 45)
    a, b = max(a, b), min(a, b)
    plot, unit = d.one_of(*_PLOTS)
    square = "square metres" if unit == "m" else "square centimetres"
    return Item(
        ask=(
            f"A rectangular {plot} is {a} {unit} long and {b} {unit} wide. What is its area, in {square}?",
            f"A rectangular {plot} measures {a} {unit} by {b} {unit}. How many {square} does it cover?",
        ),
        answer=str(a * b),
        steps=("The area of a rectangle is length times width.", f"${a} \\times {b} = {a * b}$ {square}."),
        wrong=(
            (str(2 * (a + b)), "Calculates the perimeter"),
            (str(a + b), "Adds the sides"),
            (
                str(a * b // 2 if a * b % 2 == 0 else a * b * 2),
                "Uses the formula for a triangle" if a * b % 2 == 0 else "Doubles the area",
            ),
        ),
        choice=0.35,
        equation=f"{a}*{b}",
    )


def tiles_needed(d: Draw) -> Item:
    tile = d.one_of(20, 25, 40, 50)
    across, along = d.whole(8, 24), d.whole(8, 24)
    a, b = Fraction(tile * across, 100), Fraction(tile * along, 100)
    d.require(a != b and a.denominator <= 2 and b.denominator <= 2)
    place = d.one_of("kitchen floor", "bathroom wall", "terrace", "hallway")
    return Item(
        ask=(
            (
                f"A {place} measures {decimal(a)} m by {decimal(b)} m. It is covered with square tiles whose"
                f" sides are {tile} cm long. How many tiles are needed?"
            ),
            (
                f"Square tiles of side {tile} cm are laid on a {place} of {decimal(a)} m by {decimal(b)} m."
                " How many tiles does it take?"
            ),
        ),
        answer=str(across * along),
        steps=(
            (
                f"Along one side: {decimal(a * 100)} cm, that is ${decimal(a * 100)} \\div {tile} = {across}$"
                " tiles."
            ),
            f"Along the other side: ${decimal(b * 100)} \\div {tile} = {along}$ tiles.",
            f"${across} \\times {along} = {across * along}$ tiles.",
        ),
    )


def triangle_area(d: Draw) -> Item:
    base, height = d.whole(5, 30), d.whole(4, 24)
    d.require(base * height % 2 == 0 and base != height)
    area, slant = base * height // 2, height + d.whole(1, 4)
    unit = d.one_of("cm", "m")
    return Item(
        ask=(
            f"A triangle has a base of {base} {unit} and a height of {height} {unit}. Find its area.",
            (
                f"The side $AB$ of a triangle is {base} {unit} long, and the height on it is {height} {unit}."
                " What is the area?"
            ),
            (
                f"In a triangle with base {base} {unit} another side is {slant} {unit} long and the height on"
                f" the base is {height} {unit}. What is its area?"
            ),
        ),
        answer=quantity(area, unit, 2),
        steps=(
            f"Area: ${frac(1, 2)} \\times {base} \\times {height} = {area}$.",
            f"The area is {quantity(area, unit, 2)}.",
        ),
        wrong=(
            (quantity(base * height, unit, 2), "Forgets to halve"),
            (quantity(base + height, unit, 2), "Adds base and height"),
            (quantity(2 * (base + height), unit, 2), "Calculates the perimeter of a rectangle"),
        ),
        choice=0.4,
    )


def trapezium_area(d: Draw) -> Item:
    a, c = d.several(2, 4, 24)
    height = d.whole(3, 16)
    d.require((a + c) * height % 2 == 0)
    area = (a + c) * height // 2
    a, c = max(a, c), min(a, c)
    wants_height = d.chance(0.3)
    if wants_height:
        return Item(
            ask=(
                (
                    f"A trapezium with parallel sides of {a} cm and {c} cm has an area of"
                    f" {quantity(area, 'cm', 2)}. Find its height."
                ),
                (
                    f"The parallel sides of a trapezium measure {a} cm and {c} cm. Its area is"
                    f" {quantity(area, 'cm', 2)}. How high is it?"
                ),
            ),
            answer=f"{height} cm",
            steps=(
                f"${frac(1, 2)} \\times ({a} + {c}) \\times h = {area}$",
                f"$h = 2 \\times {area} \\div {a + c} = {height}$, so the height is {height} cm.",
            ),
        )
    return Item(
        ask=(
            (
                f"The parallel sides of a trapezium are {a} cm and {c} cm long and {height} cm apart. What is"
                " its area?"
            ),
            f"Find the area of a trapezium with parallel sides {a} cm and {c} cm and height {height} cm.",
        ),
        answer=quantity(area, "cm", 2),
        steps=(
            f"Area: ${frac(1, 2)} \\times ({a} + {c}) \\times {height}$.",
            (
                f"${frac(1, 2)} \\times {a + c} \\times {height} = {area}$, so the area is"
                f" {quantity(area, 'cm', 2)}."
            ),
        ),
        wrong=(
            (quantity((a + c) * height, "cm", 2), "Forgets to halve"),
            (quantity(a * height, "cm", 2), "Uses only one of the parallel sides"),
            (quantity(a * c * height, "cm", 2), "Multiplies all three lengths"),
        ),
        choice=0.4,
    )


def circle_measure(d: Draw) -> Item:
    r = d.whole(3, 24)
    area, by_diameter = d.chance(), d.chance(0.4)
    given = f"a diameter of {2 * r} cm" if by_diameter else f"a radius of {r} cm"
    value = math.pi * r * r if area else 2 * math.pi * r
    result = rounded(value, 1)
    exact = rf"{r * r if area else 2 * r}\pi"
    unit = (lambda number: quantity(number, "cm", 2)) if area else (lambda number: f"{number} cm")
    what = "area" if area else "circumference"
    wrong = [
        (
            rounded(2 * math.pi * r if area else math.pi * r * r, 1),
            f"Uses the formula for the {'circumference' if area else 'area'}",
        ),
        (rounded(math.pi * 4 * r * r if area else math.pi * r, 1), "Confuses radius and diameter"),
        (
            rounded(math.pi * 2 * r * 2 if area else 4 * math.pi * r, 1),
            "Doubles where one must square" if area else "Takes the diameter for the radius",
        ),
    ]
    return Item(
        ask=(
            f"A circle has {given}. Find its {what}, to one decimal place.",
            f"What is the {what} of a circle with {given}? Round to one decimal place.",
        ),
        answer=unit(result),
        steps=(
            *((f"The radius is ${2 * r} \\div 2 = {r}$.",) if by_diameter else ()),
            (
                rf"${r}^2 \times \pi = {exact} \approx {result}$"
                if area
                else rf"$2 \times \pi \times {r} = {exact} \approx {result}$"
            ),
            f"The {what} is {unit(result)}.",
        ),
        wrong=tuple((unit(number), why) for number, why in wrong),
        choice=0.4,
    )


def wheel_turns(d: Draw) -> Item:
    diameter, turns = d.one_of(28, 35, 42, 56, 63, 70), d.whole(4, 40) * 25
    metres = math.pi * diameter * turns / 100
    result = rounded(metres, 0)
    vehicle = d.one_of("bicycle", "scooter", "wheelbarrow", "pushchair")
    d.require(vehicle in {"bicycle", "wheelbarrow"} or diameter < 50)
    return Item(
        ask=(
            (
                f"A wheel of a {vehicle} has a diameter of {diameter} cm. How far does it roll in {turns}"
                " turns, to the nearest metre?"
            ),
            (
                f"The wheels of a {vehicle} are {diameter} cm across. What distance do {turns} turns make, to"
                " the nearest metre?"
            ),
        ),
        answer=f"{prose(int(result))} m",
        steps=(
            rf"One turn: $\pi \times {diameter} \approx {rounded(math.pi * diameter, 2)}$ cm.",
            (
                f"{turns} turns: about {rounded(math.pi * diameter * turns, 0)} cm, that is"
                f" {prose(int(result))} m."
                if math.pi * diameter * turns < 10_000
                else (
                    f"{turns} turns: about {prose(int(rounded(math.pi * diameter * turns, 0)))} cm, that is"
                    f" {prose(int(result))} m."
                )
            ),
        ),
    )


def sector(d: Draw) -> Item:
    r, angle = d.whole(3, 18), d.one_of(30, 40, 45, 60, 72, 80, 90, 120, 135, 150, 240, 270)
    share = Fraction(angle, 360)
    area = d.chance()
    coefficient = share * r * r if area else share * 2 * r
    d.require(coefficient.denominator <= 4)
    exact = pi_times(coefficient)
    unit = r"\,\text{cm}^2" if area else r"\,\text{cm}"
    slip = share * 2 * r if area else share * r * r
    return Item(
        ask=(
            rf"A sector of a circle has radius {r} cm and angle ${angle}^\circ$. Find"
            rf" {'its area' if area else 'the length of its arc'} in terms of "
            r"$\pi$.",
            rf"A circle of radius {r} cm is cut along two radii that enclose ${angle}^\circ$. What is the"
            rf" {'area of the sector' if area else 'length of the arc'}? "
            r"Leave $\pi$ in your answer.",
        ),
        answer=f"${exact}{unit}$",
        steps=(
            f"The sector is ${frac(angle, 360)} = {tex(share)}$ of the circle.",
            (
                rf"${tex(share)} \times \pi \times {r}^2 = {exact}$"
                if area
                else rf"${tex(share)} \times 2\pi \times {r} = {exact}$"
            ),
            f"The {'area' if area else 'arc'} is ${exact}{unit}$.",
        ),
        wrong=(
            (f"${pi_times(slip)}{unit}$", f"Uses the formula for the {'circumference' if area else 'area'}"),
            (f"${pi_times(coefficient * 2)}{unit}$", "Takes a full turn to be $180^\\circ$"),
            (f"${pi_times(Fraction(r * r) if area else Fraction(2 * r))}{unit}$", "Takes the whole circle"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("fence-round", "Perimeter", 4, -1.5, fence_round),
    Pattern("side-from-perimeter", "Perimeter", 5, 0.0, side_from_perimeter),
    Pattern("lawn-area", "Area of rectangles", 4, -1.5, lawn_area),
    Pattern("l-shape", "Area of rectangles", 6, 0.2, l_shape),
    Pattern("tiles-needed", "Area of rectangles", 6, 0.7, tiles_needed),
    Pattern("triangle-area", "Area of triangles and quadrilaterals", 6, -0.8, triangle_area),
    Pattern("trapezium-area", "Area of triangles and quadrilaterals", 7, 0.0, trapezium_area),
    Pattern("circle-measure", "Circumference and area of circles", 7, -0.3, circle_measure),
    Pattern("wheel-turns", "Circumference and area of circles", 8, 0.5, wheel_turns),
    Pattern("sector", "Circumference and area of circles", 10, 0.3, sector),
)
