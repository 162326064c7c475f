"""Integers and powers: negative numbers."""

from __future__ import annotations

from questionbank.demo.notation import answer, braced, plus
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def negative_sum(d: Draw) -> Item:
    a, b = d.whole(-19, 19, but=(0,)), d.whole(-19, -2)
    subtract = d.chance()
    result = a - b if subtract else a + b
    sign = "-" if subtract else "+"
    opposite = (
        f"Subtracting ${b}$ is the same as adding {-b}" if subtract else f"Adding ${b}$ is subtracting {-b}"
    )
    return Item(
        ask=(
            f"Calculate ${a} {sign} ({b})$.",
            f"Work out ${a} {sign} ({b})$.",
            f"${a} {sign} ({b}) =$ ____",
        ),
        answer=answer(result),
        steps=(
            f"{opposite}: ${a} {plus(-b if subtract else b)}$.",
            f"${a} {plus(-b if subtract else b)} = {result}$",
        ),
        wrong=(
            (answer(a + b if subtract else a - b), "Treats two signs as one minus (or one minus as a plus)"),
            (answer(-result), "Has the right size but the wrong sign"),
            (answer(abs(a) + abs(b)), "Ignores the signs"),
            (answer(-abs(a) - abs(b)), "Makes everything negative"),
        ),
        choice=0.4,
    )


def temperature_change(d: Draw) -> Item:
    start, change = d.whole(-9, 6), d.whole(7, 19)
    rising = start < 0 and d.chance()
    result = start + change if rising else start - change
    d.require(result < 0 or rising)
    city = d.one_of("Oslo", "Ulaanbaatar", "Québec", "Kyiv", "Sapporo", "Astana", "Reykjavík")
    when, verb = ("by noon", "risen") if rising else ("by midnight", "fallen")
    start_text = f"${start}$" if start < 0 else str(start)
    return Item(
        ask=(
            (
                f"In {city} it was {start_text} °C in the {'morning' if rising else 'evening'}. The"
                f" temperature had {verb} by {change} degrees {when}. What was the temperature then, in °C?"
            ),
            (
                f"A thermometer in {city} shows {start_text} °C. The temperature then"
                f" {'rises' if rising else 'falls'} by {change} degrees. What does the thermometer show,"
                " in °C?"
            ),
        ),
        answer=answer(result),
        steps=(
            f"${start} {'+' if rising else '-'} {change} = {result}$",
            f"The temperature is ${result}$ °C.",
        ),
        wrong=(
            (answer(start - change if rising else start + change), "Moves in the wrong direction"),
            (answer(-result), "Loses the sign"),
            (answer(abs(start) + change), "Ignores the signs"),
        ),
        choice=0.3,
    )


def negative_product(d: Draw) -> Item:
    a, b = d.whole(-12, -2), d.whole(-12, 12, but=(-1, 0, 1))
    if d.chance():
        shown, result, slip = rf"{a} \times {braced(b)}", a * b, a + b
    else:
        shown, result, slip = rf"{a * b} \div {braced(b)}", a, a * b - b
    return Item(
        ask=(f"Calculate ${shown}$.", f"Work out ${shown}$.", f"${shown} =$ ____"),
        answer=answer(result),
        steps=(
            "Equal signs give a positive result, different signs a negative one.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (answer(-result), "Uses the wrong sign rule"),
            (answer(slip), "Adds or subtracts instead"),
            (answer(abs(result) + 1), "Makes a slip and loses the sign"),
            (answer(-abs(result) - 1), "Makes a slip in the table"),
        ),
        choice=0.3,
    )


def negative_expression(d: Draw) -> Item:
    a, b, c = d.whole(-9, -2), d.whole(2, 9), d.whole(-8, -2)
    shape = d.whole(0, 2)
    if shape == 0:
        shown, result = rf"({a})^2 - {b} \times ({c})", a * a - b * c
        steps = (
            f"$({a})^2 = {a * a}$ and ${b} \\times ({c}) = {b * c}$.",
            f"${a * a} - ({b * c}) = {result}$",
        )
        wrong = (
            (-a * a - b * c, "Squares without the sign"),
            (a * a + b * c, "Drops the sign of the product"),
        )
    elif shape == 1:
        shown, result = rf"-{b}^2 + ({c}) \times ({a})", -b * b + c * a
        steps = (
            f"The square belongs to {b} alone: $-{b}^2 = {-b * b}$.",
            f"$({c}) \\times ({a}) = {c * a}$, so the value is ${-b * b} + {c * a} = {result}$.",
        )
        wrong = (
            (b * b + c * a, "Squares the minus sign too"),
            (-b * b - c * a, "Takes minus times minus as minus"),
        )
    else:
        shown, result = rf"{b} \times ({a} - {-c})", b * (a + c)
        steps = (f"The bracket first: ${a} - {-c} = {a + c}$.", f"${b} \\times ({a + c}) = {result}$")
        wrong = (
            (b * (a - c), "Adds in the bracket"),
            (b * a + c, "Multiplies only the first number in the bracket"),
        )
    return Item(
        ask=(
            f"Evaluate ${shown}$.",
            f"Find the value of ${shown}$.",
            f"Work out ${shown}$ without a calculator.",
        ),
        answer=answer(result),
        steps=steps,
        wrong=(
            *((answer(value), why) for value, why in wrong),
            (answer(-result), "Has the wrong sign at the end"),
            (answer(result + 2 * b), "Makes a slip in adding"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("negative-sum", "Adding and subtracting negatives", 6, -1.2, negative_sum),
    Pattern("temperature-change", "Adding and subtracting negatives", 6, -1.9, temperature_change),
    Pattern("negative-product", "Multiplying and dividing negatives", 7, -1.7, negative_product),
    Pattern("negative-expression", "Multiplying and dividing negatives", 7, 0.2, negative_expression),
)
