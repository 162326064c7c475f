"""Geometry: angles."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import degrees, m, poly, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, listing

__all__ = ["PATTERNS"]


def angles_on_a_line(d: Draw) -> Item:
    a, b = d.whole(18, 95), d.whole(15, 80)
    rest = 180 - a - b
    d.require(rest >= 12 and rest not in (a, b))
    if d.chance():
        return Item(
            ask=(
                (
                    f"Three angles lie next to each other on a straight line. Two of them are {degrees(a)}"
                    f" and {degrees(b)}. How large is the third?"
                ),
                f"Angles of {degrees(a)}, {degrees(b)} and $x$ together form a straight angle. Find $x$.",
            ),
            answer=degrees(rest),
            steps=(
                "Angles on a straight line add up to $180^\\circ$.",
                f"$180^\\circ - {a}^\\circ - {b}^\\circ = {rest}^\\circ$",
            ),
            wrong=(
                (degrees(360 - a - b), "Uses the angle sum at a point"),
                (degrees(a + b), "Gives the sum of the known angles"),
                (degrees(180 - a), "Subtracts only one of the angles"),
            ),
            choice=0.4,
        )
    return Item(
        ask=(
            f"Two straight lines cross. One of the angles is {degrees(a)}. What are the other three angles?",
            (
                f"Two straight lines meet at a point, and one of the four angles is {degrees(a)}. Give the"
                " other three."
            ),
        ),
        answer=listing([degrees(180 - a), degrees(a), degrees(180 - a)]),
        steps=(
            f"The opposite angle is also {degrees(a)}.",
            f"The neighbours make a straight angle with it: $180^\\circ - {a}^\\circ = {180 - a}^\\circ$.",
            f"The other angles are {listing([degrees(180 - a), degrees(a), degrees(180 - a)])}.",
        ),
    )


def angles_at_a_point(d: Draw) -> Item:
    k, a = d.whole(2, 5), d.whole(40, 160)
    rest = 360 - a
    d.require(rest % (k + 1) == 0)
    x = rest // (k + 1)
    b = k * x
    return Item(
        ask=(
            f"Angles of {degrees(a)}, $x$ and ${k}x$ meet at a point and leave no gap. Find $x$.",
            f"Around a point there are three angles: {degrees(a)}, $x$ and ${k}x$. How large is $x$?",
        ),
        answer=degrees(x),
        steps=(
            "Angles at a point add up to $360^\\circ$.",
            f"${k + 1}x = 360^\\circ - {a}^\\circ = {rest}^\\circ$, so $x = {x}^\\circ$.",
        ),
        wrong=(
            (
                degrees(Fraction(180 - a, k + 1)) if a < 180 and (180 - a) % (k + 1) == 0 else degrees(rest),
                (
                    "Uses the angle sum on a line"
                    if a < 180 and (180 - a) % (k + 1) == 0
                    else "Forgets the last division"
                ),
            ),
            (degrees(b), f"Gives the angle ${k}x$"),
            (
                degrees(Fraction(rest, k)) if rest % k == 0 else degrees(rest // 2),
                "Divides by the wrong number of parts",
            ),
        ),
        choice=0.35,
    )


def clock_hands(d: Draw) -> Item:
    hour, minute = d.whole(1, 12), d.one_of(0, 30, 30, 20, 40)
    hour_hand, minute_hand = Fraction(30 * (hour % 12)) + Fraction(minute, 2), 6 * minute
    gap = abs(hour_hand - minute_hand)
    value = min(gap, 360 - gap)
    d.require(0 < value < 180)
    naive = abs(30 * (hour % 12) - minute_hand)
    naive = min(naive, 360 - naive)
    shown = f"{hour}:{minute:02d}"
    return Item(
        ask=(
            f"What is the smaller angle between the hands of a clock at {shown}?",
            f"A clock shows {shown}. Find the smaller angle between the hour hand and the minute hand.",
        ),
        answer=degrees(value),
        steps=(
            f"The minute hand stands at ${minute_hand}^\\circ$ from the top.",
            f"The hour hand moves $30^\\circ$ an hour and stands at ${tex(hour_hand)}^\\circ$.",
            f"The smaller angle is {degrees(value)}.",
        ),
        wrong=(
            (degrees(naive), "Forgets that the hour hand moves on between the hours"),
            (degrees(360 - value), "Gives the larger angle"),
            (
                degrees(2 * value if 2 * value < 180 else value / 2),
                "Takes the wrong number of degrees for an hour",
            ),
            (degrees(value + 30), "Counts one hour too many"),
        ),
        choice=0.45,
    )


def third_angle(d: Draw) -> Item:
    a, b = d.whole(24, 95), d.whole(21, 80)
    rest = 180 - a - b
    d.require(rest > 12)
    p, q, r = d.one_of(("A", "B", "C"), ("P", "Q", "R"), ("X", "Y", "Z"))
    return Item(
        ask=(
            (
                f"In triangle ${p}{q}{r}$ the angle at ${p}$ is {degrees(a)} and the angle at ${q}$ is"
                f" {degrees(b)}. Find the angle at ${r}$."
            ),
            f"Two angles of a triangle are {degrees(a)} and {degrees(b)}. How large is the third one?",
            f"A triangle has angles of {degrees(a)} and {degrees(b)}. Its third angle is ____.",
        ),
        answer=degrees(rest),
        steps=(
            "The angles of a triangle add up to $180^\\circ$.",
            f"$180^\\circ - {a}^\\circ - {b}^\\circ = {rest}^\\circ$",
        ),
        wrong=(
            (degrees(a + b), "Gives the exterior angle"),
            (degrees(360 - a - b), "Uses the angle sum of a quadrilateral"),
            (degrees(rest + 10), "Makes a slip when subtracting"),
            (degrees(abs(a - b)), "Subtracts the two angles"),
        ),
        choice=0.35,
    )


def isosceles_angles(d: Draw) -> Item:
    base = d.whole(23, 78)
    apex = 180 - 2 * base
    d.require(apex > 14 and apex != base)
    from_apex = d.chance()
    given, result = (apex, base) if from_apex else (base, apex)
    mixed_up = 180 - 2 * given if from_apex else Fraction(180 - given, 2)
    d.require(mixed_up > 0 and mixed_up == int(mixed_up))
    name, asked = (
        ("between the two equal sides", "one of the base angles")
        if from_apex
        else ("at the base", "the angle at the top")
    )
    steps = (
        (
            f"The base angles are equal: $180^\\circ - {apex}^\\circ = {180 - apex}^\\circ$.",
            f"${180 - apex}^\\circ \\div 2 = {base}^\\circ$",
        )
        if from_apex
        else ("The two base angles are equal.", f"$180^\\circ - 2 \\times {base}^\\circ = {apex}^\\circ$")
    )
    return Item(
        ask=(
            f"An isosceles triangle has an angle of {degrees(given)} {name}. Find {asked}.",
            f"In an isosceles triangle the angle {name} is {degrees(given)}. How large is {asked}?",
        ),
        answer=degrees(result),
        steps=steps,
        wrong=(
            (degrees(180 - given), "Subtracts only once"),
            (degrees(given), "Takes the wrong pair of angles to be equal"),
            (degrees(mixed_up), "Mixes up the angle at the top and the base angles"),
            (degrees(abs(90 - given)), "Treats the triangle as right-angled"),
        ),
        choice=0.4,
    )


def exterior_angle(d: Draw) -> Item:
    a, k, c = d.whole(1, 3), d.whole(2, 4), d.whole(5, 40)
    x = d.whole(14, 32)
    first, second = a * x, k * x + c
    exterior = first + second
    d.require(exterior < 165 and a != k)
    return Item(
        ask=(
            (
                f"Two angles of a triangle are ${poly([a, 0])}$ and ${poly([k, c])}$ degrees. The exterior"
                f" angle at the third corner is {degrees(exterior)}. Find $x$."
            ),
            (
                f"The exterior angle at corner $C$ of triangle $ABC$ is {degrees(exterior)}. The angles at"
                f" $A$ and $B$ measure ${poly([a, 0])}$ and ${poly([k, c])}$ degrees. What is $x$?"
            ),
        ),
        answer=m(f"x = {x}"),
        steps=(
            "An exterior angle equals the sum of the two opposite interior angles.",
            f"${poly([a + k, c])} = {exterior}$, so ${a + k}x = {exterior - c}$.",
            f"$x = {x}$",
        ),
        wrong=(
            (
                m(f"x = {tex(Fraction(180 - exterior - c, a + k))}"),
                "Uses the interior angle at the third corner",
            ),
            (m(f"x = {exterior - c}"), "Forgets the last division"),
            (m(f"x = {tex(Fraction(180 - c, a + k))}"), "Sets the sum equal to $180^\\circ$"),
        ),
        choice=0.35,
    )


def angles_in_ratio(d: Draw) -> Item:
    parts = sorted(
        d.one_of(
            (1, 2, 3),
            (2, 3, 4),
            (3, 4, 5),
            (1, 3, 5),
            (1, 4, 5),
            (2, 3, 5),
            (1, 1, 4),
            (3, 5, 7),
            (4, 5, 6),
            (2, 2, 5),
            (1, 2, 6),
            (5, 6, 7),
            (2, 5, 8),
            (1, 5, 6),
            (2, 7, 9),
            (5, 7, 8),
        )
    )
    unit = 180 // sum(parts)
    d.require(180 % sum(parts) == 0)
    largest = d.chance()
    result = unit * (parts[-1] if largest else parts[0])
    d.require(largest or parts[0] != parts[1])
    shown = " : ".join(map(str, d.shuffled(parts)))
    word = "largest" if largest else "smallest"
    return Item(
        ask=(
            f"The angles of a triangle are in the ratio ${shown}$. Find the {word} angle.",
            f"How large is the {word} angle of a triangle whose angles are in the ratio ${shown}$?",
        ),
        answer=degrees(result),
        steps=(
            f"There are {sum(parts)} parts: $180^\\circ \\div {sum(parts)} = {unit}^\\circ$.",
            f"${parts[-1] if largest else parts[0]} \\times {unit}^\\circ = {result}^\\circ$",
        ),
        wrong=(
            (degrees(2 * result), "Uses $360^\\circ$ as the angle sum"),
            (degrees(unit * (parts[0] if largest else parts[-1])), "Gives the wrong one of the angles"),
            (degrees(unit), "Gives one part"),
            (degrees(unit * parts[1]), "Gives the angle in the middle"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("angles-on-a-line", "Angles on lines and at points", 6, -1.7, angles_on_a_line),
    Pattern("angles-at-a-point", "Angles on lines and at points", 7, -0.5, angles_at_a_point),
    Pattern("clock-hands", "Angles on lines and at points", 7, 0.7, clock_hands),
    Pattern("third-angle", "Angles in triangles", 6, -1.9, third_angle),
    Pattern("isosceles-angles", "Angles in triangles", 7, -0.5, isosceles_angles),
    Pattern("exterior-angle", "Angles in triangles", 8, 0.5, exterior_angle),
    Pattern("angles-in-ratio", "Angles in triangles", 8, 0.0, angles_in_ratio),
)
