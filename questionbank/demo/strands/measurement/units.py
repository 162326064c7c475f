"""Measurement: units."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, prose, quantity, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def convert_length(d: Draw) -> Item:
    big, small, factor, what = d.one_of(
        ("km", "m", 1000, "length"),
        ("m", "cm", 100, "length"),
        ("cm", "mm", 10, "length"),
        ("kg", "g", 1000, "mass"),
        ("litres", "ml", 1000, "volume"),
        ("tonnes", "kg", 1000, "mass"),
    )
    value = Fraction(d.whole(12, 985), d.one_of(10, 100))
    d.require(value.denominator > 1 and (value * factor).denominator == 1 and value < 60)
    down = d.chance()
    number = int(value * factor)
    left, right = (f"{decimal(value)} {big}", f"{prose(number)} {small}")
    if not down:
        left, right = right, left
    to = small if down else big
    wrong = (
        [value * factor / 10, value * factor * 10, value * factor / 100]
        if down
        else [value * 10, value / 10, value * 100]
    )
    return Item(
        ask=(
            f"Convert {left} to {to}.",
            f"Express {left} in {to}.",
            f"Write a {what} of {left} in {to}.",
            f"Measured in {to}, {left} is ____.",
        ),
        answer=right,
        steps=(
            (
                f"1 {big.removesuffix('s')} = {factor} {small}, so {'multiply' if down else 'divide'} by"
                f" {factor}."
            ),
            f"{left} = {right}",
        ),
        wrong=tuple(
            (
                f"{prose(int(amount)) if amount.denominator == 1 else decimal(amount)} {to}",
                "Uses the wrong factor between the units",
            )
            for amount in wrong
        ),
        choice=0.4,
    )


def convert_area(d: Draw) -> Item:
    big, small, factor, exponent = d.one_of(
        ("m", "cm", 100, 2),
        ("cm", "mm", 10, 2),
        ("m", "cm", 100, 3),
        ("cm", "mm", 10, 3),
        ("km", "m", 1000, 2),
    )
    value = Fraction(d.whole(2, 90), d.one_of(1, 10))
    number = value * factor**exponent
    d.require(number.denominator == 1)

    def shown(amount: Fraction, unit: str) -> str:
        return quantity(decimal(amount) if amount.denominator > 1 else tex(amount), unit, exponent)

    return Item(
        ask=(
            f"Convert {shown(value, big)} to $\\text{{{small}}}^{exponent}$.",
            f"How many $\\text{{{small}}}^{exponent}$ are {shown(value, big)}?",
        ),
        answer=shown(number, small),
        steps=(
            (
                f"1 {big} = {factor} {small}, so $1\\,\\text{{{big}}}^{exponent} ="
                f" {factor}^{exponent}\\,\\text{{{small}}}^{exponent} ="
                f" {tex(factor**exponent)}\\,\\text{{{small}}}^{exponent}$."
            ),
            (
                f"${tex(value) if value.denominator == 1 else decimal(value)} \\times {tex(factor**exponent)}"
                f" = {tex(number)}$, so the answer is {shown(number, small)}."
            ),
        ),
        wrong=(
            (shown(value * factor, small), "Uses the factor for lengths"),
            (shown(value * factor ** (5 - exponent), small), "Uses the factor for the other dimension"),
            (shown(value * factor * exponent, small), "Multiplies the factor by the exponent"),
        ),
        choice=0.5,
    )


def clock(minutes: int) -> str:
    """Return minutes after midnight on the 24-hour clock."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def arrival_time(d: Draw) -> Item:
    thing, verb = d.one_of(
        ("A train", "leaves"), ("A film", "starts"), ("A coach", "departs"), ("A concert", "begins")
    )
    travels = thing in {"A train", "A coach"}
    start = d.whole(6 * 12, 19 * 12) * 5 if travels else d.whole(15 * 12, 20 * 12) * 5
    length = d.whole(9, 47) * 5 if travels else d.whole(17, 35) * 5
    end = start + length
    d.require(length % 60 != 0 and start % 60 + length % 60 > 60 and end < 24 * 60)
    hours, minutes = divmod(length, 60)
    shown = f"{hours} h {minutes} min" if hours else f"{minutes} min"
    naive = start // 60 * 100 + start % 60 + hours * 100 + minutes
    return Item(
        ask=(
            (
                f"{thing} {verb} at {clock(start)} and takes {shown}. When does it"
                f" {'arrive' if travels else 'end'}?"
            ),
            (
                f"{thing} {verb} at {clock(start)}. The journey takes {shown}. What is the time of arrival?"
                if travels
                else f"{thing} {verb} at {clock(start)}. It lasts {shown}. At what time is it over?"
            ),
        ),
        answer=clock(end),
        steps=(
            (
                f"{clock(start)} plus {hours} h is {clock(start + 60 * hours)}."
                if hours
                else f"The next full hour is {clock(start // 60 * 60 + 60)}."
            ),
            f"{clock(start + 60 * hours)} plus {minutes} min is {clock(end)}.",
        ),
        wrong=(
            (
                (
                    f"{naive // 100 % 24:02d}:{naive % 100:02d}"
                    if naive % 100 < 100 and naive % 100 >= 60
                    else clock(end + 40)
                ),
                "Calculates as if an hour had 100 minutes",
            ),
            (clock(end + 60), "Counts one hour too many"),
            (clock(end - 60), "Forgets to carry to the hours"),
        ),
        choice=0.3,
    )


def time_between(d: Draw) -> Item:
    start, length = d.whole(6 * 60, 15 * 60), d.whole(70, 400)
    end = start + length
    hours, minutes = divmod(length, 60)
    d.require(minutes and end % 60 < start % 60 and end < 24 * 60)
    shown = f"{hours} h {minutes} min"
    swapped = start % 60 - end % 60
    thing = d.one_of(
        "A museum opens at {a} and closes at {b}.",
        "A hike starts at {a} and ends at {b}.",
        "A shift lasts from {a} to {b}.",
        "A ferry sails at {a} and docks at {b}.",
    )
    question = d.one_of(
        "How much time is that, in hours and minutes?", "How long is that, in hours and minutes?"
    )
    return Item(
        ask=(
            f"{thing.format(a=clock(start), b=clock(end))} {question}",
            f"How many hours and minutes are there from {clock(start)} to {clock(end)}?",
        ),
        answer=shown,
        steps=(
            f"From {clock(start)} to {clock(start + 60 * hours)} it is {hours} h.",
            f"From {clock(start + 60 * hours)} to {clock(end)} it is {minutes} min, altogether {shown}.",
        ),
        wrong=(
            (f"{hours + 1} h {swapped} min", "Subtracts the smaller number of minutes from the larger one"),
            (f"{hours + 1} h {minutes} min", "Forgets that an hour was exchanged for minutes"),
            (
                f"{hours} h {minutes + 40 if minutes < 20 else minutes - 20} min",
                "Calculates as if an hour had 100 minutes",
            ),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("convert-length", "Converting units", 5, -1.2, convert_length),
    Pattern("convert-area", "Converting units", 8, 0.8, convert_area),
    Pattern("arrival-time", "Time", 4, -0.8, arrival_time),
    Pattern("time-between", "Time", 5, 0.0, time_between),
)
