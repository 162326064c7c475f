"""Percentages: amounts, change, interest.

"Percentage increase and decrease" and "Reverse percentages" hold stories with the same wording and opposite operations.
"""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, money, prose, rounded, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun, cap

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
            f"10% of {amount} is {decimal(Fraction(amount, 10))}."
            if rate % 10 == 0
            else f"1% of {amount} is ${amount} \\div 100 = {decimal(Fraction(amount, 100))}$.",
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
            f"Of the {people(total)} at {place}, {rate}% {habit}. {question}"
            if place != "a village"
            else f"Of the {people(total)} in {place}, {rate}% {habit}. {question}",
            f"{cap(place)} has {people(total)}, of whom {rate}% {habit}. {question}"
            if people.one != "household"
            else f"{cap(place)} has {people(total)}, and {rate}% of them {habit}. {question}",
        ),
        answer=str(result),
        steps=(
            f"${frac(rate, 100)} \\times {total} = {value}$",
            f"${total} - {value} = {result}$ {people} {negated}."
            if rest
            else f"So {people(result)} {habit}.",
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
            f"In a box of {whole} light bulbs, {part} are faulty. What percentage of the bulbs is faulty?"
            if rate < 50
            else f"{part} of the {whole} seats in a bus are taken. What percentage of the seats is taken?",
            f"Write {part} as a percentage of {whole}.",
            f"Out of {whole} free throws, {who} makes {part}. As a percentage, this is ____%.",
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
            f"{what} {'rises' if up else 'falls'} from {unit}{old} to {unit}{new}. Find the percentage "
            f"{'increase' if up else 'decrease'}.",
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
            f"${shown} =$ ____%",
        ),
        answer=f"{hundredths}%",
        steps=(first, f"That is {hundredths}%."),
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
            f"{cap(ware)} costs £{price}. The price then {'rises' if up else 'is reduced'} by {rate}%. What is the new "
            "price in pounds?",
            f"The price of {ware} is £{price}. After {'an increase' if up else 'a discount'} of {rate}%, how many pounds "
            "does it cost?",
        ),
        answer=shown,
        steps=(
            f"{rate}% of £{price} is {money(change)}.",
            f"${price} {'+' if up else '-'} {decimal(change)} = {decimal(value)}$, so the new price is {money(value)}.",
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
    one, other = (f"increased by {up}%", f"reduced by {down}%")
    if not first_up:
        one, other = other, one
    factors = [decimal(Fraction(100 + up, 100)), decimal(Fraction(100 - down, 100))]
    shown = r" \times ".join(factors if first_up else factors[::-1])
    naive_text = "no change" if naive == 0 else f"{abs(naive)}% {'increase' if naive > 0 else 'decrease'}"
    return Item(
        ask=(
            f"A price is {one} and the new price is then {other}. What is the overall percentage change?",
            f"The side of a picture is {one} on a screen and after that {other}. By what percentage has its length "
            "changed overall?",
            f"A quantity is first {one}, then {other}. Describe the total change in per cent.",
        ),
        answer=result,
        steps=(
            f"Multiply the factors: ${shown} = {decimal(factor)}$.",
            f"${decimal(factor)} - 1 = {decimal(change)}$, which is a {result}."
            if not result.startswith(("8", "11", "18"))
            else f"${decimal(factor)} - 1 = {decimal(change)}$, which is an {result}.",
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
            f"{cap(ware)} costs £{value}. The price has {'risen' if up else 'been reduced'} by {rate}%. What was the old "
            "price in pounds?",
            f"The price of {ware} is £{value} after {'an increase' if up else 'a discount'} of {rate}%. How many pounds "
            "did it cost before?",
        ),
        answer=str(price),
        steps=(
            f"£{value} is {final}% of the old price.",
            f"1% is ${value} \\div {final} = {decimal(Fraction(price, 100))}$ pounds.",
            f"The old price was $100 \\times {decimal(Fraction(price, 100))} = {price}$ pounds.",
        ),
        wrong=(
            (
                decimal(wrong_way)
                if wrong_way.denominator == 1
                else decimal(wrong_way, 2)
                if (wrong_way * 100).denominator == 1
                else rounded(wrong_way, 2),
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
            f"{part} pupils of a school play in the orchestra. That is {rate}% of all pupils. How many pupils does the "
            "school have?"
            if rate <= 20
            else f"{part} of the seeds in a tray have come up. That is {rate}% of them. How many seeds were sown?",
            f"A swimmer has covered {part} m, which is {rate}% of the distance. How long is the whole distance, in metres?",
        ),
        answer=str(whole),
        steps=(
            f"1% is ${part} \\div {rate} = {decimal(Fraction(whole, 100))}$.",
            f"100% is $100 \\times {decimal(Fraction(whole, 100))} = {whole}$.",
        ),
        equation=f"{part}/{rate}%",
    )


def simple_interest(d: Draw) -> Item:
    principal, years = d.whole(3, 48) * 100, d.whole(2, 6)
    rate = Fraction(d.whole(3, 12), 2)
    interest = principal * rate * years / 100
    d.require(interest.denominator == 1 and principal < 5000)
    saver = d.person()
    total = d.chance(0.4)
    result = interest + principal if total else interest
    shown = decimal(rate)
    question = (
        f"How many pounds are in the account after {years} years?"
        if total
        else f"How many pounds of interest does {saver.he} earn in {years} years?"
    )
    steps = [
        f"Interest for one year: ${frac(shown, 100)} \\times {principal} = {decimal(principal * rate / 100)}$ pounds.",
        f"For {years} years: ${years} \\times {decimal(principal * rate / 100)} = {interest}$ pounds.",
    ]
    if total:
        steps.append(f"In the account: ${principal} + {interest} = {result}$ pounds.")
    return Item(
        ask=(
            f"{saver} puts £{principal} into an account that pays {shown}% simple interest a year. {question}",
            f"£{principal} earns simple interest at {shown}% per year. The money belongs to {saver}. {question}",
        ),
        answer=str(result),
        steps=tuple(steps),
        equation=f"{principal}+{principal}*{shown}%*{years}" if total else f"{principal}*{shown}%*{years}",
    )


def interest_rate(d: Draw) -> Item:
    principal, years, rate = d.whole(4, 40) * 50, d.whole(2, 6), d.whole(2, 8)
    interest = Fraction(principal * rate * years, 100)
    d.require(interest.denominator == 1)
    return Item(
        ask=(
            f"An amount of £{principal} earns £{interest} simple interest in {years} years. What is the yearly rate?",
            f"At what annual rate of simple interest does £{principal} earn £{interest} in {years} years?",
        ),
        answer=f"{rate}%",
        steps=(
            f"Interest for one year: ${interest} \\div {years} = {decimal(interest / years)}$ pounds.",
            f"${frac(decimal(interest / years), principal)} = {frac(rate, 100)}$, so the rate is {rate}%.",
        ),
        wrong=(
            (f"{rate * years}%", "Forgets to divide by the number of years"),
            (f"{rate + 1}%", "Makes a slip in the division"),
            (f"{decimal(Fraction(rate, 10))}%", "Makes an error with the decimal point"),
        ),
        choice=0.35,
    )


def compound_interest(d: Draw) -> Item:
    principal, years, rate = d.whole(2, 40) * 250, d.one_of(2, 2, 3), d.one_of(2, 3, 4, 5, 6, 8, 10)
    factor = Fraction(100 + rate, 100)
    amount = principal * factor**years
    simple = principal + Fraction(principal * rate * years, 100)
    result = rounded(amount, 2)
    saver = d.person()
    return Item(
        ask=(
            f"{saver} invests £{prose(principal)} at {rate}% compound interest a year. What is the investment worth after "
            f"{years} years, to the nearest penny?",
            f"£{prose(principal)} is invested at {rate}% per year, and the interest is added every year. Find the amount "
            f"after {years} years to the nearest penny.",
        ),
        answer=f"£{grouped(result)}",
        steps=(
            f"Each year the amount is multiplied by {decimal(factor)}.",
            f"${tex(principal)} \\times {decimal(factor)}^{years} {'=' if (amount * 100).denominator == 1 else chr(92) + 'approx'} "
            f"{result}$",
            f"The investment is worth £{grouped(result)}.",
        ),
        wrong=(
            (f"£{grouped(rounded(simple, 2))}", "Uses simple interest"),
            (
                f"£{grouped(rounded(principal * factor * years, 2))}",
                "Multiplies by the years instead of raising to a power",
            ),
            (f"£{grouped(rounded(amount - principal, 2))}", "Gives the interest and not the amount"),
        ),
        choice=0.4,
    )


def grouped(amount: str) -> str:
    """Return an amount with pence, with commas from 10,000 on."""
    pounds, pence = amount.split(".")
    return f"{prose(int(pounds))}.{pence}"


def depreciation(d: Draw) -> Item:
    value, years, rate = d.whole(8, 60) * 500, d.one_of(2, 3), d.one_of(5, 10, 12, 15, 20)
    factor = Fraction(100 - rate, 100)
    amount = value * factor**years
    result = rounded(amount, 0)
    thing = d.one_of("A car", "A tractor", "A printing press", "A sailing boat")
    return Item(
        ask=(
            f"{thing} is bought for £{prose(value)} and loses {rate}% of its value every year. What is it worth after "
            f"{years} years, to the nearest pound?",
            f"{thing} costs £{prose(value)}. Each year its value falls by {rate}%. Find its value after {years} years to the "
            "nearest pound.",
        ),
        answer=f"£{prose(int(result))}",
        steps=(
            f"Each year the value is multiplied by {decimal(factor)}.",
            f"${tex(value)} \\times {decimal(factor)}^{years} {'=' if amount.denominator == 1 else chr(92) + 'approx'} "
            f"{tex(int(result))}$",
            f"It is worth £{prose(int(result))}.",
        ),
        wrong=(
            (f"£{prose(value - value * rate * years // 100)}", "Takes the same amount off every year"),
            (f"£{prose(value - int(result))}", "Gives the loss and not the value"),
            (
                f"£{prose(int(rounded(value * Fraction(rate, 100) ** years, 0)))}",
                "Multiplies by the rate of loss",
            ),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("percentage-of", "Percentage of an amount", 6, -0.7, percentage_of),
    Pattern("people-percentage", "Percentage of an amount", 6, -0.2, people_percentage),
    Pattern("as-a-percentage", "One number as a percentage of another", 7, -0.3, as_a_percentage),
    Pattern(
        "percentage-change-found", "One number as a percentage of another", 8, 0.4, percentage_change_found
    ),
    Pattern("convert-percentages", "Converting to and from percentages", 6, -0.8, convert_percentages),
    Pattern("new-amount", "Percentage increase and decrease", 7, -0.1, new_amount),
    Pattern("repeated-change", "Percentage increase and decrease", 8, 1.1, repeated_change),
    Pattern("original-amount", "Reverse percentages", 8, 1.0, original_amount),
    Pattern("whole-from-percentage", "Reverse percentages", 7, 0.5, whole_from_percentage),
    Pattern("simple-interest", "Simple interest", 8, 0.0, simple_interest),
    Pattern("interest-rate", "Simple interest", 8, 0.6, interest_rate),
    Pattern("compound-interest", "Compound interest", 9, 0.5, compound_interest),
    Pattern("depreciation", "Compound interest", 9, 0.6, depreciation),
)
