"""Geometry, second part: triangles, circles, transformations."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, m, plus, poly, root, rounded, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.angles import degrees
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
            f"The two shorter sides of a right-angled triangle are {a} {unit} and {b} {unit} long. How long is the hypotenuse?",
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
            f"The hypotenuse of a right-angled triangle is {c} {unit} long and one leg {a} {unit}. How long is the other leg?",
            f"In a right-angled triangle the longest side is {c} {unit} and another side {a} {unit}. Find the third side.",
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
            f"A ladder of {decimal(long)} m leans against a wall. Its foot is {decimal(short)} m from the wall.",
            "How high up does it reach?",
        ),
        (
            f"A ramp is {decimal(long)} m long and covers {decimal(short)} m on the ground.",
            "How high does it rise?",
        ),
        (
            f"A wire of {decimal(long)} m runs from the top of a mast to a peg {decimal(short)} m from its foot.",
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
            f"{who} {a} km {first} and then {b} km {second}. How far from the starting point is it in a straight line?"
            if "cyclist" not in who
            else f"{who} {a} km {first} and then {b} km {second}. How far from the start is that in a straight line?",
            f"{who} {a} km due {first}, turns and goes {b} km due {second}. Find the direct distance back to the start.",
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
    one, two, three, result = shown
    d.require(three + two - one > 0)
    factor = Fraction(two, one)
    return Item(
        ask=(
            f"Triangles $ABC$ and $PQR$ are similar. $AB = {one}$ cm corresponds to $PQ = {two}$ cm, and $BC = {three}$ cm. "
            "Find $QR$.",
            f"Two similar triangles have corresponding sides $AB = {one}$ cm and $PQ = {two}$ cm. If $BC = {three}$ cm, how long "
            "is $QR$?",
        ),
        answer=f"{result} cm",
        steps=(
            f"The scale factor is ${two} \\div {one} = {tex(factor)}$.",
            f"$QR = {tex(factor)} \\times {three} = {result}$, so $QR$ is {result} cm long.",
        ),
        wrong=(
            (f"{three + two - one} cm", "Adds the difference instead of multiplying by the scale factor"),
            (f"{rounded(three / factor, 1).removesuffix('.0')} cm", "Divides by the scale factor"),
            (
                f"{rounded(Fraction(three) * factor * factor, 1).removesuffix('.0')} cm",
                "Squares the scale factor",
            ),
            (f"{three} cm", "Believes that the sides are equal"),
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
            f"A stick of {decimal(stick)} m casts a shadow of {decimal(shadow)} m. At the same time the shadow of a {thing} is "
            f"{decimal(long)} m long. How many metres high is the {thing}?",
            f"The shadow of a {thing} is {decimal(long)} m long when a post of {decimal(stick)} m has a shadow of {decimal(shadow)} m. "
            f"Find the height of the {thing} in metres.",
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
            f"A {shape} with {what} {unit(size)} is enlarged with scale factor {k}. What is the {what} of the image?",
            f"All lengths of a {shape} are multiplied by {k}. The {what} was {unit(size)}. Find the new {what}.",
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


def circle_theorem(d: Draw) -> Item:
    a = d.whole(24, 78)
    kind = d.whole(0, 3)
    if kind == 0:
        ask = (
            f"$A$, $B$ and $C$ lie on a circle with centre $O$. The angle $ACB$ is {degrees(a)}, and $C$ lies on the major arc. "
            "Find the angle $AOB$ at the centre.",
            f"A chord is seen from a point on the major arc of the circle under an angle of {degrees(a)}. Under what angle is it seen "
            "from the centre?",
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
            f"$AB$ is a diameter of a circle, and $C$ is another point on the circle. The angle $BAC$ is {degrees(a)}. Find the angle "
            "$ABC$.",
            f"A triangle $ABC$ is inscribed in a circle with diameter $AB$. Its angle at $A$ is {degrees(a)}. How large is the angle "
            "at $B$?",
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
            f"The corners of a quadrilateral $ABCD$ lie on a circle, and the angle at $A$ is {degrees(b)}. How large is the opposite "
            "angle at $C$?",
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
            f"$PT$ is a tangent to a circle with centre $O$ and touches it at $T$. The angle $OPT$ is {degrees(a)}. Find the angle "
            "$POT$.",
            f"From a point $P$ a tangent touches a circle with centre $O$ at $T$. How large is the angle $POT$ if the angle $OPT$ is "
            f"{degrees(a)}?",
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
            f"Two tangents from a point $P$ touch a circle at $A$ and $B$. The angle $APB$ is {degrees(a)}. Find the angle $PAB$.",
            f"$PA$ and $PB$ are tangents to a circle with points of contact $A$ and $B$, and the angle at $P$ is {degrees(a)}. How large "
            "is the angle $PAB$?",
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
            f"The equation ${shown}$ describes a circle. What is its {'radius' if wants_radius else 'centre'}?",
        ),
        answer=str(r) if wants_radius else m(f"({h}, {k})"),
        steps=(
            f"Complete both squares: ${square}$.",
            f"The radius is ${root(r * r)} = {r}$." if wants_radius else f"The centre is $({h}, {k})$.",
        ),
        wrong=(
            (str(r * r), "Forgets the root"),
            (m(root(abs(constant))), "Takes the root of the constant"),
            (m(root(h * h + k * k)), "Takes the distance of the centre from the origin"),
        )
        if wants_radius
        else (
            (m(f"({-h}, {-k})"), "Has both signs wrong"),
            (m(f"({-2 * h}, {-2 * k})"), "Takes the coefficients themselves"),
            (m(f"({2 * h}, {2 * k})"), "Forgets to halve the coefficients"),
        ),
        choice=0.4,
    )


def transform_point(d: Draw) -> Item:
    x, y = d.whole(-8, 9, but=(0,)), d.whole(-8, 9, but=(0,))
    a, b = d.whole(-7, 7, but=(0,)), d.whole(-7, 7, but=(0,))
    d.require(abs(x) != abs(y))
    moves = (
        ("is reflected in the $x$-axis", (x, -y), "The $y$-coordinate changes its sign."),
        ("is reflected in the $y$-axis", (-x, y), "The $x$-coordinate changes its sign."),
        ("is reflected in the line $y = x$", (y, x), "The coordinates change places."),
        ("is rotated by $180^\\circ$ about the origin", (-x, -y), "Both coordinates change their sign."),
        ("is rotated by $90^\\circ$ anticlockwise about the origin", (-y, x), "$(x, y)$ goes to $(-y, x)$."),
        ("is rotated by $90^\\circ$ clockwise about the origin", (y, -x), "$(x, y)$ goes to $(y, -x)$."),
        (
            rf"is translated by $\begin{{pmatrix}} {a} \\ {b} \end{{pmatrix}}$",
            (x + a, y + b),
            "Add the components to the coordinates.",
        ),
    )
    move, image, why = d.one_of(*moves)
    shown = m(f"({image[0]}, {image[1]})")
    translated = "translated" in move
    others = (
        (
            ((x - a, y - b), "Translates in the opposite direction"),
            ((x + b, y + a), "Swaps the components"),
            ((a, b), "Gives the vector instead of the image"),
        )
        if translated
        else (
            ((x, -y), "Reflects in the $x$-axis"),
            ((-x, y), "Reflects in the $y$-axis"),
            ((-x, -y), "Rotates by $180^\\circ$"),
            ((y, x), "Reflects in the line $y = x$"),
            ((-y, x), "Rotates by $90^\\circ$ anticlockwise"),
        )
    )
    return Item(
        ask=(
            f"The point $({x}, {y})$ {move}. What are the coordinates of its image?",
            f"Find the image of $P({x}, {y})$ when it {move}.",
        ),
        answer=shown,
        steps=(why, f"The image is {shown}."),
        wrong=tuple((m(f"({p[0]}, {p[1]})"), reason) for p, reason in d.shuffled(others)),
        choice=0.5,
    )


def enlarge_point(d: Draw) -> Item:
    cx, cy = d.whole(-4, 5), d.whole(-4, 5)
    dx, dy = d.whole(-4, 5, but=(0,)), d.whole(-4, 5, but=(0,))
    k = d.one_of(2, 3, -1, -2, 4)
    d.require((cx or cy) and abs(dx) != abs(dy))
    x, y = cx + dx, cy + dy
    image = (cx + k * dx, cy + k * dy)
    return Item(
        ask=(
            f"The point $({x}, {y})$ is enlarged with centre $({cx}, {cy})$ and scale factor ${k}$. Find its image.",
            f"An enlargement has the centre $({cx}, {cy})$ and the scale factor ${k}$. Where does it send the point $({x}, {y})$?",
        ),
        answer=m(f"({image[0]}, {image[1]})"),
        steps=(
            f"From the centre to the point it is ${dx}$ across and ${dy}$ up.",
            f"Times ${k}$: ${k * dx}$ across and ${k * dy}$ up from the centre.",
            f"The image is $({image[0]}, {image[1]})$.",
        ),
        wrong=(
            (m(f"({k * x}, {k * y})"), "Enlarges from the origin"),
            (m(f"({k * dx}, {k * dy})"), "Forgets to add the centre again"),
            (m(f"({x + k}, {y + k})"), "Adds the scale factor"),
            (m(f"({x + k * dx}, {y + k * dy})"), "Starts from the point instead of the centre"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("hypotenuse", "Pythagoras' theorem", 8, -0.3, hypotenuse),
    Pattern("shorter-side", "Pythagoras' theorem", 8, 0.2, shorter_side),
    Pattern("ladder", "Pythagoras' theorem", 9, 0.3, ladder),
    Pattern("walk-back", "Pythagoras' theorem", 8, 0.1, walk_back),
    Pattern("similar-side", "Similar shapes", 9, 0.1, similar_side),
    Pattern("shadow-height", "Similar shapes", 8, 0.3, shadow_height),
    Pattern("area-scale", "Similar shapes", 9, 0.9, area_scale),
    Pattern("circle-theorem", "Circle theorems", 10, 0.2, circle_theorem),
    Pattern("two-tangents", "Circle theorems", 10, 0.6, two_tangents),
    Pattern("circle-equation-read", "Equation of a circle", 11, 0.0, circle_equation_read),
    Pattern("circle-equation-general", "Equation of a circle", 11, 0.7, circle_equation_general),
    Pattern("transform-point", "Reflection, rotation and translation", 8, 0.0, transform_point),
    Pattern("enlarge-point", "Reflection, rotation and translation", 9, 0.7, enlarge_point),
)
