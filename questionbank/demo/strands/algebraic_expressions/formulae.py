"""Algebraic expressions: formulae."""

from __future__ import annotations

import math

from questionbank.demo.notation import braced, frac, m, root, term
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]

_FORMULAE = (  # formula, subject, result, steps, wrong results with misconceptions
    (
        "v = u + at",
        "t",
        r"t = \frac{v - u}{a}",
        "Subtract $u$: $v - u = at$.",
        (
            (r"t = \frac{v}{a} - u", "Divides only one of the terms"),
            (r"t = \frac{v + u}{a}", "Adds instead of subtracting"),
            (r"t = v - u - a", "Subtracts a factor instead of dividing by it"),
        ),
    ),
    (
        "A = \\frac{1}{2}bh",
        "h",
        r"h = \frac{2A}{b}",
        "Multiply by 2: $2A = bh$.",
        (
            (r"h = \frac{A}{2b}", "Divides by 2 instead of multiplying"),
            (r"h = \frac{b}{2A}", "Turns the fraction upside down"),
            (r"h = 2A - b", "Subtracts a factor instead of dividing by it"),
        ),
    ),
    (
        "P = 2l + 2w",
        "w",
        r"w = \frac{P - 2l}{2}",
        "Subtract $2l$: $P - 2l = 2w$.",
        (
            (r"w = \frac{P}{2} - 2l", "Divides only one of the terms"),
            (r"w = P - 2l - 2", "Subtracts the factor 2"),
            (r"w = \frac{P + 2l}{2}", "Adds instead of subtracting"),
        ),
    ),
    (
        "C = \\frac{5}{9}(F - 32)",
        "F",
        r"F = \frac{9}{5}C + 32",
        r"Multiply by $\frac{9}{5}$: $\frac{9}{5}C = F - 32$.",
        (
            (r"F = \frac{5}{9}C + 32", "Does not invert the fraction"),
            (r"F = \frac{9}{5}(C + 32)", "Adds before multiplying"),
            (r"F = \frac{9}{5}C - 32", "Does not change the sign of the number"),
        ),
    ),
    (
        "E = \\frac{1}{2}mv^2",
        "v",
        r"v = \sqrt{\frac{2E}{m}}",
        r"Isolate the square: $v^2 = \frac{2E}{m}$.",
        (
            (r"v = \frac{2E}{m}", "Forgets the root"),
            (r"v = \frac{\sqrt{2E}}{m}", "Takes the root of the numerator only"),
            (r"v = \sqrt{\frac{E}{2m}}", "Divides by 2 instead of multiplying"),
        ),
    ),
    (
        "A = \\pi r^2",
        "r",
        r"r = \sqrt{\frac{A}{\pi}}",
        r"Divide by $\pi$: $\frac{A}{\pi} = r^2$.",
        (
            (r"r = \frac{\sqrt{A}}{\pi}", "Takes the root of the numerator only"),
            (r"r = \frac{A}{2\pi}", "Halves instead of taking the root"),
            (r"r = \sqrt{A - \pi}", "Subtracts a factor instead of dividing by it"),
        ),
    ),
    (
        "s = ut + \\frac{1}{2}at^2",
        "a",
        r"a = \frac{2(s - ut)}{t^2}",
        r"Subtract $ut$: $s - ut = \frac{1}{2}at^2$.",
        (
            (r"a = \frac{s - ut}{2t^2}", "Divides by 2 instead of multiplying"),
            (r"a = \frac{2s - ut}{t^2}", "Doubles only one of the terms"),
            (r"a = \sqrt{\frac{2(s - ut)}{t}}", "Takes a root of the wrong quantity"),
        ),
    ),
    (
        "V = \\frac{1}{3}\\pi r^2h",
        "h",
        r"h = \frac{3V}{\pi r^2}",
        r"Multiply by 3: $3V = \pi r^2h$.",
        (
            (r"h = \frac{V}{3\pi r^2}", "Divides by 3 instead of multiplying"),
            (r"h = 3V - \pi r^2", "Subtracts a factor"),
            (r"h = \frac{\pi r^2}{3V}", "Turns the fraction upside down"),
        ),
    ),
    (
        "T = 2\\pi\\sqrt{\\frac{l}{g}}",
        "l",
        r"l = \frac{gT^2}{4\pi^2}",
        r"Divide by $2\pi$ and square: $\frac{T^2}{4\pi^2} = \frac{l}{g}$.",
        (
            (r"l = \frac{gT^2}{2\pi}", r"Does not square $2\pi$"),
            (r"l = \frac{gT}{2\pi}", "Forgets to square"),
            (r"l = \frac{T^2}{4\pi^2 g}", "Divides by the denominator instead of multiplying"),
        ),
    ),
    (
        "\\frac{1}{f} = \\frac{1}{u} + \\frac{1}{v}",
        "f",
        r"f = \frac{uv}{u + v}",
        r"Add the fractions: $\frac{1}{f} = \frac{u + v}{uv}$.",
        (
            (r"f = u + v", "Takes the reciprocal of each term"),
            (r"f = \frac{u + v}{uv}", "Forgets to take the reciprocal"),
            (r"f = \frac{uv}{u - v}", "Makes a sign error"),
        ),
    ),
)


def rearrange_formula(d: Draw) -> Item:
    formula, subject, result, step, wrong = d.one_of(*_FORMULAE)
    return Item(
        ask=(
            f"Make ${subject}$ the subject of the formula ${formula}$.",
            f"Rearrange ${formula}$ to give a formula for ${subject}$.",
            f"Solve ${formula}$ for ${subject}$.",
            f"The quantities in ${formula}$ are all positive. Express ${subject}$ in terms of the others.",
        ),
        answer=m(result),
        steps=(step, f"Then ${result}$."),
        wrong=tuple((m(text), why) for text, why in wrong),
        choice=0.4,
    )


def rearrange_linear(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("a", "b"), ("s", "t"))
    a, b, c = d.whole(2, 9), d.whole(2, 9), d.whole(-12, 12, but=(0,))
    d.require(math.gcd(a, b) == 1 and math.gcd(b, c) == 1)
    shown = f"{a}{x} + {b}{y} = {c}"
    result = f"{y} = {frac(f'{c} - {a}{x}', b)}"
    return Item(
        ask=(
            f"Make ${y}$ the subject of ${shown}$.",
            f"Solve the equation ${shown}$ for ${y}$.",
            f"Express ${y}$ in terms of ${x}$, given that ${shown}$.",
        ),
        answer=m(result),
        steps=(f"Subtract ${a}{x}$: ${b}{y} = {c} - {a}{x}$.", f"Divide by {b}: ${result}$."),
        wrong=(
            (m(f"{y} = {frac(f'{c} + {a}{x}', b)}"), "Does not change the sign when moving the term"),
            (m(f"{y} = {c} - {frac(f'{a}{x}', b)}"), "Divides only one of the terms"),
            (m(f"{y} = {c} - {a}{x} - {b}"), "Subtracts the factor instead of dividing"),
            (m(f"{y} = {frac(f'{a}{x} - {braced(c)}', b)}"), "Has all signs wrong"),
        ),
        choice=0.4,
    )


def both_sides_subject(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("t", "w"), ("n", "P"))
    a, b = d.several(2, 1, 9)
    minus = d.chance()
    sign, opposite = ("-", "+") if minus else ("+", "-")
    # y = (x + a) / (x - b) or y = (x - a) / (x + b)
    shown = f"{y} = {frac(f'{x} {sign} {a}', f'{x} {opposite} {b}')}"
    top = f"{term(b, y)} {'+' if not minus else '-'} {a}" if not minus else f"-{term(b, y)} - {a}"
    result = (
        f"{x} = {frac(top, f'{y} - 1')}" if not minus else f"{x} = {frac(f'{term(b, y)} + {a}', f'1 - {y}')}"
    )
    product = f"{x}{y} {opposite} {term(b, y)} = {x} {sign} {a}"
    collected = f"{x}{y} - {x} = {a} + {term(b, y)}" if not minus else f"{x} - {x}{y} = {a} + {term(b, y)}"
    return Item(
        ask=(
            f"Make ${x}$ the subject of ${shown}$.",
            f"Rearrange ${shown}$ to express ${x}$ in terms of ${y}$.",
        ),
        answer=m(result),
        steps=(
            f"Multiply by the denominator: ${product}$.",
            f"Collect the terms in ${x}$: ${collected}$.",
            f"Take out ${x}$ and divide: ${result}$.",
        ),
    )


def nested_root(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("h", "d"), ("t", "s"))
    a, b = d.whole(2, 9), d.whole(1, 12)
    shown = f"{y} = {root(f'{a}{x} + {b}')}"
    result = f"{x} = {frac(f'{y}^2 - {b}', a)}"
    return Item(
        ask=(
            f"Make ${x}$ the subject of ${shown}$.",
            f"Solve ${shown}$ for ${x}$.",
        ),
        answer=m(result),
        steps=(f"Square both sides: ${y}^2 = {a}{x} + {b}$.", f"Subtract {b} and divide by {a}: ${result}$."),
        wrong=(
            (m(f"{x} = {frac(f'{y} - {b}', a)}"), "Drops the root without squaring"),
            (m(f"{x} = {frac(f'{y}^2', a)} - {b}"), "Divides only one of the terms"),
            (m(f"{x} = {frac(f'{y}^2 + {b}', a)}"), "Does not change the sign of the number"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("rearrange-linear", "Rearranging formulae", 9, -0.5, rearrange_linear),
    Pattern("rearrange-formula", "Rearranging formulae", 9, 0.2, rearrange_formula),
    Pattern("nested-root", "Rearranging formulae", 10, 0.5, nested_root),
    Pattern("both-sides-subject", "Rearranging formulae", 10, 2.0, both_sides_subject),
)
