"""Trigonometry: identities and equations."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import decimal, degrees, m, rounded, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, listing

__all__ = ["PATTERNS"]

_IDENTITIES = (  # expression, simplified, steps, wrong
    (
        r"\sin^2 x + \cos^2 x + \tan^2 x",
        r"\frac{1}{\cos^2 x}",
        r"$\sin^2 x + \cos^2 x = 1$ and $1 + \tan^2 x = \frac{1}{\cos^2 x}$.",
        (
            (r"1", "Drops a term"),
            (r"\frac{1}{\sin^2 x}", "Mixes up sine and cosine"),
            (r"\cos^2 x", "Takes the reciprocal"),
        ),
    ),
    (
        r"(1 - \cos x)(1 + \cos x)",
        r"\sin^2 x",
        r"The product is $1 - \cos^2 x$.",
        (
            (r"1 - 2\cos x + \cos^2 x", "Takes the product for the square of a difference"),
            (r"\cos^2 x", "Mixes up sine and cosine"),
            (r"1 + \cos^2 x", "Makes a sign error"),
        ),
    ),
    (
        r"\tan x \cos x",
        r"\sin x",
        r"$\tan x = \frac{\sin x}{\cos x}$",
        (
            (r"\cos x", "Mixes up sine and cosine"),
            (r"\frac{\sin x}{\cos^2 x}", "Divides instead of multiplying"),
            (r"1", "Cancels too much"),
        ),
    ),
    (
        r"\frac{1 - \sin^2 x}{\cos x}",
        r"\cos x",
        r"The numerator is $\cos^2 x$.",
        (
            (r"\sin x", "Mixes up sine and cosine"),
            (r"1", "Takes the numerator for $\\cos x$"),
            (r"\frac{1}{\cos x}", "Cancels the square"),
        ),
    ),
    (
        r"(\sin x + \cos x)^2 - 1",
        r"\sin 2x",
        r"The square is $1 + 2\sin x\cos x$.",
        (
            (r"0", "Squares each term separately"),
            (r"\cos 2x", "Mixes up the double-angle formulae"),
            (r"\sin x \cos x", "Forgets the factor 2"),
        ),
    ),
    (
        r"\cos^2 x - \sin^2 x",
        r"\cos 2x",
        "This is the double-angle formula of the cosine.",
        (
            (r"1", "Takes the difference for the sum of the squares"),
            (r"\sin 2x", "Mixes up the double-angle formulae"),
            (r"-\cos 2x", "Makes a sign error"),
        ),
    ),
    (
        r"\frac{\sin 2x}{2\cos x}",
        r"\sin x",
        r"$\sin 2x = 2\sin x\cos x$",
        (
            (r"\cos x", "Mixes up sine and cosine"),
            (r"\tan x", "Takes $\\sin 2x$ for $2\\sin x$"),
            (r"2\sin x", "Forgets the factor 2"),
        ),
    ),
    (
        r"\frac{\sin^2 x}{1 - \cos x}",
        r"1 + \cos x",
        r"$\sin^2 x = 1 - \cos^2 x = (1 - \cos x)(1 + \cos x)$",
        (
            (r"1 - \cos x", "Cancels the wrong factor"),
            (r"\cos x", "Cancels term by term"),
            (r"1 + \sin x", "Mixes up sine and cosine"),
        ),
    ),
    (
        r"\frac{\tan x}{\sin x}",
        r"\frac{1}{\cos x}",
        r"$\tan x = \frac{\sin x}{\cos x}$",
        (
            (r"\cos x", "Takes the reciprocal"),
            (r"\frac{1}{\sin x}", "Mixes up sine and cosine"),
            (r"\frac{\sin^2 x}{\cos x}", "Multiplies instead of dividing"),
        ),
    ),
    (
        r"\cos^4 x - \sin^4 x",
        r"\cos 2x",
        r"It is $(\cos^2 x - \sin^2 x)(\cos^2 x + \sin^2 x)$.",
        (
            (r"1", "Takes the difference for the sum"),
            (r"\cos 4x", "Doubles the angle twice"),
            (r"\sin 2x", "Mixes up the double-angle formulae"),
        ),
    ),
)

_TURNS = {  # name -> {positive value as LaTeX: reference angle}
    "sin": {r"\frac{1}{2}": 30, r"\frac{\sqrt{2}}{2}": 45, r"\frac{\sqrt{3}}{2}": 60},
    "cos": {r"\frac{1}{2}": 60, r"\frac{\sqrt{2}}{2}": 45, r"\frac{\sqrt{3}}{2}": 30},
    "tan": {r"\sqrt{3}": 60, "1": 45, r"\frac{\sqrt{3}}{3}": 30},
}


def pythagorean_identity(d: Draw) -> Item:
    a, b, c = d.one_of((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29))
    if d.chance():
        a, b = b, a
    given, wanted = d.one_of(("sin", "cos"), ("cos", "sin"), ("sin", "tan"), ("cos", "tan"))
    obtuse = d.chance()
    # given is the sine or cosine a/c; the angle is acute or in the second quadrant
    sign_sin, sign_cos = 1, -1 if obtuse else 1
    sine = Fraction(a if given == "sin" else b, c)
    cosine = Fraction(b if given == "sin" else a, c)
    sine, cosine = sine * sign_sin, cosine * sign_cos
    known = sine if given == "sin" else cosine
    value = {"sin": sine, "cos": cosine, "tan": sine / cosine}[wanted]
    where = "obtuse" if obtuse else "acute"
    x = d.one_of(r"\theta", r"\alpha", "x")
    cofunction = "cos" if given == "sin" else "sin"
    second = cosine if given == "sin" else sine
    return Item(
        ask=(
            (
                rf"The angle ${x}$ is {where} and $\{given} {x} = {tex(known)}$. Find the exact value of"
                rf" $\{wanted} {x}$."
            ),
            (
                rf"Given that $\{given} {x} = {tex(known)}$ and ${x}$ is"
                rf" {'an obtuse' if obtuse else 'an acute'} angle, find $\{wanted} {x}$."
            ),
        ),
        effort=0.4 * obtuse + 0.4 * (wanted == "tan"),
        answer=m(value),
        steps=(
            rf"$\sin^2 {x} + \cos^2 {x} = 1$ gives $\{cofunction} {x} = {tex(second)}$ for an {where} angle.",
            *(
                (rf"$\tan {x} = \frac{{\sin {x}}}{{\cos {x}}} = {tex(value)}$",)
                if wanted == "tan"
                else (rf"So $\{wanted} {x} = {tex(value)}$.",)
            ),
        ),
        wrong=(
            (m(-value), "Has the wrong sign for the quadrant"),
            (m(1 / value), "Takes the reciprocal"),
            (m(1 - abs(known)), "Forgets the squares in the identity"),
        ),
        choice=0.4,
    )


def simplify_identity(d: Draw) -> Item:
    shown, result, step, wrong = d.one_of(*_IDENTITIES)
    variable = d.one_of("x", r"\theta", r"\alpha", "t")

    def rename(formula: str) -> str:
        return formula.replace("x", variable)

    expression = rename(shown)
    return Item(
        ask=(
            f"Simplify ${expression}$.",
            f"Write ${expression}$ as simply as possible.",
            f"Which simpler expression equals ${expression}$ wherever both are defined?",
        ),
        answer=m(rename(result)),
        steps=(rename(step), f"So ${expression} = {rename(result)}$."),
        wrong=tuple((m(rename(text)), why.replace("x$", f"{variable}$")) for text, why in wrong),
        choice=0.6,
    )


def double_angle(d: Draw) -> Item:
    a, b, c = d.one_of((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25))
    if d.chance():
        a, b = b, a
    x = d.one_of(r"\theta", r"\alpha", "x")
    sine, cosine = Fraction(a, c), Fraction(b, c)
    wants_sine = d.chance()
    value = 2 * sine * cosine if wants_sine else cosine**2 - sine**2
    name = "sin" if wants_sine else "cos"
    return Item(
        ask=(
            (
                rf"The angle ${x}$ is acute and $\sin {x} = {tex(sine)}$. Find the exact value of $\{name}"
                rf" 2{x}$."
            ),
            (
                rf"Given an acute angle ${x}$ with $\sin {x} = {tex(sine)}$, work out $\{name} 2{x}$ without"
                r" a calculator."
            ),
        ),
        answer=m(value),
        steps=(
            rf"$\cos {x} = {tex(cosine)}$",
            (
                rf"$\sin 2{x} = 2\sin {x}\cos {x} = 2 \times {tex(sine)} \times {tex(cosine)} = {tex(value)}$"
                if wants_sine
                else (
                    rf"$\cos 2{x} = \cos^2 {x} - \sin^2 {x} = {tex(cosine**2)} - {tex(sine**2)} ="
                    rf" {tex(value)}$"
                )
            ),
        ),
        wrong=(
            (m(2 * (sine if wants_sine else cosine)), "Doubles the value instead of the angle"),
            (
                m(sine * cosine if wants_sine else -value),
                "Forgets the factor 2" if wants_sine else "Makes a sign error",
            ),
            (
                m(cosine**2 - sine**2 if wants_sine else 2 * sine * cosine),
                "Uses the other double-angle formula",
            ),
            (m(Fraction(1)), "Adds the squares"),
        ),
        choice=0.35,
    )


def solutions_in_turn(name: str, reference: int, positive: bool) -> list[int]:
    """Return the two solutions between 0 and 360 degrees."""
    first = {
        ("sin", True): (reference, 180 - reference),
        ("sin", False): (180 + reference, 360 - reference),
        ("cos", True): (reference, 360 - reference),
        ("cos", False): (180 - reference, 180 + reference),
        ("tan", True): (reference, 180 + reference),
        ("tan", False): (180 - reference, 360 - reference),
    }[name, positive]
    return sorted(first)


def basic_trig_equation(d: Draw) -> Item:
    name = d.one_of("sin", "cos", "tan")
    value, reference = d.one_of(*_TURNS[name].items())
    positive = d.chance()
    shown = value if positive else f"-{value}"
    solutions = solutions_in_turn(name, reference, positive)
    x = d.one_of("x", r"\theta")
    doubled = value == r"\frac{1}{2}" and d.chance(0.4)
    equation = rf"2\{name} {x} {'-' if positive else '+'} 1 = 0" if doubled else rf"\{name} {x} = {shown}"

    def both(values: list[int]) -> str:
        return rf"${x} = {values[0]}^\circ$ or ${x} = {values[1]}^\circ$"

    opposite = solutions_in_turn(name, reference, not positive)
    swapped = solutions_in_turn({"sin": "cos", "cos": "sin", "tan": "sin"}[name], reference, positive)
    return Item(
        ask=(
            rf"Solve ${equation}$ for $0^\circ \le {x} < 360^\circ$.",
            rf"Find all angles ${x}$ between $0^\circ$ and $360^\circ$ with ${equation}$.",
        ),
        answer=both(solutions),
        steps=(
            *((rf"$\{name} {x} = {shown}$",) if doubled else ()),
            rf"The reference angle is ${reference}^\circ$, since $\{name} {reference}^\circ = {value}$.",
            f"In one turn: {both(solutions)}.",
        ),
        wrong=(
            (both(opposite), "Takes the quadrants with the other sign"),
            (both(swapped), "Uses the symmetry of another function"),
            (rf"${x} = {solutions[0]}^\circ$ only", "Gives one solution only"),
            (both([solutions[0], solutions[0] + 90]), "Adds a right angle for the second solution"),
        ),
        choice=0.4,
    )


def quadratic_trig_equation(d: Draw) -> Item:
    name = d.one_of("sin", "cos")
    positive = d.chance()
    second = d.one_of(1, -1)
    x = "x"
    half = Fraction(1 if positive else -1, 2)
    # (2u - s)(u - t) = 0 with s = +-1, t = +-1
    s = 1 if positive else -1
    b, c = -(2 * second + s), s * second
    middle = f"{'+' if b > 0 else '-'} {abs(b) if abs(b) > 1 else ''}"
    equation = rf"2\{name}^2 {x} {middle}\{name} {x} {'+' if c > 0 else '-'} {abs(c)} = 0"
    reference = 30 if name == "sin" else 60
    solutions = set(solutions_in_turn(name, reference, positive))
    solutions |= {90 if second == 1 else 270} if name == "sin" else {0 if second == 1 else 180}
    ordered = sorted(solutions)
    shown = listing([degrees(value) for value in ordered])
    flipped = sorted({(360 - value) % 360 for value in ordered})
    first_only = listing([degrees(value) for value in solutions_in_turn(name, reference, positive)])
    return Item(
        ask=(
            rf"Solve ${equation}$ for $0^\circ \le x < 360^\circ$.",
            rf"Find all solutions of ${equation}$ with $0^\circ \le x < 360^\circ$.",
        ),
        answer=shown,
        steps=(
            rf"With $u = \{name} x$: $(2u {'-' if s > 0 else '+'} 1)(u {'-' if second > 0 else '+'} 1) = 0$.",
            rf"$\{name} x = {tex(half)}$ or $\{name} x = {second}$",
            f"The solutions are {shown}.",
        ),
        wrong=(
            (first_only, "Forgets the second factor"),
            (listing([degrees(value) for value in flipped]), "Takes the quadrants with the other sign"),
            (listing([degrees((value + 90) % 360) for value in ordered]), "Mixes up sine and cosine"),
            (degrees(ordered[0]), "Gives one solution only"),
        ),
        choice=0.3,
    )


def calculator_trig_equation(d: Draw) -> Item:
    name = d.one_of("sin", "cos", "tan")
    value = Fraction(d.whole(11, 94), 100) if name != "tan" else Fraction(d.whole(21, 390), 100)
    k = d.whole(2, 5)
    with_factor = d.chance(0.4)
    inverse = {"sin": math.asin, "cos": math.acos, "tan": math.atan}[name]
    first = math.degrees(inverse(float(value)))
    d.require(4 < first < 86)
    second = {"sin": 180 - first, "cos": 360 - first, "tan": 180 + first}[name]
    shown = rf"${rounded(first, 1)}^\circ$ and ${rounded(second, 1)}^\circ$"
    right = value * k
    equation = rf"{k}\{name} x = {decimal(right)}" if with_factor else rf"\{name} x = {decimal(value)}"
    wrong_second = {"sin": 180 + first, "cos": 180 - first, "tan": 360 - first}[name]
    third = {"sin": 360 - first, "cos": 180 + first, "tan": 180 - first}[name]
    return Item(
        ask=(
            rf"Solve ${equation}$ for $0^\circ \le x < 360^\circ$, to one decimal place.",
            (
                rf"Find both solutions of ${equation}$ between $0^\circ$ and $360^\circ$. Round to one"
                r" decimal place."
            ),
        ),
        answer=shown,
        steps=(
            *((rf"$\{name} x = {decimal(value)}$",) if with_factor else ()),
            rf"The calculator gives $x \approx {rounded(first, 1)}^\circ$.",
            rf"By symmetry the other solution is ${rounded(second, 1)}^\circ$, so the solutions are {shown}.",
        ),
        wrong=(
            (
                rf"${rounded(first, 1)}^\circ$ and ${rounded(wrong_second, 1)}^\circ$",
                "Uses the symmetry of another function",
            ),
            (rf"${rounded(first, 1)}^\circ$ only", "Gives one solution only"),
            (
                rf"${rounded(first, 1)}^\circ$ and ${rounded(third, 1)}^\circ$",
                "Takes the wrong quadrant for the second solution",
            ),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("pythagorean-identity", "Trigonometric identities", 11, 0.3, pythagorean_identity),
    Pattern("simplify-identity", "Trigonometric identities", 11, 0.7, simplify_identity),
    Pattern("double-angle", "Trigonometric identities", 12, 0.8, double_angle),
    Pattern("basic-trig-equation", "Trigonometric equations", 11, 0.3, basic_trig_equation),
    Pattern("calculator-trig-equation", "Trigonometric equations", 11, 0.5, calculator_trig_equation),
    Pattern("quadratic-trig-equation", "Trigonometric equations", 12, 1.5, quadratic_trig_equation),
)
