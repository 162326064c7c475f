"""Calculus: integrals and areas."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import answer, braced, frac, m, poly, power, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.calculus.antiderivatives import bracketed, integrated, value_of
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def definite_polynomial(d: Draw) -> Item:
    a, b, c = d.whole(-5, 6, but=(0,)), d.whole(-8, 8), d.whole(-6, 6)
    low, high = sorted(d.several(2, -2, 4))
    coefficients = [3 * a, 2 * b, c] if d.chance() else [2 * a, b]
    d.require(any(coefficients[1:]))
    primitive = integrated(coefficients)
    top, bottom = value_of(primitive, high), value_of(primitive, low)
    value = top - bottom
    d.require(value != 0 and value.denominator == 1)
    shown = poly(coefficients)
    integral = rf"\int_{{{low}}}^{{{high}}} {bracketed(shown)} \, dx"
    f_high = value_of([Fraction(v) for v in coefficients], high)
    f_low = value_of([Fraction(v) for v in coefficients], low)
    return Item(
        ask=(
            f"Evaluate ${integral}$.",
            f"Find the value of ${integral}$.",
            f"Calculate the definite integral ${integral}$.",
            f"${integral} =$ ____",
        ),
        answer=answer(value),
        steps=(
            rf"$\left[ {poly(primitive)} \right]_{{{low}}}^{{{high}}}$",
            f"$= {tex(top)} - {braced(bottom)} = {tex(value)}$",
        ),
        wrong=(
            (answer(-value), "Subtracts in the wrong order"),
            (answer(top + bottom), "Adds the two values"),
            (answer(f_high - f_low), "Substitutes into the integrand"),
            (answer(top), "Ignores the lower limit"),
        ),
        choice=0.35,
    )


def definite_exponential(d: Draw) -> Item:
    k, a, b = d.whole(2, 4), d.whole(1, 6), d.whole(1, 3)
    kind = d.whole(0, 1)
    if kind == 0:
        integral = rf"\int_0^{b} {a * k}e^{{{k}x}} \, dx"
        exponent = k * b
        result = f"e^{exponent} - 1" if a == 1 else f"{a}e^{exponent} - {a}"
        if exponent >= 10:
            result = f"e^{{{exponent}}} - 1" if a == 1 else f"{a}e^{{{exponent}}} - {a}"
        primitive = term(a, f"e^{{{k}x}}")
        e_power = power("e", exponent)
        wrong = (
            (term(a, e_power), "Forgets the lower limit, where the value is not 0"),
            (f"{a * k}{e_power} - {a * k}", "Does not divide by the inner derivative"),
            (f"{term(a, e_power)} - 1" if a > 1 else f"{e_power} + 1", "Makes a slip at the lower limit"),
        )
    else:
        low, high = d.one_of((1, 2), (1, 3), (2, 6), (1, 5), (2, 10), (3, 12))
        integral = rf"\int_{{{low}}}^{{{high}}} {frac(a, 'x')} \, dx"
        ratio = high // low
        result = term(a, rf"\ln {ratio}")
        primitive = term(a, r"\ln x")
        wrong = (
            (
                term(a, rf"\ln {high - low}") if high - low > 1 else "0",
                "Takes the logarithm of the difference",
            ),
            (tex(Fraction(a, low) - Fraction(a, high)), "Uses the rule for other powers"),
            (
                term(a, rf"\ln {high * low}") if low > 1 else term(a + 1, rf"\ln {ratio}"),
                "Adds instead of subtracting",
            ),
        )
    return Item(
        ask=(
            f"Find the exact value of ${integral}$.",
            f"Evaluate ${integral}$. Leave the answer in exact form.",
        ),
        answer=m(result),
        steps=(f"An antiderivative is ${primitive}$.", f"Putting in the limits gives ${result}$."),
        wrong=tuple((m(text), why) for text, why in wrong),
        choice=0.35,
    )


def unknown_limit(d: Draw) -> Item:
    a, b, k = d.whole(1, 5), d.whole(-6, 8), d.whole(2, 6)
    value = a * k * k + b * k
    d.require(value > 0)
    shown = poly([2 * a, b])
    d.require(b != 0 or a > 0)
    second_root = Fraction(-value, a * k)  # the other root of a k^2 + b k - value
    d.require(second_root < 0)
    return Item(
        ask=(
            rf"Find the positive number $k$ with $\int_0^k {bracketed(shown)} \, dx = {value}$.",
            rf"For which $k > 0$ is $\int_0^k {bracketed(shown)} \, dx = {value}$?",
        ),
        answer=m(f"k = {k}"),
        steps=(
            f"The integral is ${poly([a, b, 0], 'k')}$.",
            f"${poly([a, b, -value], 'k')} = 0$ has the solutions $k = {k}$ and $k = {tex(second_root)}$.",
            f"The positive one is $k = {k}$.",
        ),
        wrong=(
            (m(f"k = {tex(-second_root)}"), "Changes the sign of the other solution"),
            (m(f"k = {tex(Fraction(value - b, 2 * a))}"), "Sets the integrand equal to the value"),
            (m(f"k = {value}"), "Gives the value of the integral"),
        ),
        choice=0.3,
    )


def area_above_axis(d: Draw) -> Item:
    a, low, width = d.whole(1, 3), d.whole(0, 2), d.whole(1, 3)
    c = d.whole(1, 8)
    high = low + width
    coefficients = [3 * a, 0, c]
    primitive = integrated(coefficients)
    value = value_of(primitive, high) - value_of(primitive, low)
    shown = poly(coefficients)
    return Item(
        ask=(
            (
                f"Find the area between the curve $y = {shown}$ and the $x$-axis from $x = {low}$ to $x ="
                f" {high}$."
            ),
            (
                f"The region under $y = {shown}$ is bounded by the $x$-axis and the lines $x = {low}$ and $x"
                f" = {high}$. What is its area?"
            ),
        ),
        answer=answer(value),
        steps=(
            (
                rf"$\int_{{{low}}}^{{{high}}} {bracketed(shown)} \, dx = \left[ {poly(primitive)}"
                rf" \right]_{{{low}}}^{{{high}}}$"
            ),
            f"$= {tex(value_of(primitive, high))} - {tex(value_of(primitive, low))} = {tex(value)}$",
        ),
        wrong=(
            (
                answer(
                    value_of([Fraction(v) for v in coefficients], high)
                    - value_of([Fraction(v) for v in coefficients], low)
                ),
                "Substitutes into the function without integrating",
            ),
            (
                answer(value_of(primitive, high) + value_of(primitive, low)) if low else answer(value * 2),
                "Adds the two values" if low else "Doubles the area",
            ),
            (answer(value - c * width), "Loses the constant when integrating"),
            (
                answer(Fraction(width) * value_of([Fraction(v) for v in coefficients], high)),
                "Takes a rectangle for the region",
            ),
        ),
        choice=0.35,
    )


def area_of_parabola(d: Draw) -> Item:
    p, q = sorted(d.several(2, -3, 5))
    width = q - p
    value = Fraction(width**3, 6)
    below = d.chance()
    coefficients = [1, -(p + q), p * q] if below else [-1, p + q, -p * q]
    shown = poly(coefficients)
    d.require(any(coefficients[1:]))
    integral = rf"\int_{{{p}}}^{{{q}}} {bracketed(shown)} \, dx"
    return Item(
        ask=(
            f"Find the area enclosed by the parabola $y = {shown}$ and the $x$-axis.",
            f"The graph of $y = {shown}$ and the $x$-axis enclose a region. How large is its area?",
        ),
        answer=answer(value),
        steps=(
            f"The parabola meets the axis at $x = {p}$ and $x = {q}$.",
            f"${integral} = {tex(-value if below else value)}$",
            (
                f"The region lies below the axis, so the area is ${tex(value)}$."
                if below
                else f"The area is ${tex(value)}$."
            ),
        ),
        wrong=(
            (answer(-value), "Takes a negative integral for the area" if below else "Makes a sign error"),
            (answer(Fraction(width**3, 3)), "Makes a slip in the antiderivative"),
            (answer(Fraction(width**3, 8)), "Takes a triangle with the same height for the region"),
            (answer(Fraction(width**3, 4)), "Takes a rectangle with the same height for the region"),
        ),
        choice=0.35,
    )


def area_between(d: Draw) -> Item:
    p, q = sorted(d.several(2, -3, 4))
    slope, shift = d.whole(-3, 4), d.whole(-4, 6)
    # x^2 + ... meets the line where (x - p)(x - q) = 0
    curve = [1, slope - (p + q), shift + p * q]
    width = q - p
    value = Fraction(width**3, 6)
    d.require(curve[1:] != [0, 0] or slope)
    straight = poly([slope, shift])
    d.require(straight != "0")
    return Item(
        ask=(
            (
                f"Find the area of the region between the parabola $y = {poly(curve)}$ and the line $y ="
                f" {straight}$."
            ),
            (
                f"The graphs of $f(x) = {poly(curve)}$ and $g(x) = {straight}$ enclose a region. Calculate"
                " its area."
            ),
        ),
        answer=answer(value),
        steps=(
            f"They meet where ${poly([1, -(p + q), p * q])} = 0$, at $x = {p}$ and $x = {q}$.",
            rf"$\int_{{{p}}}^{{{q}}} {bracketed(poly([-1, p + q, -p * q]))} \, dx = {tex(value)}$",
            f"The area is ${tex(value)}$.",
        ),
        wrong=(
            (answer(-value), "Subtracts the functions in the wrong order"),
            (answer(Fraction(width**3, 3)), "Makes a slip in the antiderivative"),
            (answer(Fraction(width**3, 2)), "Makes a slip when putting in the limits"),
        ),
        choice=0.3,
    )


PATTERNS = (
    Pattern("definite-polynomial", "Definite integrals", 12, -0.5, definite_polynomial),
    Pattern("definite-exponential", "Definite integrals", 12, 0.5, definite_exponential),
    Pattern("unknown-limit", "Definite integrals", 12, 0.8, unknown_limit),
    Pattern("area-above-axis", "Area under a curve", 12, -0.2, area_above_axis),
    Pattern("area-of-parabola", "Area under a curve", 12, 0.5, area_of_parabola),
    Pattern("area-between", "Area under a curve", 12, 1.2, area_between),
)
