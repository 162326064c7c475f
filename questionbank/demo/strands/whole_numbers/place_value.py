"""Whole numbers: place value."""

from __future__ import annotations

from questionbank.demo.notation import prose, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, listing

__all__ = ["PATTERNS"]

_PLACES = ("ones", "tens", "hundreds", "thousands", "ten thousands", "hundred thousands")


def digit_value(d: Draw) -> Item:
    place = d.whole(1, 5)
    digits = d.several(d.whole(place + 1, 6), 1, 9)
    digit = digits[-1 - place]
    number = int("".join(map(str, digits)))
    value = digit * 10**place
    neighbour = 10 ** (place - 1) * digit
    return Item(
        ask=(
            f"What is the value of the digit {digit} in {prose(number)}?",
            f"Look at the number {prose(number)}. How much is its digit {digit} worth?",
            f"In the number {prose(number)} the digit {digit} stands for ____.",
        ),
        answer=prose(value),
        steps=(
            f"The digit {digit} is in the {_PLACES[place]} place.",
            f"Its value is ${digit} \\times {tex(10**place)} = {tex(value)}$.",
        ),
        wrong=(
            (str(digit), "Gives the digit itself instead of its value"),
            (prose(value * 10), "Counts the places from the right starting at tens"),
            (prose(neighbour), "Counts one place too few"),
            (prose(number - number % 10**place), "Gives the whole number up to that digit"),
        ),
    )


def expanded_form(d: Draw) -> Item:
    digits = [d.whole(1, 9) if d.chance(0.75) else 0 for _ in range(d.whole(4, 5))]
    digits[0] = d.whole(1, 9)
    d.require(sum(digit > 0 for digit in digits) >= 3 and 0 in digits)
    number = int("".join(map(str, digits)))
    size = len(digits)
    parts = [digit * 10 ** (size - 1 - i) for i, digit in enumerate(digits) if digit]
    total = " + ".join(tex(part) for part in parts)
    squeezed = int("".join(str(digit) for digit in digits if digit))
    return Item(
        ask=(
            f"Write ${total}$ as a single number.",
            f"Which number is ${total}$?",
            f"Someone has split a number into ${total}$. Write the number in digits.",
            f"${total} =$ ____",
        ),
        answer=prose(number),
        steps=(
            f"Put each part into its place: {listing([prose(part) for part in parts])}.",
            "An empty place is held by a zero.",
            f"The number is {prose(number)}.",
        ),
        wrong=(
            (prose(squeezed), "Leaves out the zero that holds an empty place"),
            (prose(number * 10), "Adds a zero too many"),
            (prose(squeezed * 10), "Moves the zero of an empty place to the end"),
            (prose(number + 10 ** (size - 1)), "Adds an extra unit in the largest place"),
        ),
        choice=0.4,
    )


def round_to_nearest(d: Draw) -> Item:
    place = d.whole(1, 3)
    unit = 10**place
    number = d.whole(12 * unit // 10, 89 * unit)
    d.require(number % unit != 0)
    low = number - number % unit
    result = low + unit if number % unit >= unit // 2 else low
    slip = 2 * low + unit - result
    next_digit = number // (unit // 10) % 10
    return Item(
        ask=(
            f"Round {prose(number)} to the nearest {prose(unit)}.",
            f"What is {prose(number)} to the nearest {_PLACES[place].removesuffix('s')}?",
            f"A newspaper reports {prose(number)} visitors. What is this to the nearest {prose(unit)}?",
            f"To the nearest {prose(unit)}, {prose(number)} is ____.",
        ),
        answer=prose(result),
        steps=(
            f"{prose(number)} lies between {prose(low)} and {prose(low + unit)}.",
            (
                f"The digit to the right of the {_PLACES[place]} place is {next_digit}, so we round "
                f"{'up' if result > low else 'down'} to {prose(result)}."
            ),
        ),
        wrong=(
            (prose(slip), "Rounds in the wrong direction"),
            (prose(round(number / (unit * 10)) * unit * 10), "Rounds to a place too large"),
            (prose(number // (unit // 10) * (unit // 10)), "Cuts digits off one place too late"),
            (prose(result + unit), "Rounds up twice"),
        ),
        choice=0.4,
    )


def estimate_product(d: Draw) -> Item:
    a, b = d.whole(21, 98, but=tuple(range(25, 99, 10))), d.whole(112, 889)
    d.require(a % 10 and b % 100 not in (0, 50))
    near_a, near_b = (a + 5) // 10 * 10, (b + 50) // 100 * 100
    result = near_a * near_b
    return Item(
        ask=(
            (
                f"Estimate ${a} \\times {b}$ by rounding the first number to the nearest ten and the second"
                " to the nearest hundred."
            ),
            (
                f"A hall has {a} rows with {b} seats in each. Round {a} to the nearest ten and {b} to the"
                " nearest hundred to estimate the number of seats."
            ),
        ),
        answer=prose(result),
        steps=(
            f"${a} \\approx {near_a}$ and ${b} \\approx {near_b}$.",
            f"${near_a} \\times {near_b} = {tex(result)}$.",
        ),
        wrong=(
            (prose(result // 10), "Loses a zero when multiplying tens by hundreds"),
            (prose(result * 10), "Writes a zero too many"),
            (prose(a // 10 * 10 * (b // 100 * 100)), "Always rounds down"),
            (prose((a // 10 + 1) * 10 * (b // 100 + 1) * 100), "Always rounds up"),
        ),
        choice=0.6,
    )


def order_numbers(d: Draw) -> Item:
    digits = d.several(4, 1, 9)
    numbers: list[int] = []
    while len(numbers) < 4:
        size = 3 if len(numbers) == 0 else 4
        number = int("".join(map(str, d.sample(digits, size))))
        if number not in numbers:
            numbers.append(number)
    shown = d.shuffled(numbers)
    rising = d.chance()
    ordered = sorted(numbers, reverse=not rising)
    d.require(shown != ordered)
    return Item(
        ask=(
            (
                f"Write these numbers in order, {'smallest' if rising else 'largest'} first:"
                f" {listing(list(map(str, shown)))}."
            ),
            (
                f"Put the numbers {listing(list(map(str, shown)))} in"
                f" {'ascending' if rising else 'descending'} order."
            ),
        ),
        answer=", ".join(map(str, ordered)),
        steps=(
            "A number with fewer digits is smaller, so the three-digit number is the smallest.",
            "Compare the others from the left: thousands first, then hundreds, tens and ones.",
            f"The order is {', '.join(map(str, ordered))}.",
        ),
    )


def digits_to_greatest(d: Draw) -> Item:
    digits = d.several(4, 1, 9)
    falling = sorted(digits, reverse=True)
    even = [digit for digit in falling if digit % 2 == 0]
    d.require(0 < len(even) < 4)
    last = min(even)
    rest = [digit for digit in falling if digit != last]
    result = "".join(map(str, [*rest, last]))
    d.require(falling[-1] % 2 == 1)
    cards = listing([str(digit) for digit in d.shuffled(digits)])
    child = d.person()
    return Item(
        ask=(
            (
                f"{child} has four cards with the digits {cards}. What is the largest even four-digit number"
                f" that {child.he} can make?"
            ),
            f"Use each of the digits {cards} once to make the largest possible even number.",
        ),
        answer=result,
        steps=(
            (
                "An even number ends in an even digit. To keep the front as large as possible, use the"
                f" smallest even digit, {last}, at the end."
            ),
            f"The other digits go from largest to smallest: {', '.join(map(str, rest))}.",
            f"The number is {result}.",
        ),
        wrong=(
            ("".join(map(str, falling)), "Makes the largest number and forgets that it must be even"),
            ("".join(map(str, [*sorted(rest), last])), "Puts the other digits in ascending order"),
            ("".join(map(str, sorted(digits))), "Makes the smallest number"),
            (
                "".join(map(str, [digit for digit in falling if digit != max(even)])) + str(max(even)),
                "Ends in the largest even digit, which wastes it",
            ),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("digit-value", "Value of a digit", 3, -2.9, digit_value),
    Pattern("expanded-form", "Value of a digit", 3, -2.0, expanded_form),
    Pattern("round-to-nearest", "Rounding and estimating", 4, -1.9, round_to_nearest),
    Pattern("estimate-product", "Rounding and estimating", 5, -0.3, estimate_product),
    Pattern("order-numbers", "Comparing and ordering numbers", 3, -2.5, order_numbers),
    Pattern("digits-to-greatest", "Comparing and ordering numbers", 4, 0.5, digits_to_greatest),
)
