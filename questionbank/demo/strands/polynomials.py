"""Algebraic expressions, second part: algebraic fractions, polynomials, formulae."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import answer, braced, frac, m, poly, power, root, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def simplify_rational(d: Draw) -> Item:
    x = d.one_of("x", "x", "t", "y")
    p, q, r = d.several(3, -8, 8, but=(0,))
    d.require(p + q != 0 and p + r != 0 and q != -r)
    top, bottom = poly([1, p + q, p * q], x), poly([1, p + r, p * r], x)
    shared, above, below = poly([1, p], x), poly([1, q], x), poly([1, r], x)
    result = frac(above, below)
    return Item(
        ask=(
            f"Simplify ${frac(top, bottom)}$.",
            f"Write ${frac(top, bottom)}$ in its simplest form.",
            f"Factorise and cancel: ${frac(top, bottom)}$.",
        ),
        answer=m(result),
        steps=(
            f"Numerator: ${top} = ({shared})({above})$.",
            f"Denominator: ${bottom} = ({shared})({below})$.",
            f"Cancel ${shared}$: ${result}$.",
        ),
        wrong=(
            (m(frac(poly([p + q, p * q], x), poly([p + r, p * r], x))), "Cancels the squares term by term"),
            (m(frac(below, above)), "Turns the fraction upside down"),
            (m(frac(poly([1, -q], x), poly([1, -r], x))), "Has the signs of the factors wrong"),
            (m(frac(shared, below)), "Cancels the wrong factor"),
        ),
        choice=0.4,
    )


def add_rational(d: Draw) -> Item:
    a, b = d.whole(1, 5), d.whole(1, 5)
    p, q = d.several(2, -6, 6, but=(0,))
    minus = d.chance(0.4)
    k = -b if minus else b
    sign = "-" if minus else "+"
    one, two = poly([1, p]), poly([1, q])
    top = [a + k, a * q + k * p]
    d.require(
        top[0] != 0
        and top[1] != 0
        and math.gcd(*top) == 1
        and top[1] * 1 != p * top[0]
        and top[1] != q * top[0]
    )
    shown = f"{frac(a, one)} {sign} {frac(b, two)}"
    result = frac(poly(top), f"({one})({two})")
    expanded = f"{term(a, f'({two})')} {sign} {term(b, f'({one})')}"
    return Item(
        ask=(
            f"Write ${shown}$ as a single fraction.",
            f"Combine ${shown}$ into one fraction and simplify the numerator.",
        ),
        answer=m(result),
        steps=(
            f"The common denominator is $({one})({two})$.",
            f"The numerator is ${expanded} = {poly(top)}$.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (m(frac(a + k, poly([2, p + q]))), "Adds numerators and denominators separately"),
            (m(frac(a + k, f"({one})({two})")), "Changes the denominators but not the numerators"),
            (
                m(frac(poly([a + k, a * p + k * q]), f"({one})({two})")),
                "Multiplies each numerator by its own denominator",
            ),
        ),
        choice=0.4,
    )


def multiply_rational(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("a", "b"), ("p", "q"))
    a, b, c, e = d.whole(2, 9), d.whole(2, 9), d.whole(2, 9), d.whole(2, 9)
    p, q = d.whole(2, 4), d.whole(1, 3)
    value = Fraction(a * c, b * e)
    d.require(math.gcd(a, b) == 1 and math.gcd(c, e) == 1 and value.denominator not in (1, b * e) and p != q)
    shown = (
        rf"{frac(term(a, power(x, p)), term(b, y))} \times {frac(term(c, power(y, 2)), term(e, power(x, q)))}"
    )
    left = p - q
    numerator, denominator = (power(x, left) if left > 0 else ""), (power(x, -left) if left < 0 else "")
    result = frac(term(value.numerator, f"{numerator}{y}"), term(value.denominator, denominator))
    return Item(
        ask=(f"Simplify ${shown}$.", f"Write ${shown}$ as a single fraction in lowest terms."),
        answer=m(result),
        steps=(
            f"Numbers: ${frac(a, b)} \\times {frac(c, e)} = {tex(value)}$.",
            f"Letters: ${power(x, p)}$ over ${power(x, q)}$ and ${power(y, 2)}$ over ${y}$.",
            f"Together: ${result}$.",
        ),
    )


def remainder_theorem(d: Draw) -> Item:
    a, b, c, e = d.whole(1, 3), d.whole(-6, 6), d.whole(-9, 9), d.whole(-9, 9, but=(0,))
    u = d.whole(-3, 3, but=(0,))
    value = a * u**3 + b * u * u + c * u + e
    d.require(value != 0 and abs(value) < 90 and (b or c))
    shown, divisor = poly([a, b, c, e]), poly([1, -u])
    opposite = -a * u**3 + b * u * u - c * u + e
    terms = signed_sum([tex(a * u**3), tex(b * u * u), tex(c * u), tex(e)])
    return Item(
        ask=(
            f"Find the remainder when ${shown}$ is divided by ${divisor}$.",
            f"The polynomial $f(x) = {shown}$ is divided by ${divisor}$. What is the remainder?",
            f"Use the remainder theorem: what remains when $f(x) = {shown}$ is divided by ${divisor}$?",
        ),
        answer=answer(value),
        steps=(
            f"By the remainder theorem the remainder is $f({u})$.",
            f"$f({u}) = {terms} = {value}$" if terms != str(value) else f"$f({u}) = {value}$",
        ),
        wrong=(
            (answer(opposite), "Substitutes the number with the wrong sign"),
            (answer(e), "Gives the constant term"),
            (answer(-value), "Has the wrong sign at the end"),
            (answer(a + b + c + e), "Adds the coefficients"),
        ),
        choice=0.4,
    )


def factor_theorem_constant(d: Draw) -> Item:
    u, v, w = d.one_of(-3, -2, -1, 1, 2, 3), d.whole(-5, 5), d.whole(-6, 6)
    # (x - u)(x^2 + v x + w); the coefficient of x is the unknown k
    b, c, e = v - u, w - u * v, -u * w
    d.require(b != 0 and c != 0 and e != 0)
    divisor = poly([1, -u])
    shown = signed_sum(["x^3", term(b, "x^2"), "kx", tex(e)])
    known = u**3 + b * u * u + e
    equation = f"{signed_sum([tex(u**3), tex(b * u * u), term(u, 'k'), tex(e)])} = 0"
    return Item(
        ask=(
            f"${divisor}$ is a factor of ${shown}$. Find $k$.",
            f"For which value of $k$ does ${divisor}$ divide ${shown}$ without remainder?",
            f"The polynomial $f(x) = {shown}$ has the factor ${divisor}$. What is the value of $k$?",
        ),
        answer=m(f"k = {c}"),
        steps=(
            f"By the factor theorem the polynomial is 0 for $x = {u}$: ${equation}$.",
            f"So ${signed_sum([term(u, 'k'), tex(known)])} = 0$ and $k = {c}$."
            if known
            else f"So ${term(u, 'k')} = 0$ and $k = {c}$.",
        ),
    )


def factorise_cubic(d: Draw) -> Item:
    roots = d.several(3, -5, 5, but=(0,))
    p, q, r = roots
    coefficients = [1, -(p + q + r), p * q + p * r + q * r, -p * q * r]
    given = min(roots, key=lambda value: (abs(value), value))
    others = sorted(value for value in roots if value != given)
    shown = poly(coefficients)
    factors = "".join(f"({poly([1, -value])})" for value in [given, *others])
    quotient = poly([1, -sum(others), others[0] * others[1]])
    return Item(
        ask=(
            f"Factorise ${shown}$ completely.",
            f"Show that ${poly([1, -given])}$ is a factor of $f(x) = {shown}$ and factorise $f(x)$ completely.",
            f"Write ${shown}$ as a product of three linear factors.",
        ),
        answer=m(factors),
        steps=(
            f"Trying small numbers, $x = {given}$ makes the polynomial 0, so ${poly([1, -given])}$ is a factor.",
            f"Division gives ${shown} = ({poly([1, -given])})({quotient})$.",
            f"Factorise the quadratic: ${factors}$.",
        ),
        wrong=(
            (m("".join(f"({poly([1, value])})" for value in [given, *others])), "Has all signs wrong"),
            (m(f"({poly([1, -given])})({quotient})"), "Does not factorise the quadratic"),
            (
                m(f"({poly([1, given])})" + "".join(f"({poly([1, -v])})" for v in others)),
                "Has one sign wrong",
            ),
        ),
        choice=0.3,
    )


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
    sign, other = ("-", "+") if minus else ("+", "-")
    # y = (x + a) / (x - b) or y = (x - a) / (x + b)
    shown = f"{y} = {frac(f'{x} {sign} {a}', f'{x} {other} {b}')}"
    top = f"{term(b, y)} {'+' if not minus else '-'} {a}" if not minus else f"-{term(b, y)} - {a}"
    result = (
        f"{x} = {frac(top, f'{y} - 1')}" if not minus else f"{x} = {frac(f'{term(b, y)} + {a}', f'1 - {y}')}"
    )
    product = f"{x}{y} {other} {term(b, y)} = {x} {sign} {a}"
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
    Pattern("simplify-rational", "Algebraic fractions", 10, 0.4, simplify_rational),
    Pattern("multiply-rational", "Algebraic fractions", 10, 0.4, multiply_rational),
    Pattern("add-rational", "Algebraic fractions", 10, 0.9, add_rational),
    Pattern("remainder-theorem", "Remainder and factor theorems", 11, 0.1, remainder_theorem),
    Pattern("factor-theorem-constant", "Remainder and factor theorems", 11, 0.6, factor_theorem_constant),
    Pattern("factorise-cubic", "Remainder and factor theorems", 11, 0.8, factorise_cubic),
    Pattern("rearrange-linear", "Rearranging formulae", 9, 0.0, rearrange_linear),
    Pattern("rearrange-formula", "Rearranging formulae", 9, 0.4, rearrange_formula),
    Pattern("nested-root", "Rearranging formulae", 10, 0.6, nested_root),
    Pattern("both-sides-subject", "Rearranging formulae", 10, 1.5, both_sides_subject),
)
