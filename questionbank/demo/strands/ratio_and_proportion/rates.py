"""Ratio and proportion: rates."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, mixed, money, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def best_buy(d: Draw) -> Item:
    goods, unit, low = d.one_of(
        ("rice", "kg", 90),
        ("orange juice", "litres", 110),
        ("potting soil", "kg", 40),
        ("olive oil", "litres", 480),
    )
    sizes = sorted(d.sample([2, 3, 4, 5, 6, 8, 10], 3))
    prices = [Fraction(d.whole(low, low * 3 // 2), 100) for _ in sizes]
    d.require(
        len(set(prices)) == 3
        and all((price * size * 20).denominator == 1 for price, size in zip(prices, sizes, strict=True))
    )
    totals = [price * size for price, size in zip(prices, sizes, strict=True)]
    best = min(range(3), key=lambda i: prices[i])
    d.require(best != 2 or d.chance(0.3))
    labels = [f"{size} {unit} for {money(total)}" for size, total in zip(sizes, totals, strict=True)]
    singular = unit.removesuffix("s")
    return Item(
        ask=(
            (
                f"A shop sells {goods} in three sizes: {labels[0]}, {labels[1]}, or {labels[2]}. Which is the"
                " best value?"
            ),
            (
                f"Which offer of {goods} has the lowest price per {singular}: {labels[0]}, {labels[1]}, or"
                f" {labels[2]}?"
            ),
        ),
        answer=labels[best],
        steps=(
            *(
                f"{label}: ${decimal(total, 2)} \\div {size} = {decimal(price, 2)}$ pounds per {singular}"
                for label, total, size, price in zip(labels, totals, sizes, prices, strict=True)
            ),
            f"The best value is {labels[best]}.",
        ),
    )


def pay_or_fuel(d: Draw) -> Item:
    n, k = d.several(2, 3, 15)
    rate, kind = d.whole(9, 24), d.whole(0, 2)
    person = d.person()
    given, result = n * rate, k * rate
    ask = (
        (
            (
                f"{person} earns £{given} for {n} hours of work. How many pounds does {person.he} earn for"
                f" {k} hours?"
            ),
            (
                f"For {n} hours of work {person} is paid £{given}. At this rate, how many pounds are {k}"
                " hours worth?"
            ),
        ),
        (
            f"A tap fills {given} litres in {n} minutes. How many litres does it fill in {k} minutes?",
            (
                f"{given} litres flow through a pipe in {n} minutes. How many litres flow in {k} minutes at"
                " the same rate?"
            ),
        ),
        (
            f"A car goes {given} km on {n} litres of petrol. How many kilometres does it go on {k} litres?",
            (
                f"With {n} litres of fuel a van covers {given} km. How many kilometres can it cover with {k}"
                " litres?"
            ),
        ),
    )[kind]
    per = ("pounds an hour", "litres a minute", "km a litre")[kind]
    return Item(
        ask=ask,
        answer=str(result),
        steps=(f"The rate is ${given} \\div {n} = {rate}$ {per}.", f"${k} \\times {rate} = {result}$"),
        equation=f"{given}/{n}*{k}",
    )


def density(d: Draw) -> Item:
    material, value = d.one_of(
        ("iron", "7.8"),
        ("aluminium", "2.7"),
        ("oak", "0.7"),
        ("ice", "0.9"),
        ("glass", "2.5"),
        ("copper", "8.9"),
    )
    volume = d.whole(3, 40) * 10
    mass = Fraction(value) * volume
    wants_mass = d.chance()
    result = f"{decimal(mass)} g" if wants_mass else f"${volume}\\,\\text{{cm}}^3$"
    unit = r"$\text{g}/\text{cm}^3$"
    return Item(
        ask=(
            (
                f"The density of {material} is {value} {unit}. What is the mass of $"
                + f"{volume}\\,\\text{{cm}}^3$ of {material}?",
                (
                    f"Find the mass of a piece of {material} with volume ${volume}\\,\\text{{cm}}^3$ and"
                    f" density {value} {unit}."
                ),
            )
            if wants_mass
            else (
                (
                    f"The density of {material} is {value} {unit}. What is the volume of {decimal(mass)} g of"
                    f" {material}?"
                ),
                (
                    f"A piece of {material} has a mass of {decimal(mass)} g. The density is {value} {unit}."
                    " Find its volume."
                ),
            )
        ),
        answer=result,
        steps=(
            "Density is mass divided by volume.",
            (
                f"Mass: ${value} \\times {volume} = {decimal(mass)}$, that is {decimal(mass)} g."
                if wants_mass
                else f"Volume: ${decimal(mass)} \\div {value} = {volume}$, that is {result}."
            ),
        ),
    )


def two_pipes(d: Draw) -> Item:
    a, b = d.one_of(
        (3, 6),
        (4, 12),
        (6, 12),
        (10, 15),
        (12, 24),
        (6, 30),
        (20, 30),
        (5, 20),
        (8, 24),
        (12, 36),
        (15, 30),
        (18, 36),
        (20, 60),
        (4, 6),
        (9, 18),
        (10, 40),
        (12, 20),
        (3, 5),
    )
    time = Fraction(a * b, a + b)
    if d.chance():
        a, b = b, a
    rate = Fraction(1, a) + Fraction(1, b)
    ask = d.one_of(
        (
            f"One pipe fills a pool in {a} hours, another in {b} hours.",
            "How many hours do both together need?",
        ),
        (
            f"A painter alone needs {a} hours for a room, a colleague {b} hours.",
            "How many hours do they need together?",
        ),
        (
            f"An old mower cuts a field in {a} hours, a new one in {b} hours.",
            "How many hours do they need side by side?",
        ),
    )
    shown = mixed(time) if time.denominator > 1 else str(time)
    return Item(
        ask=(
            " ".join(ask),
            (
                f"{ask[0]} They work at their own steady rates. {ask[1]}"
                if "pipe" not in ask[0]
                else f"{ask[0]} Both are opened. {ask[1]}"
            ),
        ),
        answer=str(time),
        steps=(
            f"In one hour they do ${frac(1, a)} + {frac(1, b)} = {tex(rate)}$ of the work.",
            f"The whole takes $1 \\div {tex(rate)} = {shown}$ hours"
            + (f", that is {time} hours." if time.denominator > 1 else "."),
        ),
        wrong=(
            (
                str(Fraction(a + b, 2)) if (a + b) % 2 == 0 else decimal(Fraction(a + b, 2)),
                "Takes the mean of the times",
            ),
            (str(a + b), "Adds the times"),
            (str(abs(a - b)), "Subtracts the times"),
        ),
        choice=0.45,
        equation=f"1/(1/{a}+1/{b})",
    )


def joined_later(d: Draw) -> Item:
    total = d.one_of(12, 15, 18, 20, 24, 30, 36)
    alone, second = d.whole(2, total - 4), d.one_of(12, 15, 18, 20, 24, 30, 36)
    rest = 1 - Fraction(alone, total)
    time = rest / (Fraction(1, total) + Fraction(1, second))
    d.require(time.denominator == 1 and time > 1)
    a, b = d.people(2)
    return Item(
        ask=(
            (
                f"{a} can sort an archive in {total} days, {b} in {second} days. {a} works alone for {alone}"
                f" days; then {b} joins. How many more days do they need?"
            ),
            (
                f"Alone, {a} would need {total} days to restore a boat and {b} {second} days. After {alone}"
                f" days on {a.his} own, {a} is joined by {b}. How many days do they then work together?"
            ),
        ),
        answer=str(time),
        steps=(
            f"After {alone} days ${frac(alone, total)}$ is done, so ${tex(rest)}$ is left.",
            (
                f"Together they do ${frac(1, total)} + {frac(1, second)} ="
                f" {tex(Fraction(1, total) + Fraction(1, second))}$ a day."
            ),
            f"${tex(rest)} \\div {tex(Fraction(1, total) + Fraction(1, second))} = {time}$ days.",
        ),
        equation=f"(1-{alone}/{total})/(1/{total}+1/{second})",
    )


PATTERNS = (
    Pattern("best-buy", "Unit rates", 6, -0.3, best_buy),
    Pattern("pay-or-fuel", "Unit rates", 6, -1.2, pay_or_fuel),
    Pattern("density", "Unit rates", 8, -0.2, density),
    Pattern("two-pipes", "Working together", 9, 1.5, two_pipes),
    Pattern("joined-later", "Working together", 9, 2.4, joined_later),
)
