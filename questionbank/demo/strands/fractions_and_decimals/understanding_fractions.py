"""Fractions and decimals: understanding fractions."""

from __future__ import annotations

import math

from questionbank.demo.notation import frac, m, mixed, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, listing

__all__ = ["PATTERNS"]


def missing_numerator(d: Draw) -> Item:
    value, factor = d.fraction(9), d.whole(2, 9)
    top, bottom = value.numerator * factor, value.denominator * factor
    shown, box = frac(value.numerator, value.denominator), frac(r"\square", bottom)
    return Item(
        ask=(
            f"Find the number that belongs in the box: ${shown} = {box}$.",
            f"Write ${shown}$ as a fraction with denominator {bottom}. Its numerator is ____.",
            f"How many parts of size ${frac(1, bottom)}$ are equal to ${shown}$?",
        ),
        answer=str(top),
        steps=(
            f"${value.denominator} \\times {factor} = {bottom}$, so multiply the numerator by {factor} too.",
            f"${value.numerator} \\times {factor} = {top}$",
        ),
        wrong=(
            (str(value.numerator + bottom - value.denominator), "Adds the same number to top and bottom"),
            (str(value.numerator), "Leaves the numerator unchanged"),
            (str(factor), "Gives the factor instead of the numerator"),
            (str(bottom - top), "Gives the part that is missing to one whole"),
        ),
        choice=0.4,
    )


def lowest_terms(d: Draw) -> Item:
    value, factor = d.fraction(), d.one_of(4, 6, 8, 9, 12, 15, 18)
    top, bottom = value.numerator * factor, value.denominator * factor
    step = next(p for p in (2, 3, 5) if factor % p == 0)
    return Item(
        ask=(
            f"Simplify ${frac(top, bottom)}$ fully.",
            f"Write ${frac(top, bottom)}$ in its lowest terms.",
            f"Which fraction in lowest terms is equal to ${frac(top, bottom)}$?",
            f"In lowest terms, ${frac(top, bottom)}$ is ____.",
        ),
        answer=m(value),
        steps=(
            f"The highest common factor of {top} and {bottom} is {factor}.",
            f"Divide both by {factor}: ${frac(top, bottom)} = {tex(value)}$.",
        ),
        wrong=(
            (m(frac(top // step, bottom // step)), "Stops cancelling too early"),
            (m(1 / value), "Turns the fraction upside down"),
            (m(frac(value.numerator, bottom)), "Divides only the numerator"),
            (m(frac(top, value.denominator)), "Divides only the denominator"),
        ),
    )


def largest_fraction(d: Draw) -> Item:
    values = sorted({d.fraction() for _ in range(4)})
    d.require(len(values) == 4 and len({value.denominator for value in values}) >= 3)
    largest, smallest = values[-1], values[0]
    common = math.lcm(*(value.denominator for value in values))
    d.require(common <= 180)
    shown = [m(value) for value in d.shuffled(values)]
    top_bottom = max(values, key=lambda value: (value.numerator + value.denominator, value))
    d.require(top_bottom != largest or values[-2].denominator > largest.denominator)
    converted = ", ".join(
        f"{tex(value)} = {frac(value.numerator * common // value.denominator, common)}" for value in values
    )
    wants_largest = d.chance(0.6)
    result = largest if wants_largest else smallest
    kind = "largest" if wants_largest else "smallest"
    return Item(
        ask=(
            f"Which of the fractions {listing(shown)} is the {kind}?",
            f"Compare {listing(shown)}. Which one is the {kind}?",
        ),
        answer=m(result),
        steps=(
            f"With the common denominator {common}: ${converted}$.",
            f"The {kind} is ${tex(result)}$.",
        ),
        wrong=tuple(
            (m(value), "Compares numerators or denominators alone") for value in values if value != result
        ),
        choice=0.7,
    )


def order_fractions(d: Draw) -> Item:
    values = {d.fraction(10) for _ in range(3)}
    ordered = sorted(values)
    d.require(len(ordered) == 3 and len({value.denominator for value in ordered}) == 3)
    common = math.lcm(*(value.denominator for value in ordered))
    d.require(common <= 120)
    shown = d.shuffled(ordered)
    d.require(shown != ordered)
    converted = ", ".join(
        f"{tex(value)} = {frac(value.numerator * common // value.denominator, common)}" for value in shown
    )
    result = " < ".join(tex(value) for value in ordered)
    return Item(
        ask=(
            f"Put {listing([m(value) for value in shown])} in order, smallest first.",
            f"Write the fractions {listing([m(value) for value in shown])} in ascending order.",
        ),
        answer=m(result),
        steps=(f"Use the common denominator {common}: ${converted}$.", f"So ${result}$."),
    )


def mixed_to_improper(d: Draw) -> Item:
    whole, part = d.whole(1, 9), d.fraction(10)
    value = whole + part
    shown = mixed(value)
    return Item(
        ask=(
            f"Write ${shown}$ as an improper fraction.",
            f"Convert the mixed number ${shown}$ to a single fraction.",
            f"How can ${shown}$ be written as a fraction without a whole part?",
            f"As an improper fraction, ${shown} =$ ____.",
        ),
        answer=m(value),
        steps=(
            f"${whole} = {frac(whole * part.denominator, part.denominator)}$",
            f"${frac(whole * part.denominator, part.denominator)} + {tex(part)} = {tex(value)}$",
        ),
        wrong=(
            (m(frac(whole + part.numerator, part.denominator)), "Adds the whole number to the numerator"),
            (
                m(frac(whole * part.numerator, part.denominator)),
                "Multiplies the whole number by the fraction",
            ),
            (m(frac(whole * 10 + part.numerator, part.denominator)), "Writes the digits side by side"),
            (m(frac(value.numerator + 1, part.denominator)), "Makes a slip in the numerator"),
        ),
        choice=0.4,
    )


def improper_to_mixed(d: Draw) -> Item:
    whole, part = d.whole(1, 9), d.fraction(11)
    value = whole + part
    return Item(
        ask=(
            f"Write ${tex(value)}$ as a mixed number.",
            f"Convert the improper fraction ${tex(value)}$ to a mixed number.",
            (
                f"Pizzas are cut into {part.denominator} equal slices each, and {value.numerator} slices are"
                " on the table. Write the number of pizzas as a mixed number."
            ),
            f"As a mixed number, ${tex(value)} =$ ____.",
        ),
        answer=m(mixed(value)),
        steps=(
            f"${value.numerator} = {whole} \\times {value.denominator} + {part.numerator}$",
            f"So ${tex(value)} = {mixed(value)}$.",
        ),
    )


PATTERNS = (
    Pattern("missing-numerator", "Equivalent fractions", 4, -1.4, missing_numerator),
    Pattern("lowest-terms", "Equivalent fractions", 5, -1.0, lowest_terms),
    Pattern("largest-fraction", "Comparing fractions", 5, 0.0, largest_fraction),
    Pattern("order-fractions", "Comparing fractions", 5, 0.0, order_fractions),
    Pattern("mixed-to-improper", "Mixed numbers", 5, -1.4, mixed_to_improper),
    Pattern("improper-to-mixed", "Mixed numbers", 5, -1.2, improper_to_mixed),
)
