"""Geometry: circles."""

from __future__ import annotations

from questionbank.demo.notation import degrees, m, plus, poly, root
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def circle_theorem(d: Draw) -> Item:
    a = d.whole(24, 78)
    kind = d.whole(0, 3)
    if kind == 0:
        ask = (
            (
                f"$A$, $B$ and $C$ lie on a circle with centre $O$. The angle $ACB$ is {degrees(a)}, and $C$"
                " lies on the major arc. Find the angle $AOB$ at the centre."
            ),
            (
                f"A chord is seen from a point on the major arc of the circle under an angle of {degrees(a)}."
                " Under what angle is it seen from the centre?"
            ),
        )
        result, why = 2 * a, "The angle at the centre is twice the angle at the circumference."
        wrong = (
            (a, "Takes both angles to be equal"),
            (180 - a, "Takes the angles to add up to $180^\\circ$"),
            (180 - 2 * a, "Takes the angle sum of a triangle"),
            (90 - a, "Treats the triangle as right-angled"),
        )
        last = f"$2 \\times {a}^\\circ = {result}^\\circ$"
    elif kind == 1:
        ask = (
            (
                "$AB$ is a diameter of a circle, and $C$ is another point on the circle. The angle $BAC$ is"
                f" {degrees(a)}. Find the angle $ABC$."
            ),
            (
                "A triangle $ABC$ is inscribed in a circle with diameter $AB$. Its angle at $A$ is"
                f" {degrees(a)}. How large is the angle at $B$?"
            ),
        )
        result, why = (
            90 - a,
            "The angle in a semicircle is a right angle, so the angle at $C$ is $90^\\circ$.",
        )
        wrong = (
            (a, "Takes the triangle to be isosceles"),
            (180 - a, "Forgets the right angle"),
            (2 * a, "Uses the angle at the centre"),
            (90 + a, "Adds instead of subtracting"),
        )
        last = f"$180^\\circ - 90^\\circ - {a}^\\circ = {result}^\\circ$"
    elif kind == 2:
        b = a + d.whole(20, 70)
        d.require(b != 90)
        ask = (
            f"$ABCD$ is a cyclic quadrilateral. Its angle at $A$ is {degrees(b)}. Find the angle at $C$.",
            (
                "The corners of a quadrilateral $ABCD$ lie on a circle, and the angle at $A$ is"
                f" {degrees(b)}. How large is the opposite angle at $C$?"
            ),
        )
        result, why = 180 - b, "Opposite angles of a cyclic quadrilateral add up to $180^\\circ$."
        wrong = (
            (b, "Takes opposite angles to be equal"),
            (360 - b, "Uses the angle sum of a quadrilateral"),
            (2 * b, "Uses the angle at the centre"),
            (abs(90 - b), "Takes the angles to add up to $90^\\circ$"),
        )
        last = f"$180^\\circ - {b}^\\circ = {result}^\\circ$"
    else:
        d.require(a != 60 and a != 45)
        ask = (
            (
                "$PT$ is a tangent to a circle with centre $O$ and touches it at $T$. The angle $OPT$ is"
                f" {degrees(a)}. Find the angle $POT$."
            ),
            (
                "From a point $P$ a tangent touches a circle with centre $O$ at $T$. How large is the angle"
                f" $POT$ if the angle $OPT$ is {degrees(a)}?"
            ),
        )
        result, why = 90 - a, "A tangent is perpendicular to the radius, so the angle $OTP$ is $90^\\circ$."
        wrong = (
            (a, "Takes the triangle to be isosceles"),
            (180 - a, "Forgets the right angle"),
            (180 - 2 * a, "Takes two angles to be equal"),
            (90 + a, "Adds instead of subtracting"),
        )
        last = f"$180^\\circ - 90^\\circ - {a}^\\circ = {result}^\\circ$"
    return Item(
        ask=ask,
        answer=degrees(result),
        steps=(why, last),
        wrong=tuple((degrees(value), reason) for value, reason in wrong),
        choice=0.45,
    )


def two_tangents(d: Draw) -> Item:
    a = d.whole(22, 110)
    d.require(a % 2 == 0 and a != 60)
    base = (180 - a) // 2
    return Item(
        ask=(
            (
                "Two tangents from a point $P$ touch a circle at $A$ and $B$. The angle $APB$ is"
                f" {degrees(a)}. Find the angle $PAB$."
            ),
            (
                "$PA$ and $PB$ are tangents to a circle with points of contact $A$ and $B$, and the angle at"
                f" $P$ is {degrees(a)}. How large is the angle $PAB$?"
            ),
        ),
        answer=degrees(base),
        steps=(
            "The two tangents from a point are equally long, so triangle $PAB$ is isosceles.",
            f"$(180^\\circ - {a}^\\circ) \\div 2 = {base}^\\circ$",
        ),
        wrong=(
            (degrees(180 - a), "Forgets to halve"),
            (degrees(a // 2), "Halves the wrong angle"),
            (degrees(90), "Confuses the chord with the radius"),
            (degrees(a), "Takes the wrong angles to be equal"),
        ),
        choice=0.4,
    )


def circle_equation_read(d: Draw) -> Item:
    h, k, r = d.whole(-8, 8, but=(0,)), d.whole(-8, 8, but=(0,)), d.whole(2, 10)
    d.require(abs(h) != abs(k))
    shown = f"({poly([1, -h])})^2 + ({poly([1, -k], 'y')})^2 = {r * r}"
    result = f"centre $({h}, {k})$, radius {r}"
    return Item(
        ask=(
            f"A circle has the equation ${shown}$. State its centre and its radius.",
            f"Find centre and radius of the circle ${shown}$.",
        ),
        answer=result,
        steps=(
            "Compare with $(x - a)^2 + (y - b)^2 = r^2$.",
            f"This gives {result}.",
        ),
        wrong=(
            (f"centre $({-h}, {-k})$, radius {r}", "Reads the signs in the brackets directly"),
            (f"centre $({h}, {k})$, radius {r * r}", "Forgets the root of the right-hand side"),
            (f"centre $({-h}, {-k})$, radius {r * r}", "Reads the signs directly and forgets the root"),
        ),
        choice=0.5,
    )


def circle_equation_general(d: Draw) -> Item:
    h, k, r = d.whole(-6, 6, but=(0,)), d.whole(-6, 6, but=(0,)), d.whole(2, 9)
    constant = h * h + k * k - r * r
    d.require(constant != 0)
    shown = f"x^2 + y^2 {plus(-2 * h)}x {plus(-2 * k)}y {plus(constant)} = 0"
    wants_radius = d.chance(0.6)
    square = f"({poly([1, -h])})^2 + ({poly([1, -k], 'y')})^2 = {r * r}"
    return Item(
        ask=(
            f"Find the {'radius' if wants_radius else 'centre'} of the circle ${shown}$.",
            (
                f"The equation ${shown}$ describes a circle. What is its"
                f" {'radius' if wants_radius else 'centre'}?"
            ),
        ),
        answer=str(r) if wants_radius else m(f"({h}, {k})"),
        steps=(
            f"Complete both squares: ${square}$.",
            f"The radius is ${root(r * r)} = {r}$." if wants_radius else f"The centre is $({h}, {k})$.",
        ),
        wrong=(
            (
                (str(r * r), "Forgets the root"),
                (m(root(abs(constant))), "Takes the root of the constant"),
                (m(root(h * h + k * k)), "Takes the distance of the centre from the origin"),
            )
            if wants_radius
            else (
                (m(f"({-h}, {-k})"), "Has both signs wrong"),
                (m(f"({-2 * h}, {-2 * k})"), "Takes the coefficients themselves"),
                (m(f"({2 * h}, {2 * k})"), "Forgets to halve the coefficients"),
            )
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("circle-theorem", "Circle theorems", 10, -0.2, circle_theorem),
    Pattern("two-tangents", "Circle theorems", 10, 0.5, two_tangents),
    Pattern("circle-equation-read", "Equation of a circle", 11, -0.5, circle_equation_read),
    Pattern("circle-equation-general", "Equation of a circle", 11, 0.7, circle_equation_general),
)
