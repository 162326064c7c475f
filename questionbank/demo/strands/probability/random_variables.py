"""Probability: random variables."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import answer, decimal, frac, power, rounded, table, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def expected_value(d: Draw) -> Item:
    xs = sorted(d.several(d.one_of(3, 4), 0, 8)) if d.chance() else sorted(d.several(3, -4, 8))
    weights = [d.whole(1, 8) for _ in xs]
    d.require(sum(weights) in (10, 20))
    ps = [Fraction(w, sum(weights)) for w in weights]
    value = sum((x * p for x, p in zip(xs, ps, strict=True)), Fraction(0))
    plain = Fraction(sum(xs), len(xs))
    d.require(value != plain)
    shown = table(["x", *xs], ["P(X = x)", *(decimal(p) for p in ps)])
    products = " + ".join(
        f"{x if x >= 0 else f'({x})'} \\times {decimal(p)}" for x, p in zip(xs, ps, strict=True)
    )
    likely = xs[weights.index(max(weights))]
    return Item(
        ask=(
            f"Find the expected value of the random variable $X$.\n$${shown}$$",
            f"The table gives the distribution of $X$. What is $E(X)$?\n$${shown}$$",
        ),
        answer=answer(decimal(value)),
        steps=(f"$E(X) = {products}$", f"$E(X) = {decimal(value)}$"),
        wrong=(
            (
                answer(decimal(plain)) if (plain * 100).denominator == 1 else answer(rounded(plain, 2)),
                "Takes the mean without the probabilities",
            ),
            (answer(likely), "Gives the most likely value"),
            (answer(sum(xs)), "Adds the values"),
        ),
        choice=0.35,
    )


def fair_game(d: Draw) -> Item:
    sides = d.one_of(6, 8, 10)
    prize, hits = d.whole(3, 15), d.whole(1, 3)
    fee = d.whole(1, 5)
    value = Fraction(prize * hits, sides) - fee
    d.require(value != 0 and (value * 100).denominator == 1)
    numbers = {
        1: "the highest number",
        2: "one of the two highest numbers",
        3: "one of the three highest numbers",
    }[hits]
    shown = decimal(abs(value), 2)
    outcome = "gains" if value > 0 else "loses"
    who = d.person()
    return Item(
        ask=(
            (
                f"In a game with a fair {sides}-sided die one pays £{fee} and gets £{prize} back for"
                f" {numbers}. How much does a player gain or lose per game on average?"
                if sides != 6
                else (
                    f"In a game with a fair die one pays £{fee} and gets £{prize} back for {numbers}. How"
                    " much does a player gain or lose per game on average?"
                )
            ),
            (
                f"{who} pays £{fee} to roll a fair {sides}-sided die and wins £{prize} for {numbers}. What is"
                " the expected gain or loss per game?"
            ),
        ),
        answer=f"{'a gain' if value > 0 else 'a loss'} of £{shown}",
        steps=(
            (
                f"Expected prize: ${frac(hits, sides)} \\times {prize} ="
                f" {tex(Fraction(prize * hits, sides))}$ pounds."
            ),
            f"Minus the stake: ${tex(Fraction(prize * hits, sides))} - {fee} = {tex(value)}$.",
            f"On average a player {outcome} £{shown}: {'a gain' if value > 0 else 'a loss'} of £{shown}.",
        ),
        wrong=(
            (f"{'a loss' if value > 0 else 'a gain'} of £{shown}", "Has the wrong sign"),
            (
                (
                    f"a gain of £{decimal(Fraction(prize * hits, sides), 2)}"
                    if (Fraction(prize * hits * 100, sides)).denominator == 1
                    else "a gain of £1.00"
                ),
                "Forgets the stake",
            ),
            (f"a gain of £{decimal(Fraction(prize - fee), 2)}", "Ignores the probability"),
            ("neither a gain nor a loss", "Believes that a fair die makes the game fair"),
        ),
        choice=0.5,
    )


def six_places(value: Fraction) -> str:
    """Return a probability exactly where six decimal places suffice, rounded to six otherwise."""
    return decimal(value) if (value * 10**6).denominator == 1 else rounded(value, 6)


def binomial_probability(d: Draw) -> Item:
    n, k = d.whole(4, 8), d.whole(1, 4)
    p = d.one_of(
        Fraction(1, 2), Fraction(1, 4), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5), Fraction(3, 5)
    )
    d.require(k < n)
    value = math.comb(n, k) * p**k * (1 - p) ** (n - k)
    result = rounded(value, 4)
    scene = {
        Fraction(1, 2): (
            f"A fair coin is tossed {n} times. What is the probability of exactly {k}"
            f" head{'s' if k > 1 else ''}?"
        ),
        Fraction(1, 4): (
            f"Each of {n} questions has four options, one of them right, and a candidate guesses. What is the"
            f" probability of exactly {k} right answer{'s' if k > 1 else ''}?"
        ),
        Fraction(1, 5): (
            f"A spinner stops on green with probability 0.2. It is spun {n} times. What is the probability of"
            f" exactly {k} green result{'s' if k > 1 else ''}?"
        ),
        Fraction(3, 10): (
            f"A bus is late with probability 0.3. What is the probability that it is late on exactly {k} of"
            f" {n} independent days?"
        ),
        Fraction(2, 5): (
            f"A basketball player scores with probability 0.4. What is the probability of exactly {k}"
            f" hit{'s' if k > 1 else ''} in {n} throws?"
        ),
        Fraction(3, 5): (
            f"A seed comes up with probability 0.6. What is the probability that exactly {k} of {n} seeds"
            f" come{'s' if k == 1 else ''} up?"
        ),
    }[p]
    wrong_value = p**k * (1 - p) ** (n - k)
    return Item(
        ask=(f"{scene} Round to four decimal places.", f"{scene} Give it to four decimal places."),
        answer=result,
        steps=(
            rf"$P(X = {k}) = \binom{{{n}}}{{{k}}} \times {power(decimal(p), k)} "
            rf"\times {power(decimal(1 - p), n - k)}$",
            (
                rf"$\approx {math.comb(n, k)} \times {six_places(p**k)} \times"
                rf" {six_places((1 - p) ** (n - k))} \approx {result}$"
            ),
        ),
        wrong=(
            (rounded(wrong_value, 4), "Forgets the number of arrangements"),
            (rounded(math.comb(n, k) * p ** (n - k) * (1 - p) ** k, 4), "Swaps success and failure"),
            (
                rounded(math.comb(n, k) * p**k, 4) if math.comb(n, k) * p**k < 1 else rounded(p**k, 4),
                "Forgets the failures",
            ),
            (rounded(Fraction(k, n), 4), "Takes the share of successes for the probability"),
        ),
        choice=0.35,
    )


def binomial_moments(d: Draw) -> Item:
    n, p = (
        d.whole(2, 30) * 10,
        d.one_of(
            Fraction(1, 2),
            Fraction(1, 4),
            Fraction(1, 5),
            Fraction(3, 10),
            Fraction(2, 5),
            Fraction(1, 10),
            Fraction(4, 5),
        ),
    )
    mean, variance = n * p, n * p * (1 - p)
    wants_mean = d.chance(0.4)
    d.require((variance * 100).denominator == 1 and (not wants_mean or mean.denominator == 1))
    result = decimal(mean) if wants_mean else decimal(variance)
    what = "expected value" if wants_mean else "variance"
    deviation = rounded(math.sqrt(variance), 2)
    return Item(
        ask=(
            f"$X$ is binomially distributed with $n = {n}$ and $p = {decimal(p)}$. Find the {what} of $X$.",
            (
                f"A trial with probability of success {decimal(p)} is repeated {n} times independently. What"
                f" is the {what} of the number of successes?"
            ),
        ),
        answer=result,
        steps=(
            f"$E(X) = np = {n} \\times {decimal(p)} = {decimal(mean)}$",
            *(
                ()
                if wants_mean
                else (
                    (
                        f"The variance is $np(1 - p) = {decimal(mean)} \\times {decimal(1 - p)} ="
                        f" {decimal(variance)}$."
                    ),
                )
            ),
        ),
        wrong=(
            (
                decimal(variance if wants_mean else mean),
                f"Gives the {'variance' if wants_mean else 'expected value'}",
            ),
            (deviation, "Gives the standard deviation"),
            (decimal(n * (1 - p)), "Uses the probability of failure"),
            (decimal(n * p * p), "Squares the probability"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("expected-value", "Expected value", 11, -0.2, expected_value),
    Pattern("fair-game", "Expected value", 11, 0.7, fair_game),
    Pattern("binomial-probability", "Binomial distribution", 12, 0.5, binomial_probability),
    Pattern("binomial-moments", "Binomial distribution", 12, -0.3, binomial_moments),
)
