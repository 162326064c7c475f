"""Ratio and proportion, first part: ratio, direct and inverse proportion.

The three patterns of "Sharing in a ratio" look alike: the total, one share, or the difference is given.
"""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, poly, prose, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun, cap

__all__ = ["PATTERNS"]


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
    thing, other, where = d.one_of(
        ("red beads", "blue beads", "a necklace"),
        ("adults", "children", "a swimming club"),
        ("oak trees", "birch trees", "a wood"),
        ("novels", "dictionaries", "a bookshop"),
    )
    return Item(
        ask=(
            f"Write the ratio ${first} : {second}$ in its simplest form.",
            f"Simplify ${first} : {second}$.",
            f"In {where} there are {first} {thing} and {second} {other}. Give the ratio of {thing} to {other} in its "
            "simplest form.",
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


_SHARED = (
    ("prize money", "£", ""),
    ("sweets", "", " sweets"),
    ("savings", "£", ""),
    ("trading cards", "", " trading cards"),
)


def share_total(d: Draw) -> Item:
    (a, b), unit = coprime_pair(d, 2, 7), d.whole(3, 19)
    total, more = unit * (a + b), d.chance()
    share = unit * (max(a, b) if more else min(a, b))
    one, two = d.people(2)
    owner = one if (a > b) == more else two
    thing, sign, noun = d.one_of(*_SHARED)
    parts = a if owner is one else b
    asked = "pounds" if sign else thing
    return Item(
        ask=(
            f"{one} and {two} share {sign}{total}{noun} in the ratio ${a} : {b}$. How many {asked} does {owner} get?",
            f"{sign}{total}{noun} is divided between {one} and {two} in the ratio ${a} : {b}$. How many {asked} are for "
            f"{owner}?"
            if sign
            else f"{total}{noun} are divided between {one} and {two} in the ratio ${a} : {b}$. How many are for {owner}?",
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
                decimal(Fraction(total, parts))
                if (Fraction(total * 10, parts)).denominator == 1
                else str(total // parts),
                "Divides the total by one number of the ratio",
            ),
            (str(share + unit), "Counts one part too many"),
        ),
        choice=0.3,
        equation=f"{total}*{parts}/({a}+{b})",
    )


def share_given(d: Draw) -> Item:
    (a, b), unit = coprime_pair(d, 2, 9), d.whole(3, 19)
    one, two = d.people(2)
    thing, sign, noun = d.one_of(*_SHARED)
    wants_total = d.chance()
    result = unit * (a + b) if wants_total else unit * b
    asked = "pounds" if sign else thing
    question = (
        f"How many {asked} do they share altogether?" if wants_total else f"How many {asked} does {two} get?"
    )
    last = (
        f"Altogether there are $({a} + {b}) \\times {unit} = {result}$."
        if wants_total
        else f"{two} gets ${b} \\times {unit} = {result}$."
    )
    return Item(
        ask=(
            f"{one} and {two} share some {thing} in the ratio ${a} : {b}$. {one} gets {sign}{unit * a}{noun}. {question}",
            f"Some {thing} {'is' if thing == 'prize money' else 'are'} shared between {one} and {two} in the ratio "
            f"${a} : {b}$, and {one} gets {sign}{unit * a}. {question}",
        ),
        answer=str(result),
        steps=(f"{a} parts are {unit * a}, so one part is ${unit * a} \\div {a} = {unit}$.", last),
        equation=f"{unit * a}/{a}*({a}+{b})" if wants_total else f"{unit * a}/{a}*{b}",
    )


def share_difference(d: Draw) -> Item:
    (a, b), unit = coprime_pair(d, 2, 9), d.whole(4, 19)
    a, b = min(a, b), max(a, b)
    d.require(b - a > 1)
    one, two = d.people(2)
    thing, sign, noun = d.one_of(*_SHARED)
    difference, total = unit * (b - a), unit * (a + b)
    asked = "pounds" if sign else thing
    return Item(
        ask=(
            f"{one} and {two} share some {thing} in the ratio ${a} : {b}$. {two} gets {sign}{difference} more than {one}. "
            f"How many {asked} do they share altogether?"
            if sign
            else f"{one} and {two} share some {thing} in the ratio ${a} : {b}$. {two} gets {difference} more than {one}. "
            f"How many {asked} do they share altogether?",
            f"In the ratio ${a} : {b}$, {one} and {two} divide some {thing}, and {one} gets {sign}{difference} less than {two}. "
            f"What is the total number of {asked}?"
            if sign
            else f"In the ratio ${a} : {b}$, {one} and {two} divide some {thing}, and {one} gets {difference} fewer than {two}. "
            f"What is the total number of {asked}?",
        ),
        answer=str(total),
        steps=(
            f"The difference is ${b} - {a} = {b - a}$ parts, so one part is ${difference} \\div {b - a} = {unit}$.",
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
            f"On a map with scale $1 : {tex(scale)}$ the distance {between} is {decimal(length)} cm. What is the real "
            "distance in kilometres?",
            f"A hiking map has the scale $1 : {tex(scale)}$. The distance {between} measures {decimal(length)} cm. How many "
            "kilometres is that in reality?",
        ),
        answer=f"{decimal(kilometres)} km",
        steps=(
            f"${decimal(length)} \\times {tex(scale)} = {tex(int(length * scale))}$, so the distance is "
            f"{prose(int(length * scale))} cm.",
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
            f"{thing} is {decimal(kilometres)} km long. How many centimetres long is it on a map with scale "
            f"$1 : {tex(scale)}$?",
            f"The scale of a map is $1 : {tex(scale)}$. {thing} of {decimal(kilometres)} km is drawn on it. How long is the "
            "line in centimetres?",
        ),
        answer=f"{decimal(length)} cm",
        steps=(
            f"{decimal(kilometres)} km = {prose(int(metres * 100))} cm",
            f"${tex(int(metres * 100))} \\div {tex(scale)} = {decimal(length)}$, so the line is {decimal(length)} cm long.",
        ),
    )


def recipe(d: Draw) -> Item:
    people, factor = d.one_of(2, 3, 4, 5, 6, 8), d.one_of(3, 5, 7, 9, 12)
    each = d.one_of(15, 25, 30, 35, 40, 45, 60, 75)
    wanted = factor + people if d.chance() else factor
    d.require(wanted not in (people, 1))
    have, result = people * each, wanted * each
    dish, stuff, unit = d.one_of(
        ("soup", "lentils", "g"),
        ("pancakes", "flour", "g"),
        ("curry", "rice", "g"),
        ("lemonade", "sugar", "g"),
        ("porridge", "milk", "ml"),
        ("tomato sauce", "olive oil", "ml"),
    )
    return Item(
        ask=(
            f"A recipe for {dish} uses {have} {unit} of {stuff} for {people} people. How many {unit} are needed for {wanted} "
            "people?",
            f"For {people} people a cook needs {have} {unit} of {stuff} to make {dish}. How many {unit} of {stuff} does it "
            f"take for {wanted} people?",
        ),
        answer=str(result),
        steps=(
            f"For one person: ${have} \\div {people} = {each}$ {unit}.",
            f"For {wanted} people: ${wanted} \\times {each} = {result}$ {unit}.",
        ),
        wrong=(
            (
                str(have + wanted - people) if wanted > people else str(abs(have - people + wanted)),
                "Adds the difference in people",
            ),
            (str(have * wanted), "Multiplies without dividing by the number of people"),
            (str(each), "Gives the amount for one person"),
        ),
        choice=0.3,
        equation=f"{have}/{people}*{wanted}",
    )


def proportional_table(d: Draw) -> Item:
    k = Fraction(d.whole(2, 15), d.one_of(1, 1, 2, 4))
    d.require(k != 1)
    squared = d.chance(0.35)
    x1, x2 = d.several(2, 2, 12)
    y1, y2 = (k * x1**2, k * x2**2) if squared else (k * x1, k * x2)
    d.require(y1.denominator == 1 and (y2 * 2).denominator == 1)
    law = "the square of $x$" if squared else "$x$"
    form = rf"{tex(k)}x^2" if squared else poly([k, 0])
    shown_y2 = decimal(y2)
    return Item(
        ask=(
            f"$y$ is directly proportional to {law}. When $x = {x1}$, $y = {y1}$. Find $y$ when $x = {x2}$.",
            f"The quantity $y$ varies directly as {law}, and $y = {y1}$ when $x = {x1}$. What is $y$ when $x = {x2}$?",
        ),
        answer=m(f"y = {shown_y2}"),
        steps=(
            f"$y = k{'x^2' if squared else 'x'}$, so $k = {frac(int(y1), f'{x1}^2' if squared else x1)} = {tex(k)}$.",
            f"$y = {form}$, and for $x = {x2}$ this gives $y = {shown_y2}$.",
        ),
        wrong=(
            (m(f"y = {decimal(y1 + x2 - x1)}"), "Adds the change of $x$ instead of scaling"),
            (m(f"y = {tex(y1 * x1 / x2)}"), "Uses inverse proportion"),
            (
                m(f"y = {tex(y1 * x2 / x1)}") if squared else m(f"y = {tex(y1 * x2)}"),
                "Ignores the square" if squared else "Forgets to divide by the first value",
            ),
            (m(f"y = {tex(k)}"), "Gives the constant of proportionality"),
        ),
        choice=0.4,
    )


_JOBS = (
    ("printers", "print an order of leaflets", "hours"),
    ("gardeners", "plant a hedge", "hours"),
    ("pumps", "empty a flooded cellar", "minutes"),
    ("lorries", "clear a pile of gravel", "days"),
    ("painters", "paint a hall", "days"),
)


def more_workers_less_time(d: Draw) -> Item:
    first, second = d.several(2, 2, 12)
    time = d.whole(4, 30)
    d.require(first * time % second == 0 and abs(first - second) > 1)
    result = first * time // second
    d.require(result > 1)
    workers, job, unit = d.one_of(*_JOBS)
    return Item(
        ask=(
            f"{first} {workers} need {time} {unit} to {job}. How many {unit} would {second} {workers} need, working at the "
            "same rate?",
            f"It takes {first} {workers} {time} {unit} to {job}. How many {unit} does it take {second} {workers} at the "
            "same rate?",
        ),
        answer=str(result),
        steps=(
            f"One alone would need ${first} \\times {time} = {first * time}$ {unit}.",
            f"{second} need ${first * time} \\div {second} = {result}$ {unit}.",
        ),
        wrong=(
            (
                decimal(Fraction(time * second, first))
                if Fraction(time * second * 100, first).denominator == 1
                else str(time * second // first),
                "Uses direct proportion",
            ),
            (str(abs(time + first - second)), "Subtracts the difference in number"),
            (str(first * time), "Gives the time for one alone"),
        ),
        choice=0.35,
        equation=f"{first}*{time}/{second}",
    )


def more_workers_more_output(d: Draw) -> Item:
    first, second = d.several(2, 2, 12)
    each = d.whole(12, 60)
    workers, thing, unit = d.one_of(
        ("printers", Noun("leaflet"), "an hour"),
        ("gardeners", Noun("shrub"), "a day"),
        ("bakers", Noun("loaf", "loaves"), "a shift"),
        ("machines", Noun("bolt"), "a minute"),
        ("packers", Noun("parcel"), "an hour"),
    )
    return Item(
        ask=(
            f"{first} {workers} make {thing(first * each)} in {unit}. How many {thing} would {second} {workers} make in "
            f"{unit}, working at the same rate?"
            if workers in {"bakers", "machines"}
            else f"{first} {workers} finish {thing(first * each)} in {unit}. How many {thing} would {second} {workers} "
            f"finish in {unit}, working at the same rate?",
        ),
        answer=str(second * each),
        steps=(
            f"One alone manages ${first * each} \\div {first} = {each}$ {thing}.",
            f"{cap(str(second))} manage ${second} \\times {each} = {second * each}$ {thing}.",
        ),
        equation=f"{first * each}/{first}*{second}",
    )


def inverse_table(d: Draw) -> Item:
    product = d.one_of(24, 36, 48, 60, 72, 90, 96, 120)
    divisors = [value for value in range(2, 25) if product % value == 0]
    x1, x2 = d.sample(divisors, 2)
    y1, y2 = product // x1, product // x2
    return Item(
        ask=(
            f"$y$ is inversely proportional to $x$. When $x = {x1}$, $y = {y1}$. Find $y$ when $x = {x2}$.",
            f"The quantity $y$ varies inversely as $x$, and $y = {y1}$ when $x = {x1}$. What is $y$ when $x = {x2}$?",
        ),
        answer=m(f"y = {y2}"),
        steps=(
            f"$xy = k$, so $k = {x1} \\times {y1} = {product}$.",
            f"$y = {frac(product, x2)}$, so $y = {y2}$.",
        ),
        wrong=(
            (m(f"y = {tex(Fraction(y1 * x2, x1))}"), "Uses direct proportion"),
            (m(f"y = {product}"), "Gives the constant of proportionality"),
            (m(f"y = {y1 + x1 - x2}"), "Keeps the sum instead of the product"),
            (m(f"y = {y2 * 2}"), "Makes a slip in the division"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("simplify-ratio", "Simplifying ratios", 6, -0.8, simplify_ratio),
    Pattern("ratio-with-units", "Simplifying ratios", 7, 0.1, ratio_with_units),
    Pattern("share-total", "Sharing in a ratio", 7, -0.2, share_total),
    Pattern("share-given", "Sharing in a ratio", 7, 0.3, share_given),
    Pattern("share-difference", "Sharing in a ratio", 8, 0.8, share_difference),
    Pattern("map-to-ground", "Scales and maps", 7, 0.1, map_to_ground),
    Pattern("ground-to-map", "Scales and maps", 7, 0.3, ground_to_map),
    Pattern("recipe", "Direct proportion", 6, -0.4, recipe),
    Pattern("more-workers-more-output", "Direct proportion", 6, -0.2, more_workers_more_output),
    Pattern("proportional-table", "Direct proportion", 9, 0.3, proportional_table),
    Pattern("more-workers-less-time", "Inverse proportion", 7, 0.4, more_workers_less_time),
    Pattern("inverse-table", "Inverse proportion", 9, 0.3, inverse_table),
)
