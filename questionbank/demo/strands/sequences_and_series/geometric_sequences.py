"""Sequences and series: geometric sequences."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import answer, frac, plus, power, signed_sum, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, ordinal

__all__ = ["PATTERNS"]


def geometric_term(d: Draw) -> Item:
    first, ratio = (
        d.whole(1, 8),
        d.one_of(Fraction(2), Fraction(3), Fraction(-2), Fraction(1, 2), Fraction(-3), Fraction(5)),
    )
    n = d.whole(5, 8)
    if ratio.denominator > 1:
        first *= 2 ** d.whole(5, 7)
    value = first * ratio ** (n - 1)
    d.require(abs(value) < 9000)
    terms = [first * ratio**i for i in range(3)]
    shown = ", ".join(tex(value) for value in terms)
    return Item(
        ask=(
            rf"Find the {ordinal(n)} term of the geometric sequence ${shown}, \ldots$",
            (
                f"A geometric sequence has first term ${first}$ and common ratio ${tex(ratio)}$. What is its"
                f" {ordinal(n)} term?"
            ),
        ),
        answer=answer(value),
        steps=(
            f"$a_{n} = {first} \\times {power(ratio, n - 1)}$",
            f"$= {tex(value)}$",
        ),
        wrong=(
            (answer(value * ratio), "Multiplies once too often"),
            (answer(value / ratio), "Multiplies once too few"),
            (answer(-value), "Has the wrong sign"),
            (answer(first * ratio * (n - 1)), "Multiplies by the number of steps instead of using a power"),
        ),
        choice=0.4,
    )


def common_ratio(d: Draw) -> Item:
    first, ratio = d.whole(1, 6), d.one_of(2, 3, 4, 5, -2, -3)
    gap = d.one_of(2, 3)
    k = d.whole(1, 3)
    a, b = first * ratio ** (k - 1), first * ratio ** (k - 1 + gap)
    d.require(abs(a) > 1 and abs(b) < 3000 and (gap == 3 or ratio > 0))
    positive = " All terms are positive." if gap == 2 else ""
    quotient = frac(b, a) if a > 0 else rf"{b} \div ({a})"
    return Item(
        ask=(
            (
                f"In a geometric sequence the {ordinal(k)} term is ${a}$ and the {ordinal(k + gap)} term is"
                f" ${b}$.{positive} Find the common ratio."
            ),
            (
                f"A geometric sequence has $a_{k} = {a}$ and $a_{k + gap} = {b}$.{positive} What is its"
                " common ratio?"
            ),
        ),
        answer=answer(ratio),
        steps=(
            f"$r^{gap} = {quotient} = {ratio**gap}$",
            f"So $r = {ratio}$.",
        ),
        wrong=(
            (answer(ratio**gap), "Forgets to take the root"),
            (answer(Fraction(b - a, gap)), "Uses a common difference"),
            (answer(-ratio), "Has the wrong sign"),
            (answer(Fraction(b, a * gap)), "Divides by the number of steps instead of taking a root"),
        ),
        choice=0.35,
    )


def geometric_sum(d: Draw) -> Item:
    first, ratio, n = d.whole(1, 7), d.one_of(2, 3, 4, -2), d.whole(4, 8)
    total = first * (ratio**n - 1) // (ratio - 1)
    d.require(abs(total) < 20_000)
    terms = ", ".join(str(first * ratio**i) for i in range(3))
    return Item(
        ask=(
            rf"Find the sum of the first {n} terms of the geometric sequence ${terms}, \ldots$",
            (
                f"A geometric series has first term {first} and common ratio ${ratio}$. Find the sum of its"
                f" first {n} terms."
            ),
        ),
        answer=answer(total),
        steps=(
            f"$S_{n} = {frac(f'{first}({power(ratio, n)} - 1)', f'{ratio} - 1')}$",
            (
                f"$= {tex(total)}$"
                if ratio == 2
                else f"$= {raw(first * (ratio**n - 1), ratio - 1)} = {tex(total)}$"
            ),
        ),
        wrong=(
            (answer(first * ratio ** (n - 1)), "Gives the last term and not the sum"),
            (answer(total + first * ratio**n), "Adds one term too many"),
            (answer(total - first * ratio ** (n - 1)), "Adds one term too few"),
        ),
        choice=0.35,
    )


def raw(top: int, bottom: int) -> str:
    """Return a quotient of integers with the sign in front."""
    return frac(-abs(top), abs(bottom)) if (top < 0) != (bottom < 0) else frac(abs(top), abs(bottom))


def infinite_sum(d: Draw) -> Item:
    ratio = d.one_of(
        *(
            Fraction(p, q)
            for p, q in (
                (1, 2),
                (1, 3),
                (2, 3),
                (1, 4),
                (3, 4),
                (1, 5),
                (2, 5),
                (-1, 2),
                (-1, 3),
                (3, 5),
                (-1, 4),
            )
        )
    )
    first = d.whole(1, 12) * ratio.denominator
    total = first / (1 - ratio)
    terms = [first * ratio**i for i in range(3)]
    shown = signed_sum([tex(value) for value in terms])
    return Item(
        ask=(
            rf"Find the sum to infinity of ${shown} {'+' if ratio > 0 else '-'} \ldots$",
            (
                f"A geometric series has first term {first} and common ratio ${tex(ratio)}$. What is its sum"
                " to infinity?"
            ),
        ),
        answer=answer(total),
        steps=(
            rf"The ratio is ${tex(ratio)}$, and $S = \frac{{a}}{{1 - r}}$.",
            (
                f"$S = {first} \\div \\left(1 {plus(-ratio)}\\right) = {first} \\div {tex(1 - ratio)} ="
                f" {tex(total)}$"
            ),
        ),
        wrong=(
            (answer(first / (1 + ratio)), "Adds the ratio in the denominator"),
            (answer(first * (1 - ratio)), "Multiplies by $1 - r$ instead of dividing"),
            (answer(first / ratio), "Divides by the ratio"),
            (answer(first * ratio / (1 - ratio)), "Starts with the second term"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("geometric-term", "Geometric terms", 10, -0.2, geometric_term),
    Pattern("common-ratio", "Geometric terms", 10, 0.5, common_ratio),
    Pattern("geometric-sum", "Geometric sums", 11, 0.2, geometric_sum),
    Pattern("infinite-sum", "Geometric sums", 11, 0.7, infinite_sum),
)
