"""Statistics: averages, spread, displays and distributions."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import answer, decimal, frac, root, rounded, table, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.angles import degrees
from questionbank.demo.wording import Draw, Noun, listing, ordinal

__all__ = ["PATTERNS"]

_MEASURED = (  # what the numbers are, lowest and highest
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


def short(value: Fraction) -> str:
    """Return a decimal if it ends, otherwise one rounded to two places."""
    return decimal(value) if (value * 100).denominator == 1 else rounded(value, 2)


def mean_of_list(d: Draw) -> Item:
    context = d.one_of(*_MEASURED)
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
        ),
        answer=decimal(mean),
        steps=(f"The sum is {total}.", f"${total} \\div {n} = {decimal(mean)}$"),
        wrong=(
            (decimal(median), "Gives the median"),
            (str(total), "Gives the sum"),
            (short(Fraction(total, n - 1)), "Divides by one value too few"),
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
    d.require(4 <= value <= 40 and value != mean)
    who = d.person()
    shown = listing(list(map(str, known)))
    unit, *ask = d.one_of(
        (
            "points",
            f"{who} has a mean of {mean} points in {n} tests. The first {n - 1} results were {shown}. What was the last one?",
            f"After {n} tests {who} has a mean of {mean} points. One result is missing from the list {shown}. Find it.",
        ),
        (
            "minutes",
            f"{who} took a bus {n} times, and the mean time was {mean} minutes. The first {n - 1} rides took {shown} minutes. "
            "How many minutes did the last one take?",
            f"The mean of {n} journey times is {mean} minutes. {who} remembers {shown}. Find the missing time in minutes.",
        ),
        (
            "points",
            f"In {n} throws {who} scored {mean} points on average. The first {n - 1} throws brought {shown} points. How many "
            "points did the last one bring?",
            f"{who} needs a mean of {mean} points in {n} rounds of a game. So far there are {shown}. How many points must the "
            "last round bring?",
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
            (short(abs(Fraction(sum(known), n - 1) - mean) + mean), "Balances the means instead of the sums"),
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
            f"A {group} of {n} has a mean of {a} {thing}, another {group} of {k} a mean of {b}. What is the mean of all of them together?",
            f"The mean number of {thing} is {a} in a {group} of {n} and {b} in a {group} of {k}. Find the mean for both together.",
        ),
        answer=decimal(total),
        steps=(
            f"The totals are ${n} \\times {a} = {n * a}$ and ${k} \\times {b} = {k * b}$.",
            f"$({n * a} + {k * b}) \\div {n + k} = {decimal(total)}$",
        ),
        wrong=(
            (decimal(plain), "Takes the mean of the two means"),
            (short(Fraction(n * b + k * a, n + k)), "Swaps the sizes of the groups"),
            (str(a + b), "Adds the means"),
        ),
        choice=0.4,
        equation=f"({n}*{a}+{k}*{b})/({n}+{k})",
    )


def median_of_list(d: Draw) -> Item:
    context = d.one_of(*_MEASURED)
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
        else f"The two middle values are {ordered[n // 2 - 1]} and {ordered[n // 2]}; halfway between them is {decimal(median)}."
    )
    return Item(
        ask=(
            f"{sentence} Find the median.",
            f"{sentence} What is the median?",
            f"{sentence} Which value is in the middle when they are put in order?"
            if n % 2
            else f"{sentence} Determine the median.",
        ),
        answer=decimal(median),
        steps=(f"In order: {', '.join(map(str, ordered))}.", middle),
        wrong=(
            (decimal(unsorted), "Takes the middle of the unordered list"),
            (short(mean), "Gives the mean"),
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
            (short(Fraction(weighted, len(xs))), "Divides by the number of columns"),
            (short(Fraction(total, len(xs))), "Takes the mean of the frequencies"),
            (short(Fraction(sum(xs), len(xs))), "Takes the mean of the values without their frequencies"),
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
                f"{short(Fraction(sum(mids), n))} minutes",
                "Takes the mean of the midpoints without their frequencies",
            ),
        ),
        choice=0.35,
    )


def range_and_iqr(d: Draw) -> Item:
    context = d.one_of(*_MEASURED)
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
                    f"The quartiles are the {ordinal(quarter)} and the {ordinal(3 * quarter)} value, {low} and {high}.",
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
    other = median_after - values[2] if wants_mean else mean_after - mean_before
    name = "mean" if wants_mean else "median"
    return Item(
        ask=(
            f"The {what} are {shown}. A sixth value of {extra} is added. By how much does the {name} rise?",
            f"For the {what}, the list is {shown}. How much larger does the {name} become when the value {extra} joins the list?",
        ),
        answer=decimal(change),
        steps=(
            f"Before: the {name} is {decimal(mean_before) if wants_mean else values[2]}.",
            f"After: the {name} is {short(mean_after) if wants_mean else decimal(median_after)}.",
            f"It rises by {decimal(change)}.",
        ),
        wrong=(
            (short(other), f"Gives the change of the {'median' if wants_mean else 'mean'}"),
            (str(extra - values[-1]), "Compares with the largest value"),
            (short(mean_after if wants_mean else median_after), "Gives the new value and not the change"),
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
            f"Find the (population) standard deviation of {shown}{'' if exact else ', to two decimal places'}.",
            f"The whole population consists of the values {shown}. Work out its standard deviation{'' if exact else ' to two decimal places'}.",
        ),
        answer=result,
        steps=(
            f"The mean is {mean}.",
            f"Mean of the squared deviations: $({squares}) \\div {len(offsets)} = {short(variance)}$.",
            f"${root(short(variance))} {'=' if exact else chr(92) + 'approx'} {result}$",
        ),
        wrong=(
            (short(variance), "Gives the variance"),
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
            f"A set of data has mean {mean} and standard deviation {deviation}. Then {change}. What is the new {wants}?",
            f"Marks in an exam have a mean of {mean} and a standard deviation of {deviation}. To adjust them, {change}. Find the new {wants}.",
        ),
        answer=str(result),
        steps=(
            "Adding a number moves the mean and leaves the spread as it is; multiplying changes both.",
            f"New mean: {new_mean}. New standard deviation: {new_deviation}.",
            f"The new {wants} is {result}.",
        ),
        wrong=(
            (str(deviation + b if kind == "add" else a * deviation + b), "Adds the number to the spread")
            if wants != "mean"
            else (str(mean), "Believes that the mean stays the same"),
            (
                str(deviation * a * a if wants != "mean" else mean * a),
                "Squares the factor" if wants != "mean" else "Forgets to add the number",
            ),
            (
                str(deviation if result != deviation else deviation * b),
                "Believes that the spread does not change"
                if result != deviation
                else "Multiplies instead of adding",
            ),
            (str(new_deviation if wants == "mean" else new_mean), "Confuses mean and standard deviation"),
        ),
        choice=0.45,
    )


def pie_chart_angle(d: Draw) -> Item:
    total = d.one_of(24, 30, 36, 40, 45, 60, 72, 90, 120, 180)
    part = d.whole(total // 10 + 1, total // 2)
    angle = Fraction(360 * part, total)
    d.require(angle.denominator == 1 and 2 * part != total)
    what = d.one_of("came by bike", "chose football", "have a cat", "like maths best", "speak two languages")
    backwards = d.chance(0.4)
    if backwards:
        return Item(
            ask=(
                f"In a survey of {total} students the sector for those who {what} has an angle of {degrees(angle)} in a pie chart. How many students is "
                "that?",
                f'A pie chart shows the answers of {total} students. The angle of the sector "{what}" is {degrees(angle)}. How many students does it stand for?',
            ),
            answer=str(part),
            steps=(
                f"One student has $360^\\circ \\div {total} = {tex(Fraction(360, total)) if 360 % total == 0 else decimal(Fraction(360, total))}^\\circ$.",
                f"${frac(int(angle), 360)} \\times {total} = {part}$ students.",
            ),
            wrong=(
                (short(Fraction(angle, 100) * total), "Takes the degrees for a percentage"),
                (str(total - part), "Gives the number of the others"),
                (str(part * 2), "Uses $180^\\circ$ as the full angle"),
            ),
            choice=0.35,
        )
    return Item(
        ask=(
            f"In a survey {part} of {total} students {what}. What angle does their sector have in a pie chart?",
            f"A pie chart is drawn for {total} students, of whom {part} {what}. Find the angle of their sector.",
        ),
        answer=degrees(angle),
        steps=(
            f"They are ${frac(part, total)}$ of all students.",
            f"${frac(part, total)} \\times 360^\\circ = {angle}^\\circ$",
        ),
        wrong=(
            (
                degrees(rounded(Fraction(100 * part, total), 1).removesuffix(".0")),
                "Gives the percentage instead of the angle",
            ),
            (degrees(360 - angle), "Gives the angle of the rest"),
            (degrees(part), "Takes the number itself for the angle"),
            (
                degrees(angle / 2 if angle % 2 == 0 else angle + part),
                "Uses $180^\\circ$ as the full angle" if angle % 2 == 0 else "Adds the number to the angle",
            ),
        ),
        choice=0.35,
    )


def read_a_table(d: Draw) -> Item:
    days = ["Mon", "Tue", "Wed", "Thu", "Fri"]
    thing = d.one_of(
        Noun("loaf", "loaves"), Noun("ticket"), Noun("newspaper"), Noun("bicycle"), Noun("bouquet")
    )
    values = [d.whole(12, 80) for _ in days]
    d.require(len(set(values)) == 5)
    shown = table([r"\text{Day}", *(rf"\text{{{day}}}" for day in days)], [r"\text{Sold}", *values])
    i, j = sorted(d.sample(range(5), 2))
    kind = d.one_of("difference", "total", "best")
    names = {"Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday"}
    opening = f"The table shows how many {thing} a shop sold in a week."
    if kind == "difference":
        big, small = max(values[i], values[j]), min(values[i], values[j])
        more = days[i] if values[i] == big else days[j]
        less = days[j] if more == days[i] else days[i]
        question = f"How many more {thing} were sold on {names[more]} than on {names[less]}?"
        result, steps = (
            big - small,
            (f"{names[more]}: {big}. {names[less]}: {small}.", f"${big} - {small} = {big - small}$"),
        )
    elif kind == "total":
        result = sum(values)
        question = f"How many {thing} were sold in the whole week?"
        steps = ("Add the five numbers.", f"${' + '.join(map(str, values))} = {result}$")
    else:
        big, small = max(values), min(values)
        question = f"What is the difference between the best and the worst day, in {thing}?"
        result = big - small
        steps = (f"Best day: {big}. Worst day: {small}.", f"${big} - {small} = {result}$")
    return Item(
        ask=(f"{opening} {question}\n$${shown}$$", f"{question} Use the sales table of a shop.\n$${shown}$$"),
        answer=str(result),
        steps=steps,
    )


def z_score(d: Draw) -> Item:
    deviation, z = d.one_of(2, 4, 5, 8, 10, 12, 15), Fraction(d.whole(-24, 26, but=(0,)), 10)
    mean = d.whole(40, 160)
    value = mean + z * deviation
    d.require(value.denominator == 1 and abs(z) != 1)
    what = d.one_of(
        "Heights of seedlings (in mm)",
        "Scores in a test",
        "Masses of apples (in g)",
        "Lifetimes of batteries (in hours)",
    )
    return Item(
        ask=(
            f"{what} have mean {mean} and standard deviation {deviation}. Find the $z$-score of the value {value}.",
            f"{what} are distributed with mean {mean} and standard deviation {deviation}. How many standard deviations is {value} above the mean? (A "
            "negative number means below.)",
        ),
        answer=answer(decimal(z)),
        steps=(f"$z = {frac(f'{value} - {mean}', deviation)}$", f"$z = {decimal(z)}$"),
        wrong=(
            (answer(decimal(-z)), "Subtracts in the wrong order"),
            (
                answer(tex(value - mean)) if value < mean else str(value - mean),
                "Forgets to divide by the standard deviation",
            ),
            (short(Fraction(value, deviation)), "Forgets to subtract the mean"),
            (answer(decimal(z * deviation * deviation)), "Multiplies instead of dividing"),
        ),
        choice=0.4,
    )


def empirical_rule(d: Draw) -> Item:
    deviation = d.one_of(2, 3, 4, 5, 8, 10, 12, 15)
    mean = d.whole(50, 180)
    low, high, share, wrong = d.one_of(
        (-1, 1, "68%", ("95%", "34%", "50%")),
        (-2, 2, "95%", ("68%", "99.7%", "47.5%")),
        (-3, 3, "99.7%", ("95%", "100%", "68%")),
        (0, 1, "34%", ("68%", "50%", "16%")),
        (0, 2, "47.5%", ("95%", "50%", "34%")),
        (-1, 2, "81.5%", ("95%", "68%", "47.5%")),
    )
    a, b = mean + low * deviation, mean + high * deviation
    what = d.one_of(
        "The heights of a kind of plant in cm",
        "The masses of eggs in grams" if mean < 80 else "The masses of oranges in grams",
        "The results of a test",
    )
    where = f"between {a} and {b}"
    place = {
        -1: "one standard deviation below",
        -2: "two standard deviations below",
        -3: "three standard deviations below",
        0: "exactly at",
    }[low]
    upper = {
        1: "one standard deviation above",
        2: "two standard deviations above",
        3: "three standard deviations above",
    }[high]
    return Item(
        ask=(
            f"{what} are normally distributed with mean {mean} and standard deviation {deviation}. About what percentage lies {where}?",
            f"{what} follow a normal distribution with mean {mean} and standard deviation {deviation}. Roughly which share of the values is {where}?",
        ),
        answer=share,
        steps=(
            f"{a} is {place} the mean and {b} {upper} it.",
            "About 68%, 95% and 99.7% lie within one, two and three standard deviations, half of each on either side.",
            f"So the share is about {share}.",
        ),
        wrong=tuple((text, "Uses the share of another interval") for text in wrong),
        choice=0.55,
    )


PATTERNS = (
    Pattern("mean-of-list", "Mean", 6, -0.5, mean_of_list),
    Pattern("missing-value", "Mean", 7, 0.4, missing_value),
    Pattern("combined-mean", "Mean", 8, 0.9, combined_mean),
    Pattern("median-of-list", "Median and mode", 6, -0.1, median_of_list),
    Pattern("mode-of-list", "Median and mode", 5, -0.9, mode_of_list),
    Pattern("frequency-mean", "Mean from a frequency table", 8, 0.3, frequency_mean),
    Pattern("grouped-mean", "Mean from a frequency table", 9, 0.7, grouped_mean),
    Pattern("range-and-iqr", "Range and quartiles", 8, 0.2, range_and_iqr),
    Pattern("outlier-effect", "Range and quartiles", 8, 0.6, outlier_effect),
    Pattern("standard-deviation", "Standard deviation", 10, 0.5, standard_deviation),
    Pattern("scaled-data", "Standard deviation", 11, 0.8, scaled_data),
    Pattern("pie-chart-angle", "Pie charts and bar charts", 6, 0.1, pie_chart_angle),
    Pattern("read-a-table", "Pie charts and bar charts", 4, -1.0, read_a_table),
    Pattern("z-score", "Normal distribution", 11, 0.2, z_score),
    Pattern("empirical-rule", "Normal distribution", 11, 0.5, empirical_rule),
)
