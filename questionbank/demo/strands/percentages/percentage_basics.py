"""Percentages: percentage basics."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, prose, rounded, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun, cap

__all__ = ["PATTERNS"]


def percentage_of(d: Draw) -> Item:
    rate, amount = d.one_of(5, 10, 15, 20, 25, 30, 35, 40, 60, 75, 80), d.whole(4, 48) * 20
    value = Fraction(rate * amount, 100)
    d.require(value.denominator == 1)
    unit = d.one_of("kg", "m", "litres", "g")
    return Item(
        ask=(
            f"Find {rate}% of {amount} {unit}. Give the number of {unit}.",
            f"What is {rate}% of {amount}?",
            f"Work out {rate}% of {amount} without a calculator.",
            f"{rate}% of {amount} is ____.",
        ),
        answer=str(value),
        steps=(
            (
                f"10% of {amount} is {decimal(Fraction(amount, 10))}."
                if rate % 10 == 0
                else f"1% of {amount} is ${amount} \\div 100 = {decimal(Fraction(amount, 100))}$."
            ),
            f"${frac(rate, 100)} \\times {amount} = {value}$",
        ),
        wrong=(
            (
                decimal(Fraction(amount, rate)) if amount % rate == 0 else str(amount - rate),
                "Divides by the percentage" if amount % rate == 0 else "Subtracts the percentage as a number",
            ),
            (str(amount - value), "Gives what is left"),
            (decimal(value / 10), "Divides by 1000 instead of 100"),
            (prose(amount + int(value)), "Adds the percentage to the amount"),
        ),
        choice=0.35,
        equation=f"{amount}*{rate}%",
    )


def people_percentage(d: Draw) -> Item:
    rate, total = d.one_of(5, 12, 15, 24, 30, 35, 45, 55, 65, 72, 85), d.whole(3, 24) * 20
    value = Fraction(rate * total, 100)
    d.require(value.denominator == 1 and value > 4)
    place, people, habit = d.one_of(
        ("a school", Noun("student"), "walk to school"),
        ("a company", Noun("employee"), "work part time"),
        ("a choir festival", Noun("singer"), "are under 18"),
        ("a village", Noun("household"), "have solar panels"),
        ("a library", Noun("member"), "borrow audio books"),
    )
    rest = d.chance(0.4)
    result = total - int(value) if rest else int(value)
    negated = {
        "walk to school": "do not walk to school",
        "work part time": "do not work part time",
        "are under 18": "are 18 or older",
        "have solar panels": "have none",
        "borrow audio books": "do not",
    }[habit]
    question = f"How many {people} {negated}?" if rest else f"How many {people} is that?"
    return Item(
        ask=(
            (
                f"Of the {people(total)} at {place}, {rate}% {habit}. {question}"
                if place != "a village"
                else f"Of the {people(total)} in {place}, {rate}% {habit}. {question}"
            ),
            (
                f"{cap(place)} has {people(total)}, of whom {rate}% {habit}. {question}"
                if people.one != "household"
                else f"{cap(place)} has {people(total)}, and {rate}% of them {habit}. {question}"
            ),
        ),
        answer=str(result),
        steps=(
            f"${frac(rate, 100)} \\times {total} = {value}$",
            (
                f"${total} - {value} = {result}$ {people} {negated}."
                if rest
                else f"So {people(result)} {habit}."
            ),
        ),
        equation=f"{total}*(1-{rate}%)" if rest else f"{total}*{rate}%",
    )


def as_a_percentage(d: Draw) -> Item:
    whole = d.one_of(20, 25, 40, 50, 60, 75, 80, 120, 150, 200)
    rate = d.whole(3, 19) * 5
    part = Fraction(rate * whole, 100)
    d.require(part.denominator == 1)
    who = d.person()
    return Item(
        ask=(
            f"{who} scores {part} out of {whole} in a test. What percentage is that?",
            (
                f"In a box of {whole} light bulbs, {part} are faulty. What percentage of the bulbs is faulty?"
                if rate < 50
                else f"{part} of the {whole} seats in a bus are taken. What percentage of the seats is taken?"
            ),
            f"Write {part} as a percentage of {whole}.",
            f"Out of {whole} free throws, {who} makes {part}. As a percentage, this is ____.",
        ),
        answer=f"{rate}%",
        steps=(f"${frac(int(part), whole)} = {frac(rate, 100)}$", f"That is {rate}%."),
        wrong=(
            (f"{part}%", "Takes the number itself as the percentage"),
            (f"{100 - rate}%", "Gives the percentage of the rest"),
            (f"{whole - int(part)}%", "Subtracts the part from the whole"),
            (f"{rate / 10:g}%", "Makes an error with the decimal point"),
        ),
        choice=0.4,
    )


def percentage_change_found(d: Draw) -> Item:
    old, rate = d.one_of(20, 25, 40, 50, 60, 80, 120, 150, 160, 200, 240), d.whole(1, 12) * 5
    up = d.chance()
    new = Fraction(old * (100 + rate if up else 100 - rate), 100)
    d.require(new.denominator == 1)
    change = abs(int(new) - old)
    what, unit = d.one_of(
        ("The price of a jacket", "£"),
        ("The membership of a club", ""),
        ("The mass of a parcel in grams", ""),
        ("The weekly rent of a room", "£"),
        ("The number of daily visitors to a museum", ""),
    )
    verb = "increased" if up else "decreased"
    return Item(
        ask=(
            (
                f"{what} {'rises' if up else 'falls'} from {unit}{old} to {unit}{new}. Find the percentage "
                f"{'increase' if up else 'decrease'}."
            ),
            f"{what} was {unit}{old} and is now {unit}{new}. By what percentage has it {verb}?",
        ),
        answer=f"{rate}%",
        steps=(
            f"The change is ${max(old, int(new))} - {min(old, int(new))} = {change}$.",
            f"Compare it with the old value: ${frac(change, old)} = {frac(rate, 100)}$, that is {rate}%.",
        ),
        wrong=(
            (f"{change}%", "Takes the change itself as the percentage"),
            (
                f"{rounded(Fraction(100 * change, int(new)), 1).removesuffix('.0')}%",
                "Compares with the new value",
            ),
            (
                f"{rounded(new / old * 100, 1).removesuffix('.0')}%",
                "Gives the new value as a percentage of the old one",
            ),
        ),
        choice=0.4,
    )


def convert_percentages(d: Draw) -> Item:
    hundredths = d.whole(1, 24) * 4 if d.chance() else d.whole(1, 19) * 5
    value = Fraction(hundredths, 100)
    target = d.one_of("fraction", "decimal", "percentage")
    if target == "fraction":
        return Item(
            ask=(
                f"Write {hundredths}% as a fraction in lowest terms.",
                f"Which fraction in simplest form is equal to {hundredths}%?",
            ),
            answer=m(value),
            steps=(
                f"{hundredths}% means ${frac(hundredths, 100)}$.",
                f"Cancel by {100 // value.denominator}: ${tex(value)}$.",
            ),
            wrong=(
                (m(frac(1, hundredths)), "Puts the percentage under 1"),
                (m(Fraction(hundredths, 1000)), "Uses thousandths"),
                (m(1 - value), "Gives the rest to one whole"),
                (m(frac(hundredths, 10)), "Uses tenths"),
            ),
        )
    if target == "decimal":
        return Item(
            ask=(f"Write {hundredths}% as a decimal.", f"As a decimal, {hundredths}% is ____."),
            answer=decimal(value),
            steps=("Divide by 100.", f"${hundredths} \\div 100 = {decimal(value)}$"),
            wrong=(
                (decimal(value * 10), "Divides by 10"),
                (decimal(value / 10), "Divides by 1000"),
                (decimal(value * 100) + ".0", "Only drops the percent sign"),
            ),
        )
    from_fraction = d.chance()
    shown = tex(value) if from_fraction else decimal(value)
    first = (
        f"${shown} = {frac(hundredths, 100)}$"
        if from_fraction and value.denominator != 100
        else f"${shown} \\times 100 = {hundredths}$"
    )
    return Item(
        ask=(
            f"Write ${shown}$ as a percentage.",
            f"Convert ${shown}$ to a percentage.",
            f"As a percentage, ${shown} =$ ____.",
        ),
        answer=f"{hundredths}%",
        steps=(first, f"That is {hundredths}%."),
    )


PATTERNS = (
    Pattern("percentage-of", "Percentage of an amount", 6, -1.7, percentage_of),
    Pattern("people-percentage", "Percentage of an amount", 6, -0.8, people_percentage),
    Pattern("as-a-percentage", "One number as a percentage of another", 7, -1.0, as_a_percentage),
    Pattern(
        "percentage-change-found", "One number as a percentage of another", 8, 0.2, percentage_change_found
    ),
    Pattern("convert-percentages", "Converting to and from percentages", 6, -1.9, convert_percentages),
)
