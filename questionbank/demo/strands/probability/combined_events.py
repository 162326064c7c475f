"""Probability: combined events.

The draws with and without replacement share their wording.
"""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import decimal, frac, m, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.strands.probability.single_events import COLOURS, DRAWN
from questionbank.demo.wording import Draw, article, cap

__all__ = ["PATTERNS"]


def independent_both(d: Draw) -> Item:
    p, q = Fraction(d.whole(2, 9), 10), Fraction(d.whole(2, 9), 10)
    a, b = d.people(2)
    kind = d.one_of("both", "at least one", "exactly one", "neither")
    value = {
        "both": p * q,
        "at least one": 1 - (1 - p) * (1 - q),
        "exactly one": p * (1 - q) + q * (1 - p),
        "neither": (1 - p) * (1 - q),
    }[kind]
    d.require(p != q)
    wins = {
        "both": "both of them succeed",
        "at least one": "at least one of them succeeds",
        "exactly one": "exactly one of them succeeds",
        "neither": "neither of them succeeds",
    }[kind]
    scene = d.one_of(
        f"{a} hits a target with probability {decimal(p)}, {b} with probability {decimal(q)}. Each shoots"
        " once.",
        f"{a} passes a driving test with probability {decimal(p)}, {b}, independently, with probability"
        f" {decimal(q)}.",
        f"The probability that {a} solves a puzzle is {decimal(p)}; for {b} it is {decimal(q)}. They work"
        " separately.",
    )
    steps = {
        "both": (f"${decimal(p)} \\times {decimal(q)} = {decimal(value)}$",),
        "at least one": (
            f"Neither: ${decimal(1 - p)} \\times {decimal(1 - q)} = {decimal((1 - p) * (1 - q))}$.",
            f"$1 - {decimal((1 - p) * (1 - q))} = {decimal(value)}$",
        ),
        "exactly one": (
            (
                f"${decimal(p)} \\times {decimal(1 - q)} + {decimal(1 - p)} \\times {decimal(q)} ="
                f" {decimal(value)}$"
            ),
        ),
        "neither": (f"${decimal(1 - p)} \\times {decimal(1 - q)} = {decimal(value)}$",),
    }[kind]
    others = {
        p * q: "Finds the probability of both",
        1 - (1 - p) * (1 - q): "Finds the probability of at least one",
        (1 - p) * (1 - q): "Finds the probability of neither",
        p * (1 - q) + q * (1 - p): "Finds the probability of exactly one",
    }
    return Item(
        ask=(f"{scene} What is the probability that {wins}?", f"{scene} Find the probability that {wins}."),
        answer=decimal(value),
        steps=("The events are independent, so probabilities along a branch are multiplied.", *steps),
        wrong=tuple(
            (decimal(probability), why) for probability, why in others.items() if probability != value
        ),
        choice=0.4,
    )


def same_colour_with(d: Draw) -> Item:
    return _two_draws(d, replaced=True)


def same_colour_without(d: Draw) -> Item:
    return _two_draws(d, replaced=False)


def _two_draws(d: Draw, *, replaced: bool) -> Item:
    a, b = d.several(2, 3, 9)
    first_colour, second_colour = d.sample(COLOURS, 2)
    vessel, thing = d.one_of(*DRAWN)
    n = a + b
    rest = n if replaced else n - 1
    both = d.chance()
    hits = a * (a if replaced else a - 1)
    misses = b * (b if replaced else b - 1)
    value = Fraction(hits, n * rest) if both else Fraction(hits + misses, n * rest)
    other_rest = n - 1 if replaced else n
    slip = (
        Fraction(a * (a - 1 if replaced else a), n * other_rest)
        if both
        else Fraction(a * (a - 1 if replaced else a) + b * (b - 1 if replaced else b), n * other_rest)
    )
    how = (
        "and puts it back before taking a second one"
        if replaced
        else "and, without putting it back, a second one"
    )
    who = d.person()
    event = f"both are {first_colour}" if both else "both have the same colour"
    holds = f"{cap(article(vessel))} holds {a} {first_colour} and {b} {second_colour} {thing}s."
    opening = f"{holds} {who} takes one at random {how}."
    first = f"{frac(a, n)} \\times {frac(a if replaced else a - 1, rest)}"
    second = f"{frac(b, n)} \\times {frac(b if replaced else b - 1, rest)}"
    return Item(
        ask=(
            f"{opening} What is the probability that {event}?",
            f"{opening} Find the probability that {event}.",
        ),
        answer=m(value),
        steps=(
            (
                "The second draw has the same probabilities as the first one."
                if replaced
                else f"After the first draw only {rest} {thing}s are left."
            ),
            f"$P = {first} = {tex(value)}$" if both else f"$P = {first} + {second} = {tex(value)}$",
        ),
        wrong=(
            (
                m(slip),
                (
                    "Draws without replacement although it is put back"
                    if replaced
                    else "Draws as if the first one were put back"
                ),
            ),
            (m(Fraction(a, n)), "Considers the first draw only"),
            (m(1 - value), "Gives the probability of the opposite event"),
            (m(Fraction(2 * a, 2 * n - 1)), "Adds numerators and denominators"),
        ),
        choice=0.4,
    )


def at_least_one_without(d: Draw) -> Item:
    good, bad = d.whole(5, 12), d.whole(2, 4)
    n = good + bad
    value = 1 - Fraction(good * (good - 1), n * (n - 1))
    things, fault = d.one_of(
        ("batteries", "flat"), ("eggs", "cracked"), ("light bulbs", "broken"), ("tickets", "winning ones")
    )
    opening = f"Of {n} {things}, {bad} are {fault}. Two are picked at random without replacement."
    event = "is a winning one" if fault == "winning ones" else f"is {fault}"
    return Item(
        ask=(
            f"{opening} What is the probability that at least one of them {event}?",
            (
                f"{opening} Find the probability that one or both of them"
                f" {'are winning ones' if 'winning' in fault else f'are {fault}'}."
            ),
        ),
        answer=m(value),
        steps=(
            f"Neither of the two: ${frac(good, n)} \\times {frac(good - 1, n - 1)} = {tex(1 - value)}$.",
            f"$1 - {tex(1 - value)} = {tex(value)}$",
        ),
        wrong=(
            (m(1 - value), "Gives the probability of none"),
            (m(1 - Fraction(good * good, n * n)), "Draws as if the first one were put back"),
            (m(Fraction(bad * (bad - 1), n * (n - 1))), "Gives the probability of both"),
            (m(Fraction(2 * bad, n)), "Doubles the probability of one"),
        ),
        choice=0.4,
    )


def union_of_sets(d: Draw) -> Item:
    both, only_a, only_b, neither = d.whole(3, 15), d.whole(4, 20), d.whole(4, 20), d.whole(2, 14)
    total, a, b = both + only_a + only_b + neither, both + only_a, both + only_b
    d.require(only_a != only_b)
    first, second, who = d.one_of(
        ("play chess", "play football", "students"),
        ("speak French", "speak Spanish", "travellers"),
        ("have a dog", "have a cat", "families"),
        ("drink tea", "drink coffee", "guests"),
        ("sing in the choir", "act in the play", "pupils"),
    )
    kind = d.one_of("neither", "both")
    if kind == "neither":
        text = f"Of {total} {who}, {a} {first}, {b} {second} and {both} do both."
        question, result, equation = (
            "How many do neither?" if "have" not in first else "How many have neither?",
            neither,
            f"{total}-({a}+{b}-{both})",
        )
        steps = (
            f"At least one of the two: ${a} + {b} - {both} = {a + b - both}$.",
            f"${total} - {a + b - both} = {neither}$",
        )
        wrong = (
            (abs(total - a - b), "Counts those who do both twice"),
            (
                total - a - b - both if total - a - b - both > 0 else a + b - both,
                (
                    "Subtracts the overlap once more"
                    if total - a - b - both > 0
                    else "Gives those who do at least one"
                ),
            ),
            (total - both, "Subtracts only the overlap"),
        )
    else:
        text = f"Of {total} {who}, {a} {first}, {b} {second} and {neither} do neither."
        question, result, equation = (
            "How many do both?" if "have" not in first else "How many have both?",
            both,
            f"{a}+{b}-({total}-{neither})",
        )
        steps = (
            f"At least one of the two: ${total} - {neither} = {total - neither}$.",
            f"${a} + {b} - {total - neither} = {both}$",
        )
        wrong = (
            (abs(total - a - b), "Forgets those who do neither"),
            (total - neither, "Gives those who do at least one"),
            (min(a, b), "Takes the smaller group for the overlap"),
        )
    if "have" in first:
        text = text.replace("do both", "have both").replace("do neither", "have neither")
    return Item(
        ask=(f"{text} {question}", f"{text} {question} A Venn diagram may help."),
        answer=str(result),
        steps=steps,
        wrong=tuple((str(value), why) for value, why in wrong),
        choice=0.35,
        equation=equation,
    )


def set_operations(d: Draw) -> Item:
    universe = list(range(1, d.one_of(9, 11, 13)))
    a, b = sorted(d.sample(universe, 5)), sorted(d.sample(universe, 5))
    both = sorted(set(a) & set(b))
    either = sorted(set(a) | set(b))
    d.require(2 <= len(both) <= 3)
    operation, result, why = d.one_of(
        (r"A \cap B", both, "The intersection holds the elements that lie in both sets."),
        (r"A \cup B", either, "The union holds the elements that lie in at least one of the sets."),
        (r"A \cap B'", sorted(set(a) - set(b)), "These are the elements of $A$ that do not lie in $B$."),
        (
            r"(A \cup B)'",
            sorted(set(universe) - set(either)),
            "These are the elements in neither of the sets.",
        ),
    )
    d.require(bool(result))

    def braces(values: list[int]) -> str:
        return rf"\{{{', '.join(map(str, values))}\}}" if values else r"\varnothing"

    others = {
        braces(both): "Takes the intersection",
        braces(either): "Takes the union",
        braces(sorted(set(a) - set(b))): "Takes the elements of $A$ alone",
        braces(sorted(set(b) - set(a))): "Takes the elements of $B$ alone",
        braces(sorted(set(universe) - set(either))): "Takes the elements outside both sets",
    }
    return Item(
        ask=(
            (
                f"Let the universal set be ${braces(universe)}$, $A = {braces(a)}$ and $B = {braces(b)}$."
                f" List the elements of ${operation}$."
            ),
            (
                f"$A = {braces(a)}$ and $B = {braces(b)}$ are subsets of ${braces(universe)}$. Find"
                f" ${operation}$."
            ),
        ),
        answer=m(braces(result)),
        steps=(why, f"${operation} = {braces(result)}$"),
        wrong=tuple((m(text), reason) for text, reason in others.items() if text != braces(result)),
        choice=0.4,
    )


def addition_rule(d: Draw) -> Item:
    a, b, both = Fraction(d.whole(20, 65), 100), Fraction(d.whole(20, 65), 100), Fraction(d.whole(5, 30), 100)
    either = a + b - both
    d.require(both < a and both < b and either < 1 and a * b != both)
    wants_either = d.chance()
    given, wanted, value = (
        (rf"P(A \cap B) = {decimal(both)}", r"P(A \cup B)", either)
        if wants_either
        else (rf"P(A \cup B) = {decimal(either)}", r"P(A \cap B)", both)
    )
    return Item(
        ask=(
            f"$P(A) = {decimal(a)}$, $P(B) = {decimal(b)}$ and ${given}$. Find ${wanted}$.",
            (
                f"For two events, $P(A) = {decimal(a)}$, $P(B) = {decimal(b)}$ and ${given}$. What is"
                f" ${wanted}$?"
            ),
            f"If $P(A) = {decimal(a)}$, $P(B) = {decimal(b)}$ and ${given}$, then ${wanted} =$ ____.",
        ),
        answer=decimal(value),
        steps=(
            r"$P(A \cup B) = P(A) + P(B) - P(A \cap B)$",
            (
                f"${wanted} = {decimal(a)} + {decimal(b)} - {decimal(both if wants_either else either)} ="
                f" {decimal(value)}$"
            ),
        ),
        wrong=(
            (decimal(a + b), "Forgets to subtract the overlap"),
            (decimal(a * b), "Takes the events to be independent"),
            (decimal(abs(a - b)), "Subtracts the probabilities"),
            (decimal(1 - value), "Gives the probability of the opposite event"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("independent-both", "Independent events", 9, 0.2, independent_both),
    Pattern("same-colour-with", "Independent events", 9, 0.0, same_colour_with),
    Pattern("same-colour-without", "Selections without replacement", 10, 0.5, same_colour_without),
    Pattern("at-least-one-without", "Selections without replacement", 10, 1.2, at_least_one_without),
    Pattern("union-of-sets", "Sets and Venn diagrams", 8, 0.0, union_of_sets),
    Pattern("set-operations", "Sets and Venn diagrams", 9, -0.2, set_operations),
    Pattern("addition-rule", "Sets and Venn diagrams", 11, 0.0, addition_rule),
)
