"""Equations and inequalities: inequalities."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import m, poly, signed_sum, term, tex
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
        effort=0.5 if a < 0 else 0.0,
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
            (
                f"{sentence} {who} can spend at most £{budget}. What is the largest number of {unit} {who.he}"
                " can pay for?"
            ),
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


PATTERNS = (
    Pattern("linear-inequality", "Linear inequalities", 8, -0.2, linear_inequality),
    Pattern("integers-between", "Linear inequalities", 9, 0.3, integers_between),
    Pattern("budget-inequality", "Linear inequalities", 8, 0.0, budget_inequality),
    Pattern("absolute-equation", "Absolute value", 10, 0.0, absolute_equation),
    Pattern("absolute-inequality", "Absolute value", 10, 1.0, absolute_inequality),
)
