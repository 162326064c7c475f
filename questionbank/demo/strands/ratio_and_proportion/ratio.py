"""Ratio and proportion: ratio.

The three patterns of "Sharing in a ratio" look alike: the total, one share, or the difference is given.
"""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import decimal, m, prose, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]

_SHARED = (
    ("prize money", "£", ""),
    ("sweets", "", " sweets"),
    ("savings", "£", ""),
    ("trading cards", "", " trading cards"),
)


def coprime_pair(d: Draw, low: int, high: int) -> tuple[int, int]:
    """Draw two different numbers without a common factor."""
    a, b = d.several(2, low, high)
    d.require(math.gcd(a, b) == 1)
    return a, b


def simplify_ratio(d: Draw) -> Item:
    a, b = coprime_pair(d, 2, 12)
    factor = d.one_of(2, 3, 4, 5, 6, 8, 9, 12)
    first, second = a * factor, b * factor
    result = f"{a} : {b}"
    thing, second_thing, where = d.one_of(
        ("red beads", "blue beads", "a necklace"),
        ("adults", "children", "a swimming club"),
        ("oak trees", "birch trees", "a wood"),
        ("novels", "dictionaries", "a bookshop"),
    )
    return Item(
        ask=(
            f"Write the ratio ${first} : {second}$ in its simplest form.",
            f"Simplify ${first} : {second}$.",
            (
                f"In {where} there are {first} {thing} and {second} {second_thing}. Give the ratio of {thing} to"
                f" {second_thing} in its simplest form."
            ),
            f"In its simplest form the ratio ${first} : {second}$ is ____.",
        ),
        answer=m(result),
        steps=(
            f"The highest common factor of {first} and {second} is {factor}.",
            f"Divide both parts by {factor}: ${result}$.",
        ),
        wrong=(
            (m(f"{b} : {a}"), "Gives the ratio in the wrong order"),
            (m(f"{a} : {a + b}"), "Compares a part with the whole"),
            (m(f"{a} : {second}"), "Divides only the first part"),
            (m(f"{first - factor} : {second - factor}"), "Subtracts the same number from both parts"),
        ),
    )


def ratio_with_units(d: Draw) -> Item:
    a, b = coprime_pair(d, 2, 15)
    small, large, factor = d.one_of(
        ("cm", "m", 100), ("g", "kg", 1000), ("minutes", "hours", 60), ("ml", "litres", 1000)
    )
    scale = d.one_of(5, 10, 20, 25, 50)
    first, whole = a * scale, Fraction(b * scale, factor)
    d.require(first < factor and whole > 0 and (whole * 10).denominator == 1 and whole != 1)
    return Item(
        ask=(
            f"Write the ratio of {first} {small} to {decimal(whole)} {large} in its simplest form.",
            f"Simplify the ratio {first} {small} : {decimal(whole)} {large}.",
        ),
        answer=m(f"{a} : {b}"),
        steps=(
            f"Use one unit: {decimal(whole)} {large} = {b * scale} {small}.",
            f"${first} : {b * scale} = {a} : {b}$",
        ),
        wrong=(
            (m(f"{b} : {a}"), "Gives the ratio in the wrong order"),
            (m(f"{first} : {decimal(whole)}"), "Ignores the different units"),
            (m(f"{a} : {b * 10}"), "Uses the wrong factor between the units"),
        ),
        choice=0.4,
    )


def share_total(d: Draw) -> Item:
    (a, b), unit = coprime_pair(d, 2, 7), d.whole(3, 19)
    total, more = unit * (a + b), d.chance()
    share = unit * (max(a, b) if more else min(a, b))
    first, second = d.people(2)
    owner = first if (a > b) == more else second
    thing, sign, noun = d.one_of(*_SHARED)
    parts = a if owner is first else b
    asked = "pounds" if sign else thing
    return Item(
        ask=(
            (
                f"{first} and {second} share {sign}{total}{noun} in the ratio ${a} : {b}$. How many {asked} does"
                f" {owner} get?"
            ),
            (
                f"{sign}{total}{noun} is divided between {first} and {second} in the ratio ${a} : {b}$. How many"
                f" {asked} are for {owner}?"
                if sign
                else (
                    f"{total}{noun} are divided between {first} and {second} in the ratio ${a} : {b}$. How many"
                    f" are for {owner}?"
                )
            ),
        ),
        answer=str(share),
        steps=(
            f"There are ${a} + {b} = {a + b}$ parts, and one part is ${total} \\div {a + b} = {unit}$.",
            f"{owner} gets ${parts} \\times {unit} = {share}$.",
        ),
        wrong=(
            (str(total - share), "Gives the share of the other person"),
            (str(unit), "Gives one part"),
            (
                (
                    decimal(Fraction(total, parts))
                    if (Fraction(total * 10, parts)).denominator == 1
                    else str(total // parts)
                ),
                "Divides the total by one number of the ratio",
            ),
            (str(share + unit), "Counts one part too many"),
        ),
        choice=0.3,
        equation=f"{total}*{parts}/({a}+{b})",
    )


def share_given(d: Draw) -> Item:
    (a, b), unit = coprime_pair(d, 2, 9), d.whole(3, 19)
    first, second = d.people(2)
    thing, sign, noun = d.one_of(*_SHARED)
    wants_total = d.chance()
    result = unit * (a + b) if wants_total else unit * b
    asked = "pounds" if sign else thing
    question = (
        f"How many {asked} do they share altogether?"
        if wants_total
        else f"How many {asked} does {second} get?"
    )
    last = (
        f"Altogether there are $({a} + {b}) \\times {unit} = {result}$."
        if wants_total
        else f"{second} gets ${b} \\times {unit} = {result}$."
    )
    return Item(
        ask=(
            (
                f"{first} and {second} share some {thing} in the ratio ${a} : {b}$. {first} gets"
                f" {sign}{unit * a}{noun}. {question}"
            ),
            (
                f"Some {thing} {'is' if thing == 'prize money' else 'are'} shared between {first} and {second} in"
                f" the ratio ${a} : {b}$, and {first} gets {sign}{unit * a}. {question}"
            ),
        ),
        answer=str(result),
        steps=(f"{a} parts are {unit * a}, so one part is ${unit * a} \\div {a} = {unit}$.", last),
        equation=f"{unit * a}/{a}*({a}+{b})" if wants_total else f"{unit * a}/{a}*{b}",
    )


def share_difference(d: Draw) -> Item:
    (a, b), unit = coprime_pair(d, 2, 9), d.whole(4, 19)
    a, b = min(a, b), max(a, b)
    d.require(b - a > 1)
    first, second = d.people(2)
    thing, sign, _ = d.one_of(*_SHARED)
    difference, total = unit * (b - a), unit * (a + b)
    asked = "pounds" if sign else thing
    return Item(
        ask=(
            (
                f"{first} and {second} share some {thing} in the ratio ${a} : {b}$. {second} gets {sign}{difference}"
                f" more than {first}. How many {asked} do they share altogether?"
                if sign
                else (
                    f"{first} and {second} share some {thing} in the ratio ${a} : {b}$. {second} gets {difference}"
                    f" more than {first}. How many {asked} do they share altogether?"
                )
            ),
            (
                f"In the ratio ${a} : {b}$, {first} and {second} divide some {thing}, and {first} gets"
                f" {sign}{difference} less than {second}. What is the total number of {asked}?"
                if sign
                else (
                    f"In the ratio ${a} : {b}$, {first} and {second} divide some {thing}, and {first} gets"
                    f" {difference} fewer than {second}. What is the total number of {asked}?"
                )
            ),
        ),
        answer=str(total),
        steps=(
            (
                f"The difference is ${b} - {a} = {b - a}$ parts, so one part is ${difference} \\div {b - a} ="
                f" {unit}$."
            ),
            f"Altogether there are ${a} + {b} = {a + b}$ parts: ${a + b} \\times {unit} = {total}$.",
        ),
        equation=f"{difference}/({b}-{a})*({a}+{b})",
    )


def map_to_ground(d: Draw) -> Item:
    scale, length = d.one_of(5_000, 10_000, 20_000, 25_000, 50_000, 200_000), Fraction(d.whole(15, 95), 10)
    metres = length * scale / 100
    kilometres = metres / 1000
    d.require((kilometres * 1000).denominator == 1 and kilometres >= Fraction(1, 2))
    a, b = d.one_of(
        ("a lake", "a castle"),
        ("the harbour", "the lighthouse"),
        ("a village", "a summit hut"),
        ("two bridges", ""),
    )
    between = f"between {a} and {b}" if b else f"between {a}"
    return Item(
        ask=(
            (
                f"On a map with scale $1 : {tex(scale)}$ the distance {between} is {decimal(length)} cm. What"
                " is the real distance in kilometres?"
            ),
            (
                f"A hiking map has the scale $1 : {tex(scale)}$. The distance {between} measures"
                f" {decimal(length)} cm. How many kilometres is that in reality?"
            ),
        ),
        answer=f"{decimal(kilometres)} km",
        steps=(
            (
                f"${decimal(length)} \\times {tex(scale)} = {tex(int(length * scale))}$, so the distance is "
                f"{prose(int(length * scale))} cm."
            ),
            f"{prose(int(length * scale))} cm = {decimal(metres)} m = {decimal(kilometres)} km",
        ),
        wrong=(
            (f"{decimal(kilometres * 10)} km", "Converts the units with a factor ten too large"),
            (f"{decimal(kilometres / 10)} km", "Converts the units with a factor ten too small"),
            (f"{decimal(kilometres * 100)} km", "Takes the product for metres instead of centimetres"),
        ),
        choice=0.4,
    )


def ground_to_map(d: Draw) -> Item:
    scale, length = d.one_of(5_000, 10_000, 20_000, 25_000, 50_000, 100_000), Fraction(d.whole(6, 60), 2)
    metres = length * scale / 100
    d.require(metres.denominator == 1 and length <= 30)
    kilometres = metres / 1000
    thing = d.one_of("A straight road", "A canal", "A runway", "A railway tunnel")
    return Item(
        ask=(
            (
                f"{thing} is {decimal(kilometres)} km long. How many centimetres long is it on a map with"
                f" scale $1 : {tex(scale)}$?"
            ),
            (
                f"The scale of a map is $1 : {tex(scale)}$. {thing} of {decimal(kilometres)} km is drawn on"
                " it. How long is the line in centimetres?"
            ),
        ),
        answer=f"{decimal(length)} cm",
        steps=(
            f"{decimal(kilometres)} km = {prose(int(metres * 100))} cm",
            (
                f"${tex(int(metres * 100))} \\div {tex(scale)} = {decimal(length)}$, so the line is"
                f" {decimal(length)} cm long."
            ),
        ),
    )


PATTERNS = (
    Pattern("simplify-ratio", "Simplifying ratios", 6, -1.9, simplify_ratio),
    Pattern("ratio-with-units", "Simplifying ratios", 7, -0.3, ratio_with_units),
    Pattern("share-total", "Sharing in a ratio", 7, -0.8, share_total),
    Pattern("share-given", "Sharing in a ratio", 7, 0.0, share_given),
    Pattern("share-difference", "Sharing in a ratio", 8, 0.8, share_difference),
    Pattern("map-to-ground", "Scales and maps", 7, -0.3, map_to_ground),
    Pattern("ground-to-map", "Scales and maps", 7, 0.0, ground_to_map),
)
