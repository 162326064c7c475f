"""Probability: single events."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, table, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, article, cap, listing

__all__ = ["COLOURS", "DRAWN", "PATTERNS"]

COLOURS = ("red", "blue", "green", "yellow", "white", "black")

DRAWN = (("bag", "bead"), ("box", "counter"), ("bag", "marble"), ("urn", "ball"), ("drawer", "button"))

_DIE_EVENTS = (  # event, which numbers 1..n belong to it
    ("a multiple of 3", lambda k: k % 3 == 0),
    ("a prime number", lambda k: k in {2, 3, 5, 7, 11, 13, 17, 19}),
    ("a square number", lambda k: k in {1, 4, 9, 16}),
    ("a number greater than 4", lambda k: k > 4),
    ("an odd number less than 8", lambda k: k % 2 == 1 and k < 8),
    ("a factor of 12", lambda k: 12 % k == 0),
    ("a number with the digit 1", lambda k: "1" in str(k)),
    ("an even number greater than 3", lambda k: k % 2 == 0 and k > 3),
)


def one_from_a_bag(d: Draw) -> Item:
    colours = d.sample(COLOURS, 3)
    counts = [d.whole(2, 12) for _ in colours]
    total = sum(counts)
    vessel, thing = d.one_of(*DRAWN)
    complement = d.chance(0.4)
    value = Fraction(total - counts[0] if complement else counts[0], total)
    contents = listing([f"{count} {colour}" for count, colour in zip(counts, colours, strict=True)])
    event = f"not {colours[0]}" if complement else colours[0]
    return Item(
        ask=(
            (
                f"{cap(article(vessel))} holds {contents} {thing}s. One is taken at random. What is the"
                f" probability that it is {event}?"
            ),
            (
                f"There are {contents} {thing}s in {article(vessel)}. Find the probability that"
                f" {article(thing)} drawn at random is {event}."
            ),
        ),
        answer=m(value),
        steps=(
            (
                f"There are {total} {thing}s altogether, {total - counts[0] if complement else counts[0]} of"
                f" which are {event}."
            ),
            f"$P = {frac(total - counts[0] if complement else counts[0], total)}$"
            + ("" if Fraction(value).denominator == total else f", that is ${tex(value)}$."),
        ),
        wrong=(
            (m(1 - value), "Gives the probability of the opposite event"),
            (m(Fraction(counts[0], total - counts[0])), "Compares with the others instead of with all"),
            (m(frac(1, 3) if not complement else frac(2, 3)), "Takes all colours to be equally likely"),
            (m(frac(1, total)), "Takes one outcome only"),
        ),
        choice=0.4,
    )


def numbered_cards(d: Draw) -> Item:
    n = d.one_of(6, 8, 10, 12, 15, 20)
    event, belongs = d.one_of(*_DIE_EVENTS)
    hits = [k for k in range(1, n + 1) if belongs(k)]
    d.require(1 < len(hits) < n - 1)
    value = Fraction(len(hits), n)
    thing = (
        "A fair die is rolled"
        if n == 6
        else f"A spinner has {n} equal sectors, numbered from 1 to {n}, and is spun"
    )
    cards = f"One of {n} cards, numbered from 1 to {n}, is drawn at random"
    return Item(
        ask=(
            f"{thing}. What is the probability of {event}?",
            f"{cards}. Find the probability that it shows {event}.",
        ),
        answer=m(value),
        steps=(
            f"The favourable outcomes are {listing(list(map(str, hits)))}: {len(hits)} of {n}.",
            f"$P = {frac(len(hits), n)}{'' if value.denominator == n else f' = {tex(value)}'}$",
        ),
        wrong=(
            (m(1 - value), "Gives the probability of the opposite event"),
            (m(Fraction(len(hits) + 1, n)), "Counts one outcome too many"),
            (m(Fraction(len(hits), n - len(hits))), "Compares with the other outcomes instead of with all"),
            (m(frac(1, n)), "Takes one outcome only"),
        ),
        choice=0.4,
    )


def expected_number(d: Draw) -> Item:
    p, n = Fraction(d.whole(1, 19), 20), d.whole(3, 40) * 20
    value = p * n
    what, who, trials = d.one_of(
        ("that a bus is late", "buses will be late", "runs"),
        ("that a seed comes up", "seeds will come up", "seeds"),
        ("that a call is answered within a minute", "calls will be answered within a minute", "calls"),
        ("of winning at a stall", "games will be won", "games"),
        ("that a light bulb lasts a year", "bulbs will last a year", "bulbs"),
    )
    return Item(
        ask=(
            (
                f"The probability {what} is {decimal(p)}. About how many {who} in {n} {trials}?"
                if trials != who.split()[0]
                else f"The probability {what} is {decimal(p)}. About how many of {n} {who}?"
            ),
        ),
        answer=str(value),
        steps=(
            "Expected number: probability times number of trials.",
            f"${decimal(p)} \\times {n} = {value}$",
        ),
        wrong=(
            (str(n - value), "Gives the number of the other cases"),
            (decimal(value / 10), "Makes an error with the decimal point"),
            (
                str(Fraction(n, 2) if (Fraction(n, 2)) != value else n),
                (
                    "Takes both outcomes to be equally likely"
                    if Fraction(n, 2) != value
                    else "Gives the number of trials"
                ),
            ),
        ),
        choice=0.3,
        equation=f"{n}*{decimal(p)}",
    )


def relative_frequency(d: Draw) -> Item:
    faces = d.one_of(4, 5)
    counts = [d.whole(8, 40) for _ in range(faces)]
    total = sum(counts)
    wanted = d.whole(1, faces)
    p = Fraction(counts[wanted - 1], total)
    future = total * d.one_of(2, 3, 4, 5)
    result = p * future
    d.require(total % 10 == 0)
    shown = table([r"\text{Sector}", *range(1, faces + 1)], [r"\text{Times}", *counts])
    return Item(
        ask=(
            (
                "A spinner is tested; the table shows the results. About how often will it stop on sector"
                f" {wanted} in {future} spins?\n$${shown}$$"
            ),
            (
                f"Use these results of a biased spinner to estimate how often sector {wanted} comes up in"
                f" {future} spins.\n$${shown}$$"
            ),
        ),
        answer=str(result),
        steps=(
            f"There were {total} spins, so the relative frequency is ${frac(counts[wanted - 1], total)}$.",
            f"${frac(counts[wanted - 1], total)} \\times {future} = {result}$",
        ),
        wrong=(
            (str(future // faces), "Takes all sectors to be equally likely"),
            (str(counts[wanted - 1]), "Gives the number of the test"),
            (str(future - result), "Gives how often it stops elsewhere"),
        ),
        choice=0.35,
    )


PATTERNS = (
    Pattern("one-from-a-bag", "Equally likely outcomes", 6, -1.5, one_from_a_bag),
    Pattern("numbered-cards", "Equally likely outcomes", 7, -0.5, numbered_cards),
    Pattern("expected-number", "Expected frequency", 7, -1.0, expected_number),
    Pattern("relative-frequency", "Expected frequency", 8, 0.2, relative_frequency),
)
