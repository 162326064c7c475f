"""Sequences and series: arithmetic sequences."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import answer, braced, frac, m, plus, poly, prose, tex
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
            rf"The $n$-th term of the arithmetic sequence ${shown}, \ldots$ is ____.",
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
            (
                f"An arithmetic sequence starts with ${first}$ and has the common difference ${step}$. Find"
                f" the {ordinal(n)} term."
            ),
            f"In an arithmetic sequence $a_1 = {first}$ and $d = {step}$. What is $a_{{{n}}}$?",
            rf"What is the {ordinal(n)} term of ${first}, {first + step}, {first + 2 * step}, \ldots$?",
            rf"The {ordinal(n)} term of ${first}, {first + step}, {first + 2 * step}, \ldots$ is ____.",
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
    opening = (
        f"The first row of a theatre has {first} seats, and each row has {step} seats more than the one"
        " before."
    )
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
            (
                f"An arithmetic series has first term ${first}$ and common difference ${step}$. What is the"
                f" sum of its first {n} terms?"
            ),
        ),
        answer=answer(total),
        steps=(
            f"The {ordinal(n)} term is ${first} {plus((n - 1) * step)} = {last}$.",
            (
                f"$S_{{{n}}} = {frac(n, 2)} \\times ({first} {plus(last)}) = {tex(total)}$"
                if last
                else f"$S_{{{n}}} = {frac(n, 2)} \\times {braced(first)} = {tex(total)}$"
            ),
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


PATTERNS = (
    Pattern("nth-term-rule", "Arithmetic terms", 8, -0.3, nth_term_rule),
    Pattern("arithmetic-term", "Arithmetic terms", 9, -0.5, arithmetic_term),
    Pattern("theatre-rows", "Arithmetic sums", 10, 0.0, theatre_rows),
    Pattern("arithmetic-sum", "Arithmetic sums", 11, 0.0, arithmetic_sum),
    Pattern("sum-of-first-numbers", "Arithmetic sums", 10, 0.3, sum_of_first_numbers),
)
