"""Statistics: averages."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, short_decimal, table
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, listing

__all__ = ["MEASURED", "PATTERNS", "_NUMBER_WORDS", "data_sentence"]

MEASURED = (  # what the numbers are, lowest and highest
    ("The ages of {n} players in a chess club are", 11, 48),
    ("On {n} days a shop sold these numbers of umbrellas:", 2, 40),
    ("{N} runners needed the following times in minutes:", 21, 58),
    ("The points in {n} rounds of a game were", 3, 60),
    ("The masses of {n} parcels in kilograms are", 2, 30),
    ("In {n} weeks the school library lent out these numbers of books:", 24, 95),
)

_NUMBER_WORDS = {5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 11: "eleven"}


def data_sentence(d: Draw, values: list[int], low_high: tuple[str, int, int]) -> str:
    """Return a sentence that lists the data."""
    word = _NUMBER_WORDS[len(values)]
    return f"{low_high[0].format(n=word, N=word.capitalize())} {listing(list(map(str, values)))}."


def mean_of_list(d: Draw) -> Item:
    context = d.one_of(*MEASURED)
    n = d.one_of(5, 6, 8)
    values = [d.whole(context[1], context[2]) for _ in range(n)]
    total = sum(values)
    mean = Fraction(total, n)
    d.require((mean * 2).denominator == 1 and len(set(values)) >= n - 1)
    ordered = sorted(values)
    median = Fraction(ordered[(n - 1) // 2] + ordered[n // 2], 2)
    sentence = data_sentence(d, values, context)
    return Item(
        ask=(
            f"{sentence} Find the mean.",
            f"{sentence} What is their mean?",
            f"{sentence} Work out the average (mean) value.",
            f"{sentence} Their mean is ____.",
        ),
        answer=decimal(mean),
        steps=(f"The sum is {total}.", f"${total} \\div {n} = {decimal(mean)}$"),
        wrong=(
            (decimal(median), "Gives the median"),
            (str(total), "Gives the sum"),
            (short_decimal(Fraction(total, n - 1)), "Divides by one value too few"),
            (
                decimal(Fraction(max(values) + min(values), 2)),
                "Takes the middle between the smallest and the largest value",
            ),
        ),
        choice=0.35,
    )


def missing_value(d: Draw) -> Item:
    n = d.one_of(4, 5)
    mean = d.whole(11, 24)
    known = [d.whole(6, 30) for _ in range(n - 1)]
    value = n * mean - sum(known)
    d.require(8 <= value <= 40 and value != mean)
    who = d.person()
    shown = listing(list(map(str, known)))
    unit, *ask = d.one_of(
        (
            "points",
            (
                f"{who} has a mean of {mean} points in {n} tests. The first {n - 1} results were {shown}."
                " What was the last one?"
            ),
            (
                f"After {n} tests {who} has a mean of {mean} points. One result is missing from the list"
                f" {shown}. Find it."
            ),
        ),
        (
            "minutes",
            (
                f"{who} took a bus {n} times, and the mean time was {mean} minutes. The first {n - 1} rides"
                f" took {shown} minutes. How many minutes did the last one take?"
            ),
            (
                f"The mean of {n} journey times is {mean} minutes. {who} remembers {shown}. Find the missing"
                " time in minutes."
            ),
        ),
        (
            "points",
            (
                f"In {n} throws {who} scored {mean} points on average. The first {n - 1} throws brought"
                f" {shown} points. How many points did the last one bring?"
            ),
            (
                f"{who} needs a mean of {mean} points in {n} rounds of a game. So far there are {shown}. How"
                " many points must the last round bring?"
            ),
        ),
    )
    return Item(
        ask=tuple(ask),
        answer=str(value),
        steps=(
            f"All {n} together: ${n} \\times {mean} = {n * mean}$.",
            f"The known ones: {sum(known)}.",
            f"${n * mean} - {sum(known)} = {value}$ {unit}.",
        ),
        wrong=(
            (str(mean), "Takes the mean for the missing value"),
            (
                short_decimal(abs(Fraction(sum(known), n - 1) - mean) + mean),
                "Balances the means instead of the sums",
            ),
            (str(abs((n - 1) * mean - sum(known))), "Uses the number of known values"),
        ),
        choice=0.3,
        equation=f"{mean}*{n}-{'-'.join(map(str, known))}",
    )


def combined_mean(d: Draw) -> Item:
    n, k = d.several(2, 8, 30)
    a, b = d.several(2, 48, 92)
    total = Fraction(n * a + k * b, n + k)
    plain = Fraction(a + b, 2)
    d.require((total * 10).denominator == 1 and total != plain)
    group, thing = d.one_of(
        ("class", "marks in a test"), ("team", "points in a quiz"), ("group", "minutes of reading")
    )
    return Item(
        ask=(
            (
                f"A {group} of {n} has a mean of {a} {thing}, another {group} of {k} a mean of {b}. What is"
                " the mean of all of them together?"
            ),
            (
                f"The mean number of {thing} is {a} in a {group} of {n} and {b} in a {group} of {k}. Find the"
                " mean for both together."
            ),
        ),
        answer=decimal(total),
        steps=(
            f"The totals are ${n} \\times {a} = {n * a}$ and ${k} \\times {b} = {k * b}$.",
            f"$({n * a} + {k * b}) \\div {n + k} = {decimal(total)}$",
        ),
        wrong=(
            (decimal(plain), "Takes the mean of the two means"),
            (short_decimal(Fraction(n * b + k * a, n + k)), "Swaps the sizes of the groups"),
            (str(a + b), "Adds the means"),
        ),
        choice=0.4,
        equation=f"({n}*{a}+{k}*{b})/({n}+{k})",
    )


def median_of_list(d: Draw) -> Item:
    context = d.one_of(*MEASURED)
    n = d.one_of(5, 7, 9, 6, 8)
    values = [d.whole(context[1], context[2]) for _ in range(n)]
    ordered = sorted(values)
    median = Fraction(ordered[(n - 1) // 2] + ordered[n // 2], 2)
    unsorted = Fraction(values[(n - 1) // 2] + values[n // 2], 2)
    d.require(values != ordered and unsorted != median and len(set(values)) >= n - 1)
    mean = Fraction(sum(values), n)
    sentence = data_sentence(d, values, context)
    middle = (
        f"The middle value is {ordered[n // 2]}."
        if n % 2
        else (
            f"The two middle values are {ordered[n // 2 - 1]} and {ordered[n // 2]}; halfway between them is"
            f" {decimal(median)}."
        )
    )
    return Item(
        ask=(
            f"{sentence} Find the median.",
            f"{sentence} What is the median?",
            (
                f"{sentence} Which value is in the middle when they are put in order?"
                if n % 2
                else f"{sentence} Determine the median."
            ),
            f"{sentence} The median is ____.",
        ),
        answer=decimal(median),
        steps=(f"In order: {', '.join(map(str, ordered))}.", middle),
        wrong=(
            (decimal(unsorted), "Takes the middle of the unordered list"),
            (short_decimal(mean), "Gives the mean"),
            (str(ordered[-1] - ordered[0]), "Gives the range"),
            (str(ordered[n // 2 - 1 if n % 2 else n // 2]), "Is off by one place"),
        ),
        choice=0.35,
    )


def mode_of_list(d: Draw) -> Item:
    sizes = d.sample(range(34, 46), 5)
    counts = [4, 3, 2, 1, 1]
    values = d.shuffled([size for size, count in zip(sizes, counts, strict=True) for _ in range(count)])
    thing = d.one_of(
        "shoe sizes sold in a shop one morning",
        "shoe sizes of a football team",
        "collar sizes of shirts in an order",
    )
    ordered = sorted(values)
    shown = ", ".join(map(str, values))
    return Item(
        ask=(
            f"These are the {thing}: {shown}. What is the mode?",
            f"Find the modal value of the {thing}: {shown}.",
        ),
        answer=str(sizes[0]),
        steps=(
            "The mode is the value that occurs most often.",
            f"{sizes[0]} occurs 4 times, more often than any other value.",
        ),
        wrong=(
            (str(ordered[5]), "Gives the median"),
            ("4", "Gives how often the mode occurs"),
            (str(ordered[-1]), "Gives the largest value"),
            (str(sizes[1]), "Miscounts the values"),
        ),
        choice=0.35,
    )


def frequency_mean(d: Draw) -> Item:
    xs = list(range(d.one_of(0, 1), 5)) if d.chance() else list(range(1, 6))
    fs = [d.whole(1, 12) for _ in xs]
    total, weighted = sum(fs), sum(x * f for x, f in zip(xs, fs, strict=True))
    mean = Fraction(weighted, total)
    d.require((mean * 100).denominator == 1 and 20 <= total <= 50)
    what, who = d.one_of(
        ("Goals", "matches"),
        ("Siblings", "students"),
        ("Pets", "households"),
        ("Books read", "members"),
        ("Letters", "days"),
    )
    shown = table([rf"\text{{{what}}}", *xs], [rf"\text{{Number of {who}}}", *fs])
    products = " + ".join(f"{x} \\times {f}" for x, f in zip(xs, fs, strict=True))
    return Item(
        ask=(
            f"The table shows the results of a count. Find the mean number of {what.lower()}.\n$${shown}$$",
            f"Work out the mean of the {what.lower()} in this frequency table.\n$${shown}$$",
        ),
        answer=decimal(mean),
        steps=(
            f"Sum of all values: ${products} = {weighted}$.",
            f"Number of {who}: {total}.",
            f"${weighted} \\div {total} = {decimal(mean)}$",
        ),
        wrong=(
            (short_decimal(Fraction(weighted, len(xs))), "Divides by the number of columns"),
            (short_decimal(Fraction(total, len(xs))), "Takes the mean of the frequencies"),
            (
                short_decimal(Fraction(sum(xs), len(xs))),
                "Takes the mean of the values without their frequencies",
            ),
        ),
        choice=0.35,
    )


def grouped_mean(d: Draw) -> Item:
    width, start = d.one_of(10, 20), d.one_of(0, 10, 20)
    n = d.one_of(3, 4)
    fs = [d.whole(2, 15) for _ in range(n)]
    mids = [start + width * i + width // 2 for i in range(n)]
    total, weighted = sum(fs), sum(x * f for x, f in zip(mids, fs, strict=True))
    mean = Fraction(weighted, total)
    d.require((mean * 10).denominator == 1 and 15 <= total <= 50)
    bounds = [rf"{start + width * i} \le t < {start + width * (i + 1)}" for i in range(n)]
    who = d.one_of("journeys", "phone calls", "visits", "training runs")
    shown = table([r"\text{Time in minutes}", *bounds], [rf"\text{{Number of {who}}}", *fs])
    lower = Fraction(sum((x - width // 2) * f for x, f in zip(mids, fs, strict=True)), total)
    products = " + ".join(f"{x} \\times {f}" for x, f in zip(mids, fs, strict=True))
    return Item(
        ask=(
            f"Use the midpoints of the classes to estimate the mean time.\n$${shown}$$",
            f"The times of {total} {who} are grouped in a table. Estimate the mean.\n$${shown}$$",
        ),
        answer=f"{decimal(mean)} minutes",
        steps=(
            f"The midpoints are {listing(list(map(str, mids)))}.",
            f"${products} = {weighted}$",
            f"${weighted} \\div {total} = {decimal(mean)}$, about {decimal(mean)} minutes.",
        ),
        wrong=(
            (f"{decimal(lower)} minutes", "Uses the lower ends of the classes"),
            (f"{decimal(mean + Fraction(width, 2))} minutes", "Uses the upper ends of the classes"),
            (
                f"{short_decimal(Fraction(sum(mids), n))} minutes",
                "Takes the mean of the midpoints without their frequencies",
            ),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("mean-of-list", "Mean", 6, -1.4, mean_of_list),
    Pattern("missing-value", "Mean", 7, 0.2, missing_value),
    Pattern("combined-mean", "Mean", 8, 1.0, combined_mean),
    Pattern("median-of-list", "Median and mode", 6, -0.7, median_of_list),
    Pattern("mode-of-list", "Median and mode", 5, -2.0, mode_of_list),
    Pattern("frequency-mean", "Mean from a frequency table", 8, 0.0, frequency_mean),
    Pattern("grouped-mean", "Mean from a frequency table", 9, 0.7, grouped_mean),
)
