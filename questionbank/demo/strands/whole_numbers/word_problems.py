"""Whole numbers: word problems.

Three stories of "Equal groups and extras" are one computation; the patterns of "Comparing amounts" share their
wording and not their operation.
"""

from __future__ import annotations

from questionbank.demo.notation import prose
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun, cap, word

__all__ = ["PATTERNS"]

_OWNED = tuple(
    Noun(name)
    for name in ("sticker", "marble", "comic", "football card", "shell", "model car", "bracelet", "badge")
)


def more_than_forwards(d: Draw) -> Item:
    a, b = d.people(2)
    thing = d.one_of(*_OWNED)
    first, gap = d.whole(18, 65), d.whole(6, 17)
    result = first + gap
    return Item(
        ask=(
            f"{a} has {thing(first)}. {b} has {gap} more {thing} than {a}. How many {thing} does {b} have?",
            f"{a} collected {thing(first)}, and {b} collected {gap} more than {a}. How many did {b} collect?",
        ),
        answer=str(result),
        steps=(f"{b} has more, so add: ${first} + {gap} = {result}$.", f"{b} has {thing(result)}."),
        wrong=(
            (str(first - gap), "Subtracts although the other person has more"),
            (str(gap), "Gives the difference and not the amount"),
            (str(2 * first + gap), "Gives the total of both"),
        ),
        choice=0.25,
        equation=f"{first}+{gap}",
    )


def more_than_backwards(d: Draw) -> Item:
    a, b = d.people(2)
    thing = d.one_of(*_OWNED)
    first, gap = d.whole(28, 75), d.whole(6, 17)
    result = first - gap
    return Item(
        ask=(
            f"{a} has {thing(first)}. {a} has {gap} more {thing} than {b}. How many {thing} does {b} have?",
            (
                f"{a} collected {thing(first)}, which is {gap} more than {b} collected. How many did {b}"
                " collect?"
            ),
        ),
        answer=str(result),
        steps=(
            f"{a} is the one with more, so {b} has fewer.",
            f"${first} - {gap} = {result}$, so {b} has {thing(result)}.",
        ),
        wrong=(
            (str(first + gap), 'Adds because the sentence says "more"'),
            (str(gap), "Gives the difference and not the amount"),
            (str(2 * first - gap), "Gives the total of both"),
        ),
        choice=0.25,
        equation=f"{first}-{gap}",
    )


def times_as_many(d: Draw) -> Item:
    a, b = d.people(2)
    thing = d.one_of(*_OWNED)
    times, second = d.whole(3, 8), d.whole(7, 24)
    first = times * second
    if d.chance():
        return Item(
            ask=(
                (
                    f"{a} has {thing(first)}. That is {times} times as many as {b} has. How many {thing} does"
                    f" {b} have?"
                ),
                f"{a} has {times} times as many {thing} as {b}. {a} has {first}. How many does {b} have?",
            ),
            answer=str(second),
            steps=(f"{b} has the smaller amount, so divide.", f"${first} \\div {times} = {second}$"),
            equation=f"{first}/{times}",
        )
    return Item(
        ask=(
            f"{b} has {thing(second)}. {a} has {times} times as many as {b}. How many {thing} does {a} have?",
            f"{a} has {times} times as many {thing} as {b}. {b} has {second}. How many does {a} have?",
        ),
        answer=str(first),
        steps=(f"{a} has the larger amount, so multiply.", f"${second} \\times {times} = {first}$"),
        equation=f"{second}*{times}",
    )


def altogether_from_difference(d: Draw) -> Item:
    a, b = d.people(2)
    thing = d.one_of(*_OWNED)
    first, gap = d.whole(16, 48), d.whole(4, 15)
    total = first + first + gap
    return Item(
        ask=(
            (
                f"{a} has {thing(first)}. {b} has {gap} more {thing} than {a}. How many {thing} do they have"
                " altogether?"
            ),
            (
                f"{a} collected {thing(first)}, and {b} collected {gap} more than {a}. How many did they"
                " collect together?"
            ),
        ),
        answer=str(total),
        steps=(
            f"{b} has ${first} + {gap} = {first + gap}$ {thing}.",
            f"Together they have ${first} + {first + gap} = {total}$.",
        ),
        wrong=(
            (str(first + gap), "Stops after the first step"),
            (str(2 * first - gap), "Reads more as fewer"),
            (str(first + 2 * gap), "Adds the difference twice"),
        ),
        choice=0.25,
        equation=f"{first}+{first}+{gap}",
    )


def boxes_and_loose(d: Draw) -> Item:
    groups, each, extra = d.whole(4, 15), d.whole(6, 24), d.whole(3, 19)
    thing, box = d.one_of(
        (Noun("crayon"), Noun("box", "boxes")),
        (Noun("screw"), Noun("packet")),
        (Noun("orange"), Noun("bag")),
        (Noun("bottle of juice", "bottles of juice"), Noun("crate")),
        (Noun("envelope"), Noun("pack")),
    )
    owner = d.person()
    return Item(
        ask=(
            (
                f"{owner} has {box(groups)} of {each} {thing} and {extra} loose ones. How many {thing} does"
                f" {owner} have?"
            ),
            (
                f"There are {thing(each)} in each of {box(groups)}, and another {extra} lie beside the {box}."
                f" How many {thing} are there?"
            ),
        ),
        answer=prose(groups * each + extra),
        steps=(
            f"In the {box}: ${groups} \\times {each} = {groups * each}$.",
            f"With the loose ones: ${groups * each} + {extra} = {groups * each + extra}$.",
        ),
        equation=f"{groups}*{each}+{extra}",
    )


def seats_and_standing(d: Draw) -> Item:
    groups, each, extra = d.whole(4, 15), d.whole(8, 24), d.whole(3, 19)
    place, row, people = d.one_of(
        ("concert", Noun("row"), Noun("listener")),
        ("play", Noun("bench", "benches"), Noun("parent")),
        ("wedding", Noun("table"), Noun("guest")),
        ("boat trip", Noun("deck"), Noun("passenger")),
    )
    total = groups * each + extra
    return Item(
        ask=(
            (
                f"At a {place}, {row(groups)} of {each} {people} are full and {people(extra)} have to stand."
                f" How many {people} are there?"
            ),
            (
                f"{groups} full {row}, each with {people(each)}, and {extra} more who stand at the back: how"
                f" many {people} came to the {place}?"
            ),
        ),
        answer=prose(total),
        steps=(
            f"Seated: ${groups} \\times {each} = {groups * each}$.",
            f"Altogether: ${groups * each} + {extra} = {total}$ {people}.",
        ),
        equation=f"{groups}*{each}+{extra}",
    )


def weekly_and_bonus(d: Draw) -> Item:
    groups, each, extra = d.whole(4, 15), d.whole(3, 12), d.whole(10, 50)
    total = groups * each + extra
    saver = d.person()
    return Item(
        ask=(
            (
                f"{saver} saves £{each} a week for {groups} weeks and then gets £{extra} from an uncle. How"
                f" many pounds does {saver.he} have?"
            ),
            (
                f"For {groups} weeks {saver} puts £{each} into a savings box every week. A birthday adds"
                f" another £{extra}. How many pounds are in the box?"
            ),
        ),
        answer=prose(total),
        steps=(
            f"Saved: ${groups} \\times {each} = {groups * each}$ pounds.",
            f"With the gift: ${groups * each} + {extra} = {total}$ pounds.",
        ),
        equation=f"{groups}*{each}+{extra}",
    )


def runs_and_walk(d: Draw) -> Item:
    days, each, extra = d.whole(4, 15), d.whole(3, 12), d.whole(4, 21)
    total = days * each + extra
    runner = d.person()
    verb, noun = d.one_of(("runs", "run"), ("cycles", "ride"), ("rows", "outing"))
    return Item(
        ask=(
            (
                f"{runner} {verb} {each} km on each of {days} days and {extra} km on a rest-day {noun}. How"
                " many kilometres is that altogether?"
                if noun != "run"
                else (
                    f"{runner} runs {each} km on each of {days} days and {extra} km in a race. How many"
                    " kilometres is that altogether?"
                )
            ),
            (
                f"On {days} training days {runner} {verb} {each} km a day. At the weekend {runner.he} adds"
                f" {extra} km. How many kilometres does {runner.he} cover?"
            ),
        ),
        answer=prose(total),
        steps=(
            f"Training: ${days} \\times {each} = {days * each}$ km.",
            f"Altogether: ${days * each} + {extra} = {total}$ km.",
        ),
        equation=f"{days}*{each}+{extra}",
    )


def change_from_a_note(d: Draw) -> Item:
    number, each = d.whole(3, 8), d.whole(2, 11)
    note = d.one_of(50, 100)
    d.require(note / 4 < number * each < note)
    thing = d.one_of(
        Noun("notebook"), Noun("paintbrush", "paintbrushes"), Noun("plant pot"), Noun("cinema ticket")
    )
    buyer = d.person()
    left = note - number * each
    return Item(
        ask=(
            (
                f"{buyer} buys {thing(number)} at €{each} each and pays with a €{note} note. How many euros"
                f" does {buyer.he} get back?"
            ),
            (
                f"{cap(thing.one)}s cost €{each} each. {buyer} buys {number} and hands over €{note}. How many"
                f" euros change does {buyer.he} get?"
                if not thing.many
                else (
                    f"Each {thing.one} costs €{each}. {buyer} buys {number} and hands over €{note}. How many"
                    f" euros change does {buyer.he} get?"
                )
            ),
        ),
        answer=str(left),
        steps=(
            f"The {thing} cost ${number} \\times {each} = {number * each}$ euros.",
            f"The change is ${note} - {number * each} = {left}$ euros.",
        ),
        wrong=(
            (str(number * each), "Gives the price and not the change"),
            (str(note - each), "Subtracts the price of one only"),
            (str(note - number - each), "Subtracts both numbers instead of their product"),
        ),
        choice=0.25,
        equation=f"{note}-{number}*{each}",
    )


def share_the_total(d: Draw) -> Item:
    friends, each = d.whole(3, 9), d.whole(6, 19)
    total = friends * each
    first = d.whole(total // 3, 2 * total // 3)
    second = total - first
    a, b = d.people(2)
    thing, verb = d.one_of(
        (Noun("shell"), "find"),
        (Noun("apple"), "pick"),
        (Noun("biscuit"), "bake"),
        (Noun("pebble"), "gather"),
    )
    return Item(
        ask=(
            (
                f"{a} and {b} {verb} {first} and {second} {thing}. They share all of them equally among"
                f" {friends} children. How many {thing} does each child get?"
            ),
            (
                f"{a} has {thing(first)} and {b} has {second}. They put them together and hand them out"
                f" equally to {friends} children. How many {thing} are there for each child?"
            ),
        ),
        answer=str(each),
        steps=(
            f"Together: ${first} + {second} = {total}$.",
            f"Each child gets ${total} \\div {friends} = {each}$ {thing}.",
        ),
        equation=f"({first}+{second})/{friends}",
    )


def pages_left_to_read(d: Draw) -> Item:
    days, each, per_day = d.whole(4, 9), d.whole(12, 28), d.whole(3, 7)
    rest = per_day * d.whole(11, 24)
    pages = days * each + rest
    daily = rest // per_day
    reader = d.person()
    return Item(
        ask=(
            (
                f"A book has {pages} pages. {reader} reads {each} pages a day for {days} days and wants to"
                f" finish the rest in {per_day} days, the same number of pages each day. How many pages is"
                " that a day?"
            ),
            (
                f"{reader} has read {each} pages a day for {days} days in a book of {pages} pages. How many"
                f" pages a day must {reader.he} read to finish in {per_day} more days?"
            ),
        ),
        answer=str(daily),
        steps=(
            f"Read so far: ${days} \\times {each} = {days * each}$ pages.",
            f"Left: ${pages} - {days * each} = {rest}$ pages.",
            f"A day: ${rest} \\div {per_day} = {daily}$ pages.",
        ),
        equation=f"({pages}-{days}*{each})/{per_day}",
    )


def bus_stops(d: Draw) -> Item:
    start, off, on = d.whole(21, 48), d.whole(5, 17), d.whole(4, 19)
    result = start - off + on
    line = d.one_of("bus", "tram", "ferry", "train carriage")
    return Item(
        ask=(
            (
                f"There are {start} passengers on a {line}. At the next stop {off} get off and {on} get on."
                " How many passengers are there now?"
            ),
            (
                f"A {line} leaves with {start} passengers. At the first stop {off} people get out and {on}"
                " get in. How many are on board afterwards?"
            ),
        ),
        answer=str(result),
        steps=(
            f"After {word(off) if off < 13 else off} get off: ${start} - {off} = {start - off}$.",
            f"After {word(on) if on < 13 else on} get on: ${start - off} + {on} = {result}$.",
        ),
        equation=f"{start}-{off}+{on}",
    )


PATTERNS = (
    Pattern("more-than-forwards", "Comparing amounts", 2, -2.5, more_than_forwards),
    Pattern("more-than-backwards", "Comparing amounts", 2, 0.2, more_than_backwards),
    Pattern("times-as-many", "Comparing amounts", 3, -0.5, times_as_many),
    Pattern("altogether-from-difference", "Comparing amounts", 3, -0.2, altogether_from_difference),
    Pattern("boxes-and-loose", "Equal groups and extras", 3, -1.5, boxes_and_loose),
    Pattern("seats-and-standing", "Equal groups and extras", 3, -1.4, seats_and_standing),
    Pattern("weekly-and-bonus", "Equal groups and extras", 3, -1.5, weekly_and_bonus),
    Pattern("runs-and-walk", "Equal groups and extras", 4, -1.4, runs_and_walk),
    Pattern("change-from-a-note", "Two-step problems", 3, -0.7, change_from_a_note),
    Pattern("share-the-total", "Two-step problems", 4, -0.7, share_the_total),
    Pattern("pages-left-to-read", "Two-step problems", 5, 0.5, pages_left_to_read),
    Pattern("bus-stops", "Two-step problems", 2, -2.0, bus_stops),
)
