"""Percentages: percentage change.

New and original amounts are asked for in the same words and found by opposite operations.
"""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, money, rounded
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, cap

__all__ = ["PATTERNS"]

_WARES = (  # what is sold, lowest and highest price in pounds
    ("a winter coat", 60, 180),
    ("a bicycle", 160, 480),
    ("a pair of boots", 40, 120),
    ("a guitar", 120, 400),
    ("a suitcase", 40, 140),
    ("a desk lamp", 20, 80),
    ("a camera", 200, 600),
)


def new_amount(d: Draw) -> Item:
    ware, low, high = d.one_of(*_WARES)
    rate, up = d.one_of(5, 10, 15, 20, 25, 30, 40), d.chance(0.4)
    price = d.whole(low // 20, high // 20) * 20
    value = Fraction(price * (100 + rate if up else 100 - rate), 100)
    d.require(value.denominator == 1 or (value * 2).denominator == 1)
    change = abs(value - price)
    shown = decimal(value) if value.denominator == 1 else decimal(value, 2)
    return Item(
        ask=(
            (
                f"{cap(ware)} costs £{price}. The price then {'rises' if up else 'is reduced'} by {rate}%."
                " What is the new price in pounds?"
            ),
            (
                f"The price of {ware} is £{price}. After {'an increase' if up else 'a discount'} of {rate}%,"
                " how many pounds does it cost?"
            ),
        ),
        answer=shown,
        steps=(
            f"{rate}% of £{price} is {money(change)}.",
            (
                f"${price} {'+' if up else '-'} {decimal(change)} = {decimal(value)}$, so the new price is"
                f" {money(value)}."
            ),
        ),
        wrong=(
            (str(price + rate if up else price - rate), "Changes the price by that number of pounds"),
            (
                decimal(change) if change.denominator == 1 else decimal(change, 2),
                "Gives the change and not the new price",
            ),
            (
                decimal(2 * price - value) if value.denominator == 1 else decimal(2 * price - value, 2),
                "Changes the price in the wrong direction",
            ),
        ),
        choice=0.3,
        equation=f"{price}*(1{'+' if up else '-'}{rate}%)",
    )


def repeated_change(d: Draw) -> Item:
    up, down = d.one_of(10, 20, 25, 30, 50), d.one_of(10, 20, 25, 30, 40, 50)
    first_up = d.chance()
    factor = Fraction((100 + up) * (100 - down), 10_000)
    change = factor - 1
    d.require(change != 0)
    naive = up - down
    result = f"{decimal(abs(change) * 100)}% {'increase' if change > 0 else 'decrease'}"
    first, second = (f"increased by {up}%", f"reduced by {down}%")
    if not first_up:
        first, second = second, first
    factors = [decimal(Fraction(100 + up, 100)), decimal(Fraction(100 - down, 100))]
    shown = r" \times ".join(factors if first_up else factors[::-1])
    naive_text = "no change" if naive == 0 else f"{abs(naive)}% {'increase' if naive > 0 else 'decrease'}"
    return Item(
        ask=(
            f"A price is {first} and the new price is then {second}. What is the overall percentage change?",
            (
                f"The side of a picture is {first} on a screen and after that {second}. By what percentage has"
                " its length changed overall?"
            ),
            f"A quantity is first {first}, then {second}. Describe the total change in per cent.",
        ),
        answer=result,
        steps=(
            f"Multiply the factors: ${shown} = {decimal(factor)}$.",
            (
                f"${decimal(factor)} - 1 = {decimal(change)}$, which is a {result}."
                if not result.startswith(("8", "11", "18"))
                else f"${decimal(factor)} - 1 = {decimal(change)}$, which is an {result}."
            ),
        ),
        wrong=(
            (naive_text, "Adds and subtracts percentages of different amounts"),
            (f"{up + down}% {'increase' if change > 0 else 'decrease'}", "Adds the two percentages"),
            (
                f"{decimal(abs(change) * 100)}% {'decrease' if change > 0 else 'increase'}",
                "Has the right size but the wrong direction",
            ),
            ("no change", "Believes that a rise and a fall cancel"),
        ),
        choice=0.6,
    )


def original_amount(d: Draw) -> Item:
    ware, low, high = d.one_of(*_WARES)
    rate, up = d.one_of(5, 10, 15, 20, 25, 30, 40), d.chance(0.4)
    price = d.whole(low // 20, high // 20) * 20
    value = Fraction(price * (100 + rate if up else 100 - rate), 100)
    d.require(value.denominator == 1)
    wrong_way = value * (100 - rate if up else 100 + rate) / 100
    final = 100 + rate if up else 100 - rate
    return Item(
        ask=(
            (
                f"{cap(ware)} costs £{value}. The price has {'risen' if up else 'been reduced'} by {rate}%."
                " What was the old price in pounds?"
            ),
            (
                f"The price of {ware} is £{value} after {'an increase' if up else 'a discount'} of {rate}%."
                " How many pounds did it cost before?"
            ),
        ),
        answer=str(price),
        steps=(
            f"£{value} is {final}% of the old price.",
            f"1% is ${value} \\div {final} = {decimal(Fraction(price, 100))}$ pounds.",
            f"The old price was $100 \\times {decimal(Fraction(price, 100))} = {price}$ pounds.",
        ),
        wrong=(
            (
                (
                    decimal(wrong_way)
                    if wrong_way.denominator == 1
                    else (
                        decimal(wrong_way, 2) if (wrong_way * 100).denominator == 1 else rounded(wrong_way, 2)
                    )
                ),
                "Takes the percentage of the new price",
            ),
            (str(value - rate if up else value + rate), "Undoes the change by that number of pounds"),
            (str(price + 10), "Makes a slip in the division"),
        ),
        choice=0.3,
        equation=f"{value}/(1{'+' if up else '-'}{rate}%)",
    )


def whole_from_percentage(d: Draw) -> Item:
    rate, whole = d.one_of(5, 12, 15, 20, 30, 35, 40, 45, 60, 65, 80), d.whole(3, 36) * 20
    part = Fraction(rate * whole, 100)
    d.require(part.denominator == 1 and part > 2)
    return Item(
        ask=(
            f"{rate}% of a number is {part}. What is the number?",
            (
                f"{part} pupils of a school play in the orchestra. That is {rate}% of all pupils. How many"
                " pupils does the school have?"
                if rate <= 20
                else (
                    f"{part} of the seeds in a tray have come up. That is {rate}% of them. How many seeds"
                    " were sown?"
                )
            ),
            (
                f"A swimmer has covered {part} m, which is {rate}% of the distance. How long is the whole"
                " distance, in metres?"
            ),
        ),
        answer=str(whole),
        steps=(
            f"1% is ${part} \\div {rate} = {decimal(Fraction(whole, 100))}$.",
            f"100% is $100 \\times {decimal(Fraction(whole, 100))} = {whole}$.",
        ),
        equation=f"{part}/{rate}%",
    )


PATTERNS = (
    Pattern("new-amount", "Percentage increase and decrease", 7, -0.7, new_amount),
    Pattern("repeated-change", "Percentage increase and decrease", 8, 1.4, repeated_change),
    Pattern("original-amount", "Reverse percentages", 8, 1.2, original_amount),
    Pattern("whole-from-percentage", "Reverse percentages", 7, 0.3, whole_from_percentage),
)
