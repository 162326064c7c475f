"""Geometry: polygons and parallel lines."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import degrees, m, poly, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, article, cap

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


def polygon_sum(d: Draw) -> Item:
    n = d.whole(5, 15)
    total = (n - 2) * 180
    name = _POLYGONS.get(n, f"polygon with {n} sides")
    if d.chance(0.6):
        return Item(
            ask=(
                f"What is the sum of the interior angles of {article(name)}?",
                f"Find the angle sum of {article(name)}.",
                (
                    f"{cap(article(name))} is cut into triangles from one corner. What do its interior angles"
                    " add up to?"
                ),
                f"The interior angles of {article(name)} add up to ____.",
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
        effort=0.4,
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
                    (
                        degrees(Fraction(180 * (n - 1), n))
                        if 180 * (n - 1) % n == 0
                        else degrees(360 - interior)
                    ),
                    (
                        "Divides the wrong angle sum by the number of sides"
                        if 180 * (n - 1) % n == 0
                        else "Gives the reflex angle"
                    ),
                ),
            ),
            choice=0.4,
        )
    given, what = (interior, "interior") if kind == 1 else (exterior, "exterior")
    return Item(
        ask=(
            (
                f"Each {what} angle of a regular polygon is {degrees(given)}. How many sides does the polygon"
                " have?"
            ),
            f"A regular polygon has {what} angles of {degrees(given)}. Find the number of its sides.",
        ),
        answer=str(n),
        steps=(
            (
                f"The exterior angle is $180^\\circ - {interior}^\\circ = {exterior}^\\circ$."
                if kind == 1
                else "The exterior angles add up to $360^\\circ$."
            ),
            f"$360^\\circ \\div {exterior}^\\circ = {n}$ sides.",
        ),
        wrong=(
            (str(n - 2), "Gives the number of triangles"),
            (str(n // 2), "Uses $180^\\circ$ instead of $360^\\circ$"),
            (str(exterior), "Gives the exterior angle"),
            (str(180 // exterior * 2 + 2), "Adds the two sides at the corner again"),
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
            (
                f"A line crosses two parallel lines. Two {relation} angles measure ${left}$ degrees and"
                f" {degrees(second)}. Find $x$."
            ),
            (
                f"Two parallel lines are cut by a third one. A pair of {relation} angles is given by ${left}$"
                f" degrees and {degrees(second)}. What is $x$?"
            ),
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
    fact = r"add up to $180^\circ$" if kind == "co-interior" else "are equal"
    tail = "." if kind == "vertically opposite" else " at the other parallel line."
    return Item(
        ask=(
            (
                f"Two parallel lines are crossed by a third line, which makes an angle of {degrees(a)} with"
                f" the first of them. How large is the {kind}"
                f" angle{' to it' if kind == 'vertically opposite' else ' at the second line'}?"
            ),
            (
                "A road crosses two parallel railway tracks. At the first track one of the angles is"
                f" {degrees(a)}. Find the {kind} angle{tail}"
                if kind != "vertically opposite"
                else (
                    f"A road crosses a straight railway track. One of the four angles is {degrees(a)}. Find"
                    " the vertically opposite angle."
                )
            ),
        ),
        answer=degrees(right),
        steps=(
            f"{kind.capitalize()} angles {fact}.",
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
    Pattern("polygon-sum", "Angles in polygons", 8, -0.5, polygon_sum),
    Pattern("regular-polygon", "Angles in polygons", 8, 0.2, regular_polygon),
    Pattern("parallel-angles", "Parallel lines", 8, 0.0, parallel_angles),
    Pattern("parallel-reasons", "Parallel lines", 7, -1.2, parallel_reasons),
)
