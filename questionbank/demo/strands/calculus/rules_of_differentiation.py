"""Calculus: rules of differentiation."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import frac, m, poly, power, root, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def chain_rule_power(d: Draw) -> Item:
    a, b, n = d.whole(2, 7), d.whole(-9, 9, but=(0,)), d.whole(3, 8)
    quadratic = d.chance(0.4)
    inside = poly([a, 0, b]) if quadratic else poly([a, b])
    inner = term(2 * a, "x") if quadratic else str(a)
    outer = f"({inside})^{n - 1}"
    result = f"{n * 2 * a}x{outer}" if quadratic else f"{n * a}{outer}"
    return Item(
        ask=(
            f"Differentiate $y = ({inside})^{n}$.",
            f"Use the chain rule to find the derivative of $f(x) = ({inside})^{n}$.",
            f"Find $f'(x)$ for $f(x) = ({inside})^{n}$.",
        ),
        answer=m(result),
        steps=(
            f"Outer derivative: ${n}{outer}$. Inner derivative: ${inner}$.",
            f"Their product is ${result}$.",
        ),
        wrong=(
            (m(f"{n}{outer}"), "Forgets the inner derivative"),
            (m(f"{inner}{outer}"), "Forgets the exponent as a factor"),
            (
                m(f"{n * 2 * a}x({inside})^{n}" if quadratic else f"{n * a}({inside})^{n}"),
                "Does not lower the exponent",
            ),
            (m(f"{n}({inner})^{n - 1}"), "Replaces the inner function by its derivative"),
        ),
        choice=0.4,
    )


def chain_rule_root(d: Draw) -> Item:
    a, b = d.whole(1, 9), d.whole(1, 15)
    quadratic = d.chance()
    inside = poly([a, 0, b]) if quadratic else poly([2 * a, b])
    result = frac(term(a, "x") if quadratic else str(a), root(inside))
    unsimplified = frac(term(2 * a, "x") if quadratic else str(2 * a), f"2{root(inside)}")
    return Item(
        ask=(
            f"Differentiate $y = {root(inside)}$.",
            f"Find the derivative of $f(x) = {root(inside)}$ and simplify it.",
        ),
        answer=m(result),
        steps=(
            f"$y = ({inside})^{{{frac(1, 2)}}}$",
            f"Chain rule: ${unsimplified} = {result}$.",
        ),
        wrong=(
            (m(frac(1, f"2{root(inside)}")), "Forgets the inner derivative"),
            (
                m(frac(term(2 * a, "x") if quadratic else str(2 * a), root(inside))),
                "Forgets the factor one half",
            ),
            (m(root(term(2 * a, "x") if quadratic else str(2 * a))), "Differentiates under the root"),
        ),
        choice=0.4,
    )


def growing_circle(d: Draw) -> Item:
    r, rate = d.whole(3, 20), d.whole(2, 9)
    kind = d.one_of("circle", "square", "cube")
    if kind == "circle":
        value, unit = 2 * r * rate, r"\pi\,\text{cm}^2"
        text = (
            f"The radius of a circular oil film grows at {rate} cm per second. How fast does its area grow"
            f" when the radius is {r} cm? Leave $\\pi$ in your answer."
        )
        rewording = (
            f"A stone makes a circular wave whose radius grows by {rate} cm a second. At what rate does the"
            f" enclosed area grow at a radius of {r} cm, in terms of $\\pi$?"
        )
        steps = (
            r"$A = \pi r^2$, so $\frac{dA}{dt} = 2\pi r \frac{dr}{dt}$.",
            rf"$2\pi \times {r} \times {rate} = {value}\pi$, that is ${value}{unit}$ per second.",
        )
        wrong = (
            (r * r * rate, "Forgets to differentiate"),
            (2 * r, "Forgets the rate of the radius"),
            (rate * rate, "Squares the rate"),
        )
    elif kind == "square":
        value, unit = 2 * r * rate, r"\,\text{cm}^2"
        text = (
            f"The sides of a square grow at {rate} cm per second. How fast does the area grow when they are"
            f" {r} cm long?"
        )
        rewording = (
            f"At what rate does the area of a square grow when its sides are {r} cm long and grow by {rate}"
            " cm a second?"
        )
        steps = (
            r"$A = s^2$, so $\frac{dA}{dt} = 2s \frac{ds}{dt}$.",
            rf"$2 \times {r} \times {rate} = {value}$, that is ${value}{unit}$ per second.",
        )
        wrong = (
            (r * r * rate, "Forgets to differentiate"),
            (2 * r, "Forgets the rate of the sides"),
            (rate * rate, "Squares the rate"),
        )
    else:
        value, unit = 3 * r * r * rate, r"\,\text{cm}^3"
        text = (
            f"The edges of a cube grow at {rate} cm per minute. How fast does the volume grow when they are"
            f" {r} cm long?"
        )
        rewording = (
            f"A cube of ice grows so that its edges increase by {rate} cm a minute. At what rate does its"
            f" volume grow when the edges are {r} cm long?"
        )
        steps = (
            r"$V = a^3$, so $\frac{dV}{dt} = 3a^2 \frac{da}{dt}$.",
            rf"$3 \times {r}^2 \times {rate} = {tex(value)}$, that is ${tex(value)}{unit}$ per minute.",
        )
        wrong = (
            (r**3 * rate, "Forgets to differentiate"),
            (3 * r * r, "Forgets the rate of the edges"),
            (3 * r * rate, "Forgets to square the edge"),
        )
    per = "per minute" if kind == "cube" else "per second"
    return Item(
        ask=(text, rewording),
        answer=f"${tex(value)}{unit}$ {per}",
        steps=steps,
        wrong=tuple((f"${tex(number)}{unit}$ {per}", why) for number, why in wrong),
        choice=0.35,
    )


def product_rule(d: Draw) -> Item:
    kind = d.whole(0, 3)
    n, k = d.whole(2, 5), d.whole(2, 6)
    x_n, x_less = power("x", n), power("x", n - 1)
    if kind == 0:
        shown, result = f"{x_n}e^x", f"{x_less}e^x(x + {n})"
        parts = (f"{n}{x_less}e^x", f"{x_n}e^x")
        wrong = f"{n}{x_less}e^x"
    elif kind == 1:
        shown, result = rf"{x_n} \ln x", rf"{x_less}({n}\ln x + 1)"
        parts = (rf"{n}{x_less} \ln x", x_less)
        wrong = f"{n}{power('x', n - 2)}" if n > 2 else f"{n}"
    elif kind == 2:
        shown, result = rf"{x_n} \sin x", rf"{x_less}({n}\sin x + x\cos x)"
        parts = (rf"{n}{x_less} \sin x", rf"{x_n} \cos x")
        wrong = rf"{n}{x_less} \cos x"
    else:
        shown, result = f"xe^{{{k}x}}", f"e^{{{k}x}}(1 + {k}x)"
        parts = (f"e^{{{k}x}}", f"{k}xe^{{{k}x}}")
        wrong = f"{k}e^{{{k}x}}"
    return Item(
        ask=(
            f"Differentiate $y = {shown}$.",
            f"Use the product rule to find the derivative of $f(x) = {shown}$.",
            f"Find $f'(x)$ for $f(x) = {shown}$ and factorise it.",
        ),
        answer=m(result),
        steps=(f"Product rule: ${parts[0]} + {parts[1]}$.", f"Factorised: ${result}$."),
        wrong=(
            (m(wrong), "Multiplies the two derivatives"),
            (m(parts[0]), "Differentiates only the first factor"),
            (m(f"{parts[0]} - {parts[1]}"), "Subtracts the two parts"),
            (m(parts[1]), "Differentiates only the second factor"),
        ),
        choice=0.4,
    )


def quotient_rule(d: Draw) -> Item:
    a, b, c, e = d.whole(1, 6), d.whole(-7, 7, but=(0,)), d.whole(1, 5), d.whole(-7, 7, but=(0,))
    value = a * e - b * c
    d.require(value != 0 and math.gcd(c, e) == 1)
    top, bottom = poly([a, b]), poly([c, e])
    result = frac(value, f"({bottom})^2")
    return Item(
        ask=(
            f"Differentiate $y = {frac(top, bottom)}$.",
            f"Use the quotient rule to find the derivative of $f(x) = {frac(top, bottom)}$.",
        ),
        answer=m(result),
        steps=(
            f"Quotient rule: ${frac(f'{factor(a, bottom)} - {factor(c, top)}', f'({bottom})^2')}$.",
            f"The numerator simplifies to ${value}$, so the derivative is ${result}$.",
        ),
        wrong=(
            (m(frac(-value, f"({bottom})^2")), "Swaps the two products in the numerator"),
            (m(tex(Fraction(a, c))), "Divides the derivatives"),
            (m(frac(value, bottom)), "Forgets to square the denominator"),
            (
                m(frac(poly([2 * a * c, a * e + b * c]), f"({bottom})^2")),
                "Adds the two products in the numerator",
            ),
        ),
        choice=0.4,
    )


def factor(number: int, expression: str) -> str:
    """Return a number times a bracket."""
    return f"({expression})" if number == 1 else f"{number}({expression})"


PATTERNS = (
    Pattern("chain-rule-power", "Chain rule", 12, -0.2, chain_rule_power),
    Pattern("chain-rule-root", "Chain rule", 12, 0.5, chain_rule_root),
    Pattern("growing-circle", "Chain rule", 12, 1.2, growing_circle),
    Pattern("product-rule", "Product and quotient rules", 12, 0.2, product_rule),
    Pattern("quotient-rule", "Product and quotient rules", 12, 0.5, quotient_rule),
)
