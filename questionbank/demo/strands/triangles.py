"""Trigonometry, first part: right-angled triangles and any triangle."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, quantity, root, rounded
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.angles import degrees
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


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
            f"In a right-angled triangle one angle is {degrees(angle)} and {given} is {length} {unit} long. Find {asked}, to one decimal "
            "place.",
            f"A right-angled triangle has an angle of {degrees(angle)}; {given} measures {length} {unit}. How long is {asked}? Round to one "
            "decimal place.",
        ),
        answer=f"{result} {unit}",
        steps=(
            f"The sides in question are linked by the {'sine' if name == 'sin' else 'cosine' if name == 'cos' else 'tangent'}.",
            rf"${length} \{operation} \{name} {angle}^\circ \approx {result}$, so it is {result} {unit} long.",
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
    level = f" {who.his.capitalize()} eyes are {decimal(eye)} m above the ground." if with_eye else ""
    base = "" if with_eye else " from the ground"
    return Item(
        ask=(
            f"{who} stands {distance} m from the foot of a {thing} and sees its top at an angle of elevation of {degrees(angle)}{base}.{level} How "
            "high is it, to one decimal place?",
            f"From a point {distance} m away from a {thing}, {who} measures an angle of elevation of {degrees(angle)} to the top{base}.{level} Find "
            "the height to one decimal place.",
        ),
        answer=f"{result} m",
        steps=(
            rf"${distance} \times \tan {angle}^\circ \approx {rounded(distance * tan(angle), 1)}$",
            f"With the height of the eyes: ${rounded(distance * tan(angle), 1)} + {decimal(eye)} \\approx {result}$, so it is {result} m high."
            if with_eye
            else f"So it is {result} m high.",
        ),
        wrong=(
            (
                f"{rounded(distance * sin(angle) + (float(eye) if with_eye else 0), 1)} m",
                "Uses the sine instead of the tangent",
            ),
            (f"{rounded(distance / tan(angle), 1)} m", "Divides by the tangent"),
            (
                f"{rounded(distance * tan(angle) - (float(eye) if with_eye else 5), 1)} m"
                if with_eye
                else f"{rounded(distance * cos(angle), 1)} m",
                "Subtracts the height of the eyes" if with_eye else "Uses the cosine instead of the tangent",
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
            f"Right-angled triangle: {text}. How large is {which}? Round to one decimal place.",
        ),
        answer=degrees(result),
        steps=(
            rf"$\{kind} \alpha = {frac(top, bottom)}$",
            rf"$\alpha = \{kind}^{{-1}}\left({frac(top, bottom)}\right) \approx {result}^\circ$",
        ),
        wrong=(
            (degrees(rounded(90 - value, 1)), "Gives the other acute angle"),
            *((degrees(rounded(other, 1)), "Uses the wrong trigonometric function") for other in others),
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
                f"A {road} rises {percent} m for every 100 m measured horizontally. At what angle does it rise, to one decimal place?",
                f"The gradient of a {road} is {percent}%, that is {percent} m of height for 100 m of horizontal distance. Find its angle to the "
                "horizontal, to one decimal place.",
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
            f"A {thing} is {decimal(Fraction(length, 10))} m long and {decimal(Fraction(height, 10))} m high. What angle does it make with the "
            "ground, to one decimal place?",
            f"The two ends of a straight {thing} of {decimal(Fraction(length, 10))} m differ in height by {decimal(Fraction(height, 10))} m. Find its "
            "angle to the horizontal, to one decimal place.",
        ),
        answer=degrees(result),
        steps=(
            rf"$\sin \alpha = {decimal(Fraction(height, 10))} \div {decimal(Fraction(length, 10))} \approx {rounded(height / length, 4)}$",
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


_EXACT = {
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


def exact_value(d: Draw) -> Item:
    name, base = d.one_of(*_EXACT)
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
    exact = _EXACT[name, base]
    result = exact if sign > 0 else f"-{exact}"
    swapped = {"sin": "cos", "cos": "sin", "tan": "sin"}[name]
    others = list(dict.fromkeys([_EXACT[swapped, base], *(_EXACT[name, b] for b in (30, 45, 60))]))
    shown = rf"\{name} {angle}^\circ"
    return Item(
        ask=(
            f"Find the exact value of ${shown}$.",
            f"What is ${shown}$? Give an exact value, not a decimal.",
            f"Without a calculator, write ${shown}$ as a number or surd.",
        ),
        answer=m(result),
        steps=(
            *((why,) if why else ()),
            rf"$\{name} {base}^\circ = {exact}$" + (rf", so ${shown} = {result}$." if why else ""),
        ),
        wrong=(
            (m(f"-{exact}" if sign > 0 else exact), "Has the wrong sign"),
            *(
                (m(other if sign > 0 else f"-{other}"), "Mixes up the values of the standard angles")
                for other in others
                if other != exact
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
                f"The legs of an isosceles right-angled triangle are {k} {unit} long. Find the exact length of the hypotenuse.",
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
            f"In a right-angled triangle the hypotenuse is {hypotenuse} {unit} and one angle is {degrees(angle)}. Find the exact length of the side "
            f"{which} this angle.",
            f"A right-angled triangle has a hypotenuse of {hypotenuse} {unit} and an angle of {degrees(angle)}. How long is the side {which} this "
            "angle? Give an exact answer.",
        ),
        answer=rf"${k}\sqrt{{3}}$ {unit}",
        steps=(
            rf"$\{'sin' if opposite else 'cos'} {angle}^\circ = \frac{{\sqrt{{3}}}}{{2}}$",
            rf"${hypotenuse} \times \frac{{\sqrt{{3}}}}{{2}} = {k}\sqrt{{3}}$, so it is ${k}\sqrt{{3}}$ {unit} long.",
        ),
        wrong=(
            (f"{k} {unit}", "Uses the value of the other function"),
            (rf"${k}\sqrt{{2}}$ {unit}", "Uses the values for $45^\\circ$"),
            (rf"${hypotenuse}\sqrt{{3}}$ {unit}", "Forgets the denominator 2"),
        ),
        choice=0.4,
    )


def sine_rule_side(d: Draw) -> Item:
    alpha, beta, a = d.whole(25, 80), d.whole(25, 80), d.whole(5, 30)
    d.require(alpha != beta and alpha + beta < 150)
    value = a * sin(beta) / sin(alpha)
    result = rounded(value, 1)
    return Item(
        ask=(
            f"In triangle $ABC$, $A = {alpha}^\\circ$, $B = {beta}^\\circ$ and $a = {a}$ cm. Find $b$ to one decimal place.",
            f"A triangle has angles $A = {alpha}^\\circ$ and $B = {beta}^\\circ$. The side opposite $A$ is {a} cm long. How long is the side opposite $B$, "
            "to one decimal place?",
        ),
        answer=f"{result} cm",
        steps=(
            r"Sine rule: $\frac{b}{\sin B} = \frac{a}{\sin A}$.",
            rf"$b = \frac{{{a} \sin {beta}^\circ}}{{\sin {alpha}^\circ}} \approx {result}$, so $b$ is {result} cm.",
        ),
        wrong=(
            (f"{rounded(a * sin(alpha) / sin(beta), 1)} cm", "Swaps the two angles"),
            (f"{rounded(a * beta / alpha, 1)} cm", "Takes the sides to be proportional to the angles"),
            (f"{rounded(a * sin(180 - alpha - beta) / sin(alpha), 1)} cm", "Finds the third side"),
        ),
        choice=0.3,
    )


def sine_rule_angle(d: Draw) -> Item:
    alpha, a, b = d.whole(35, 110), d.whole(9, 30), d.whole(5, 24)
    d.require(a > b)
    ratio = b * sin(alpha) / a
    value = math.degrees(math.asin(ratio))
    d.require(value > 12)
    result = rounded(value, 1)
    return Item(
        ask=(
            f"In triangle $ABC$, $A = {alpha}^\\circ$, $a = {a}$ cm and $b = {b}$ cm. Find the angle $B$ to one decimal place.",
            f"A triangle has a side of {a} cm opposite an angle of {degrees(alpha)}, and another side of {b} cm. How large is the angle opposite the side "
            f"of {b} cm, to one decimal place?",
        ),
        answer=degrees(result),
        steps=(
            rf"Sine rule: $\sin B = \frac{{{b} \sin {alpha}^\circ}}{{{a}}} \approx {rounded(ratio, 4)}$.",
            rf"Since $b < a$, the angle is acute: $B \approx {result}^\circ$.",
        ),
        wrong=(
            (degrees(rounded(180 - alpha - value, 1)), "Finds the third angle"),
            (degrees(rounded(alpha * b / a, 1)), "Takes the sides to be proportional to the angles"),
            (degrees(rounded(180 - value, 1)), "Takes the obtuse solution, which does not fit"),
        ),
        choice=0.35,
    )


def cosine_rule_side(d: Draw) -> Item:
    b, c, alpha = d.whole(4, 24), d.whole(4, 24), d.whole(25, 140, but=(90, 60, 120))
    d.require(b != c)
    square = b * b + c * c - 2 * b * c * cos(alpha)
    value = math.sqrt(square)
    result = rounded(value, 1)
    story = d.one_of(
        f"Two sides of a triangle are {b} cm and {c} cm long and enclose an angle of {degrees(alpha)}. Find the third side to one decimal place.",
        f"In triangle $ABC$, $b = {b}$ cm, $c = {c}$ cm and $A = {alpha}^\\circ$. Find $a$ to one decimal place.",
    )
    return Item(
        ask=(
            story,
            f"Two straight roads leave a village at an angle of {degrees(alpha)}. One leads to a farm {b} km away, the other to a mill {c} km away. How far is "
            "it in a straight line from the farm to the mill, in kilometres to one decimal place?",
        )
        if "Two sides" in story
        else (
            story,
            story.replace("Find $a$ to one decimal place.", "How long is $a$? Round to one decimal place."),
        ),
        answer=result,
        steps=(
            rf"Cosine rule: $a^2 = {b}^2 + {c}^2 - 2 \times {b} \times {c} \times \cos {alpha}^\circ \approx {rounded(square, 2)}$.",
            rf"$a \approx {result}$",
        ),
        wrong=(
            (rounded(math.sqrt(b * b + c * c), 1), "Uses Pythagoras' theorem without a right angle"),
            (
                rounded(math.sqrt(b * b + c * c + 2 * b * c * cos(alpha)), 1),
                "Has the wrong sign in the cosine rule",
            ),
            (rounded(square, 1), "Forgets the root"),
        ),
        choice=0.35,
    )


def cosine_rule_angle(d: Draw) -> Item:
    a, b, c = d.whole(4, 20), d.whole(4, 20), d.whole(4, 20)
    d.require(a + b > c + 1 and a + c > b + 1 and b + c > a + 1 and len({a, b, c}) == 3)
    top = b * b + c * c - a * a
    value = math.degrees(math.acos(top / (2 * b * c)))
    d.require(abs(value - 90) > 3)
    result = rounded(value, 1)
    other = math.degrees(math.acos((a * a + c * c - b * b) / (2 * a * c)))
    return Item(
        ask=(
            f"The sides of a triangle are $a = {a}$ cm, $b = {b}$ cm and $c = {c}$ cm. Find the angle $A$ opposite $a$, to one decimal place.",
            f"A triangle has sides of {a} cm, {b} cm and {c} cm. How large is the angle opposite the side of {a} cm? Round to one decimal place.",
        ),
        answer=degrees(result),
        steps=(
            rf"Cosine rule: $\cos A = {frac(f'{b}^2 + {c}^2 - {a}^2', 2 * b * c)} = {frac(top, 2 * b * c)}$.",
            rf"$A \approx {result}^\circ$",
        ),
        wrong=(
            (degrees(rounded(180 - value, 1)), "Has the wrong sign in the cosine rule"),
            (degrees(rounded(other, 1)), "Finds the angle opposite another side"),
            (degrees(rounded(180 - value - other, 1)), "Finds the third angle"),
        ),
        choice=0.35,
    )


def area_by_sine(d: Draw) -> Item:
    a, b, gamma = d.whole(4, 30), d.whole(4, 30), d.whole(20, 150, but=(30, 90, 150))
    value = a * b * sin(gamma) / 2
    result = rounded(value, 1)
    thing = d.one_of("triangle", "triangular field", "triangular sail", "triangular plate")
    unit = {"triangular field": "m", "triangular sail": "m"}.get(thing, "cm")
    shown = lambda number: quantity(rounded(number, 1), unit, 2)
    return Item(
        ask=(
            f"Two sides of a {thing} are {a} {unit} and {b} {unit} long; the angle between them is {degrees(gamma)}. Find the area to one decimal place.",
            f"A {thing} has sides of {a} {unit} and {b} {unit} that enclose an angle of {degrees(gamma)}. What is its area, to one decimal place?",
        ),
        answer=quantity(result, unit, 2),
        steps=(
            r"Area: $\frac{1}{2}ab\sin C$.",
            rf"$\frac{{1}}{{2}} \times {a} \times {b} \times \sin {gamma}^\circ \approx {result}$, so the area is {quantity(result, unit, 2)}.",
        ),
        wrong=(
            (shown(2 * value), "Forgets to halve"),
            (shown(abs(a * b * cos(gamma) / 2)), "Uses the cosine instead of the sine"),
            (shown(Fraction(a * b, 2)), "Uses the formula for a right angle"),
        ),
        choice=0.4,
    )


def angle_from_area(d: Draw) -> Item:
    a, b, gamma = d.whole(3, 20), d.whole(3, 20), d.one_of(30, 30, 45, 60)
    product = Fraction(a * b, 4)
    exact = decimal(product) if gamma == 30 else scaled_root(product, 2 if gamma == 45 else 3)
    sine = _EXACT["sin", gamma]
    area = rf"${exact}\,\text{{cm}}^2$"
    return Item(
        ask=(
            f"A triangle has sides of {a} cm and {b} cm and an area of {area}. The angle between the two sides is acute. How large is it?",
            f"The sides $a = {a}$ cm and $b = {b}$ cm of a triangle enclose an acute angle $C$, and the area is {area}. Find $C$.",
        ),
        answer=degrees(gamma),
        steps=(
            rf"$\frac{{1}}{{2}} \times {a} \times {b} \times \sin C = {exact}$",
            rf"$\sin C = {sine}$, so $C = {gamma}^\circ$.",
        ),
        wrong=tuple(
            (
                degrees(angle),
                "Mixes up the values of the standard angles" if angle < 90 else "Takes the obtuse solution",
            )
            for angle in (60, 30, 45, 180 - gamma)
            if angle != gamma
        ),
        choice=0.4,
    )


def scaled_root(coefficient: Fraction, radicand: int) -> str:
    """Return a fraction times a root as one fraction."""
    top = root(radicand) if coefficient.numerator == 1 else f"{coefficient.numerator}{root(radicand)}"
    return top if coefficient.denominator == 1 else frac(top, coefficient.denominator)


PATTERNS = (
    Pattern("side-by-trig", "Finding a side", 9, 0.2, side_by_trig),
    Pattern("tower-height", "Finding a side", 9, 0.6, tower_height),
    Pattern("angle-by-trig", "Finding an angle", 9, 0.3, angle_by_trig),
    Pattern("slope-angle", "Finding an angle", 10, 0.5, slope_angle),
    Pattern("exact-value", "Exact values", 10, 0.4, exact_value),
    Pattern("exact-side", "Exact values", 10, 0.5, exact_side),
    Pattern("sine-rule-side", "Sine rule", 10, 0.3, sine_rule_side),
    Pattern("sine-rule-angle", "Sine rule", 10, 0.7, sine_rule_angle),
    Pattern("cosine-rule-side", "Cosine rule", 10, 0.5, cosine_rule_side),
    Pattern("cosine-rule-angle", "Cosine rule", 10, 0.8, cosine_rule_angle),
    Pattern("area-by-sine", "Area of a triangle by sine", 10, 0.3, area_by_sine),
    Pattern("angle-from-area", "Area of a triangle by sine", 11, 0.8, angle_from_area),
)
