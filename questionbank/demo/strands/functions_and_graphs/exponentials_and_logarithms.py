"""Functions and graphs: exponentials and logarithms."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import answer, decimal, frac, m, poly, power, prose, rounded, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def growth_model(d: Draw) -> Item:
    start, years = d.whole(4, 60) * 50, d.whole(2, 8)
    falls = d.chance()
    what, unit, percent = d.one_of(
        ("A town has {n} inhabitants. The number {v} by {p}% a year.", "years", d.whole(1, 4)),
        ("A lake holds {n} trout. Their number {v} by {p}% a year.", "years", d.one_of(5, 8, 10, 12, 15)),
        ("A forest has {n} beech trees. The number {v} by {p}% every year.", "years", d.whole(2, 6)),
        (
            "A website has {n} readers. The number {v} by {p}% each month.",
            "months",
            d.one_of(5, 8, 10, 12, 15, 20),
        ),
    )
    factor = Fraction(100 - percent if falls else 100 + percent, 100)
    amount = start * factor**years
    result = rounded(amount, 0)
    linear = start * years * percent // 100
    sentence = what.format(n=prose(start), v="falls" if falls else "grows", p=percent)
    return Item(
        ask=(
            f"{sentence} How many will there be after {years} {unit}, to the nearest whole number?",
            f"{sentence} Predict the number after {years} {unit}, rounded to a whole number.",
        ),
        answer=prose(int(result)),
        steps=(
            f"The factor is {decimal(factor)}: ${tex(start)} \\times {decimal(factor)}^{years}$.",
            f"${tex(start)} \\times {decimal(factor)}^{years} \\approx {tex(int(result))}$",
        ),
        wrong=(
            (prose(start - linear if falls else start + linear), "Uses linear instead of exponential change"),
            (prose(int(rounded(start * (2 - factor) ** years, 0))), "Changes in the wrong direction"),
            (prose(int(rounded(start * factor ** (years - 1), 0))), "Counts one step too few"),
        ),
        choice=0.35,
    )


def half_life(d: Draw) -> Item:
    period, times = d.one_of(2, 3, 4, 5, 6, 8, 12), d.whole(2, 5)
    start = d.one_of(80, 96, 160, 200, 240, 320, 400, 480, 640, 800)
    doubling = d.chance(0.4)
    end = start * 2**times if doubling else Fraction(start, 2**times)
    d.require(doubling or (end * 2).denominator == 1)
    if doubling:
        opening = f"A culture of {start} bacteria doubles every {period} hours."
        question = f"How many bacteria are there after {period * times} hours?"
    else:
        opening = f"A medicine in the blood halves every {period} hours. At first there are {start} mg."
        question = f"How many milligrams are left after {period * times} hours?"
    return Item(
        ask=(f"{opening} {question}", f"{opening} This goes on at the same pace. {question}"),
        answer=prose(int(end)) if end.denominator == 1 else decimal(end),
        steps=(
            f"In {period * times} hours this happens ${period * times} \\div {period} = {times}$ times.",
            (
                f"${start} \\times 2^{times} = {tex(int(end))}$"
                if doubling
                else f"${start} \\div 2^{times} = {decimal(end)}$"
            ),
        ),
        wrong=(
            (
                prose(start * 2 * times) if doubling else decimal_or(start, 2 * times),
                "Multiplies instead of using a power",
            ),
            (prose(start * 2 ** (times - 1)) if doubling else decimal(end * 2), "Counts one step too few"),
            (prose(start * 2 ** (times + 1)) if doubling else decimal(end / 2), "Counts one step too many"),
        ),
        choice=0.35,
    )


def decimal_or(top: int, bottom: int) -> str:
    """Return a quotient as a decimal, rounded to one place where it does not end."""
    value = Fraction(top, bottom)
    return decimal(value) if (value * 100).denominator == 1 else rounded(value, 1)


def logarithm_value(d: Draw) -> Item:
    base, exponent = d.one_of((2, 10), (3, 5), (4, 4), (5, 4), (6, 3), (7, 3), (9, 3), (10, 6), (8, 3))
    n = d.whole(2, exponent)
    negative = d.chance(0.35)
    value = Fraction(base) ** (-n if negative else n)
    result = -n if negative else n
    log = rf"\log_{{{base}}} {tex(value)}"
    return Item(
        ask=(
            f"Find the value of ${log}$.",
            f"Evaluate ${log}$ without a calculator.",
            f"To which power must {base} be raised to give ${tex(value)}$?",
            f"${log} =$ ____",
        ),
        effort=0.5 if negative else 0.0,
        answer=answer(result),
        steps=(
            f"${tex(value)} = {power(base, result)}$",
            f"So ${log} = {result}$.",
        ),
        wrong=(
            (answer(-result), "Has the wrong sign of the exponent"),
            (answer(value / base), "Divides by the base"),
            (answer(Fraction(1, result)), "Takes the reciprocal"),
            (answer(result + 1), "Counts one factor too many"),
        ),
    )


def combine_logs(d: Draw) -> Item:
    base = d.one_of("", "_{2}", "_{3}", "_{5}", "_{a}")
    log = rf"\log{base}"
    p, q, n = d.whole(2, 12), d.whole(2, 9), d.whole(2, 3)
    kind = d.whole(0, 2)
    steps: tuple[str, ...]
    if kind == 0:
        shown, value = f"{log} {p} + {log} {q}", Fraction(p * q)
        steps = (f"A sum of logarithms is the logarithm of the product: ${p} \\times {q} = {p * q}$.",)
        wrong = (
            (p + q, "Adds the numbers under the logarithms"),
            (abs(p - q) or 1, "Subtracts the numbers"),
            (p**q if p**q < 9999 else p * q + q, "Uses a power instead of a product"),
        )
    elif kind == 1:
        d.require(p % q == 0 and p != q)
        shown, value = f"{log} {p * 2} - {log} {q}", Fraction(2 * p, q)
        steps = (
            (
                f"A difference of logarithms is the logarithm of the quotient: ${2 * p} \\div {q} ="
                f" {2 * p // q}$."
            ),
        )
        wrong = (
            (2 * p - q, "Subtracts the numbers under the logarithms"),
            (2 * p * q, "Multiplies the numbers"),
            (2 * p + q, "Adds the numbers"),
        )
    else:
        shown, value = f"{n}{log} {q} + {log} {p}", Fraction(q**n * p)
        steps = (f"${n}{log} {q} = {log} {q**n}$", f"${q**n} \\times {p} = {q**n * p}$")
        wrong = (
            (n * q * p, "Multiplies by the factor instead of raising to a power"),
            (q**n + p, "Adds the numbers under the logarithms"),
            (n * q + p, "Takes neither power nor product"),
        )
    result = f"{log} {value}"
    return Item(
        ask=(
            f"Write ${shown}$ as a single logarithm.",
            f"Express ${shown}$ in the form ${log} n$.",
            f"Combine ${shown}$ into one logarithm.",
            f"As a single logarithm, ${shown} =$ ____.",
        ),
        answer=m(result),
        steps=(*steps, f"${shown} = {result}$"),
        wrong=tuple((m(f"{log} {number}"), why) for number, why in wrong),
        choice=0.4,
    )


def expand_log(d: Draw) -> Item:
    x, y = d.one_of(("x", "y"), ("a", "b"), ("p", "q"))
    n, k = d.whole(2, 6), d.whole(2, 6)
    p, q = d.one_of(("u", "v"), ("s", "t"), ("A", "B"))
    d.require(n != k)
    shown = rf"\log {frac(power(x, n), power(y, k))}"
    result = f"{n}{p} - {k}{q}"
    return Item(
        ask=(
            rf"Let ${p} = \log {x}$ and ${q} = \log {y}$. Write ${shown}$ in terms of ${p}$ and ${q}$.",
            rf"Given ${p} = \log {x}$ and ${q} = \log {y}$, express ${shown}$ in terms of ${p}$ and ${q}$.",
        ),
        answer=m(result),
        steps=(
            rf"${shown} = \log {power(x, n)} - \log {power(y, k)}$",
            rf"$= {n}\log {x} - {k}\log {y} = {result}$",
        ),
        wrong=(
            (m(f"{n}{p} + {k}{q}"), "Adds although there is a quotient"),
            (m(frac(f"{n}{p}", f"{k}{q}")), "Divides the logarithms"),
            (m(f"{power(p, n)} - {power(q, k)}"), "Keeps the exponents as powers"),
            (m(f"{k}{p} - {n}{q}"), "Swaps the exponents"),
        ),
        choice=0.4,
    )


def same_base(d: Draw) -> Item:
    base = d.one_of(2, 3, 5, 7)
    a, b, u = d.whole(1, 4), d.whole(-5, 5, but=(0,)), d.whole(-3, 5, but=(0,))
    n = a * u + b
    d.require(2 <= n <= {2: 9, 3: 5, 5: 4, 7: 3}[base])
    value = base**n
    exponent = poly([a, b])
    return Item(
        ask=(
            f"Solve ${base}^{{{exponent}}} = {value}$.",
            f"Find $x$ if ${base}^{{{exponent}}} = {value}$.",
            f"For which $x$ is ${base}^{{{exponent}}}$ equal to {value}?",
        ),
        answer=m(f"x = {u}"),
        steps=(
            f"${value} = {base}^{n}$, so ${exponent} = {n}$.",
            f"${term(a, 'x')} = {n - b}$, so $x = {u}$." if a > 1 else f"So $x = {u}$.",
        ),
        wrong=(
            (m(f"x = {n}"), "Gives the exponent and not $x$"),
            (m(f"x = {tex(Fraction(n + b, a))}"), "Moves the number without changing its sign"),
            (m(f"x = {tex(Fraction(value, base))}"), "Divides by the base"),
            (m(f"x = {-u}"), "Has the wrong sign"),
        ),
        choice=0.35,
    )


def logs_to_solve(d: Draw) -> Item:
    base, target = d.whole(2, 9), d.whole(5, 60)
    k = d.one_of(1, 1, 2, 3, 5)
    d.require(base ** round(math.log(target, base)) != target)
    value = math.log(target) / math.log(base)
    result = rounded(value, 2)
    factor = rf"{k} \times " if k > 1 else ""
    shown = f"{factor}{base}^x = {k * target}"
    quotient = frac(rf"\log {target}", rf"\log {base}")
    return Item(
        ask=(
            f"Solve ${shown}$. Give $x$ to two decimal places.",
            f"Use logarithms to solve ${shown}$, correct to two decimal places.",
        ),
        answer=m(f"x = {result}"),
        steps=(
            *((f"Divide by {k}: ${base}^x = {target}$.",) if k > 1 else ()),
            f"Take logarithms: $x = {quotient}$.",
            f"So $x = {result}$ to two decimal places.",
        ),
        wrong=(
            (m(f"x = {rounded(math.log(target / base), 2)}"), "Takes the logarithm of the quotient"),
            (m(f"x = {rounded(target / base, 2)}"), "Divides by the base"),
            (m(f"x = {rounded(1 / value, 2)}"), "Divides the logarithms the wrong way round"),
        ),
        choice=0.35,
    )


def hidden_quadratic(d: Draw) -> Item:
    base, p, q = d.one_of(2, 3, 5), d.whole(0, 3), d.whole(1, 3)
    d.require(p < q and base**q <= 30)
    u, v = base**p, base**q
    shown = f"{base}^{{2x}} - {u + v} \\times {base}^x + {u * v} = 0"
    return Item(
        ask=(
            f"Solve ${shown}$.",
            f"Substitute $t = {base}^x$ to solve ${shown}$.",
        ),
        answer=m(rf"x = {p} \text{{ or }} x = {q}"),
        steps=(
            f"With $t = {base}^x$: $t^2 - {u + v}t + {u * v} = 0$.",
            f"$(t - {u})(t - {v}) = 0$, so $t = {u}$ or $t = {v}$.",
            rf"Since $t = {base}^x$: $x = {p} \text{{ or }} x = {q}$.",
        ),
        wrong=(
            (m(rf"x = {u} \text{{ or }} x = {v}"), "Gives the values of $t$ and not of $x$"),
            (
                m(rf"x = {-q} \text{{ or }} x = {-p}" if p else rf"x = {-q} \text{{ or }} x = 0"),
                "Has the wrong signs",
            ),
            (m(f"x = {q}"), "Gives one solution only"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("growth-model", "Exponential growth and decay", 10, 0.0, growth_model),
    Pattern("half-life", "Exponential growth and decay", 10, -0.2, half_life),
    Pattern("logarithm-value", "Laws of logarithms", 11, -0.7, logarithm_value),
    Pattern("combine-logs", "Laws of logarithms", 11, 0.0, combine_logs),
    Pattern("expand-log", "Laws of logarithms", 11, 0.5, expand_log),
    Pattern("same-base", "Exponential equations", 11, -0.2, same_base),
    Pattern("logs-to-solve", "Exponential equations", 11, 0.3, logs_to_solve),
    Pattern("hidden-quadratic", "Exponential equations", 11, 1.7, hidden_quadratic),
)
