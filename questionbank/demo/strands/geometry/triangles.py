"""Geometry: triangles."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, root, rounded, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]

_TRIPLES = ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (9, 40, 41))


def hypotenuse(d: Draw) -> Item:
    (a, b, c), k = d.one_of(*_TRIPLES), d.one_of(1, 2, 3, 4)
    a, b, c = (a * k, b * k, c * k) if d.chance() else (b * k, a * k, c * k)
    d.require(c <= 100)
    unit = d.one_of("cm", "m", "mm")
    return Item(
        ask=(
            (
                f"The two shorter sides of a right-angled triangle are {a} {unit} and {b} {unit} long. How"
                " long is the hypotenuse?"
            ),
            f"In a right-angled triangle the legs measure {a} {unit} and {b} {unit}. Find the hypotenuse.",
            f"A rectangle is {a} {unit} long and {b} {unit} wide. Find the length of its diagonal.",
        ),
        answer=f"{c} {unit}",
        steps=(
            f"$c^2 = {a}^2 + {b}^2 = {a * a} + {b * b} = {c * c}$",
            f"$c = {root(c * c)} = {c}$, so the length is {c} {unit}.",
        ),
        wrong=(
            (f"{a + b} {unit}", "Adds the sides"),
            (f"{c * c} {unit}", "Forgets the root"),
            (f"{rounded(abs(a * a - b * b) ** 0.5, 1)} {unit}", "Subtracts the squares"),
        ),
        choice=0.35,
    )


def shorter_side(d: Draw) -> Item:
    (a, b, c), k = d.one_of(*_TRIPLES), d.one_of(1, 2, 3, 4)
    a, b, c = (a * k, b * k, c * k) if d.chance() else (b * k, a * k, c * k)
    d.require(c <= 100)
    unit = d.one_of("cm", "m", "mm")
    return Item(
        ask=(
            (
                f"The hypotenuse of a right-angled triangle is {c} {unit} long and one leg {a} {unit}. How"
                " long is the other leg?"
            ),
            (
                f"In a right-angled triangle the longest side is {c} {unit} and another side {a} {unit}. Find"
                " the third side."
            ),
            f"A rectangle with a diagonal of {c} {unit} is {a} {unit} wide. How long is it?",
        ),
        answer=f"{b} {unit}",
        steps=(
            f"$b^2 = {c}^2 - {a}^2 = {c * c} - {a * a} = {b * b}$",
            f"$b = {root(b * b)} = {b}$, so the length is {b} {unit}.",
        ),
        wrong=(
            (
                f"{rounded((c * c + a * a) ** 0.5, 1)} {unit}",
                "Adds the squares although the hypotenuse is given",
            ),
            (f"{c - a} {unit}", "Subtracts the sides"),
            (f"{b * b} {unit}", "Forgets the root"),
        ),
        choice=0.35,
    )


def ladder(d: Draw) -> Item:
    long, short = Fraction(d.whole(30, 70), 10), Fraction(d.whole(8, 24), 10)
    height = float(long * long - short * short) ** 0.5
    result = rounded(height, 2)
    story = d.one_of(
        (
            (
                f"A ladder of {decimal(long)} m leans against a wall. Its foot is {decimal(short)} m from the"
                " wall."
            ),
            "How high up does it reach?",
        ),
        (
            f"A ramp is {decimal(long)} m long and covers {decimal(short)} m on the ground.",
            "How high does it rise?",
        ),
        (
            (
                f"A wire of {decimal(long)} m runs from the top of a mast to a peg {decimal(short)} m from"
                " its foot."
            ),
            "How high is the mast?",
        ),
    )
    square = long * long - short * short
    return Item(
        ask=(
            f"{story[0]} {story[1]} Round to the nearest centimetre.",
            f"{story[0]} {story[1]} Give the answer in metres to two decimal places.",
        ),
        answer=f"{result} m",
        steps=(
            f"$h^2 = {decimal(long)}^2 - {decimal(short)}^2 = {decimal(square)}$",
            f"$h = {root(decimal(square))} \\approx {result}$, so the height is {result} m.",
        ),
        wrong=(
            (f"{rounded(float(long * long + short * short) ** 0.5, 2)} m", "Adds the squares"),
            (f"{decimal(long - short, 2)} m", "Subtracts the lengths"),
            (f"{rounded(square, 2)} m", "Forgets the root"),
        ),
        choice=0.3,
    )


def walk_back(d: Draw) -> Item:
    (a, b, c), k = d.one_of(*_TRIPLES[:4]), d.one_of(1, 2, 3)
    if d.chance():
        a, b = b, a
    a, b, c = a * k, b * k, c * k
    first, second = d.one_of(("north", "east"), ("south", "west"), ("east", "south"), ("west", "north"))
    d.require(c <= 60)
    who = d.one_of("A ship sails", "A balloon drifts", "A cyclist rides", "A drone flies")
    return Item(
        ask=(
            (
                f"{who} {a} km {first} and then {b} km {second}. How far from the starting point is it in a"
                " straight line?"
                if "cyclist" not in who
                else (
                    f"{who} {a} km {first} and then {b} km {second}. How far from the start is that in a"
                    " straight line?"
                )
            ),
            (
                f"{who} {a} km due {first}, turns and goes {b} km due {second}. Find the direct distance back"
                " to the start."
            ),
        ),
        answer=f"{c} km",
        steps=(
            "The two legs of the way are at right angles.",
            f"${root(f'{a}^2 + {b}^2')} = {root(c * c)} = {c}$, so the distance is {c} km.",
        ),
        wrong=(
            (f"{a + b} km", "Adds the two distances"),
            (f"{abs(a - b)} km", "Subtracts the two distances"),
            (f"{c * c} km", "Forgets the root"),
        ),
        choice=0.35,
    )


def similar_side(d: Draw) -> Item:
    k = d.one_of(Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(3), Fraction(4, 3), Fraction(5, 4))
    a, b = d.whole(4, 24), d.whole(4, 24)
    d.require(a != b and (k * a).denominator == 1 and (k * b).denominator == 1)
    big_a, big_b = int(k * a), int(k * b)
    upwards = d.chance()
    shown = (a, big_a, b, big_b) if upwards else (big_a, a, big_b, b)
    ab, pq, bc, result = shown
    d.require(bc + pq - ab > 0)
    factor = Fraction(pq, ab)
    return Item(
        ask=(
            (
                f"Triangles $ABC$ and $PQR$ are similar. $AB = {ab}$ cm corresponds to $PQ = {pq}$ cm, and"
                f" $BC = {bc}$ cm. Find $QR$."
            ),
            (
                f"Two similar triangles have corresponding sides $AB = {ab}$ cm and $PQ = {pq}$ cm. If $BC"
                f" = {bc}$ cm, how long is $QR$?"
            ),
        ),
        answer=f"{result} cm",
        steps=(
            f"The scale factor is ${pq} \\div {ab} = {tex(factor)}$.",
            f"$QR = {tex(factor)} \\times {bc} = {result}$, so $QR$ is {result} cm long.",
        ),
        wrong=(
            (f"{bc + pq - ab} cm", "Adds the difference instead of multiplying by the scale factor"),
            (f"{rounded(bc / factor, 1).removesuffix('.0')} cm", "Divides by the scale factor"),
            (
                f"{rounded(Fraction(bc) * factor * factor, 1).removesuffix('.0')} cm",
                "Squares the scale factor",
            ),
            (f"{bc} cm", "Believes that the sides are equal"),
        ),
        choice=0.4,
    )


def shadow_height(d: Draw) -> Item:
    stick, k = Fraction(d.whole(8, 20), 10), d.whole(4, 15)
    shadow = Fraction(d.whole(6, 24), 10)
    tall, long = stick * k, shadow * k
    d.require(stick != shadow and 4 <= tall <= 30)
    thing = d.one_of("tree", "flagpole", "church tower", "lamp post", "statue")
    d.require((thing == "church tower") == (tall > 14))
    return Item(
        ask=(
            (
                f"A stick of {decimal(stick)} m casts a shadow of {decimal(shadow)} m. At the same time the"
                f" shadow of a {thing} is {decimal(long)} m long. How many metres high is the {thing}?"
            ),
            (
                f"The shadow of a {thing} is {decimal(long)} m long when a post of {decimal(stick)} m has a"
                f" shadow of {decimal(shadow)} m. Find the height of the {thing} in metres."
            ),
        ),
        answer=decimal(tall),
        steps=(
            f"The triangles are similar; the factor is ${decimal(long)} \\div {decimal(shadow)} = {k}$.",
            f"${k} \\times {decimal(stick)} = {decimal(tall)}$, so it is {decimal(tall)} m high.",
        ),
        equation=f"{decimal(long)}/{decimal(shadow)}*{decimal(stick)}",
    )


def area_scale(d: Draw) -> Item:
    k, solid = d.whole(2, 5), d.chance(0.4)
    size = d.whole(3, 25)
    exponent = 3 if solid else 2
    result = size * k**exponent
    shape = (
        d.one_of("cone", "pyramid", "vase", "bottle")
        if solid
        else d.one_of("triangle", "rectangle", "hexagon", "logo")
    )
    what = "volume" if solid else "area"

    def unit(value: int) -> str:
        return rf"${tex(value)}\,\text{{cm}}^{exponent}$"

    return Item(
        ask=(
            (
                f"A {shape} with {what} {unit(size)} is enlarged with scale factor {k}. What is the {what} of"
                " the image?"
            ),
            (
                f"All lengths of a {shape} are multiplied by {k}. The {what} was {unit(size)}. Find the new"
                f" {what}."
            ),
        ),
        answer=unit(result),
        steps=(
            f"With scale factor {k} the {what} is multiplied by ${k}^{exponent} = {k**exponent}$.",
            f"${size} \\times {k**exponent} = {tex(result)}$, so the {what} is {unit(result)}.",
        ),
        wrong=(
            (unit(size * k), f"Multiplies the {what} by the scale factor of the lengths"),
            (unit(size * k ** (5 - exponent)), f"Uses the power for the {'area' if solid else 'volume'}"),
            (unit(size * k * exponent), f"Multiplies by {exponent} times the scale factor"),
            (unit(size + k), "Adds the scale factor"),
        ),
        choice=0.5,
    )


PATTERNS = (
    Pattern("hypotenuse", "Pythagoras' theorem", 8, -1.0, hypotenuse),
    Pattern("shorter-side", "Pythagoras' theorem", 8, -0.2, shorter_side),
    Pattern("ladder", "Pythagoras' theorem", 9, 0.0, ladder),
    Pattern("walk-back", "Pythagoras' theorem", 8, -0.3, walk_back),
    Pattern("similar-side", "Similar shapes", 9, -0.3, similar_side),
    Pattern("shadow-height", "Similar shapes", 8, 0.0, shadow_height),
    Pattern("area-scale", "Similar shapes", 9, 1.0, area_scale),
)
