"""Calculus, first part: limits and differentiation."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import answer, frac, m, poly, power, root, signed_sum, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS", "differentiated"]

Terms = list[tuple[Fraction, Fraction]]  # coefficient and exponent of each power of x


def differentiated(coefficients: list[int] | list[Fraction]) -> list[int] | list[Fraction]:
    """Return the coefficients of the derivative of a polynomial, highest power first."""
    degree = len(coefficients) - 1
    return [value * (degree - i) for i, value in enumerate(coefficients[:-1])] or [coefficients[0] * 0]


def value_at(coefficients: list[int], x: int) -> int:
    """Return the value of a polynomial."""
    total = 0
    for value in coefficients:
        total = total * x + value
    return total


def powers(terms: Terms) -> str:
    """Return a sum of powers of x, with negative and fractional exponents."""
    return signed_sum([term(c, power("x", tex_exponent(e)) if e else "") for c, e in terms if c])


def tex_exponent(exponent: Fraction) -> int | str:
    """Return an exponent as `power` takes it."""
    return int(exponent) if exponent.denominator == 1 else tex(exponent)


def limit_by_cancelling(d: Draw) -> Item:
    u, v = d.whole(-6, 7, but=(0,)), d.whole(-8, 8, but=(0,))
    w = d.whole(-8, 8, but=(0,))
    d.require(u not in (v, w) and v != w)
    a = d.one_of(1, 1, 2, 3)
    # a (x - u)(x - v) / (x - u), or over (x - u)(x - w)
    top = poly([a, -a * (u + v), a * u * v])
    simple = d.chance(0.6)
    bottom = poly([1, -u]) if simple else poly([1, -(u + w), u * w])
    value = Fraction(a * (u - v)) if simple else Fraction(a * (u - v), u - w)
    shown = rf"\lim_{{x \to {u}}} {frac(top, bottom)}"
    lead = "" if a == 1 else str(a)
    reduced = f"{lead}({poly([1, -v])})" if lead else poly([1, -v])
    if not simple:
        reduced = frac(reduced, poly([1, -w]))
    return Item(
        ask=(
            f"Find ${shown}$.",
            f"Evaluate the limit ${shown}$.",
            f"What is ${shown}$?",
        ),
        answer=answer(value),
        steps=(
            f"The numerator is ${lead}({poly([1, -u])})({poly([1, -v])})$"
            + ("." if simple else f", the denominator $({poly([1, -u])})({poly([1, -w])})$."),
            f"After cancelling: ${reduced}$.",
            f"For $x = {u}$ this is ${tex(value)}$.",
        ),
        wrong=(
            ("0", "Sees that the numerator becomes 0 and stops"),
            ("does not exist", "Takes the form zero over zero to have no limit"),
            (answer(-value), "Makes a sign error when factorising"),
            (answer(value + 2 * v), "Substitutes into the wrong factor"),
        ),
        choice=0.4,
    )


def limit_at_infinity(d: Draw) -> Item:
    a, b, c = d.whole(-8, 9, but=(0,)), d.whole(-9, 9), d.whole(-9, 9)
    p, q, r = d.whole(2, 9), d.whole(-9, 9), d.whole(-9, 9, but=(0,))
    d.require(b or c)
    shape = d.one_of("equal", "equal", "smaller")
    top = [a, b, c] if shape == "equal" else [a, b or 1]
    bottom = [p, q, r]
    value = Fraction(a, p) if shape == "equal" else Fraction(0)
    shown = rf"\lim_{{x \to \infty}} {frac(poly(top), poly(bottom))}"
    note = (
        f"Divide top and bottom by $x^2$: the terms in {frac_text()} vanish and ${tex(Fraction(a, p))}$ is left."
        if shape == "equal"
        else "The denominator grows faster than the numerator, so the limit is 0."
    )
    return Item(
        ask=(
            f"Find ${shown}$.",
            f"Evaluate ${shown}$.",
            rf"What value does ${frac(poly(top), poly(bottom))}$ approach as $x \to \infty$?",
        ),
        answer=answer(value),
        steps=("Only the highest powers matter for large $x$.", note),
        wrong=(
            ("does not exist", "Believes that infinity over infinity has no limit"),
            (
                answer(Fraction(c, r)) if shape == "equal" else answer(Fraction(a, p)),
                "Substitutes 0 for $x$"
                if shape == "equal"
                else "Takes the quotient of the leading coefficients",
            ),
            (answer(Fraction(p, a)), "Divides the wrong way round"),
            (
                answer(Fraction(sum(top), sum(bottom))) if sum(bottom) else "1",
                "Substitutes 1 for $x$" if sum(bottom) else "Takes every such limit to be 1",
            ),
        ),
        choice=0.4,
    )


def frac_text() -> str:
    """Return the phrase for the terms that vanish."""
    return r"$\frac{1}{x}$ and $\frac{1}{x^2}$"


def limit_with_root(d: Draw) -> Item:
    a = d.whole(2, 9)
    square = a * a
    k = d.one_of(1, 1, 2, 3)
    if d.chance():
        radical = root(poly([k, square]))
        shown = rf"\lim_{{x \to 0}} {frac(f'{radical} - {a}', 'x')}"
        value = Fraction(k, 2 * a)
        steps = (
            f"Multiply top and bottom by ${radical} + {a}$.",
            f"The numerator becomes ${term(k, 'x')}$, which cancels with the $x$ below.",
            f"For $x = 0$: ${frac(k, f'{a} + {a}')} = {tex(value)}$.",
        )
    else:
        below = rf"\sqrt{{x}} - {a}"
        shown = rf"\lim_{{x \to {square}}} {frac(f'x - {square}', below)}"
        value = Fraction(2 * a)
        steps = (
            rf"$x - {square} = (\sqrt{{x}} - {a})(\sqrt{{x}} + {a})$",
            rf"After cancelling: $\sqrt{{x}} + {a}$.",
            f"For $x = {square}$: ${a} + {a} = {2 * a}$.",
        )
    return Item(
        ask=(f"Find ${shown}$.", f"Evaluate ${shown}$ without a calculator."),
        answer=answer(value),
        steps=steps,
        wrong=(
            ("0", "Sees that the numerator becomes 0 and stops"),
            ("does not exist", "Takes the form zero over zero to have no limit"),
            (answer(1 / value), "Divides the wrong way round"),
            (answer(value / 2), "Forgets one of the two equal terms"),
        ),
        choice=0.35,
    )


def differentiate_polynomial(d: Draw) -> Item:
    degree = d.one_of(2, 3, 3, 4)
    coefficients = [
        d.whole(-5, 6, but=(0,)),
        *(d.whole(-7, 8) for _ in range(degree - 1)),
        d.whole(-9, 9, but=(0,)),
    ]
    d.require(sum(value != 0 for value in coefficients) >= 3)
    shown, result = poly(coefficients), poly(differentiated(coefficients))
    f, notation = d.one_of(("f(x)", "f'(x)"), ("y", r"\frac{dy}{dx}"), ("g(x)", "g'(x)"))
    kept = poly([*differentiated(coefficients)[:-1], differentiated(coefficients)[-1] + coefficients[-1]])
    no_factor = poly(coefficients[:-1])
    slip = poly([value * (degree - i) for i, value in enumerate(coefficients[:-1])] + [0])
    return Item(
        ask=(
            f"Differentiate ${f} = {shown}$.",
            f"Find ${notation}$ for ${f} = {shown}$.",
            f"What is the derivative of ${shown}$?",
        ),
        answer=m(result),
        steps=(
            "Multiply each term by its exponent and lower the exponent by one; the constant vanishes.",
            f"${notation} = {result}$",
        ),
        wrong=(
            (m(kept), "Keeps the constant"),
            (m(no_factor), "Lowers the exponents without multiplying by them"),
            (m(slip), "Multiplies by the exponents without lowering them"),
            (m(poly([-value for value in differentiated(coefficients)])), "Changes all signs"),
        ),
        choice=0.35,
    )


def differentiate_powers(d: Draw) -> Item:
    kind = d.whole(0, 2)
    a, b = d.whole(2, 8), d.whole(-6, 6, but=(0,))
    if kind == 0:
        n = d.whole(1, 4)
        shown = signed_sum([poly([b, 0, 0]), frac(a, power("x", n))])
        terms: Terms = [(Fraction(b), Fraction(2)), (Fraction(a), Fraction(-n))]
    elif kind == 1:
        shown = signed_sum([term(2 * a, root("x")), term(b, "x")])
        terms = [(Fraction(2 * a), Fraction(1, 2)), (Fraction(b), Fraction(1))]
    else:
        n = d.one_of(3, 5)
        shown = signed_sum([term(2 * a, f"x^{{{frac(n, 2)}}}"), term(b, "x^2")])
        terms = [(Fraction(2 * a), Fraction(n, 2)), (Fraction(b), Fraction(2))]
    derivative = [(c * e, e - 1) for c, e in terms]
    first, second = derivative
    exact = {
        0: lambda: signed_sum(
            [poly([2 * b, 0]), f"-{frac(a * int(-terms[1][1]), power('x', int(1 - terms[1][1])))}"]
        ),
        1: lambda: signed_sum([frac(a, root("x")), tex(b)]),
        2: lambda: signed_sum([powers([first]), powers([second])]),
    }[kind]()
    rewritten = powers(terms)
    return Item(
        ask=(
            f"Differentiate $f(x) = {shown}$.",
            f"Find the derivative of $y = {shown}$ with respect to $x$.",
        ),
        answer=m(exact),
        steps=(
            f"As powers: ${rewritten}$."
            if rewritten != shown
            else "Multiply by the exponent and lower it by one.",
            f"The derivative is ${powers(derivative)}$"
            + (f", that is ${exact}$." if powers(derivative) != exact else "."),
        ),
        wrong=(
            (m(powers([(c * e, e + 1) for c, e in terms])), "Raises the exponents instead of lowering them"),
            (m(powers([(c, e - 1) for c, e in terms])), "Does not multiply by the exponents"),
            (m(powers([(-c * e, e - 1) for c, e in terms])), "Has the wrong signs"),
        ),
        choice=0.35,
    )


def gradient_at_point(d: Draw) -> Item:
    a, b, c, u = d.whole(-4, 5, but=(0,)), d.whole(-7, 8), d.whole(-9, 9), d.whole(-3, 4, but=(0,))
    cubic = d.chance(0.4)
    coefficients = [a, b, c, d.whole(-9, 9)] if cubic else [a, b, c]
    d.require(sum(value != 0 for value in coefficients) >= 2)
    slope = value_at(differentiated(coefficients), u)
    height = value_at(coefficients, u)
    d.require(slope != height)
    derivative = poly(differentiated(coefficients))
    return Item(
        ask=(
            f"Find the gradient of the curve $y = {poly(coefficients)}$ at the point where $x = {u}$.",
            f"What is the slope of the graph of $f(x) = {poly(coefficients)}$ at $x = {u}$?",
            f"Let $f(x) = {poly(coefficients)}$. Calculate $f'({u})$.",
        ),
        answer=answer(slope),
        steps=(f"The derivative is ${derivative}$.", f"For $x = {u}$ its value is ${slope}$."),
        wrong=(
            (answer(height), "Substitutes into the function and not into its derivative"),
            (answer(-slope), "Makes a sign error"),
            (
                answer(value_at(differentiated(coefficients), -u)),
                "Substitutes the number with the wrong sign",
            ),
            (answer(value_at(differentiated(differentiated(coefficients)), u)), "Differentiates twice"),
        ),
        choice=0.4,
    )


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
        text = f"The radius of a circular oil film grows at {rate} cm per second. How fast does its area grow when the radius is {r} cm? Leave $\\pi$ in your answer."
        other = f"A stone makes a circular wave whose radius grows by {rate} cm a second. At what rate does the enclosed area grow at a radius of {r} cm, in terms of $\\pi$?"
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
        text = f"The sides of a square grow at {rate} cm per second. How fast does the area grow when they are {r} cm long?"
        other = f"At what rate does the area of a square grow when its sides are {r} cm long and grow by {rate} cm a second?"
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
        text = f"The edges of a cube grow at {rate} cm per minute. How fast does the volume grow when they are {r} cm long?"
        other = f"A cube of ice grows so that its edges increase by {rate} cm a minute. At what rate does its volume grow when the edges are {r} cm long?"
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
        ask=(text, other),
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


def exponential_derivative(d: Draw) -> Item:
    a, k, b = d.whole(1, 6), d.whole(-5, 6, but=(0, 1)), d.whole(-8, 8, but=(0,))
    kind = d.one_of("exp", "sin", "cos", "ln")
    inner = term(k, "x")
    if kind == "exp":
        shown = signed_sum([term(a, f"e^{{{inner}}}"), term(b, "x")])
        result = signed_sum([term(a * k, f"e^{{{inner}}}"), tex(b)])
        wrong = (
            (signed_sum([term(a, f"e^{{{inner}}}"), tex(b)]), "Forgets the inner derivative"),
            (signed_sum([term(a * k, f"e^{{{poly([k, -1])}}}"), tex(b)]), "Uses the rule for powers of $x$"),
            (
                signed_sum([term(a * k, f"e^{{{inner}}}"), term(b, "x")]),
                "Does not differentiate the second term",
            ),
        )
        rule = rf"$(e^{{{inner}}})' = {term(k, f'e^{{{inner}}}')}$"
    elif kind == "ln":
        d.require(k > 1)
        shown = signed_sum([term(a, rf"\ln({k}x + {abs(b)})"), term(b, "x")])
        result = signed_sum([frac(a * k, f"{k}x + {abs(b)}"), tex(b)])
        wrong = (
            (signed_sum([frac(a, f"{k}x + {abs(b)}"), tex(b)]), "Forgets the inner derivative"),
            (signed_sum([frac(a, f"{k}"), tex(b)]), "Takes the logarithm of the inner derivative"),
            (
                signed_sum([frac(a * k, f"{k}x + {abs(b)}"), term(b, "x")]),
                "Does not differentiate the second term",
            ),
        )
        rule = rf"$(\ln({k}x + {abs(b)}))' = {frac(k, f'{k}x + {abs(b)}')}$"
    else:
        d.require(k > 1)
        other = "cos" if kind == "sin" else "sin"
        sign = 1 if kind == "sin" else -1
        changed = rf"\{other} {inner}"
        shown = signed_sum([term(a, rf"\{kind} {inner}"), term(b, "x")])
        result = signed_sum([term(sign * a * k, rf"\{other} {inner}"), tex(b)])
        wrong = (
            (signed_sum([term(-sign * a * k, rf"\{other} {inner}"), tex(b)]), "Has the wrong sign"),
            (signed_sum([term(sign * a, rf"\{other} {inner}"), tex(b)]), "Forgets the inner derivative"),
            (signed_sum([term(a * k, rf"\{kind} {inner}"), tex(b)]), "Does not change the function"),
        )
        rule = rf"$(\{kind} {inner})' = {term(sign * k, changed)}$"
    return Item(
        ask=(
            f"Differentiate $f(x) = {shown}$.",
            f"Find the derivative of $y = {shown}$.",
            f"What is $f'(x)$ if $f(x) = {shown}$?",
        ),
        answer=m(result),
        steps=(f"By the chain rule, {rule}.", f"$f'(x) = {result}$"),
        wrong=tuple((m(text), why) for text, why in wrong),
        choice=0.4,
    )


def second_derivative(d: Draw) -> Item:
    kind = d.whole(0, 2)
    a, k = d.whole(2, 7), d.whole(2, 5)
    if kind == 0:
        shown, first, result = (
            term(a, f"e^{{{k}x}}"),
            term(a * k, f"e^{{{k}x}}"),
            term(a * k * k, f"e^{{{k}x}}"),
        )
        wrong = (
            (first, "Differentiates only once"),
            (term(2 * a * k, f"e^{{{k}x}}"), "Doubles the factor instead of squaring it"),
            (term(a, f"e^{{{k}x}}"), "Forgets the inner derivative"),
        )
    elif kind == 1:
        shown, first, result = rf"{a}\sin {k}x", rf"{a * k}\cos {k}x", rf"-{a * k * k}\sin {k}x"
        wrong = (
            (first, "Differentiates only once"),
            (rf"{a * k * k}\sin {k}x", "Has the wrong sign"),
            (rf"-{a}\sin {k}x", "Forgets the inner derivative"),
        )
    else:
        n = d.whole(4, 6)
        shown, first, result = (
            f"{a}x^{n} + {k}x^2",
            f"{a * n}{power('x', n - 1)} + {2 * k}x",
            f"{a * n * (n - 1)}{power('x', n - 2)} + {2 * k}",
        )
        wrong = (
            (first, "Differentiates only once"),
            (f"{a * n * (n - 1)}{power('x', n - 2)}", "Loses the second term"),
            (f"{a * n * n}{power('x', n - 2)} + {2 * k}", "Uses the first exponent twice"),
        )
    return Item(
        ask=(f"Find the second derivative of $f(x) = {shown}$.", f"Let $f(x) = {shown}$. What is $f''(x)$?"),
        answer=m(result),
        steps=(f"$f'(x) = {first}$", f"$f''(x) = {result}$"),
        wrong=tuple((m(text), why) for text, why in wrong),
        choice=0.4,
    )


PATTERNS = (
    Pattern("limit-by-cancelling", "Limits by algebra", 11, 0.3, limit_by_cancelling),
    Pattern("limit-at-infinity", "Limits by algebra", 11, 0.4, limit_at_infinity),
    Pattern("limit-with-root", "Limits by algebra", 12, 1.1, limit_with_root),
    Pattern("differentiate-polynomial", "Differentiating powers", 11, -0.5, differentiate_polynomial),
    Pattern("differentiate-powers", "Differentiating powers", 11, 0.5, differentiate_powers),
    Pattern("gradient-at-point", "Differentiating powers", 11, 0.0, gradient_at_point),
    Pattern("chain-rule-power", "Chain rule", 12, 0.2, chain_rule_power),
    Pattern("chain-rule-root", "Chain rule", 12, 0.6, chain_rule_root),
    Pattern("growing-circle", "Chain rule", 12, 1.0, growing_circle),
    Pattern("product-rule", "Product and quotient rules", 12, 0.4, product_rule),
    Pattern("quotient-rule", "Product and quotient rules", 12, 0.6, quotient_rule),
    Pattern(
        "exponential-derivative", "Exponential and trigonometric derivatives", 12, 0.3, exponential_derivative
    ),
    Pattern("second-derivative", "Exponential and trigonometric derivatives", 12, 0.3, second_derivative),
)
