"""Ratio and proportion: proportion."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, poly, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun, cap

__all__ = ["PATTERNS"]

_JOBS = (
    ("printers", "print an order of leaflets", "hours"),
    ("gardeners", "plant a hedge", "hours"),
    ("pumps", "empty a flooded cellar", "minutes"),
    ("lorries", "clear a pile of gravel", "days"),
    ("painters", "paint a hall", "days"),
)


def recipe(d: Draw) -> Item:
    people, factor = d.one_of(2, 3, 4, 5, 6, 8), d.one_of(3, 5, 7, 9, 12)
    each = d.one_of(15, 25, 30, 35, 40, 45, 60, 75)
    wanted = factor + people if d.chance() else factor
    d.require(wanted != people)
    have, result = people * each, wanted * each
    dish, stuff, unit = d.one_of(
        ("soup", "lentils", "grams"),
        ("pancakes", "flour", "grams"),
        ("curry", "rice", "grams"),
        ("lemonade", "sugar", "grams"),
        ("porridge", "milk", "millilitres"),
        ("tomato sauce", "chopped tomatoes", "grams"),
    )
    return Item(
        ask=(
            (
                f"A recipe for {dish} uses {have} {unit} of {stuff} for {people} people. How many {unit} are"
                f" needed for {wanted} people?"
            ),
            (
                f"For {people} people a cook needs {have} {unit} of {stuff} to make {dish}. How many {unit}"
                f" of {stuff} does it take for {wanted} people?"
            ),
        ),
        answer=str(result),
        steps=(
            f"For one person: ${have} \\div {people} = {each}$ {unit}.",
            f"For {wanted} people: ${wanted} \\times {each} = {result}$ {unit}.",
        ),
        wrong=(
            (
                str(have + wanted - people),
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
            (
                f"The quantity $y$ varies directly as {law}, and $y = {y1}$ when $x = {x1}$. What is $y$ when"
                f" $x = {x2}$?"
            ),
        ),
        answer=m(f"y = {shown_y2}"),
        steps=(
            (
                f"$y = k{'x^2' if squared else 'x'}$, so $k = {frac(int(y1), f'{x1}^2' if squared else x1)} ="
                f" {tex(k)}$."
            ),
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


def more_workers_less_time(d: Draw) -> Item:
    first, second = d.several(2, 2, 12)
    time = d.whole(4, 30)
    d.require(first * time % second == 0 and abs(first - second) > 1)
    result = first * time // second
    d.require(result > 1)
    workers, job, unit = d.one_of(*_JOBS)
    return Item(
        ask=(
            (
                f"{first} {workers} need {time} {unit} to {job}. How many {unit} would {second} {workers}"
                " need, working at the same rate?"
            ),
            (
                f"It takes {first} {workers} {time} {unit} to {job}. How many {unit} does it take {second}"
                f" {workers} at the same rate?"
            ),
        ),
        answer=str(result),
        steps=(
            f"One alone would need ${first} \\times {time} = {first * time}$ {unit}.",
            f"{second} need ${first * time} \\div {second} = {result}$ {unit}.",
        ),
        wrong=(
            (
                (
                    decimal(Fraction(time * second, first))
                    if Fraction(time * second * 100, first).denominator == 1
                    else str(time * second // first)
                ),
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
            (
                f"{first} {workers} make {thing(first * each)} in {unit}. How many {thing} would {second}"
                f" {workers} make in {unit}, working at the same rate?"
                if workers in {"bakers", "machines"}
                else (
                    f"{first} {workers} finish {thing(first * each)} in {unit}. How many {thing} would"
                    f" {second} {workers} finish in {unit}, working at the same rate?"
                )
            ),
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
            (
                f"The quantity $y$ varies inversely as $x$, and $y = {y1}$ when $x = {x1}$. What is $y$ when"
                f" $x = {x2}$?"
            ),
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
    Pattern("recipe", "Direct proportion", 6, -1.2, recipe),
    Pattern("more-workers-more-output", "Direct proportion", 6, -0.8, more_workers_more_output),
    Pattern("proportional-table", "Direct proportion", 9, 0.0, proportional_table),
    Pattern("more-workers-less-time", "Inverse proportion", 7, 0.2, more_workers_less_time),
    Pattern("inverse-table", "Inverse proportion", 9, 0.0, inverse_table),
)
