"""Percentages: interest."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, prose, rounded, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


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
        (
            f"Interest for one year: ${frac(shown, 100)} \\times {principal} ="
            f" {decimal(principal * rate / 100)}$ pounds."
        ),
        f"For {years} years: ${years} \\times {decimal(principal * rate / 100)} = {interest}$ pounds.",
    ]
    if total:
        steps.append(f"In the account: ${principal} + {interest} = {result}$ pounds.")
    return Item(
        ask=(
            (
                f"{saver} puts £{principal} into an account that pays {shown}% simple interest a year."
                f" {question}"
            ),
            (
                f"£{principal} earns simple interest at {shown}% per year. The money belongs to {saver}."
                f" {question}"
            ),
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
            (
                f"An amount of £{principal} earns £{interest} simple interest in {years} years. What is the"
                " yearly rate?"
            ),
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
    relation = "=" if (amount * 100).denominator == 1 else r"\approx"
    saver = d.person()
    return Item(
        ask=(
            (
                f"{saver} invests £{prose(principal)} at {rate}% compound interest a year. What is the"
                f" investment worth after {years} years, to the nearest penny?"
            ),
            (
                f"£{prose(principal)} is invested at {rate}% per year, and the interest is added every year."
                f" Find the amount after {years} years to the nearest penny."
            ),
        ),
        answer=f"£{grouped(result)}",
        steps=(
            f"Each year the amount is multiplied by {decimal(factor)}.",
            rf"${tex(principal)} \times {decimal(factor)}^{years} {relation} {result}$",
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
    relation = "=" if amount.denominator == 1 else r"\approx"
    thing = d.one_of("A car", "A tractor", "A printing press", "A sailing boat")
    return Item(
        ask=(
            (
                f"{thing} is bought for £{prose(value)} and loses {rate}% of its value every year. What is it"
                f" worth after {years} years, to the nearest pound?"
            ),
            (
                f"{thing} costs £{prose(value)}. Each year its value falls by {rate}%. Find its value after"
                f" {years} years to the nearest pound."
            ),
        ),
        answer=f"£{prose(int(result))}",
        steps=(
            f"Each year the value is multiplied by {decimal(factor)}.",
            rf"${tex(value)} \times {decimal(factor)}^{years} {relation} {tex(int(result))}$",
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
    Pattern("simple-interest", "Simple interest", 8, -0.5, simple_interest),
    Pattern("interest-rate", "Simple interest", 8, 0.5, interest_rate),
    Pattern("compound-interest", "Compound interest", 9, 0.3, compound_interest),
    Pattern("depreciation", "Compound interest", 9, 0.5, depreciation),
)
