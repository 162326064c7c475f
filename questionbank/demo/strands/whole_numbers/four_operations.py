"""Whole numbers: four operations."""

from __future__ import annotations

from questionbank.demo.notation import prose, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun, article, cap

__all__ = ["PATTERNS"]

_ROWS = (  # who sets out what: place, row, thing
    ("In a school hall", Noun("row"), Noun("chair")),
    ("In an orchard", Noun("row"), Noun("apple tree")),
    ("On a bookcase", Noun("shelf", "shelves"), Noun("book")),
    ("In a car park", Noun("row"), Noun("parking space")),
    ("In a greenhouse", Noun("bench", "benches"), Noun("tomato plant")),
    ("In a theatre", Noun("row"), Noun("seat")),
    ("On a wall", Noun("row"), Noun("tile")),
)

_PACKED = (  # thing, container
    (Noun("egg"), Noun("carton")),
    (Noun("pencil"), Noun("box", "boxes")),
    (Noun("orange"), Noun("crate")),
    (Noun("bread roll"), Noun("bag")),
    (Noun("candle"), Noun("packet")),
    (Noun("tennis ball"), Noun("tube")),
    (Noun("jar of honey", "jars of honey"), Noun("case")),
)

_COLLECTED = tuple(
    Noun(name)
    for name in ("stamp", "marble", "sticker", "shell", "badge", "postcard", "bead", "trading card")
)


def add_or_subtract(d: Draw) -> Item:
    a, b = d.whole(124, 989), d.whole(113, 899)
    adding = d.chance()
    if not adding:
        a, b = max(a, b), min(a, b)
        d.require(a - b > 20 and a % 10 < b % 10)
    result = a + b if adding else a - b
    no_carry = int("".join(str((int(x) + int(y)) % 10) for x, y in zip(str(a), str(b), strict=True)))
    small_from_large = int("".join(str(abs(int(x) - int(y))) for x, y in zip(str(a), str(b), strict=True)))
    slip = no_carry if adding else small_from_large
    steps = (
        (
            f"Add the hundreds: ${a} + {b // 100 * 100} = {a + b // 100 * 100}$.",
            f"Add the rest: ${a + b // 100 * 100} + {b % 100} = {result}$.",
        )
        if adding
        else (
            f"Take away the hundreds: ${a} - {b // 100 * 100} = {a - b // 100 * 100}$.",
            f"Take away the rest: ${a - b // 100 * 100} - {b % 100} = {result}$.",
        )
    )
    sign = "+" if adding else "-"
    return Item(
        ask=(
            f"Work out ${a} {sign} {b}$.",
            f"What is the {'sum of' if adding else 'difference between'} {a} and {b}?",
            f"${a} {sign} {b} =$ ____",
        ),
        answer=prose(result),
        steps=steps,
        wrong=(
            (
                prose(slip),
                (
                    "Does not carry to the next column"
                    if adding
                    else "Takes the smaller digit from the larger one"
                ),
            ),
            (prose(result + 10), "Makes a slip of one in the tens column"),
            (prose(abs(result - 100)), "Makes a slip of one in the hundreds column"),
            (prose(a - b if adding and a > b else a + b), "Uses the opposite operation"),
        ),
        choice=0.3,
    )


def missing_addend(d: Draw) -> Item:
    a, x = d.whole(14, 89), d.whole(12, 79)
    total = a + x
    return Item(
        ask=(
            f"Fill in the missing number: ${a} +$ ____ $= {total}$.",
            f"____ $+ {a} = {total}$",
            f"What number must be added to {a} to make {total}?",
            f"I think of a number and add {a}. The result is {total}. What is my number?",
        ),
        answer=str(x),
        steps=(f"Subtraction undoes addition: ${total} - {a} = {x}$.", f"Check: ${a} + {x} = {total}$."),
        wrong=(
            (str(total + a), "Adds instead of subtracting"),
            (str(x + 10), "Forgets that ten was exchanged"),
            (str(x - 1), "Counts on and includes the first number"),
        ),
        choice=0.3,
    )


def take_away_story(d: Draw) -> Item:
    start, gone = d.whole(34, 96), d.whole(13, 29)
    left = start - gone
    thing = d.one_of(*_COLLECTED)
    owner, friend = d.people(2)
    return Item(
        ask=(
            (
                f"{owner} had {thing(start)}. {owner} gave {gone} of them to {friend}. How many {thing} does"
                f" {owner} have left?"
            ),
            (
                f"There were {thing(start)} in {owner}'s album. {cap(owner.he)} swapped {gone} away. How many"
                " are left?"
                if str(thing) in {"stamps", "stickers", "postcards", "trading cards"}
                else (
                    f"There were {thing(start)} in {owner}'s jar. {cap(owner.he)} lost {gone}. How many are"
                    " left?"
                )
            ),
            f"From {owner}'s {thing(start)}, {friend} borrowed {gone}. How many {thing} remain with {owner}?",
        ),
        answer=str(left),
        steps=(f"${start} - {gone} = {left}$", f"There are {thing(left)} left."),
        equation=f"{start}-{gone}",
    )


def equal_rows(d: Draw) -> Item:
    rows, each = d.whole(6, 19), d.whole(7, 28)
    total = rows * each
    place, row, thing = d.one_of(*_ROWS)
    return Item(
        ask=(
            (
                f"{place} there are {row(rows)} with {thing(each)} in each {row.one}. How many {thing} are"
                " there altogether?"
            ),
            (
                f"{place} there are {row(rows)}. Each {row.one} has {thing(each)}. Work out the total number"
                f" of {thing}."
            ),
            (
                f"{place} there are {thing(each)} in every {row.one}. There are {row(rows)}. How many {thing}"
                " is that in all?"
            ),
        ),
        answer=str(total),
        steps=(f"{rows} equal {row} of {each} is a product.", f"${rows} \\times {each} = {total}$ {thing}."),
        wrong=(
            (str(rows + each), "Adds the two numbers"),
            (str(total - each), "Leaves out one group"),
            (str(total + each), "Counts one group too many"),
        ),
        choice=0.25,
        equation=f"{rows}*{each}",
    )


def long_multiplication(d: Draw) -> Item:
    a, b = d.whole(34, 489), d.whole(13, 78)
    d.require(b % 10 > 1 and a % 10 > 1)
    tens, ones = b // 10 * 10, b % 10
    result = a * b
    return Item(
        ask=(
            f"Calculate ${a} \\times {b}$.",
            f"Work out the product of {a} and {b}.",
            f"Use long multiplication to find ${a} \\times {b}$.",
            f"${a} \\times {b} =$ ____",
        ),
        answer=prose(result),
        steps=(
            f"${a} \\times {ones} = {tex(a * ones)}$",
            f"${a} \\times {tens} = {tex(a * tens)}$",
            f"${tex(a * ones)} + {tex(a * tens)} = {tex(result)}$",
        ),
        wrong=(
            (prose(a * ones + a * (b // 10)), "Forgets the zero when multiplying by the tens"),
            (prose(a * tens), "Multiplies by the tens only"),
            (prose(result + 10 * a), "Makes a slip of one ten"),
            (prose(a // 10 * 10 * tens + a % 10 * ones), "Multiplies tens by tens and ones by ones only"),
        ),
        choice=0.3,
    )


def left_over(d: Draw) -> Item:
    each, groups = d.whole(4, 12), d.whole(7, 24)
    rest = d.whole(1, each - 1)
    total = each * groups + rest
    return Item(
        ask=(
            f"What is the remainder when {total} is divided by {each}?",
            f"Divide {total} by {each}. What is left over?",
            f"Find the remainder of ${total} \\div {each}$.",
            f"When {total} is divided by {each}, the remainder is ____.",
        ),
        answer=str(rest),
        steps=(
            f"${each} \\times {groups} = {each * groups}$ is the largest multiple of {each} that fits.",
            f"${total} - {each * groups} = {rest}$",
        ),
        wrong=(
            (str(groups), "Gives the quotient"),
            (str(each - rest), "Gives what is missing to the next multiple"),
            (str(rest + each), "Gives a remainder larger than the divisor"),
            ("0", "Believes that every division comes out exactly"),
        ),
        choice=0.4,
    )


def full_containers(d: Draw) -> Item:
    return _containers(d, needed=False)


def containers_needed(d: Draw) -> Item:
    return _containers(d, needed=True)


def _containers(d: Draw, *, needed: bool) -> Item:
    thing, box = d.one_of(*_PACKED)
    each, full = d.one_of(4, 6, 8, 10, 12), d.whole(6, 29)
    rest = d.whole(1, each - 1)
    total = each * full + rest
    result = full + needed
    opening = (
        f"A shop packs {thing(total)} into {box} of {each}.",
        f"{cap(article(box.one))} holds {thing(each)}. A farm shop has {thing(total)} to pack.",
        f"There are {thing(total)} to be packed. Each {box.one} takes {each}.",
    )
    closing = (
        f"How many {box} are needed for all of them?"
        if needed
        else f"How many {box} can be filled completely?"
    )
    last = (
        f"The {thing(rest)} left over {'needs' if rest == 1 else 'need'} one more {box.one}: ${full} + 1 ="
        f" {result}$."
        if needed
        else f"So {box(result)} can be filled; {thing(rest)} {'is' if rest == 1 else 'are'} left over."
    )
    return Item(
        ask=tuple(f"{sentence} {closing}" for sentence in opening),
        answer=str(result),
        steps=(f"${total} = {each} \\times {full} + {rest}$", last),
        wrong=(
            (str(full + 1 - needed), "Rounds the quotient the wrong way for the question"),
            (str(rest), "Gives the remainder"),
            (str(total - each), "Subtracts instead of dividing"),
        ),
    )


def order_of_operations(d: Draw) -> Item:
    a, b, c, e = d.whole(6, 30), d.whole(2, 9), d.whole(3, 9), d.whole(2, 6)
    shape = d.whole(0, 3)
    steps: tuple[str, ...]
    if shape == 0:
        shown, value, naive = f"{a} + {b} \\times {c}", a + b * c, (a + b) * c
        steps = (f"Multiply first: ${b} \\times {c} = {b * c}$.", f"Then add: ${a} + {b * c} = {value}$.")
    elif shape == 1:
        shown, value, naive = f"{a + 40} - {b} \\times {c}", a + 40 - b * c, (a + 40 - b) * c
        steps = (
            f"Multiply first: ${b} \\times {c} = {b * c}$.",
            f"Then subtract: ${a + 40} - {b * c} = {value}$.",
        )
    elif shape == 2:
        a = c * d.whole(2, 6)
        shown, value, naive = f"{a} + {b * c} \\div {c} - {e}", a + b - e, a // c + b - e
        steps = (
            f"Divide first: ${b * c} \\div {c} = {b}$.",
            f"Then work from left to right: ${a} + {b} - {e} = {value}$.",
        )
    else:
        shown, value, naive = f"{a} + {e} \\times {c}^2", a + e * c * c, a + (e * c) ** 2
        steps = (
            f"Square first: ${c}^2 = {c * c}$.",
            f"Then multiply: ${e} \\times {c * c} = {e * c * c}$.",
            f"Then add: ${a} + {e * c * c} = {value}$.",
        )
    d.require(value > 0 and value != naive)
    return Item(
        ask=(
            f"Calculate ${shown}$.",
            f"Work out the value of ${shown}$.",
            f"Remember the order of operations. What is ${shown}$?",
            f"${shown} =$ ____",
        ),
        answer=prose(value),
        steps=steps,
        wrong=(
            (prose(naive), "Does not keep to the order of operations"),
            (prose(value + b), "Adds one number twice"),
            (prose(value + 2 * e), "Makes a slip in the last step"),
        ),
        choice=0.35,
    )


def where_brackets_go(d: Draw) -> Item:
    a, b, c, e = d.whole(3, 9), d.whole(2, 9), d.whole(2, 9), d.whole(2, 8)
    forms = {
        f"$({a} + {b}) \\times {c} - {e}$": (a + b) * c - e,
        f"${a} + {b} \\times ({c} - {e})$": a + b * (c - e),
        f"$({a} + {b}) \\times ({c} - {e})$": (a + b) * (c - e),
        f"${a} + ({b} \\times {c}) - {e}$": a + b * c - e,
    }
    d.require(len(set(forms.values())) == 4 and c > e)
    right, target = d.one_of(*list(forms.items())[:3])
    wrong = tuple(
        (
            form,
            (
                "Believes that brackets round a product change its value"
                if value == a + b * c - e
                else "Does not work out the bracket first"
            ),
        )
        for form, value in forms.items()
        if form != right
    )
    return Item(
        ask=(
            f"Where must the brackets stand so that ${a} + {b} \\times {c} - {e}$ equals {target}?",
            f"Put brackets into ${a} + {b} \\times {c} - {e}$ so that the result is {target}.",
        ),
        answer=right,
        steps=(
            "Work out the brackets first, then multiply, then add and subtract.",
            f"{right[:-1]} = {target}$",
        ),
        wrong=wrong,
        choice=1.0,
    )


PATTERNS = (
    Pattern("add-or-subtract", "Addition and subtraction", 3, -2.5, add_or_subtract),
    Pattern("missing-addend", "Addition and subtraction", 2, -1.5, missing_addend),
    Pattern("take-away-story", "Addition and subtraction", 2, -3.1, take_away_story),
    Pattern("equal-rows", "Multiplication", 3, -1.9, equal_rows),
    Pattern("long-multiplication", "Multiplication", 4, -0.2, long_multiplication),
    Pattern("left-over", "Division with remainders", 4, -1.0, left_over),
    Pattern("full-containers", "Division with remainders", 4, -0.8, full_containers),
    Pattern("containers-needed", "Division with remainders", 4, 0.3, containers_needed),
    Pattern("order-of-operations", "Order of operations", 5, -0.8, order_of_operations),
    Pattern("where-brackets-go", "Order of operations", 6, 0.7, where_brackets_go),
)
