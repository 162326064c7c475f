"""Geometry, first part: angles."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import m, poly, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, article, cap, listing

__all__ = ["PATTERNS"]

_POLYGONS = {
    5: "pentagon",
    6: "hexagon",
    7: "heptagon",
    8: "octagon",
    9: "nonagon",
    10: "decagon",
    12: "dodecagon",
}


def degrees(value: int | Fraction | str) -> str:
    """Return an angle as a formula."""
    return f"${tex(value)}^\\circ$"


def angles_on_a_line(d: Draw) -> Item:
    a, b = d.whole(18, 95), d.whole(15, 80)
    rest = 180 - a - b
    d.require(rest >= 12 and rest not in (a, b))
    if d.chance():
        return Item(
            ask=(
                f"Three angles lie next to each other on a straight line. Two of them are {degrees(a)} and {degrees(b)}. How "
                "large is the third?",
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
            f"Two straight lines meet at a point, and one of the four angles is {degrees(a)}. Give the other three.",
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
                "Uses the angle sum on a line"
                if a < 180 and (180 - a) % (k + 1) == 0
                else "Forgets the last division",
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
                degrees(value / 2 if (value / 2).denominator == 1 else value + 15),
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
            f"In triangle ${p}{q}{r}$ the angle at ${p}$ is {degrees(a)} and the angle at ${q}$ is {degrees(b)}. Find the angle "
            f"at ${r}$.",
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
    name, other = (
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
            f"An isosceles triangle has an angle of {degrees(given)} {name}. Find {other}.",
            f"In an isosceles triangle the angle {name} is {degrees(given)}. How large is {other}?",
        ),
        answer=degrees(result),
        steps=steps,
        wrong=(
            (degrees(180 - given), "Subtracts only once"),
            (degrees(given), "Takes the wrong pair of angles to be equal"),
            (
                degrees(180 - 2 * given)
                if from_apex and given < 90
                else degrees(Fraction(180 - given, 2))
                if (180 - given) % 2 == 0
                else degrees(90 - given if given < 90 else given - 90),
                "Mixes up the angle at the top and the base angles",
            ),
            (degrees(90 - given if given < 90 else given - 45), "Treats the triangle as right-angled"),
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
            f"Two angles of a triangle are ${poly([a, 0])}$ and ${poly([k, c])}$ degrees. The exterior angle at the third corner "
            f"is {degrees(exterior)}. Find $x$.",
            f"The exterior angle at corner $C$ of triangle $ABC$ is {degrees(exterior)}. The angles at $A$ and $B$ measure "
            f"${poly([a, 0])}$ and ${poly([k, c])}$ degrees. What is $x$?",
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


def polygon_sum(d: Draw) -> Item:
    n = d.whole(5, 15)
    total = (n - 2) * 180
    name = _POLYGONS.get(n, f"polygon with {n} sides")
    if d.chance(0.6):
        return Item(
            ask=(
                f"What is the sum of the interior angles of {article(name)}?",
                f"Find the angle sum of {article(name)}.",
                f"{cap(article(name))} is cut into triangles from one corner. What do its interior angles add up to?",
            ),
            answer=degrees(total),
            steps=(
                f"It can be cut into ${n} - 2 = {n - 2}$ triangles.",
                f"${n - 2} \\times 180^\\circ = {total}^\\circ$",
            ),
            wrong=(
                (degrees(n * 180), "Takes as many triangles as sides"),
                (degrees((n - 1) * 180), "Takes one triangle too many"),
                (degrees(360), "Gives the sum of the exterior angles"),
            ),
            choice=0.4,
        )
    return Item(
        ask=(
            f"The interior angles of a polygon add up to {degrees(total)}. How many sides does it have?",
            f"A polygon has an angle sum of {degrees(total)}. Find the number of its sides.",
        ),
        answer=str(n),
        steps=(f"$(n - 2) \\times 180^\\circ = {total}^\\circ$, so $n - 2 = {n - 2}$.", f"$n = {n}$"),
        wrong=(
            (str(n - 2), "Gives the number of triangles"),
            (str(n + 2), "Subtracts instead of adding 2"),
            (str(total // 90), "Divides by $90^\\circ$"),
        ),
        choice=0.4,
    )


def regular_polygon(d: Draw) -> Item:
    n = d.one_of(5, 6, 8, 9, 10, 12, 15, 18, 20, 24, 30, 36)
    exterior = 360 // n
    interior = 180 - exterior
    kind = d.whole(0, 2)
    if kind == 0:
        name = f"regular {_POLYGONS[n]}" if n in _POLYGONS else f"regular polygon with {n} sides"
        return Item(
            ask=(
                f"How large is each interior angle of a {name}?",
                f"Find the size of an interior angle of a {name}.",
            ),
            answer=degrees(interior),
            steps=(
                f"Each exterior angle is $360^\\circ \\div {n} = {exterior}^\\circ$.",
                f"$180^\\circ - {exterior}^\\circ = {interior}^\\circ$",
            ),
            wrong=(
                (degrees(exterior), "Gives the exterior angle"),
                (degrees(180 * (n - 2)), "Gives the sum of all interior angles"),
                (
                    degrees(Fraction(180 * (n - 1), n))
                    if 180 * (n - 1) % n == 0
                    else degrees(360 - interior),
                    "Divides the wrong angle sum by the number of sides"
                    if 180 * (n - 1) % n == 0
                    else "Gives the reflex angle",
                ),
            ),
            choice=0.4,
        )
    given, what = (interior, "interior") if kind == 1 else (exterior, "exterior")
    return Item(
        ask=(
            f"Each {what} angle of a regular polygon is {degrees(given)}. How many sides does the polygon have?",
            f"A regular polygon has {what} angles of {degrees(given)}. Find the number of its sides.",
        ),
        answer=str(n),
        steps=(
            f"The exterior angle is $180^\\circ - {interior}^\\circ = {exterior}^\\circ$."
            if kind == 1
            else "The exterior angles add up to $360^\\circ$.",
            f"$360^\\circ \\div {exterior}^\\circ = {n}$ sides.",
        ),
        wrong=(
            (str(n - 2), "Gives the number of triangles"),
            (str(n // 2), "Uses $180^\\circ$ instead of $360^\\circ$"),
            (str(exterior), "Gives the exterior angle"),
            (str(n + 2), "Adds 2 without reason"),
        ),
        choice=0.4,
    )


def parallel_angles(d: Draw) -> Item:
    a, c = d.whole(2, 6), d.whole(-20, 25, but=(0,))
    x = d.whole(12, 28)
    first = a * x + c
    relation = d.one_of("corresponding", "alternate", "co-interior")
    equal = relation != "co-interior"
    second = first if equal else 180 - first
    d.require(25 <= first <= 155 and first != 90 and second >= 15)
    reason = (
        f"{relation.capitalize()} angles at parallel lines are equal."
        if equal
        else "Co-interior angles at parallel lines add up to $180^\\circ$."
    )
    left = poly([a, c])
    return Item(
        ask=(
            f"A line crosses two parallel lines. Two {relation} angles measure ${left}$ degrees and {degrees(second)}. Find $x$.",
            f"Two parallel lines are cut by a third one. A pair of {relation} angles is given by ${left}$ degrees and "
            f"{degrees(second)}. What is $x$?",
        ),
        answer=m(f"x = {x}"),
        steps=(
            reason,
            f"${left} = {second}$" if equal else f"${left} + {second} = 180$",
            f"${a}x = {first - c}$, so $x = {x}$.",
        ),
        wrong=(
            (
                m(f"x = {tex(Fraction(180 - second - c, a) if equal else Fraction(second - c, a))}"),
                "Takes the angles to add up to $180^\\circ$" if equal else "Takes the angles to be equal",
            ),
            (m(f"x = {first - c}"), "Forgets the last division"),
            (m(f"x = {tex(Fraction(first + c, a))}"), "Moves the number without changing its sign"),
            (m(f"x = {first}"), "Gives the angle and not $x$"),
        ),
        choice=0.4,
    )


def parallel_reasons(d: Draw) -> Item:
    a = d.whole(28, 152, but=(90,))
    kind, right = d.one_of(
        ("corresponding", a), ("alternate", a), ("co-interior", 180 - a), ("vertically opposite", a)
    )
    tail = "." if kind == "vertically opposite" else " at the other parallel line."
    return Item(
        ask=(
            f"Two parallel lines are crossed by a third line, which makes an angle of {degrees(a)} with the first of them. How "
            f"large is the {kind} angle{' to it' if kind == 'vertically opposite' else ' at the second line'}?",
            f"A road crosses two parallel railway tracks. At the first track one of the angles is {degrees(a)}. Find the "
            f"{kind} angle{tail}"
            if kind != "vertically opposite"
            else f"A road crosses a straight railway track. One of the four angles is {degrees(a)}. Find the vertically opposite "
            "angle.",
        ),
        answer=degrees(right),
        steps=(
            f"{kind.capitalize()} angles {'add up to $180^' + chr(92) + 'circ$' if kind == 'co-interior' else 'are equal'}.",
            f"The angle is {degrees(right)}.",
        ),
        wrong=(
            (degrees(180 - right), "Confuses equal angles with angles that add up to $180^\\circ$"),
            (degrees(360 - a), "Gives the reflex angle"),
            (degrees(abs(90 - a)), "Takes the angles to add up to $90^\\circ$"),
        ),
        choice=0.5,
    )


PATTERNS = (
    Pattern("angles-on-a-line", "Angles on lines and at points", 6, -0.7, angles_on_a_line),
    Pattern("angles-at-a-point", "Angles on lines and at points", 7, 0.0, angles_at_a_point),
    Pattern("clock-hands", "Angles on lines and at points", 7, 0.7, clock_hands),
    Pattern("third-angle", "Angles in triangles", 6, -0.8, third_angle),
    Pattern("isosceles-angles", "Angles in triangles", 7, 0.0, isosceles_angles),
    Pattern("exterior-angle", "Angles in triangles", 8, 0.6, exterior_angle),
    Pattern("angles-in-ratio", "Angles in triangles", 8, 0.3, angles_in_ratio),
    Pattern("polygon-sum", "Angles in polygons", 8, 0.0, polygon_sum),
    Pattern("regular-polygon", "Angles in polygons", 8, 0.4, regular_polygon),
    Pattern("parallel-angles", "Parallel lines", 8, 0.3, parallel_angles),
    Pattern("parallel-reasons", "Parallel lines", 7, -0.4, parallel_reasons),
)
