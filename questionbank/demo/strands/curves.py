"""Functions and graphs, second part: parabolas, transformed graphs, exponentials and logarithms."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import (
    answer,
    decimal,
    frac,
    m,
    plus,
    poly,
    power,
    prose,
    rounded,
    signed_sum,
    term,
    tex,
)
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def vertex_form(a: int, h: int, k: int) -> str:
    """Return ``a(x - h)^2 + k``."""
    return f"{term(a, f'({poly([1, -h])})^2')} {plus(k)}"


def read_vertex(d: Draw) -> Item:
    a, h, k = d.whole(-4, 5, but=(0,)), d.whole(-8, 8, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require(abs(h) != abs(k))
    shown = vertex_form(a, h, k)
    return Item(
        ask=(
            f"Write down the vertex of the parabola $y = {shown}$.",
            f"What are the coordinates of the turning point of $y = {shown}$?",
            f"The graph of $y = {shown}$ has its {'lowest' if a > 0 else 'highest'} point at ____.",
        ),
        answer=m(f"({h}, {k})"),
        steps=(f"The square is 0 for $x = {h}$; then $y = {k}$.", f"The vertex is $({h}, {k})$."),
        wrong=(
            (m(f"({-h}, {k})"), "Reads the number in the bracket with its own sign"),
            (m(f"({h}, {-k})"), "Changes the sign of the constant"),
            (m(f"({k}, {h})"), "Swaps the coordinates"),
            (m(f"({-h}, {-k})"), "Has both signs wrong"),
        ),
    )


def find_vertex(d: Draw) -> Item:
    a, h, k = d.one_of(-2, -1, 1, 1, 2, 3), d.whole(-6, 6, but=(0,)), d.whole(-9, 9)
    b, c = -2 * a * h, a * h * h + k
    d.require(c != 0 and abs(c) < 80)
    shown = poly([a, b, c])
    square = term(a, power(h, 2)) if abs(a) == 1 else rf"{a} \times {power(h, 2)}"
    return Item(
        ask=(
            f"Find the vertex of the parabola $y = {shown}$.",
            f"At which point does $y = {shown}$ have its {'minimum' if a > 0 else 'maximum'}?",
            f"Determine the turning point of the graph of $y = {shown}$.",
        ),
        answer=m(f"({h}, {k})"),
        steps=(
            f"$x = -{frac('b', '2a')} = {h}$",
            f"$y = {signed_sum([square, tex(b * h), tex(c)])} = {k}$",
            f"The vertex is $({h}, {k})$.",
        ),
        wrong=(
            (m(f"({-h}, {k})"), "Forgets the minus sign in the formula"),
            (m(f"({h}, {c})"), "Takes the constant term for the height"),
            (m(f"({2 * h}, {c})"), "Forgets the factor 2 in the formula"),
            (m(f"({h}, {-k})"), "Makes a sign error in the height"),
        ),
        choice=0.35,
    )


def thrown_ball(d: Draw) -> Item:
    half = d.whole(1, 4)
    start = d.whole(1, 15)
    a, b = -5, 10 * half
    height = 5 * half * half + start
    thing, place = d.one_of(
        ("A ball is thrown upwards", "thrower's hand"),
        ("A firework is launched", "platform"),
        ("A stone is tossed up", "bridge"),
    )
    wants_time = d.chance(0.4)
    shown = poly([a, b, start], "t")
    opening = f"{thing}. After $t$ seconds its height in metres is $h(t) = {shown}$."
    return Item(
        ask=(
            f"{opening} {'After how many seconds is it highest?' if wants_time else 'What is its greatest height?'}",
            f"The height (in metres) of {'a ball' if 'ball' in thing else 'a rocket' if 'firework' in thing else 'a stone'} after "
            f"$t$ seconds is $h(t) = {shown}$. "
            f"{'When does it reach its greatest height, in seconds?' if wants_time else 'Find the greatest height it reaches.'}",
        ),
        answer=str(half) if wants_time else f"{height} m",
        steps=(
            f"The vertex lies at $t = -{frac('b', '2a')} = {frac(b, 10)} = {half}$, that is after {half} s.",
            f"$h({half}) = {a * half * half} + {b * half} + {start} = {height}$, so the greatest height is {height} m.",
        ),
    )


def shifted_graph(d: Draw) -> Item:
    base, shape = d.one_of(
        ("x^2", "parabola"),
        (r"\sqrt{x}", "curve"),
        ("x^3", "curve"),
        (r"\frac{1}{x}", "hyperbola"),
        ("|x|", "graph"),
    )
    right, up = d.whole(-7, 7, but=(0,)), d.whole(-7, 7, but=(0,))

    def moved(h: int, k: int) -> str:
        inside = poly([1, -h])
        body = {
            "x^2": f"({inside})^2",
            r"\sqrt{x}": rf"\sqrt{{{inside}}}",
            "x^3": f"({inside})^3",
            r"\frac{1}{x}": frac(1, inside),
            "|x|": f"|{inside}|",
        }[base]
        return f"y = {body} {plus(k)}"

    sideways = f"{abs(right)} unit{'s' if abs(right) > 1 else ''} to the {'right' if right > 0 else 'left'}"
    vertical = f"{abs(up)} unit{'s' if abs(up) > 1 else ''} {'up' if up > 0 else 'down'}"
    return Item(
        ask=(
            f"The graph of $y = {base}$ is moved {sideways} and {vertical}. What is the equation of the new {shape}?",
            f"Which equation belongs to the graph of $y = {base}$ after a shift of {sideways} and {vertical}?",
        ),
        answer=m(moved(right, up)),
        steps=(
            f"A shift {sideways} replaces $x$ by ${poly([1, -right])}$.",
            f"A shift {vertical} {'adds' if up > 0 else 'subtracts'} {abs(up)}: ${moved(right, up)}$.",
        ),
        wrong=(
            (m(moved(-right, up)), "Shifts in the wrong direction sideways"),
            (m(moved(right, -up)), "Shifts in the wrong direction vertically"),
            (m(moved(up, right)), "Swaps the two shifts"),
            (m(moved(-right, -up)), "Shifts in the wrong direction both ways"),
        ),
        choice=0.7,
    )


def image_of_point(d: Draw) -> Item:
    x, y = d.whole(-6, 8, but=(0,)), d.whole(-8, 9, but=(0,))
    a, k = d.whole(1, 6), d.whole(2, 4)
    forms = (
        (f"y = f(x - {a})", (x + a, y), (x - a, y), "Shifts in the wrong direction"),
        (f"y = f(x + {a})", (x - a, y), (x + a, y), "Shifts in the wrong direction"),
        (f"y = f(x) + {a}", (x, y + a), (x + a, y), "Changes the wrong coordinate"),
        (f"y = f(x) - {a}", (x, y - a), (x - a, y), "Changes the wrong coordinate"),
        ("y = -f(x)", (x, -y), (-x, y), "Reflects in the wrong axis"),
        ("y = f(-x)", (-x, y), (x, -y), "Reflects in the wrong axis"),
        (f"y = {k}f(x)", (x, k * y), (k * x, y), "Stretches in the wrong direction"),
        (f"y = f({k}x)", (Fraction(x, k), y), (k * x, y), "Stretches instead of compressing"),
    )
    shown, right, wrong, why = d.one_of(*forms)

    def at(pair: tuple[int | Fraction, int | Fraction]) -> str:
        return m(f"({tex(pair[0])}, {tex(pair[1])})")

    return Item(
        ask=(
            f"The point $({x}, {y})$ lies on the graph of $y = f(x)$. Which point must lie on the graph of ${shown}$?",
            f"The graph of $y = f(x)$ passes through $({x}, {y})$. Through which corresponding point does ${shown}$ pass?",
        ),
        answer=at(right),
        steps=(
            "A change inside the bracket acts on $x$ (the opposite way), a change outside acts on $y$.",
            f"The point $({x}, {y})$ goes to {at(right)}.",
        ),
        wrong=(
            (at(wrong), why),
            (m(f"({x}, {y})"), "Believes that the point does not move"),
            (m(f"({y}, {x})"), "Reflects in the line $y = x$"),
            (m(f"({-x}, {-y})"), "Reflects in both axes"),
        ),
        choice=0.6,
    )


def growth_model(d: Draw) -> Item:
    start, percent, years = d.whole(4, 60) * 50, d.one_of(2, 3, 4, 5, 8, 10, 12, 15, 20), d.whole(2, 8)
    falls = d.chance()
    factor = Fraction(100 - percent if falls else 100 + percent, 100)
    what, unit = d.one_of(
        ("A town has {n} inhabitants. The number {v} by {p}% a year.", "years"),
        ("A lake holds {n} trout. Their number {v} by {p}% a year.", "years"),
        ("A forest has {n} beech trees. The number {v} by {p}% every year.", "years"),
        ("A website has {n} readers. The number {v} by {p}% each month.", "months"),
    )
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
            f"${start} \\times 2^{times} = {tex(int(end))}$"
            if doubling
            else f"${start} \\div 2^{times} = {decimal(end)}$",
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
            f"A difference of logarithms is the logarithm of the quotient: ${2 * p} \\div {q} = {2 * p // q}$.",
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
            rf"Given ${p} = \log {x}$ and ${q} = \log {y}$, express ${shown}$ by ${p}$ and ${q}$.",
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
    Pattern("read-vertex", "Vertex of a parabola", 9, 0.0, read_vertex),
    Pattern("find-vertex", "Vertex of a parabola", 10, 0.5, find_vertex),
    Pattern("thrown-ball", "Vertex of a parabola", 10, 0.7, thrown_ball),
    Pattern("shifted-graph", "Transforming graphs", 10, 0.3, shifted_graph),
    Pattern("image-of-point", "Transforming graphs", 11, 0.5, image_of_point),
    Pattern("growth-model", "Exponential growth and decay", 10, 0.3, growth_model),
    Pattern("half-life", "Exponential growth and decay", 10, 0.2, half_life),
    Pattern("logarithm-value", "Laws of logarithms", 11, -0.1, logarithm_value),
    Pattern("combine-logs", "Laws of logarithms", 11, 0.3, combine_logs),
    Pattern("expand-log", "Laws of logarithms", 11, 0.6, expand_log),
    Pattern("same-base", "Exponential equations", 11, 0.2, same_base),
    Pattern("logs-to-solve", "Exponential equations", 11, 0.5, logs_to_solve),
    Pattern("hidden-quadratic", "Exponential equations", 11, 1.3, hidden_quadratic),
)
