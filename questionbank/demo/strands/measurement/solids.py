"""Measurement: solids."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import frac, pi_times, quantity, root, rounded, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def cuboid_volume(d: Draw) -> Item:
    a, b, c = d.whole(4, 30), d.whole(3, 20), d.whole(2, 15)
    d.require(len({a, b, c}) == 3)
    volume, surface = a * b * c, 2 * (a * b + a * c + b * c)
    d.require(volume < 9000 and volume != surface)
    thing = d.one_of("box", "wooden block", "cuboid", "tin", "brick")
    return Item(
        ask=(
            (
                f"A {thing} is {a} cm long, {b} cm wide and {c} cm high. What is its volume, in cubic"
                " centimetres?"
            ),
            f"Find the volume in cubic centimetres of a {thing} that measures {a} cm by {b} cm by {c} cm.",
        ),
        answer=str(volume),
        steps=(
            "Volume is length times width times height.",
            f"${a} \\times {b} \\times {c} = {volume}$ cubic centimetres.",
        ),
        wrong=(
            (str(surface), "Calculates the surface area"),
            (str(a + b + c), "Adds the lengths"),
            (str(a * b), "Multiplies only two of the lengths"),
        ),
        choice=0.35,
        equation=f"{a}*{b}*{c}",
    )


def cuboid_surface(d: Draw) -> Item:
    a, b, c = d.whole(4, 20), d.whole(3, 16), d.whole(2, 12)
    d.require(len({a, b, c}) == 3)
    surface, volume = 2 * (a * b + a * c + b * c), a * b * c
    thing = d.one_of("box", "wooden block", "cuboid", "gift", "brick")
    return Item(
        ask=(
            (
                f"A {thing} is {a} cm long, {b} cm wide and {c} cm high. What is its surface area, in square"
                " centimetres?"
            ),
            (
                f"Find the total area in square centimetres of all faces of a {thing} that measures {a} cm by"
                f" {b} cm by {c} cm."
            ),
        ),
        answer=str(surface),
        steps=(
            (
                f"Three different faces: ${a} \\times {b} = {a * b}$, ${a} \\times {c} = {a * c}$ and ${b}"
                f" \\times {c} = {b * c}$."
            ),
            f"Each occurs twice: $2 \\times ({a * b} + {a * c} + {b * c}) = {surface}$ square centimetres.",
        ),
        wrong=(
            (str(volume), "Calculates the volume"),
            (str(surface // 2), "Counts each face only once"),
            (str(4 * (a + b + c)), "Adds up the edges"),
        ),
        choice=0.35,
        equation=f"2*({a}*{b}+{a}*{c}+{b}*{c})",
    )


def prism_volume(d: Draw) -> Item:
    base, height, length = d.whole(3, 16), d.whole(3, 14), d.whole(5, 30)
    d.require(base * height % 2 == 0)
    area = base * height // 2
    volume = area * length
    thing = d.one_of("tent", "wedge of cheese", "roof space", "triangular prism", "doorstop")
    unit = {"tent": "m", "roof space": "m"}.get(thing, "cm")
    d.require(unit == "cm" or (height <= 5 and base <= 8 and length <= 12))
    return Item(
        ask=(
            (
                f"A {thing} has the shape of a prism. Its cross-section is a triangle with base {base} {unit}"
                f" and height {height} {unit}, and it is {length} {unit} long. Find its volume."
                if thing != "triangular prism"
                else (
                    f"The cross-section of a prism is a triangle with base {base} cm and height {height} cm."
                    f" The prism is {length} cm long. Find its volume."
                )
            ),
            (
                f"What is the volume of a prism of length {length} {unit} whose ends are triangles with base"
                f" {base} {unit} and height {height} {unit}?"
            ),
        ),
        answer=quantity(volume, unit, 3),
        steps=(
            f"Cross-section: ${frac(1, 2)} \\times {base} \\times {height} = {area}$.",
            f"Volume: ${area} \\times {length} = {volume}$, that is {quantity(volume, unit, 3)}.",
        ),
        wrong=(
            (quantity(2 * volume, unit, 3), "Forgets to halve the triangle"),
            (quantity(area + length, unit, 3), "Adds the length instead of multiplying"),
            (quantity(base + height + length, unit, 3), "Adds the lengths"),
        ),
        choice=0.35,
    )


def tank_filling(d: Draw) -> Item:
    a, b, c = d.whole(4, 12) * 10, d.whole(3, 8) * 10, d.whole(3, 7) * 10
    litres = Fraction(a * b * c, 1000)
    rate = d.whole(4, 20)
    d.require(litres % rate == 0)
    minutes = litres / rate
    tank = d.one_of("An aquarium", "A water trough", "A storage tank")
    return Item(
        ask=(
            (
                f"{tank} is {a} cm long, {b} cm wide and {c} cm deep. Water flows in at {rate} litres a"
                " minute. How many minutes does it take to fill?"
            ),
            (
                f"{tank} measures {a} cm by {b} cm by {c} cm. How many minutes does a tap that gives {rate}"
                " litres a minute need to fill it?"
            ),
        ),
        answer=str(minutes),
        steps=(
            (
                f"Volume: ${a} \\times {b} \\times {c} = {tex(a * b * c)}$ cubic centimetres, that is"
                f" {litres} litres."
            ),
            f"${litres} \\div {rate} = {minutes}$ minutes.",
        ),
        equation=f"{a}*{b}*{c}/1000/{rate}",
    )


def cylinder_volume(d: Draw) -> Item:
    r, h = d.whole(2, 12), d.whole(4, 25)
    d.require(r != h)
    by_diameter = d.chance(0.4)
    given = f"diameter {2 * r} cm" if by_diameter else f"radius {r} cm"
    value = math.pi * r * r * h
    result = rounded(value, 0)
    thing = d.one_of("can", "candle", "cylindrical jar", "column of wax")

    def shown(number: float) -> str:
        return quantity(int(rounded(number, 0)), "cm", 3)

    return Item(
        ask=(
            (
                f"A {thing} has {given} and height {h} cm. Find its volume to the nearest cubic centimetre."
                if thing == "cylindrical jar"
                else (
                    f"A {thing} is a cylinder with {given} and height {h} cm. Find its volume to the nearest"
                    " cubic centimetre."
                )
            ),
            (
                f"What is the volume of a cylinder with {given} and height {h} cm? Round to a whole number of"
                " cubic centimetres."
            ),
        ),
        answer=shown(value),
        steps=(
            *((f"The radius is ${2 * r} \\div 2 = {r}$.",) if by_diameter else ()),
            rf"$V = \pi r^2 h = \pi \times {r}^2 \times {h} = {r * r * h}\pi \approx {tex(int(result))}$",
            f"The volume is {shown(value)}.",
        ),
        wrong=(
            (shown(4 * value), "Uses the diameter instead of the radius"),
            (shown(2 * math.pi * r * h), "Calculates the curved surface"),
            (shown(value / 3), "Uses the formula for a cone"),
        ),
        choice=0.4,
    )


def cone_or_sphere(d: Draw) -> Item:
    cone = d.chance()
    r, h = d.whole(2, 12), d.whole(3, 18)
    coefficient = Fraction(r * r * h, 3) if cone else Fraction(4 * r**3, 3)
    d.require(coefficient.denominator == 1 or not cone)
    exact = pi_times(coefficient)
    unit = r"\,\text{cm}^3"
    given = f"a cone with radius {r} cm and height {h} cm" if cone else f"a sphere with radius {r} cm"
    steps = (
        (r"$V = \frac{1}{3}\pi r^2 h$", rf"${frac(1, 3)} \times \pi \times {r}^2 \times {h} = {exact}$")
        if cone
        else (r"$V = \frac{4}{3}\pi r^3$", rf"${frac(4, 3)} \times \pi \times {r}^3 = {exact}$")
    )
    wrong = (
        (
            (coefficient * 3, "Uses the formula for a cylinder"),
            (Fraction(2 * r * h, 3), "Doubles the radius instead of squaring it"),
            (coefficient * 4, "Takes the radius for the diameter"),
        )
        if cone
        else (
            (Fraction(4 * r * r), "Calculates the surface area"),
            (Fraction(4 * r * r, 3), "Squares the radius instead of cubing it"),
            (coefficient * 8, "Takes the radius for the diameter"),
        )
    )
    return Item(
        ask=(
            rf"Find the volume of {given}. Leave $\pi$ in your answer.",
            rf"What is the volume of {given}, in terms of $\pi$?",
        ),
        answer=f"${exact}{unit}$",
        steps=(steps[0], steps[1], f"The volume is ${exact}{unit}$."),
        wrong=tuple((f"${pi_times(value)}{unit}$", why) for value, why in wrong),
        choice=0.4,
    )


def melted_down(d: Draw) -> Item:
    r, k = d.whole(2, 6), d.one_of(2, 3)
    count = k**3
    big = r * k
    what = d.one_of("metal balls", "balls of wax", "chocolate balls", "glass balls")
    return Item(
        ask=(
            (
                f"A sphere with radius {big} cm is melted down and made into {what} with radius {r} cm. How"
                " many are there?"
            ),
            f"How many {what} of radius {r} cm can be made from one sphere of radius {big} cm?",
        ),
        answer=str(count),
        steps=(
            f"Volumes compare like the cubes of the radii: ${big} \\div {r} = {k}$.",
            f"${k}^3 = {count}$ balls.",
        ),
        wrong=(
            (str(k), "Compares the radii"),
            (str(k * k), "Compares the surfaces"),
            (str(4 * count), "Uses a wrong factor in the formula"),
        ),
        choice=0.5,
    )


def height_from_volume(d: Draw) -> Item:
    r, h = d.whole(2, 10), d.whole(4, 24)
    cone = d.chance(0.4)
    d.require(not cone or r * r * h % 3 == 0)
    coefficient = Fraction(r * r * h, 3 if cone else 1)
    solid = "cone" if cone else "cylinder"
    volume = rf"${tex(coefficient)}\pi\,\text{{cm}}^3$"
    return Item(
        ask=(
            f"A {solid} with radius {r} cm has a volume of {volume}. Find its height.",
            f"The volume of a {solid} is {volume} and its radius {r} cm. How high is it?",
        ),
        answer=f"{h} cm",
        steps=(
            (
                rf"${frac(1, 3)} \times {r}^2 \times h = {tex(coefficient)}$"
                if cone
                else f"${r}^2 \\times h = {tex(coefficient)}$"
            ),
            (
                rf"$h = 3 \times {tex(coefficient)} \div {r * r} = {h}$, so the height is {h} cm."
                if cone
                else f"$h = {tex(coefficient)} \\div {r * r} = {h}$, so the height is {h} cm."
            ),
        ),
        wrong=(
            (
                f"{h * 3 if not cone else decimal_or_round(Fraction(h, 3))} cm",
                "Uses the formula of the wrong solid",
            ),
            (f"{decimal_or_round(coefficient / r)} cm", "Forgets to square the radius"),
            (f"{decimal_or_round(coefficient / (4 * r * r))} cm", "Takes the diameter for the radius"),
        ),
        choice=0.35,
    )


def decimal_or_round(value: Fraction) -> str:
    """Return a number with at most one decimal place."""
    return rounded(value, 1).removesuffix(".0")


def cylinder_surface(d: Draw) -> Item:
    r, h = d.whole(2, 12), d.whole(3, 20)
    d.require(r != h)
    open_top = d.chance(0.4)
    coefficient = (1 if open_top else 2) * r * r + 2 * r * h
    unit = r"\,\text{cm}^2"
    thing = "An open cylindrical pot (no lid)" if open_top else "A closed cylindrical can"
    ends = f"{r}^2" if open_top else rf"2 \times {r}^2"
    return Item(
        ask=(
            rf"{thing} has radius {r} cm and height {h} cm. Find its outer surface area in terms of $\pi$.",
            (
                rf"{thing} with radius {r} cm and height {h} cm is to be painted on the outside. What area is"
                r" that? Leave $\pi$ in your answer."
            ),
        ),
        answer=rf"${coefficient}\pi{unit}$",
        steps=(
            rf"Curved surface: $2 \times \pi \times {r} \times {h} = {2 * r * h}\pi$.",
            rf"{'Base' if open_top else 'Base and top'}: ${ends} \times \pi = {coefficient - 2 * r * h}\pi$.",
            rf"Together: ${coefficient}\pi{unit}$.",
        ),
        wrong=(
            (rf"${2 * r * h}\pi{unit}$", "Forgets the circles at the ends"),
            (
                rf"${2 * r * h + (2 if open_top else 1) * r * r}\pi{unit}$",
                "Counts the wrong number of circles",
            ),
            (rf"${r * r * h}\pi{unit}$", "Calculates the volume"),
        ),
        choice=0.4,
    )


def cube_from_surface(d: Draw) -> Item:
    a = d.whole(2, 15)
    upwards = d.chance()
    if upwards:
        return Item(
            ask=(
                f"A cube has a surface area of {quantity(6 * a * a, 'cm', 2)}. What is its volume?",
                (
                    f"The faces of a cube have a total area of {quantity(6 * a * a, 'cm', 2)}. Find the"
                    " volume of the cube."
                ),
            ),
            answer=quantity(a**3, "cm", 3),
            steps=(
                f"One face: ${6 * a * a} \\div 6 = {a * a}$, so the edge is ${root(a * a)} = {a}$ cm.",
                f"Volume: ${a}^3 = {a**3}$, that is {quantity(a**3, 'cm', 3)}.",
            ),
            wrong=(
                (quantity(6 * a**3, "cm", 3), "Counts six volumes"),
                (quantity(a * a, "cm", 3), "Gives the area of a face"),
                (quantity(a * 3, "cm", 3), "Multiplies the edge by 3"),
            ),
            choice=0.35,
        )
    return Item(
        ask=(
            f"A cube has a volume of {quantity(a**3, 'cm', 3)}. What is its surface area?",
            f"Find the surface area of a cube with volume {quantity(a**3, 'cm', 3)}.",
        ),
        answer=quantity(6 * a * a, "cm", 2),
        steps=(
            f"The edge is ${root(a**3, 3)} = {a}$ cm.",
            f"Surface: $6 \\times {a}^2 = {6 * a * a}$, that is {quantity(6 * a * a, 'cm', 2)}.",
        ),
        wrong=(
            (quantity(a * a, "cm", 2), "Gives the area of one face"),
            (quantity(4 * a * a, "cm", 2), "Counts only four faces"),
            (quantity(12 * a, "cm", 2), "Adds up the edges"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("cuboid-volume", "Volume of prisms", 5, -1.2, cuboid_volume),
    Pattern("prism-volume", "Volume of prisms", 8, -0.2, prism_volume),
    Pattern("tank-filling", "Volume of prisms", 7, 0.5, tank_filling),
    Pattern("cylinder-volume", "Cylinders, cones and spheres", 8, -0.2, cylinder_volume),
    Pattern("cone-or-sphere", "Cylinders, cones and spheres", 9, 0.2, cone_or_sphere),
    Pattern("height-from-volume", "Cylinders, cones and spheres", 9, 0.7, height_from_volume),
    Pattern("melted-down", "Cylinders, cones and spheres", 10, 1.2, melted_down),
    Pattern("cuboid-surface", "Surface area", 6, -0.3, cuboid_surface),
    Pattern("cube-from-surface", "Surface area", 8, 0.3, cube_from_surface),
    Pattern("cylinder-surface", "Surface area", 9, 0.7, cylinder_surface),
)
