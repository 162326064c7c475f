"""Statistics: spread."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import decimal, root, rounded, short_decimal
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.statistics.averages import MEASURED, data_sentence
from questionbank.demo.wording import Draw, listing, ordinal

__all__ = ["PATTERNS"]


def range_and_iqr(d: Draw) -> Item:
    context = d.one_of(*MEASURED)
    n = d.one_of(7, 11)
    values = [d.whole(context[1], context[2]) for _ in range(n)]
    ordered = sorted(values)
    d.require(values != ordered)
    quarter = (n + 1) // 4
    low, high = ordered[quarter - 1], ordered[3 * quarter - 1]
    wants_iqr = d.chance(0.65)
    spread = ordered[-1] - ordered[0]
    d.require(high - low > 2 and high - low != spread)
    sentence = data_sentence(d, values, context)
    what = "interquartile range" if wants_iqr else "range"
    result = high - low if wants_iqr else spread
    return Item(
        ask=(f"{sentence} Find the {what}.", f"{sentence} What is the {what}?"),
        answer=str(result),
        steps=(
            f"In order: {', '.join(map(str, ordered))}.",
            *(
                (
                    (
                        f"The quartiles are the {ordinal(quarter)} and the {ordinal(3 * quarter)} value,"
                        f" {low} and {high}."
                    ),
                )
                if wants_iqr
                else ()
            ),
            f"${high} - {low} = {result}$" if wants_iqr else f"${ordered[-1]} - {ordered[0]} = {result}$",
        ),
        wrong=(
            (
                str(spread if wants_iqr else high - low),
                "Gives the range" if wants_iqr else "Gives the interquartile range",
            ),
            (str(abs(values[-1] - values[0])), "Uses the first and the last value of the unordered list"),
            (str(ordered[-1]), "Gives the largest value"),
            (str(ordered[n // 2]), "Gives the median"),
        ),
        choice=0.3,
    )


def outlier_effect(d: Draw) -> Item:
    values = sorted(d.several(5, 20, 40))
    extra = d.whole(120, 190)
    mean_before, mean_after = Fraction(sum(values), 5), Fraction(sum(values) + extra, 6)
    median_after = Fraction(values[2] + values[3], 2)
    what = d.one_of(
        "weekly wages of five helpers in pounds",
        "prices of five lamps in pounds",
        "waiting times of five patients in minutes",
    )
    shown = listing(list(map(str, values)))
    wants_mean = d.chance()
    change = mean_after - mean_before if wants_mean else median_after - values[2]
    d.require((change * 10).denominator == 1)
    slip = median_after - values[2] if wants_mean else mean_after - mean_before
    name = "mean" if wants_mean else "median"
    return Item(
        ask=(
            f"The {what} are {shown}. A sixth value of {extra} is added. By how much does the {name} rise?",
            (
                f"For the {what}, the list is {shown}. How much larger does the {name} become when the value"
                f" {extra} joins the list?"
            ),
        ),
        answer=decimal(change),
        steps=(
            f"Before: the {name} is {decimal(mean_before) if wants_mean else values[2]}.",
            f"After: the {name} is {short_decimal(mean_after) if wants_mean else decimal(median_after)}.",
            f"It rises by {decimal(change)}.",
        ),
        wrong=(
            (short_decimal(slip), f"Gives the change of the {'median' if wants_mean else 'mean'}"),
            (str(extra - values[-1]), "Compares with the largest value"),
            (
                short_decimal(mean_after if wants_mean else median_after),
                "Gives the new value and not the change",
            ),
        ),
        choice=0.35,
    )


def standard_deviation(d: Draw) -> Item:
    mean = d.whole(8, 40)
    offsets = d.one_of(
        (-2, -1, 0, 1, 2),
        (-4, -2, 0, 2, 4),
        (-3, -3, 0, 3, 3),
        (-6, -2, 0, 2, 6),
        (-5, -1, 1, 5),
        (-3, -1, 1, 3),
        (-7, -1, 1, 7),
        (-4, -4, 4, 4),
        (-5, -3, 0, 3, 5),
        (-6, 0, 0, 6),
        (-2, -2, 1, 3),
    )
    values = d.shuffled([mean + x for x in offsets])
    variance = Fraction(sum(x * x for x in offsets), len(offsets))
    exact = math.isqrt(int(variance)) ** 2 == variance
    result = str(math.isqrt(int(variance))) if exact else rounded(math.sqrt(variance), 2)
    shown = listing(list(map(str, values)))
    squares = " + ".join(f"{abs(x)}^2" for x in offsets if x)
    sample = rounded(math.sqrt(Fraction(sum(x * x for x in offsets), len(offsets) - 1)), 2)
    deviation = rounded(Fraction(sum(abs(x) for x in offsets), len(offsets)), 2)
    return Item(
        ask=(
            (
                "Find the (population) standard deviation of"
                f" {shown}{'' if exact else ', to two decimal places'}."
            ),
            (
                f"The whole population consists of the values {shown}. Work out its standard"
                f" deviation{'' if exact else ' to two decimal places'}."
            ),
        ),
        answer=result,
        steps=(
            f"The mean is {mean}.",
            (
                f"Mean of the squared deviations: $({squares}) \\div {len(offsets)} ="
                f" {short_decimal(variance)}$."
            ),
            (
                f"${root(short_decimal(variance))} = {result}$"
                if exact
                else rf"${root(short_decimal(variance))} \approx {result}$"
            ),
        ),
        wrong=(
            (short_decimal(variance), "Gives the variance"),
            (sample, "Divides by one value too few"),
            (deviation, "Takes the mean of the absolute deviations"),
            (str(max(offsets) - min(offsets)), "Gives the range"),
        ),
        choice=0.35,
    )


def scaled_data(d: Draw) -> Item:
    mean, deviation = d.whole(20, 60), d.whole(3, 12)
    a, b = d.whole(2, 4), d.whole(3, 15)
    kind = d.one_of("both", "add")
    if kind == "add":
        change, new_mean, new_deviation = f"{b} is added to every value", mean + b, deviation
    else:
        change, new_mean, new_deviation = (
            f"every value is multiplied by {a} and then increased by {b}",
            a * mean + b,
            a * deviation,
        )
    wants = d.one_of("mean", "standard deviation", "standard deviation")
    result = new_mean if wants == "mean" else new_deviation
    return Item(
        ask=(
            (
                f"A set of data has mean {mean} and standard deviation {deviation}. Then {change}. What is"
                f" the new {wants}?"
            ),
            (
                f"Marks in an exam have a mean of {mean} and a standard deviation of {deviation}. To adjust"
                f" them, {change}. Find the new {wants}."
            ),
        ),
        answer=str(result),
        steps=(
            "Adding a number moves the mean and leaves the spread as it is; multiplying changes both.",
            f"New mean: {new_mean}. New standard deviation: {new_deviation}.",
            f"The new {wants} is {result}.",
        ),
        wrong=(
            (
                (str(deviation + b if kind == "add" else a * deviation + b), "Adds the number to the spread")
                if wants != "mean"
                else (str(mean), "Believes that the mean stays the same")
            ),
            (
                str(deviation * a * a if wants != "mean" else mean * a),
                "Squares the factor" if wants != "mean" else "Forgets to add the number",
            ),
            (
                str(deviation if result != deviation else deviation * b),
                (
                    "Believes that the spread does not change"
                    if result != deviation
                    else "Multiplies instead of adding"
                ),
            ),
            (str(new_deviation if wants == "mean" else new_mean), "Confuses mean and standard deviation"),
        ),
        choice=0.45,
    )


PATTERNS = (
    Pattern("range-and-iqr", "Range and quartiles", 8, -0.2, range_and_iqr),
    Pattern("outlier-effect", "Range and quartiles", 8, 0.5, outlier_effect),
    Pattern("standard-deviation", "Standard deviation", 10, 0.3, standard_deviation),
    Pattern("scaled-data", "Standard deviation", 11, 0.8, scaled_data),
)
