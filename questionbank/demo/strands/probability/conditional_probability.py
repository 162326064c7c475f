"""Probability: conditional probability."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, prose, rounded, table, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, listing

__all__ = ["PATTERNS"]


def two_way_table(d: Draw) -> Item:
    cells = [[d.whole(4, 30) for _ in range(2)] for _ in range(2)]
    (a, b), (c, e) = cells
    rows, columns = d.one_of(
        (("Girls", "Boys"), ("Swim", "Run")),
        (("Adults", "Children"), ("Cinema", "Zoo")),
        (("Year 9", "Year 10"), ("French", "Spanish")),
        (("Morning", "Evening"), ("Tea", "Coffee")),
    )
    row, column = d.whole(0, 1), d.whole(0, 1)
    value = Fraction(cells[row][column], sum(cells[row]))
    by_column = Fraction(cells[row][column], cells[0][column] + cells[1][column])
    whole = Fraction(cells[row][column], a + b + c + e)
    given_row = d.chance()
    result = value if given_row else by_column
    d.require(value != by_column)

    def text(label: str) -> str:
        return rf"\text{{{label}}}"

    shown = table(
        ["", *(text(label) for label in columns)],
        [text(rows[0]), *cells[0]],
        [text(rows[1]), *cells[1]],
    )
    known, asked = (rows[row], columns[column]) if given_row else (columns[column], rows[row])
    denominator = sum(cells[row]) if given_row else cells[0][column] + cells[1][column]
    counted = frac(cells[row][column], denominator)
    reduced = "" if result.denominator == denominator else f" = {tex(result)}"
    return Item(
        ask=(
            (
                f"The table sorts {a + b + c + e} answers. One answer is picked at random. Given that it"
                f' belongs to "{known}", what is the probability that it belongs to "{asked}"?\n$${shown}$$'
            ),
            (
                f"From the answers in this table find $P(\\text{{{asked}}} \\mid"
                f" \\text{{{known}}})$.\n$${shown}$$"
            ),
        ),
        answer=m(result),
        steps=(
            f'Only the {denominator} answers in "{known}" count.',
            f"$P = {counted}{reduced}$",
        ),
        wrong=(
            (m(by_column if given_row else value), "Swaps the event and the condition"),
            (m(whole), "Divides by all answers"),
            (m(1 - result), "Gives the probability of the opposite event"),
            (m(Fraction(denominator, a + b + c + e)), "Gives the probability of the condition"),
        ),
        choice=0.4,
    )


def given_number_rolled(d: Draw) -> Item:
    n = d.one_of(6, 8, 10, 12, 20)
    conditions = (
        ("is even", lambda k: k % 2 == 0),
        ("is odd", lambda k: k % 2 == 1),
        ("is greater than 3", lambda k: k > 3),
        ("is less than 6", lambda k: k < 6),
        ("is a multiple of 3", lambda k: k % 3 == 0),
        ("is prime", lambda k: k in {2, 3, 5, 7, 11, 13, 17, 19}),
    )
    (known, first), (asked, second) = d.sample(conditions, 2)
    d.require({known, asked} != {"is even", "is odd"})
    space = [k for k in range(1, n + 1) if first(k)]
    hits = [k for k in space if second(k)]
    d.require(0 < len(hits) < len(space))
    value = Fraction(len(hits), len(space))
    unconditional = Fraction(sum(second(k) for k in range(1, n + 1)), n)
    joint = Fraction(len(hits), n)
    die = "A fair die" if n == 6 else f"A fair {n}-sided die" if n != 8 else "A fair 8-sided die"
    reverse = Fraction(len(hits), sum(second(k) for k in range(1, n + 1)))
    return Item(
        ask=(
            (
                f"{die} is rolled. You are told that the result {known}. What is the probability that it"
                f" {asked}?"
            ),
            f"{die} is rolled and the result {known}. Find the probability that it {asked}.",
        ),
        answer=m(value) if value.denominator > 1 else str(value),
        steps=(
            f"The possible results are {listing(list(map(str, space)))}.",
            (
                f"Of these {len(space)}, {len(hits)} fit{'s' if len(hits) == 1 else ''}: $P ="
                f" {frac(len(hits), len(space))}{'' if value.denominator == len(space) else f' = {tex(value)}'}$."
            ),
        ),
        wrong=(
            (m(joint), "Divides by all possible results"),
            (m(unconditional), "Ignores the condition"),
            (m(reverse), "Swaps the event and the condition"),
            (m(1 - value), "Gives the probability of the opposite event"),
        ),
        choice=0.4,
    )


def medical_test(d: Draw) -> Item:
    prevalence, sensitivity, false_rate = d.one_of(1, 2, 4, 5, 10), d.one_of(80, 90, 95), d.one_of(2, 5, 10)
    population = 10_000
    ill = population * prevalence // 100
    true_positive = ill * sensitivity // 100
    false_positive = (population - ill) * false_rate // 100
    value = Fraction(true_positive, true_positive + false_positive)
    result = rounded(value * 100, 1)
    thing, verdict, tested = d.one_of(
        ("an allergy", "positive", "people"),
        ("a leaf disease", "positive", "plants"),
        ("a production fault", "faulty", "parts"),
    )
    return Item(
        ask=(
            (
                f"{prevalence}% of {tested} have {thing}. A test recognises it in {sensitivity}% of the"
                f" cases, but it also reports {false_rate}% of the others as {verdict}. One result is {verdict}."
                " What is the probability, in per cent to one decimal place, that it is right?"
                if thing != "a production fault"
                else (
                    f"{prevalence}% of all parts from a machine have a fault. A check finds {sensitivity}% of"
                    f" the faulty parts and also reports {false_rate}% of the good ones. A part has been"
                    " reported. What is the probability, in per cent to one decimal place, that it is really"
                    " faulty?"
                )
            ),
        ),
        answer=f"{result}%",
        steps=(
            (
                f"Think of {prose(population)} {tested}: {ill} have it, and {true_positive} of them are"
                " reported."
            ),
            f"Of the other {prose(population - ill)}, {false_positive} are reported by mistake.",
            (
                f"${frac(true_positive, true_positive + false_positive)} \\approx {rounded(value, 3)}$, that"
                f" is {result}%."
            ),
        ),
        wrong=(
            (f"{sensitivity}%", "Takes the share of cases that the test recognises"),
            (f"{100 - false_rate}%", "Takes the share of the others that are reported correctly"),
            (
                f"{rounded(Fraction(prevalence * sensitivity, 100), 1)}%",
                "Gives the probability of both events together",
            ),
            (f"{prevalence}%", "Ignores the result of the test"),
        ),
        choice=0.55,
    )


def two_machines(d: Draw) -> Item:
    share = d.one_of(20, 30, 40, 60, 70)
    p, q = d.several(2, 1, 9)
    total = Fraction(share * p + (100 - share) * q, 10_000)
    a, b = d.one_of(("Machine A", "machine B"), ("Farm A", "farm B"), ("Supplier A", "supplier B"))
    thing, fault = {
        "Machine A": ("parts", "faulty"),
        "Farm A": ("eggs", "cracked"),
        "Supplier A": ("deliveries", "late"),
    }[a]
    return Item(
        ask=(
            (
                f"{a} provides {share}% of all {thing}, {b} the rest. From {a[0].lower() + a[1:]} {p}% are"
                f" {fault}, from {b} {q}%. What percentage of all {thing} is {fault}?"
            ),
            (
                f"{share}% of the {thing} come from {a[0].lower() + a[1:]} and the others from {b}; {p}% and"
                f" {q}% of them are {fault}. Find the percentage of {thing} that are {fault} overall."
            ),
        ),
        answer=f"{decimal(total * 100)}%",
        steps=(
            (
                f"${decimal(Fraction(share, 100))} \\times {decimal(Fraction(p, 100))} +"
                f" {decimal(Fraction(100 - share, 100))} \\times {decimal(Fraction(q, 100))} ="
                f" {decimal(total)}$"
            ),
            f"That is {decimal(total * 100)}%.",
        ),
        wrong=(
            (f"{decimal(Fraction(p + q, 2))}%", "Takes the mean without the shares"),
            (f"{p + q}%", "Adds the percentages"),
            (f"{decimal(Fraction(share * q + (100 - share) * p, 100))}%", "Swaps the shares"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("two-way-table", "Conditional probability from tables", 10, 0.2, two_way_table),
    Pattern("given-number-rolled", "Conditional probability from tables", 10, 0.5, given_number_rolled),
    Pattern("medical-test", "Total probability and Bayes", 11, 2.0, medical_test),
    Pattern("two-machines", "Total probability and Bayes", 11, 0.5, two_machines),
)
