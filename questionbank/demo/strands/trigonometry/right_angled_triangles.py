"""Trigonometry: right-angled triangles."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import decimal, degrees, frac, m, rounded
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, article, cap

__all__ = ["EXACT_VALUES", "PATTERNS", "cos", "sin"]

EXACT_VALUES = {
    ("sin", 30): r"\frac{1}{2}",
    ("sin", 45): r"\frac{\sqrt{2}}{2}",
    ("sin", 60): r"\frac{\sqrt{3}}{2}",
    ("cos", 30): r"\frac{\sqrt{3}}{2}",
    ("cos", 45): r"\frac{\sqrt{2}}{2}",
    ("cos", 60): r"\frac{1}{2}",
    ("tan", 30): r"\frac{\sqrt{3}}{3}",
    ("tan", 45): "1",
    ("tan", 60): r"\sqrt{3}",
}


def sin(angle: float) -> float:
    """Return the sine of an angle in degrees."""
    return math.sin(math.radians(angle))


def cos(angle: float) -> float:
    """Return the cosine of an angle in degrees."""
    return math.cos(math.radians(angle))


def tan(angle: float) -> float:
    """Return the tangent of an angle in degrees."""
    return math.tan(math.radians(angle))


def side_by_trig(d: Draw) -> Item:
    angle, length = d.whole(18, 72, but=(30, 45, 60)), d.whole(5, 40)
    unit = d.one_of("cm", "m")
    given, asked, name, value, operation = d.one_of(
        ("the hypotenuse", "the side opposite the angle", "sin", length * sin(angle), "times"),
        ("the hypotenuse", "the side next to the angle", "cos", length * cos(angle), "times"),
        ("the side next to the angle", "the side opposite the angle", "tan", length * tan(angle), "times"),
        ("the side opposite the angle", "the hypotenuse", "sin", length / sin(angle), "div"),
        ("the side next to the angle", "the hypotenuse", "cos", length / cos(angle), "div"),
    )
    result = rounded(value, 1)
    functions = {"sin": sin, "cos": cos, "tan": tan}

    def other(which: str, multiply: bool) -> str:
        factor = functions[which](angle)
        return f"{rounded(length * factor if multiply else length / factor, 1)} {unit}"

    multiply = operation == "times"
    confused = {"sin": "cos", "cos": "sin", "tan": "sin"}[name]
    return Item(
        ask=(
            (
                f"In a right-angled triangle one angle is {degrees(angle)} and {given} is {length} {unit}"
                f" long. Find {asked}, to one decimal place."
            ),
            (
                f"A right-angled triangle has an angle of {degrees(angle)}; {given} measures {length} {unit}."
                f" How long is {asked}? Round to one decimal place."
            ),
        ),
        answer=f"{result} {unit}",
        steps=(
            (
                "The sides in question are linked by the"
                f" {'sine' if name == 'sin' else 'cosine' if name == 'cos' else 'tangent'}."
            ),
            (
                rf"${length} \{operation} \{name} {angle}^\circ \approx {result}$, so it is {result} {unit}"
                r" long."
            ),
        ),
        wrong=(
            (other(confused, multiply), "Uses the wrong trigonometric function"),
            (other(name, not multiply), "Divides where one must multiply, or the other way round"),
            (
                other({"sin": "tan", "cos": "tan", "tan": "cos"}[name], multiply),
                "Mixes up the sides of the triangle",
            ),
        ),
        choice=0.35,
    )


def tower_height(d: Draw) -> Item:
    distance, angle = d.whole(12, 90), d.whole(18, 62, but=(45,))
    eye = Fraction(d.whole(14, 18), 10)
    with_eye = d.chance(0.4)
    height = distance * tan(angle) + (float(eye) if with_eye else 0)
    d.require(8 < height < 110)
    result = rounded(height, 1)
    thing = (
        d.one_of("tower", "lighthouse", "minaret", "wind turbine", "chimney")
        if height > 20
        else d.one_of("tree", "house", "statue")
    )
    who = d.person()
    return Item(
        ask=(
            (
                (
                    f"{who} stands {distance} m from the foot of a {thing} and sees its top at an angle of"
                    f" elevation of {degrees(angle)}. {cap(who.his)} eyes are {decimal(eye)} m above the"
                    f" ground. How high is the {thing}, to one decimal place?"
                ),
                (
                    f"Standing {distance} m from a {thing}, {who} measures an angle of elevation of"
                    f" {degrees(angle)} to its top. The instrument is {decimal(eye)} m above the ground. Find"
                    " the height to one decimal place."
                ),
            )
            if with_eye
            else (
                (
                    f"From a point on level ground {distance} m from the foot of a {thing} the angle of"
                    f" elevation of its top is {degrees(angle)}. How high is the {thing}, to one decimal"
                    " place?"
                ),
                (
                    f"The shadow of a {thing} is {distance} m long when the sun stands {degrees(angle)} above"
                    " the horizon. Find the height to one decimal place."
                ),
            )
        ),
        answer=f"{result} m",
        steps=(
            rf"${distance} \times \tan {angle}^\circ \approx {rounded(distance * tan(angle), 1)}$",
            (
                f"Add the {decimal(eye)} m: ${rounded(distance * tan(angle), 1)} + {decimal(eye)} \\approx"
                f" {result}$, so it is {result} m high."
                if with_eye
                else f"So it is {result} m high."
            ),
        ),
        wrong=(
            (
                f"{rounded(distance * sin(angle) + (float(eye) if with_eye else 0), 1)} m",
                "Uses the sine instead of the tangent",
            ),
            (f"{rounded(distance / tan(angle), 1)} m", "Divides by the tangent"),
            (
                (
                    f"{rounded(distance * tan(angle) - (float(eye) if with_eye else 5), 1)} m"
                    if with_eye
                    else f"{rounded(distance * cos(angle), 1)} m"
                ),
                (
                    "Subtracts the height above the ground"
                    if with_eye
                    else "Uses the cosine instead of the tangent"
                ),
            ),
        ),
        choice=0.3,
    )


def angle_by_trig(d: Draw) -> Item:
    a, b = d.several(2, 4, 30)
    short, long = min(a, b), max(a, b)
    unit = d.one_of("cm", "m")
    kind = d.one_of("sin", "cos", "tan")
    if kind == "tan":
        text, top, bottom = f"the legs are {a} {unit} and {b} {unit} long", a, b
        which = f"the angle opposite the side of {a} {unit}"
        value = math.degrees(math.atan2(a, b))
    elif kind == "sin":
        text, top, bottom = f"the hypotenuse is {long} {unit} and one leg {short} {unit} long", short, long
        which = "the angle opposite this leg"
        value = math.degrees(math.asin(short / long))
    else:
        text, top, bottom = f"the hypotenuse is {long} {unit} and one leg {short} {unit} long", short, long
        which = "the angle between these two sides"
        value = math.degrees(math.acos(short / long))
    d.require(10 < value < 80)
    result = rounded(value, 1)
    inverse = {"sin": "asin", "cos": "acos", "tan": "atan"}
    ratio = min(top, bottom) / max(top, bottom)
    others = [
        math.degrees(getattr(math, inverse[name])(ratio)) for name in ("sin", "cos", "tan") if name != kind
    ]
    return Item(
        ask=(
            f"In a right-angled triangle {text}. Find {which}, to one decimal place.",
            f"In a right-angled triangle {text}. How large is {which}? Round to one decimal place.",
        ),
        answer=degrees(result),
        steps=(
            rf"$\{kind} \alpha = {frac(top, bottom)}$",
            rf"$\alpha = \{kind}^{{-1}}\left({frac(top, bottom)}\right) \approx {result}^\circ$",
        ),
        wrong=(
            (degrees(rounded(90 - value, 1)), "Gives the other acute angle"),
            *((degrees(rounded(angle, 1)), "Uses the wrong trigonometric function") for angle in others),
        ),
        choice=0.35,
    )


def slope_angle(d: Draw) -> Item:
    percent = d.whole(4, 30)
    if d.chance():
        value = math.degrees(math.atan(percent / 100))
        result = rounded(value, 1)
        road = d.one_of("road", "railway line", "ski run", "cycle path")
        return Item(
            ask=(
                (
                    f"A {road} rises {percent} m for every 100 m measured horizontally. At what angle does it"
                    " rise, to one decimal place?"
                ),
                (
                    f"The gradient of a {road} is {percent}%, that is {percent} m of height for 100 m of"
                    " horizontal distance. Find its angle to the horizontal, to one decimal place."
                ),
            ),
            answer=degrees(result),
            steps=(
                rf"$\tan \alpha = {frac(percent, 100)}$",
                rf"$\alpha \approx {result}^\circ$",
            ),
            wrong=(
                (degrees(percent), "Takes the percentage for the angle"),
                (degrees(rounded(90 - value, 1)), "Gives the angle to the vertical"),
                (degrees(rounded(percent * 0.45, 1)), "Takes 100% for $45^\\circ$ and divides in proportion"),
            ),
            choice=0.4,
        )
    length, height = d.whole(30, 90), d.whole(5, 25)
    value = math.degrees(math.asin(height / length))
    result = rounded(value, 1)
    thing = d.one_of("slide", "ramp", "conveyor belt", "escalator")
    return Item(
        ask=(
            (
                f"{cap(article(thing))} is {decimal(Fraction(length, 10))} m long and {decimal(Fraction(height, 10))} m"
                " high. What angle does it make with the ground, to one decimal place?"
            ),
            (
                f"The two ends of a straight {thing} of {decimal(Fraction(length, 10))} m differ in height by"
                f" {decimal(Fraction(height, 10))} m. Find its angle to the horizontal, to one decimal place."
            ),
        ),
        answer=degrees(result),
        steps=(
            (
                rf"$\sin \alpha = {decimal(Fraction(height, 10))} \div {decimal(Fraction(length, 10))}"
                rf" \approx {rounded(height / length, 4)}$"
            ),
            rf"$\alpha \approx {result}^\circ$",
        ),
        wrong=(
            (
                degrees(rounded(math.degrees(math.atan(height / length)), 1)),
                "Uses the tangent instead of the sine",
            ),
            (degrees(rounded(90 - value, 1)), "Gives the angle to the vertical"),
            (degrees(rounded(height / length * 90, 1)), "Calculates with proportions instead of sines"),
        ),
        choice=0.4,
    )


def exact_value(d: Draw) -> Item:
    name, base = d.one_of(*EXACT_VALUES)
    angle, sign, why = d.one_of(
        (base, 1, ""),
        (
            180 - base,
            {"sin": 1, "cos": -1, "tan": -1}[name],
            f"${180 - base}^\\circ = 180^\\circ - {base}^\\circ$ lies in the second quadrant.",
        ),
        (
            180 + base,
            {"sin": -1, "cos": -1, "tan": 1}[name],
            f"${180 + base}^\\circ = 180^\\circ + {base}^\\circ$ lies in the third quadrant.",
        ),
        (
            360 - base,
            {"sin": -1, "cos": 1, "tan": -1}[name],
            f"${360 - base}^\\circ = 360^\\circ - {base}^\\circ$ lies in the fourth quadrant.",
        ),
    )
    exact = EXACT_VALUES[name, base]
    result = exact if sign > 0 else f"-{exact}"
    swapped = {"sin": "cos", "cos": "sin", "tan": "sin"}[name]
    others = list(
        dict.fromkeys([EXACT_VALUES[swapped, base], *(EXACT_VALUES[name, b] for b in (30, 45, 60))])
    )
    shown = rf"\{name} {angle}^\circ"
    return Item(
        ask=(
            f"Find the exact value of ${shown}$.",
            f"What is ${shown}$? Give an exact value, not a decimal.",
            f"Without a calculator, write ${shown}$ as a number or surd.",
            f"The exact value of ${shown}$ is ____.",
        ),
        effort=0.6 if why else 0.0,
        answer=m(result),
        steps=(
            *((why,) if why else ()),
            rf"$\{name} {base}^\circ = {exact}$" + (rf", so ${shown} = {result}$." if why else ""),
        ),
        wrong=(
            (m(f"-{exact}" if sign > 0 else exact), "Has the wrong sign"),
            *(
                (m(value if sign > 0 else f"-{value}"), "Mixes up the values of the standard angles")
                for value in others
                if value != exact
            ),
        ),
        choice=0.45,
    )


def exact_side(d: Draw) -> Item:
    k = d.whole(2, 20)
    angle = d.one_of(30, 45, 60)
    unit = d.one_of("cm", "m")
    if angle == 45:
        return Item(
            ask=(
                (
                    f"The legs of an isosceles right-angled triangle are {k} {unit} long. Find the exact"
                    " length of the hypotenuse."
                ),
                f"A square has sides of {k} {unit}. How long is its diagonal? Give an exact answer.",
            ),
            answer=rf"${k}\sqrt{{2}}$ {unit}",
            steps=(
                r"$\sin 45^\circ = \frac{\sqrt{2}}{2}$, so the hypotenuse is $\sqrt{2}$ times a leg.",
                rf"The length is ${k}\sqrt{{2}}$ {unit}.",
            ),
            wrong=(
                (f"{2 * k} {unit}", "Doubles instead of multiplying by the root"),
                (rf"${k}\sqrt{{3}}$ {unit}", "Uses the values for $60^\\circ$"),
                (f"{k * k} {unit}", "Squares the side"),
            ),
            choice=0.4,
        )
    hypotenuse = 2 * k
    opposite = angle == 60
    which = "opposite" if opposite else "next to"
    return Item(
        ask=(
            (
                f"In a right-angled triangle the hypotenuse is {hypotenuse} {unit} and one angle is"
                f" {degrees(angle)}. Find the exact length of the side {which} this angle."
            ),
            (
                f"A right-angled triangle has a hypotenuse of {hypotenuse} {unit} and an angle of"
                f" {degrees(angle)}. How long is the side {which} this angle? Give an exact answer."
            ),
        ),
        answer=rf"${k}\sqrt{{3}}$ {unit}",
        steps=(
            rf"$\{'sin' if opposite else 'cos'} {angle}^\circ = \frac{{\sqrt{{3}}}}{{2}}$",
            (
                rf"${hypotenuse} \times \frac{{\sqrt{{3}}}}{{2}} = {k}\sqrt{{3}}$, so it is ${k}\sqrt{{3}}$"
                rf" {unit} long."
            ),
        ),
        wrong=(
            (f"{k} {unit}", "Uses the value of the other function"),
            (rf"${k}\sqrt{{2}}$ {unit}", "Uses the values for $45^\\circ$"),
            (rf"${hypotenuse}\sqrt{{3}}$ {unit}", "Forgets the denominator 2"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("side-by-trig", "Finding a side", 9, -0.2, side_by_trig),
    Pattern("tower-height", "Finding a side", 9, 0.5, tower_height),
    Pattern("angle-by-trig", "Finding an angle", 9, 0.0, angle_by_trig),
    Pattern("slope-angle", "Finding an angle", 10, 0.3, slope_angle),
    Pattern("exact-value", "Exact values", 10, 0.2, exact_value),
    Pattern("exact-side", "Exact values", 10, 0.3, exact_side),
)
