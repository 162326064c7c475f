"""Equations and inequalities, second part: inequalities, absolute value, quadratic equations."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import braced, frac, m, plus, poly, root, signed_sum, surd, term, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun

__all__ = ["PATTERNS"]

_FLIPPED = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}


def linear_inequality(d: Draw) -> Item:
    a, b, u = d.whole(-7, 9, but=(-1, 0, 1)), d.whole(-15, 15, but=(0,)), d.whole(-8, 9, but=(0,))
    sign = d.one_of("<", ">", r"\le", r"\ge")
    c = a * u + b
    final = sign if a > 0 else _FLIPPED[sign]
    left = poly([a, b]) if a > 0 else signed_sum([tex(b), term(a, "x")])
    result = f"x {final} {u}"
    d.require(b > 0 or a > 0)
    note = " Dividing by a negative number turns the sign round." if a < 0 else ""
    return Item(
        ask=(
            f"Solve the inequality ${left} {sign} {c}$.",
            f"For which $x$ is ${left} {sign} {c}$?",
            f"Find the solution set of ${left} {sign} {c}$ as a condition on $x$.",
        ),
        answer=m(result),
        steps=(
            f"{'Subtract' if b > 0 else 'Add'} {abs(b)}: ${term(a, 'x')} {sign} {c - b}$.",
            f"Divide by ${a}$: ${result}$.{note}",
        ),
        wrong=(
            (
                m(f"x {_FLIPPED[final]} {u}"),
                "Turns the sign the wrong way" if a > 0 else "Does not turn the sign round",
            ),
            (m(f"x {final} {-u}"), "Has the wrong sign of the number"),
            (m(f"x {final} {tex(Fraction(c + b, a))}"), "Moves the number without changing its sign"),
            (m(f"x = {u}"), "Solves the equation and not the inequality"),
        ),
    )


def integers_between(d: Draw) -> Item:
    a, b = d.whole(2, 4), d.whole(-7, 7, but=(0,))
    low, high = d.whole(-12, 2), d.whole(6, 25)
    first = math.floor(Fraction(low - b, a)) + 1
    last = math.floor(Fraction(high - b, a))
    d.require(4 <= last - first + 1 <= 8 and (low - b) % a != 0)
    numbers = ", ".join(map(str, range(first, last + 1)))
    shown = rf"{low} < {poly([a, b], 'n')} \le {high}"
    return Item(
        ask=(
            f"List all integers $n$ with ${shown}$.",
            f"Which whole numbers $n$, positive, negative or zero, satisfy ${shown}$?",
        ),
        answer=m(numbers),
        steps=(
            f"{'Subtract' if b > 0 else 'Add'} {abs(b)}: ${low - b} < {a}n \\le {high - b}$.",
            f"Divide by {a}: ${tex(Fraction(low - b, a))} < n \\le {tex(Fraction(high - b, a))}$.",
            f"The integers are ${numbers}$.",
        ),
    )


def budget_inequality(d: Draw) -> Item:
    fixed, each = d.whole(8, 45), d.whole(3, 14)
    n = d.whole(5, 24)
    budget = fixed + each * n + d.whole(1, each - 1)
    what, unit = d.one_of(
        ("A van costs £{f} to hire plus £{e} for every hour.", Noun("hour")),
        ("A printer charges £{f} for setting up and £{e} for each poster.", Noun("poster")),
        ("Joining a climbing hall costs £{f}, and each visit costs £{e}.", Noun("visit")),
        ("A caterer charges £{f} for delivery and £{e} for each meal.", Noun("meal")),
    )
    who = d.person()
    sentence = what.format(f=fixed, e=each)
    return Item(
        ask=(
            f"{sentence} {who} can spend at most £{budget}. What is the largest number of {unit} {who.he} can pay for?",
            f"{sentence} How many {unit} can {who} pay for at most with £{budget}?",
        ),
        answer=str(n),
        steps=(
            f"${fixed} + {each}n \\le {budget}$, so ${each}n \\le {budget - fixed}$.",
            f"$n \\le {tex(Fraction(budget - fixed, each))}$, so the largest whole number is {n}.",
        ),
        wrong=(
            (str(n + 1), "Rounds up although the money does not suffice"),
            (str(budget // each), "Forgets the fixed cost"),
            (str(budget // (fixed + each)), "Pays the fixed cost every time"),
        ),
        choice=0.35,
    )


def absolute_equation(d: Draw) -> Item:
    a, b, c = d.one_of(1, 1, 2, 3, 4), d.whole(-12, 12, but=(0,)), d.whole(1, 15)
    small, large = sorted([Fraction(-c - b, a), Fraction(c - b, a)])
    d.require(small.denominator == 1 and large.denominator == 1 and small != -large)
    inside = poly([a, b])
    shown = rf"\left|{inside}\right| = {c}"
    result = rf"x = {small} \text{{ or }} x = {large}"
    return Item(
        ask=(
            f"Solve ${shown}$.",
            f"Find all solutions of the equation ${shown}$.",
            f"For which values of $x$ is ${shown}$?",
        ),
        answer=m(result),
        steps=(
            f"Either ${inside} = {c}$ or ${inside} = {-c}$.",
            f"So ${result}$.",
        ),
        wrong=(
            (m(f"x = {large}"), "Finds the positive case only"),
            (
                m(rf"x = {-large} \text{{ or }} x = {large}"),
                "Changes the sign of the solution instead of the inside",
            ),
            (m(rf"x = {-large} \text{{ or }} x = {-small}"), "Has the signs of both solutions wrong"),
            (m(f"x = {small}"), "Finds the negative case only"),
        ),
        choice=0.4,
    )


def absolute_inequality(d: Draw) -> Item:
    centre, radius = d.whole(-8, 9, but=(0,)), d.whole(2, 11)
    d.require(abs(centre) != radius)
    inside = poly([1, -centre])
    less = d.chance()
    sign = "<" if less else ">"
    low, high = centre - radius, centre + radius
    between = f"{low} < x < {high}"
    outside = rf"x < {low} \text{{ or }} x > {high}"
    result = between if less else outside
    return Item(
        ask=(
            rf"Solve $\left|{inside}\right| {sign} {radius}$.",
            rf"For which real numbers $x$ is $\left|{inside}\right| {sign} {radius}$?",
        ),
        answer=m(result),
        steps=(
            f"The distance of $x$ from ${centre}$ is {'less' if less else 'more'} than {radius}.",
            f"So ${result}$.",
        ),
        wrong=(
            (m(outside if less else between), "Confuses less than with greater than"),
            (m(f"x {sign} {high}"), "Ignores the negative case"),
            (
                m(f"{-high} < x < {-low}" if less else rf"x < {-high} \text{{ or }} x > {-low}"),
                "Has the sign of the centre wrong",
            ),
        ),
        choice=0.6,
    )


def two_roots(u: int | Fraction, v: int | Fraction, x: str = "x") -> str:
    """Return both solutions, the smaller one first."""
    small, large = sorted([u, v])
    return rf"{x} = {tex(small)} \text{{ or }} {x} = {tex(large)}"


def solve_by_factorising(d: Draw) -> Item:
    x = d.one_of("x", "x", "t", "n")
    a, p, q = d.one_of(1, 1, 1, 2, 3), d.whole(-9, 9, but=(0,)), d.whole(-9, 9, but=(0,))
    d.require(math.gcd(a, p) == 1)
    u, v = Fraction(-p, a), Fraction(-q)
    d.require(u not in (v, -v))
    coefficients = [a, a * q + p, p * q]
    d.require(coefficients[1] != 0)
    moved = d.chance(0.3)
    left = poly([a, coefficients[1], 0], x) if moved else poly(coefficients, x)
    shown = f"{left} = {-coefficients[2]}" if moved else f"{left} = 0"
    factors = f"({poly([a, p], x)})({poly([1, q], x)})"
    return Item(
        ask=(
            f"Solve ${shown}$ by factorising.",
            f"Find all solutions of ${shown}$.",
            f"Solve the quadratic equation ${shown}$.",
        ),
        answer=m(two_roots(u, v, x)),
        steps=(
            *((f"Bring everything to one side: ${poly(coefficients, x)} = 0$.",) if moved else ()),
            f"Factorise: ${factors} = 0$.",
            f"One of the factors is 0, so ${two_roots(u, v, x)}$.",
        ),
        wrong=(
            (m(two_roots(-u, -v, x)), "Takes the numbers in the brackets with their own signs"),
            (m(two_roots(u, -v, x)), "Has one sign wrong"),
            (m(two_roots(-u, v, x)), "Has one sign wrong"),
            (m(f"{x} = {tex(v)}"), "Gives one solution only"),
        ),
        choice=0.35,
    )


def missing_term_quadratic(d: Draw) -> Item:
    a, b = d.one_of(1, 2, 3, 4), d.whole(2, 12)
    linear = d.chance()
    if linear:
        c = a * d.whole(2, 9) * d.one_of(-1, 1)
        u = Fraction(-c, a)
        shown, result = f"{poly([a, c, 0])} = 0", two_roots(Fraction(0), u)
        steps = (f"Take out the common factor: ${term(a, 'x')}({poly([1, c // a])}) = 0$.", f"So ${result}$.")
        wrong = (
            (m(f"x = {tex(u)}"), "Divides by $x$ and loses the solution 0"),
            (m(two_roots(Fraction(0), -u)), "Has the wrong sign"),
            (m("x = 0"), "Finds the solution 0 only"),
        )
    else:
        shown, result = f"{term(a, 'x^2')} = {a * b * b}", two_roots(Fraction(-b), Fraction(b))
        steps = (
            f"Divide by {a}: $x^2 = {b * b}$." if a > 1 else "Take the square root on both sides.",
            f"So ${result}$.",
        )
        wrong = (
            (m(f"x = {b}"), "Forgets the negative root"),
            (m(two_roots(Fraction(-b * b), Fraction(b * b))), "Does not take the root"),
            (m(f"x = {tex(Fraction(b * b, 2))}"), "Halves instead of taking the root"),
        )
    return Item(
        ask=(
            f"Solve ${shown}$.",
            f"Find every solution of ${shown}$.",
            f"For which values of $x$ is ${shown}$?",
        ),
        answer=m(result),
        steps=steps,
        wrong=wrong,
        choice=0.45,
    )


def area_quadratic(d: Draw) -> Item:
    width, gap = d.whole(4, 15), d.whole(2, 9)
    area = width * (width + gap)
    thing = d.one_of("garden", "poster", "playing field", "rug")
    unit = {"garden": "m", "poster": "dm", "playing field": "m", "rug": "dm"}[thing]
    return Item(
        ask=(
            f"A rectangular {thing} is {gap} {unit} longer than it is wide. Its area is ${area}\\,\\text{{{unit}}}^2$. How wide "
            "is it?",
            f"The length of a rectangular {thing} is {gap} {unit} more than the width, and the area is "
            f"${area}\\,\\text{{{unit}}}^2$. Find the width.",
        ),
        answer=f"{width} {unit}",
        steps=(
            f"With width $x$: $x(x + {gap}) = {area}$, so $x^2 + {gap}x - {area} = 0$.",
            f"$(x + {width + gap})(x - {width}) = 0$.",
            f"The width is positive, so it is {width} {unit}.",
        ),
    )


def completing_the_square(d: Draw) -> Item:
    p, q = d.whole(-8, 8, but=(0,)), d.whole(-15, 15, but=(0,))
    b, c = 2 * p, p * p + q
    d.require(c != 0)
    shown = poly([1, b, c])
    result = f"({poly([1, p])})^2 {plus(q)}"
    return Item(
        ask=(
            f"Write ${shown}$ in the form $(x + a)^2 + b$.",
            f"Complete the square: ${shown}$.",
            f"Express ${shown}$ as a square plus a constant.",
        ),
        answer=m(result),
        steps=(
            f"Half of the coefficient of $x$ is ${p}$, and $({poly([1, p])})^2 = {poly([1, b, p * p])}$.",
            f"The constant must change by ${c} - {p * p} = {q}$.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (m(f"({poly([1, b])})^2 {plus(c)}"), "Does not halve the coefficient"),
            (m(f"({poly([1, p])})^2 {plus(c)}"), "Does not subtract the square that was added"),
            (m(f"({poly([1, p])})^2 {plus(c + p * p)}"), "Adds the square instead of subtracting it"),
            (m(f"({poly([1, -p])})^2 {plus(q)}"), "Has the wrong sign in the bracket"),
        ),
    )


def solve_by_completing(d: Draw) -> Item:
    p, r = d.whole(-6, 6, but=(0,)), d.one_of(2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 18, 20)
    b, c = 2 * p, p * p - r
    d.require(c != 0)
    shown = poly([1, b, c])
    result = rf"x = {-p} \pm {surd(1, r)}"
    return Item(
        ask=(
            f"Solve ${shown} = 0$ by completing the square. Leave surds in your answer.",
            f"Find the exact solutions of ${shown} = 0$.",
        ),
        answer=m(result),
        steps=(
            f"${shown} = ({poly([1, p])})^2 - {r}$",
            f"$({poly([1, p])})^2 = {r}$, so ${poly([1, p])} = \\pm {root(r)}$.",
            f"${result}$",
        ),
        wrong=(
            (m(rf"x = {p} \pm {surd(1, r)}"), "Does not change the sign of the number"),
            (m(rf"x = {-p} \pm {r}"), "Forgets to take the root"),
            (m(rf"x = {-b} \pm {surd(1, r)}"), "Does not halve the coefficient"),
        ),
        choice=0.3,
    )


def plus_minus(first: int, radicand: int, bottom: int = 1) -> str:
    """Return ``x = (first ± root) / bottom`` with the root as it stands."""
    top = rf"{first} \pm {root(radicand)}"
    return f"x = {frac(top, bottom)}" if bottom > 1 else f"x = {top}"


def quadratic_formula(d: Draw) -> Item:
    a, b, c = d.one_of(1, 2, 3, 5), d.whole(-9, 9, but=(0,)), d.whole(-7, 7, but=(0,))
    disc = b * b - 4 * a * c
    d.require(disc > 0 and math.isqrt(disc) ** 2 != disc and math.gcd(a, b, c) == 1)
    square = max(k for k in range(1, 20) if disc % (k * k) == 0)
    common = math.gcd(b, square, 2 * a)
    top = rf"{-b // common} \pm {surd(square // common, disc // (square * square))}"
    bottom = 2 * a // common
    result = f"x = {frac(top, bottom)}" if bottom > 1 else f"x = {top}"
    raw = plus_minus(-b, disc, 2 * a)
    slip = b * b + 4 * a * c
    shown = poly([a, b, c])
    return Item(
        ask=(
            f"Solve ${shown} = 0$. Give exact answers.",
            f"Use the quadratic formula to solve ${shown} = 0$.",
            f"Find the exact roots of ${shown}$.",
        ),
        answer=m(result),
        steps=(
            f"Discriminant: ${braced(b)}^2 - 4 \\times {a} \\times {braced(c)} = {disc}$.",
            f"${raw}$" if raw != result else f"So ${result}$.",
            *((f"Simplified: ${result}$.",) if raw != result else ()),
        ),
        wrong=(
            (m(plus_minus(b, disc, 2 * a)), "Forgets the minus sign in front of the coefficient"),
            *(
                [(m(plus_minus(-b, slip, 2 * a)), "Makes a sign error in the discriminant")]
                if slip > 0
                else []
            ),
            (m(plus_minus(-b, disc, a)), "Divides by $a$ instead of $2a$"),
            (m(plus_minus(-b, disc, 4 * a)), "Divides by $4a$ instead of $2a$"),
        ),
        choice=0.35,
    )


def discriminant(d: Draw) -> Item:
    a, b, c = d.whole(1, 5), d.whole(-9, 9, but=(0,)), d.whole(-6, 9, but=(0,))
    if d.chance(0.3):
        p = d.whole(-6, 6, but=(0,))
        k = d.whole(1, 3)
        a, b, c = k * k, 2 * k * p, p * p
    disc = b * b - 4 * a * c
    texts = ("no real solutions", "exactly one real solution", "two different real solutions")
    result = texts[(disc > 0) - (disc < 0) + 1]
    reason = {1: "positive", 0: "zero", -1: "negative"}[(disc > 0) - (disc < 0)]
    shown = poly([a, b, c])
    return Item(
        ask=(
            f"How many real solutions has the equation ${shown} = 0$?",
            f"Use the discriminant to decide how many real roots ${shown}$ has.",
        ),
        answer=result,
        steps=(
            f"$b^2 - 4ac = {braced(b)}^2 - 4 \\times {a} \\times {braced(c)} = {disc}$",
            f"The discriminant is {reason}, so there are {result}."
            if disc != 0
            else f"The discriminant is zero, so there is {result}.",
        ),
        wrong=tuple(
            (text, why)
            for text, why in (
                (texts[2], "Believes that every quadratic has two solutions"),
                (texts[0], "Makes a sign error in the discriminant"),
                (texts[1], "Confuses a small discriminant with zero"),
                ("infinitely many real solutions", "Confuses a solvable equation with an identity"),
            )
            if text != result
        ),
        choice=0.6,
    )


def parameter_for_one_root(d: Draw) -> Item:
    a, p = d.one_of(1, 1, 4, 9), d.whole(2, 9)
    s = math.isqrt(a)
    b = 2 * s * p
    sign = d.one_of("+", "-")
    shown = f"{term(a, 'x^2')} {sign} {b}x + k"
    return Item(
        ask=(
            f"For which value of $k$ does ${shown} = 0$ have exactly one solution?",
            f"The graph of $y = {shown}$ touches the $x$-axis. Find $k$.",
        ),
        answer=m(f"k = {p * p}"),
        steps=(
            f"The discriminant must be 0: ${b}^2 - 4 \\times {a} \\times k = 0$.",
            f"${4 * a}k = {b * b}$, so $k = {p * p}$.",
        ),
        wrong=(
            (m(f"k = {-p * p}"), "Makes a sign error in the discriminant"),
            (m(f"k = {b * b}"), "Forgets the factor in the discriminant"),
            (m(f"k = {p}"), "Forgets to square"),
            (m(f"k = {4 * p * p}"), "Forgets the factor 4 in the discriminant"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("linear-inequality", "Linear inequalities", 8, 0.2, linear_inequality),
    Pattern("integers-between", "Linear inequalities", 9, 0.5, integers_between),
    Pattern("budget-inequality", "Linear inequalities", 8, 0.3, budget_inequality),
    Pattern("absolute-equation", "Absolute value", 10, 0.3, absolute_equation),
    Pattern("absolute-inequality", "Absolute value", 10, 0.9, absolute_inequality),
    Pattern("solve-by-factorising", "Solving by factorising", 9, 0.2, solve_by_factorising),
    Pattern("missing-term-quadratic", "Solving by factorising", 9, 0.1, missing_term_quadratic),
    Pattern("area-quadratic", "Solving by factorising", 9, 0.8, area_quadratic),
    Pattern("completing-the-square", "Completing the square", 10, 0.3, completing_the_square),
    Pattern("solve-by-completing", "Completing the square", 10, 0.8, solve_by_completing),
    Pattern("quadratic-formula", "Quadratic formula", 10, 0.6, quadratic_formula),
    Pattern("discriminant", "Quadratic formula", 10, 0.2, discriminant),
    Pattern("parameter-for-one-root", "Quadratic formula", 11, 0.9, parameter_for_one_root),
)
