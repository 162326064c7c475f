"""Sequences and series: arithmetic, geometric, recurrences, sigma notation."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import (
    answer,
    braced,
    frac,
    m,
    plus,
    poly,
    power,
    prose,
    signed_sum,
    term,
    tex,
)
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, ordinal

__all__ = ["PATTERNS"]


def nth_term_rule(d: Draw) -> Item:
    step, first = d.whole(-9, 12, but=(-1, 0, 1)), d.whole(-12, 30)
    zero = first - step
    d.require(zero != 0)
    terms = [first + step * i for i in range(4)]
    shown = ", ".join(map(str, terms))
    result = poly([step, zero], "n")
    return Item(
        ask=(
            rf"Find a formula for the $n$-th term of the arithmetic sequence ${shown}, \ldots$",
            rf"The sequence ${shown}, \ldots$ goes on with equal steps. What is its $n$-th term?",
            rf"Write the $n$-th term of ${shown}, \ldots$ in the form $an + b$.",
        ),
        answer=m(result),
        steps=(
            f"The common difference is ${terms[1]} - {braced(terms[0])} = {step}$.",
            f"The term before the first would be ${zero}$, so the $n$-th term is ${result}$.",
        ),
        wrong=(
            (m(poly([step, first], "n")), "Takes the first term for the constant"),
            (m(poly([1, step], "n")), "Adds the difference to $n$"),
            (
                m(poly([first, step], "n")) if first else m(poly([step, step], "n")),
                "Swaps first term and difference",
            ),
            (m(poly([-step, zero], "n")), "Has the wrong sign of the difference"),
        ),
    )


def arithmetic_term(d: Draw) -> Item:
    first, step, n = d.whole(-10, 25), d.whole(-8, 9, but=(-1, 0, 1)), d.whole(12, 60)
    value = first + (n - 1) * step
    return Item(
        ask=(
            f"An arithmetic sequence starts with ${first}$ and has the common difference ${step}$. Find the {ordinal(n)} term.",
            f"In an arithmetic sequence $a_1 = {first}$ and $d = {step}$. What is $a_{{{n}}}$?",
            rf"What is the {ordinal(n)} term of ${first}, {first + step}, {first + 2 * step}, \ldots$?",
        ),
        answer=answer(value),
        steps=(
            f"$a_{{{n}}} = {first} + ({n} - 1) \\times {braced(step)}$",
            f"$= {first} {plus((n - 1) * step)} = {value}$",
        ),
        wrong=(
            (answer(first + n * step), "Counts one step too many"),
            (answer(first + (n - 2) * step), "Counts one step too few"),
            (answer(n * step), "Forgets the first term"),
            (answer(first - (n - 1) * step), "Has the wrong sign of the difference"),
        ),
        choice=0.35,
    )


def theatre_rows(d: Draw) -> Item:
    first, step, rows = d.whole(12, 24), d.whole(2, 4), d.whole(10, 24)
    last = first + (rows - 1) * step
    total = rows * (first + last) // 2
    wants_total = d.chance()
    opening = f"The first row of a theatre has {first} seats, and each row has {step} seats more than the one before."
    if wants_total:
        return Item(
            ask=(
                f"{opening} How many seats do {rows} rows have altogether?",
                f"{opening} There are {rows} rows. Find the total number of seats.",
            ),
            answer=str(total),
            steps=(
                f"The last row has ${first} + {rows - 1} \\times {step} = {last}$ seats.",
                f"Altogether: ${frac(rows, 2)} \\times ({first} + {last}) = {total}$ seats.",
            ),
        )
    return Item(
        ask=(
            f"{opening} How many seats are in row {rows}?",
            f"{opening} Find the number of seats in the {ordinal(rows)} row.",
        ),
        answer=str(last),
        steps=(
            f"From the first row to row {rows} there are {rows - 1} steps.",
            f"${first} + {rows - 1} \\times {step} = {last}$ seats.",
        ),
    )


def arithmetic_sum(d: Draw) -> Item:
    first, step, n = d.whole(-8, 20), d.whole(-5, 9, but=(0,)), d.whole(8, 40)
    last = first + (n - 1) * step
    d.require(first + last != 0)
    total = n * (first + last) // 2
    terms = ", ".join(str(first + step * i) for i in range(3))
    return Item(
        ask=(
            rf"Find the sum of the first {n} terms of the arithmetic sequence ${terms}, \ldots$",
            f"An arithmetic series has first term ${first}$ and common difference ${step}$. What is the sum of its first {n} "
            "terms?",
        ),
        answer=answer(total),
        steps=(
            f"The {ordinal(n)} term is ${first} {plus((n - 1) * step)} = {last}$.",
            f"$S_{{{n}}} = {frac(n, 2)} \\times ({first} {plus(last)}) = {tex(total)}$"
            if last
            else f"$S_{{{n}}} = {frac(n, 2)} \\times {braced(first)} = {tex(total)}$",
        ),
        wrong=(
            (answer(n * (first + last)), "Forgets to halve"),
            (answer(Fraction(n * (first + first + n * step), 2)), "Counts one step too many"),
            (answer(last), "Gives the last term and not the sum"),
            (answer(n * first), "Adds the first term again and again"),
        ),
        choice=0.35,
    )


def sum_of_first_numbers(d: Draw) -> Item:
    k, n = d.whole(1, 9), d.whole(15, 80)
    total = k * n * (n + 1) // 2
    what = "whole numbers from 1" if k == 1 else f"multiples of {k} from {k}"
    return Item(
        ask=(
            f"Add up all {what} to {k * n}.",
            f"What is the sum of all {what} up to {k * n}?",
            rf"Work out ${k} + {2 * k} + {3 * k} + \ldots + {k * n}$.",
        ),
        answer=prose(total),
        steps=(
            f"There are {n} terms with the mean ${frac(f'{k} + {k * n}', 2)}$.",
            f"${n} \\times {frac(k + k * n, 2)} = {tex(total)}$",
        ),
        wrong=(
            (prose(total * 2), "Forgets to halve"),
            (prose(k * n * n // 2), "Uses $n$ instead of $n + 1$"),
            (prose(k * n * (n - 1) // 2), "Leaves out the last number"),
        ),
        choice=0.3,
    )


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
            f"A geometric sequence has first term ${first}$ and common ratio ${tex(ratio)}$. What is its {ordinal(n)} term?",
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
    d.require(abs(b) < 3000 and (gap == 3 or ratio > 0))
    positive = " All terms are positive." if gap == 2 else ""
    quotient = frac(b, a) if a > 0 else rf"{b} \div ({a})"
    return Item(
        ask=(
            f"In a geometric sequence the {ordinal(k)} term is ${a}$ and the {ordinal(k + gap)} term is ${b}$.{positive} Find "
            "the common ratio.",
            f"A geometric sequence has $a_{k} = {a}$ and $a_{k + gap} = {b}$.{positive} What is its common ratio?",
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
            f"A geometric series has first term {first} and common ratio ${ratio}$. Find the sum of its first {n} terms.",
        ),
        answer=answer(total),
        steps=(
            f"$S_{n} = {frac(f'{first}({power(ratio, n)} - 1)', f'{ratio} - 1')}$",
            f"$= {tex(total)}$"
            if ratio == 2
            else f"$= {raw(first * (ratio**n - 1), ratio - 1)} = {tex(total)}$",
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
            f"A geometric series has first term {first} and common ratio ${tex(ratio)}$. What is its sum to infinity?",
        ),
        answer=answer(total),
        steps=(
            rf"The ratio is ${tex(ratio)}$, and $S = \frac{{a}}{{1 - r}}$.",
            f"$S = {first} \\div \\left(1 {plus(-ratio)}\\right) = {first} \\div {tex(1 - ratio)} = {tex(total)}$",
        ),
        wrong=(
            (answer(first / (1 + ratio)), "Adds the ratio in the denominator"),
            (answer(first * (1 - ratio)), "Multiplies by $1 - r$ instead of dividing"),
            (answer(first / ratio), "Divides by the ratio"),
            (answer(first * ratio / (1 - ratio)), "Starts with the second term"),
        ),
        choice=0.4,
    )


def recurrence(d: Draw) -> Item:
    first, a, b = d.whole(1, 8), d.one_of(2, 2, 3, -1, -2), d.whole(-7, 7, but=(0,))
    values = [first]
    for _ in range(4):
        values.append(a * values[-1] + b)
    n = d.one_of(4, 5)
    d.require(len(set(values)) == 5 and abs(values[n - 1]) < 400)
    rule = f"u_{{n+1}} = {signed_sum([term(a, 'u_n'), tex(b)])}"
    return Item(
        ask=(
            f"A sequence is defined by $u_1 = {first}$ and ${rule}$. Find $u_{n}$.",
            f"Let $u_1 = {first}$ and ${rule}$ for $n \\ge 1$. What is $u_{n}$?",
        ),
        answer=answer(values[n - 1]),
        steps=tuple(
            f"$u_{i + 1} = {signed_sum([tex(a * values[i - 1]), tex(b)])} = {values[i]}$" for i in range(1, n)
        ),
        wrong=(
            (answer(values[n] if n < 5 else a * values[4] + b), "Goes one step too far"),
            (answer(values[n - 2]), "Stops one step too early"),
            (answer(first + (n - 1) * b), "Adds only, without multiplying"),
            (answer(a * (values[n - 2] + b)), "Adds before multiplying in the last step"),
        ),
        choice=0.35,
    )


def fibonacci_like(d: Draw) -> Item:
    a, b = d.whole(1, 9), d.whole(1, 9)
    values = [a, b]
    while len(values) < 8:
        values.append(values[-1] + values[-2])
    n = d.one_of(6, 7, 8)
    d.require((a, b) != (1, 1))
    return Item(
        ask=(
            f"In a sequence each term from the third on is the sum of the two before it. It starts {a}, {b}. Find the "
            f"{ordinal(n)} term.",
            f"Let $u_1 = {a}$, $u_2 = {b}$ and $u_{{n+2}} = u_{{n+1}} + u_n$. What is $u_{n}$?",
        ),
        answer=str(values[n - 1]),
        steps=(
            f"The sequence is {', '.join(map(str, values[:n]))}.",
            f"The {ordinal(n)} term is {values[n - 1]}.",
        ),
        wrong=(
            (str(values[n - 2]), "Stops one term too early"),
            (str(values[n - 1] + values[n - 2]), "Goes one term too far"),
            (str(a + (n - 1) * (b - a) if b > a else a + b + n), "Treats it as an arithmetic sequence"),
        ),
        choice=0.3,
    )


def sigma_sum(d: Draw) -> Item:
    a, b, n = d.whole(1, 6), d.whole(-7, 9, but=(0,)), d.whole(5, 30)
    low = d.one_of(1, 1, 1, 2, 3)
    count = n - low + 1
    first, last = a * low + b, a * n + b
    total = count * (first + last) // 2
    body = poly([a, b], "k")
    shown = rf"\sum_{{k={low}}}^{{{n}}} ({body})"
    return Item(
        ask=(f"Evaluate ${shown}$.", f"Find the value of ${shown}$.", f"Work out the sum ${shown}$."),
        answer=answer(total),
        steps=(
            f"The terms form an arithmetic sequence from ${first}$ to ${last}$ with {count} terms.",
            f"${frac(count, 2)} \\times ({first} {plus(last)}) = {tex(total)}$"
            if last
            else f"${frac(count, 2)} \\times {braced(first)} = {tex(total)}$",
        ),
        wrong=(
            (answer(last), "Gives the last term and not the sum"),
            (answer(total - b * (count - 1)), "Adds the constant only once"),
            (answer(total - first if first else total + last), "Leaves out the first term"),
            (answer(total + last + a), "Adds one term too many"),
        ),
        choice=0.35,
    )


def small_sigma(d: Draw) -> Item:
    kind = d.whole(0, 2)
    low, count = d.whole(1, 3), d.whole(3, 5)
    ks = list(range(low, low + count))
    if kind == 0:
        shift = d.whole(-3, 4, but=(0,))
        body, terms = poly([1, 0, shift], "k"), [k * k + shift for k in ks]
        shown = rf"\sum_{{k={low}}}^{{{ks[-1]}}} ({body})"
    elif kind == 1:
        base = d.whole(2, 3)
        body, terms = f"{base}^k", [base**k for k in ks]
        shown = rf"\sum_{{k={low}}}^{{{ks[-1]}}} {body}"
    else:
        a = d.whole(2, 4)
        body, terms = f"{a}k^2", [a * k * k for k in ks]
        shown = rf"\sum_{{k={low}}}^{{{ks[-1]}}} {body}"
    total = sum(terms)
    return Item(
        ask=(
            f"Evaluate ${shown}$.",
            f"Write out the terms of ${shown}$ and add them up.",
            f"${shown} =$ ____",
        ),
        answer=answer(total),
        steps=(
            f"The terms are ${', '.join(map(str, terms))}$.",
            f"Their sum is ${signed_sum([str(t) for t in terms])} = {total}$."
            if 0 not in terms
            else f"Their sum is ${total}$.",
        ),
        wrong=(
            (answer(terms[-1]), "Gives the last term only"),
            (answer(sum(terms[:-1])), "Leaves out the last term"),
            (answer(sum(terms[1:])), "Leaves out the first term"),
            (answer(total + terms[-1]), "Counts the last term twice"),
        ),
        choice=0.3,
    )


PATTERNS = (
    Pattern("nth-term-rule", "Arithmetic terms", 8, 0.1, nth_term_rule),
    Pattern("arithmetic-term", "Arithmetic terms", 9, 0.0, arithmetic_term),
    Pattern("theatre-rows", "Arithmetic sums", 10, 0.3, theatre_rows),
    Pattern("arithmetic-sum", "Arithmetic sums", 11, 0.3, arithmetic_sum),
    Pattern("sum-of-first-numbers", "Arithmetic sums", 10, 0.5, sum_of_first_numbers),
    Pattern("geometric-term", "Geometric terms", 10, 0.2, geometric_term),
    Pattern("common-ratio", "Geometric terms", 10, 0.6, common_ratio),
    Pattern("geometric-sum", "Geometric sums", 11, 0.4, geometric_sum),
    Pattern("infinite-sum", "Geometric sums", 11, 0.7, infinite_sum),
    Pattern("recurrence", "Recurrence relations", 10, 0.1, recurrence),
    Pattern("fibonacci-like", "Recurrence relations", 8, -0.1, fibonacci_like),
    Pattern("sigma-sum", "Sigma notation", 11, 0.6, sigma_sum),
    Pattern("small-sigma", "Sigma notation", 11, 0.1, small_sigma),
)
