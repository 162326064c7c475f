"""Statistics: displays and distributions."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import answer, decimal, degrees, frac, rounded, short_decimal, table, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun

__all__ = ["PATTERNS"]


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
                (
                    f"In a survey of {total} students the sector for those who {what} has an angle of"
                    f" {degrees(angle)} in a pie chart. How many students is that?"
                ),
                (
                    f'A pie chart shows the answers of {total} students. The angle of the sector "{what}" is'
                    f" {degrees(angle)}. How many students does it stand for?"
                ),
            ),
            answer=str(part),
            steps=(
                (
                    f"One student has $360^\\circ \\div {total} ="
                    f" {tex(Fraction(360, total)) if 360 % total == 0 else decimal(Fraction(360, total))}^\\circ$."
                ),
                f"${frac(int(angle), 360)} \\times {total} = {part}$ students.",
            ),
            wrong=(
                (short_decimal(Fraction(angle, 100) * total), "Takes the degrees for a percentage"),
                (str(total - part), "Gives the number of the others"),
                (str(part * 2), "Uses $180^\\circ$ as the full angle"),
            ),
            choice=0.35,
        )
    return Item(
        ask=(
            (
                f"In a survey {part} of {total} students {what}. What angle does their sector have in a pie"
                " chart?"
            ),
            (
                f"A pie chart is drawn for {total} students, of whom {part} {what}. Find the angle of their"
                " sector."
            ),
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
            (
                f"{what} have mean {mean} and standard deviation {deviation}. Find the $z$-score of the value"
                f" {value}."
            ),
            (
                f"{what} are distributed with mean {mean} and standard deviation {deviation}. How many"
                f" standard deviations does {value} lie above the mean? Give a negative number if it lies below."
            ),
        ),
        answer=answer(decimal(z)),
        steps=(f"$z = {frac(f'{value} - {mean}', deviation)}$", f"$z = {decimal(z)}$"),
        wrong=(
            (answer(decimal(-z)), "Subtracts in the wrong order"),
            (
                answer(tex(value - mean)) if value < mean else str(value - mean),
                "Forgets to divide by the standard deviation",
            ),
            (short_decimal(Fraction(value, deviation)), "Forgets to subtract the mean"),
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
            (
                f"{what} are normally distributed with mean {mean} and standard deviation {deviation}. About"
                f" what percentage lies {where}?"
            ),
            (
                f"{what} follow a normal distribution with mean {mean} and standard deviation {deviation}."
                f" Roughly which share of the values is {where}?"
            ),
        ),
        answer=share,
        steps=(
            f"{a} is {place} the mean and {b} {upper} it.",
            (
                "About 68%, 95% and 99.7% lie within one, two and three standard deviations, half of each on"
                " either side."
            ),
            f"So the share is about {share}.",
        ),
        wrong=tuple((text, "Uses the share of another interval") for text in wrong),
        choice=0.55,
    )


PATTERNS = (
    Pattern("pie-chart-angle", "Pie charts and bar charts", 6, -0.3, pie_chart_angle),
    Pattern("read-a-table", "Pie charts and bar charts", 4, -2.2, read_a_table),
    Pattern("z-score", "Normal distribution", 11, -0.2, z_score),
    Pattern("empirical-rule", "Normal distribution", 11, 0.3, empirical_rule),
)
