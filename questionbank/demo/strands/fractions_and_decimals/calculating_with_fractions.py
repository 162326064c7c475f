"""Fractions and decimals: calculating with fractions.

"Fraction of an amount" holds two patterns that look alike: the part from the whole, and the whole from the part.
"""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import frac, m, mixed, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun

__all__ = ["PATTERNS"]


def add_fractions(d: Draw) -> Item:
    a, b = d.fraction(10), d.fraction(10)
    d.require(a.denominator != b.denominator)
    minus = a > b and d.chance()
    sign = "-" if minus else "+"
    value = a - b if minus else a + b
    common = math.lcm(a.denominator, b.denominator)
    first, second = a.numerator * common // a.denominator, b.numerator * common // b.denominator
    joined = first - second if minus else first + second
    d.require(common <= 90)
    bottoms = abs(a.denominator - b.denominator) if minus else a.denominator + b.denominator
    tops = abs(a.numerator - b.numerator) if minus else a.numerator + b.numerator
    d.require(bottoms > 1 and tops > 0)
    last = f" = {tex(value)}" if value.denominator != common else ""
    return Item(
        ask=(
            f"Work out ${tex(a)} {sign} {tex(b)}$.",
            f"Calculate ${tex(a)} {sign} {tex(b)}$ and simplify your answer.",
            f"{'Subtract' if minus else 'Add'} ${tex(b)}$ {'from' if minus else 'to'} ${tex(a)}$.",
            f"${tex(a)} {sign} {tex(b)} =$ ____",
        ),
        answer=m(value),
        steps=(
            (
                f"A common denominator is {common}: ${tex(a)} = {frac(first, common)}$, ${tex(b)} ="
                f" {frac(second, common)}$."
            ),
            f"${frac(first, common)} {sign} {frac(second, common)} = {frac(joined, common)}{last}$",
        ),
        wrong=(
            (
                m(frac(tops, bottoms)),
                f"{'Subtracts' if minus else 'Adds'} numerators and denominators separately",
            ),
            (m(frac(tops, common)), "Changes the denominators but not the numerators"),
            (m(a * b), "Multiplies the fractions"),
            (m(frac(joined + 1, common)), "Makes a slip in the numerator"),
        ),
        choice=0.4,
    )


def part_of_the_way(d: Draw) -> Item:
    a, b = d.fraction(8), d.fraction(8)
    rest = 1 - a - b
    d.require(rest > 0 and a.denominator != b.denominator)
    who = d.person()
    story = d.one_of(
        (
            f"{who} walks {m(a)} of a trail in the morning and {m(b)} of it in the afternoon.",
            "What fraction of the trail is left?",
        ),
        (
            f"{who} paints {m(a)} of a fence on Saturday and {m(b)} of it on Sunday.",
            "What fraction of the fence is still unpainted?",
        ),
        (
            f"Of a field, {m(a)} is planted with beans and {m(b)} with potatoes.",
            "What fraction of the field is free?",
        ),
        (
            f"{who} spends {m(a)} of a day sleeping and {m(b)} of it at work.",
            "What fraction of the day remains?",
        ),
    )
    return Item(
        ask=(" ".join(story), f"{story[0]} {story[1]} Give your answer in lowest terms."),
        answer=f"{rest.numerator}/{rest.denominator}",
        steps=(
            f"Together: ${tex(a)} + {tex(b)} = {tex(a + b)}$.",
            f"Left: $1 - {tex(a + b)} = {tex(rest)}$, that is {rest.numerator}/{rest.denominator}.",
        ),
        equation=f"1-({a})-({b})",
    )


def subtract_mixed(d: Draw) -> Item:
    a, b = d.whole(4, 9) + d.fraction(8), d.whole(1, 3) + d.fraction(8)
    d.require(a.denominator != b.denominator and a % 1 < b % 1)
    common = math.lcm(a.denominator, b.denominator)
    d.require(common <= 60)
    result = a - b
    top_a, top_b = a * common, b * common
    swapped = (a // 1 - b // 1) + abs(a % 1 - b % 1)
    return Item(
        ask=(
            f"Work out ${mixed(a)} - {mixed(b)}$.",
            f"Calculate ${mixed(a)} - {mixed(b)}$. Give your answer as a mixed number.",
            f"A rope is ${mixed(a)}$ m long. A piece of ${mixed(b)}$ m is cut off. How many metres are left?",
        ),
        answer=m(mixed(result)),
        steps=(
            f"As improper fractions: ${mixed(a)} = {tex(a)}$ and ${mixed(b)} = {tex(b)}$.",
            f"${frac(int(top_a), common)} - {frac(int(top_b), common)} = {frac(int(top_a - top_b), common)}$",
            f"As a mixed number in lowest terms: ${mixed(result)}$.",
        ),
        wrong=(
            (m(mixed(swapped)), "Takes the smaller fraction from the larger one"),
            (m(mixed(result + 1)), "Forgets that a whole was exchanged"),
            (m(mixed(a + b)), "Adds instead of subtracting"),
        ),
        choice=0.35,
    )


def multiply_divide_fractions(d: Draw) -> Item:
    a, b = d.fraction(10), d.fraction(10)
    divide = d.chance()
    value = a / b if divide else a * b
    d.require(a != b and value.denominator > 1)
    sign = r"\div" if divide else r"\times"
    flipped = frac(b.denominator, b.numerator)
    by = tex(Fraction(b.denominator, b.numerator)) if b.numerator == 1 else flipped
    second = by if divide else tex(b)
    raw = (
        frac(a.numerator * b.denominator, a.denominator * b.numerator)
        if divide
        else frac(a.numerator * b.numerator, a.denominator * b.denominator)
    )
    product = f"{tex(a)} \\times {second} = {raw}"
    steps = [f"${product}$" if raw == tex(value) else f"${product} = {tex(value)}$"]
    steps.insert(
        0,
        (
            f"Dividing by ${tex(b)}$ is multiplying by ${by}$."
            if divide
            else "Multiply the numerators and multiply the denominators."
        ),
    )
    return Item(
        ask=(
            f"Work out ${tex(a)} {sign} {tex(b)}$.",
            f"Calculate ${tex(a)} {sign} {tex(b)}$ in lowest terms.",
            f"What is ${tex(a)}$ divided by ${tex(b)}$?" if divide else f"What is ${tex(a)}$ of ${tex(b)}$?",
        ),
        effort=0.3 if divide else 0.0,
        answer=m(value),
        steps=tuple(steps),
        wrong=(
            (m(a * b if divide else a / b), "Divides where one must multiply, or the other way round"),
            (m(1 / value), "Inverts the wrong fraction"),
            (m(a + b), "Adds the fractions"),
        ),
        choice=0.4,
    )


def pieces_from_a_length(d: Draw) -> Item:
    piece, count = d.fraction(8), d.whole(4, 18)
    total = piece * count
    d.require(total.denominator == 1 and piece.numerator > 1)
    metres = int(total)
    thing, unit, cut = d.one_of(
        ("ribbon", "m", "pieces"),
        ("copper pipe", "m", "sections"),
        ("juice", "litre", "glasses"),
        ("rice", "kg", "bags"),
    )
    units = "litres" if unit == "litre" else unit
    return Item(
        ask=(
            f"How many {cut} of ${tex(piece)}$ {unit} can be made from {metres} {units} of {thing}?",
            (
                f"{metres} {units} of {thing} {'are' if unit == 'litre' else 'is'} divided into {cut} of"
                f" ${tex(piece)}$ {unit}. How many {cut} are there?"
            ),
        ),
        answer=str(count),
        steps=(
            (
                f"${metres} \\div {tex(piece)} = {metres} \\times {frac(piece.denominator, piece.numerator)}"
                f" = {count}$"
            ),
            f"There are {count} {cut}.",
        ),
        equation=f"{metres}/({piece})",
    )


def part_from_whole(d: Draw) -> Item:
    part, unit = d.fraction(8), d.whole(5, 24)
    whole, some = unit * part.denominator, unit * part.numerator
    d.require(part.numerator > 1)
    thing, owner = d.one_of((Noun("page"), "book"), (Noun("seat"), "theatre"), (Noun("tree"), "orchard"))
    verb, done = {
        "book": ("have been read", "of them have been read"),
        "theatre": ("are taken", "of them are taken"),
        "orchard": ("bear fruit", "of them bear fruit"),
    }[owner]
    opening = f"{'An' if owner == 'orchard' else 'A'} {owner} has {thing(whole)}"
    return Item(
        ask=(
            f"{opening}, and ${tex(part)}$ {done}. How many {thing} is that?",
            f"{opening}. If ${tex(part)}$ of the {thing} {verb}, how many is that?",
        ),
        answer=str(some),
        steps=(
            f"One part of {part.denominator}: ${whole} \\div {part.denominator} = {unit}$.",
            f"${part.numerator} \\times {unit} = {some}$ {thing}.",
        ),
        wrong=(
            (str(unit), "Takes a unit fraction only"),
            (str(whole - some), "Gives the part that is left"),
            (str(whole * part.numerator), "Multiplies by the numerator and forgets to divide"),
        ),
        choice=0.3,
        equation=f"{whole}*({part})",
    )


def whole_from_part(d: Draw) -> Item:
    part, unit = d.fraction(8), d.whole(5, 24)
    whole, some = unit * part.denominator, unit * part.numerator
    d.require(part.numerator > 1)
    thing, owner = d.one_of((Noun("page"), "book"), (Noun("seat"), "theatre"), (Noun("tree"), "orchard"))
    verb = {"book": "have been read", "theatre": "are taken", "orchard": "bear fruit"}[owner]
    return Item(
        ask=(
            (
                f"In {'an' if owner == 'orchard' else 'a'} {owner} {thing(some)} {verb}, and that is"
                f" ${tex(part)}$ of the {thing}. How many {thing} does the {owner} have?"
            ),
            (
                f"{thing(some)} of {'an' if owner == 'orchard' else 'a'} {owner} {verb}. If this is"
                f" ${tex(part)}$ of all the {thing}, how many are there in total?"
            ),
        ),
        answer=str(whole),
        steps=(
            f"${part.numerator}$ parts are {some}, so one part is ${some} \\div {part.numerator} = {unit}$.",
            f"The whole is ${part.denominator} \\times {unit} = {whole}$ {thing}.",
        ),
        equation=f"{some}/({part})",
    )


PATTERNS = (
    Pattern("add-fractions", "Adding and subtracting fractions", 5, -0.7, add_fractions),
    Pattern("subtract-mixed", "Adding and subtracting fractions", 6, 0.8, subtract_mixed),
    Pattern("part-of-the-way", "Adding and subtracting fractions", 6, 0.0, part_of_the_way),
    Pattern(
        "multiply-divide-fractions", "Multiplying and dividing fractions", 6, -0.5, multiply_divide_fractions
    ),
    Pattern("pieces-from-a-length", "Multiplying and dividing fractions", 6, 0.5, pieces_from_a_length),
    Pattern("part-from-whole", "Fraction of an amount", 4, -1.0, part_from_whole),
    Pattern("whole-from-part", "Fraction of an amount", 5, 0.5, whole_from_part),
)
