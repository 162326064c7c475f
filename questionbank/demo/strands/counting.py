"""Probability, second part: counting, conditional probability, random variables."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import answer, decimal, frac, m, prose, rounded, table, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, listing, word

__all__ = ["PATTERNS"]

_WORDS = {
    "LEVEL": (2, 2),
    "ALGEBRA": (2,),
    "BANANA": (3, 2),
    "NUMBER": (),
    "TRIANGLE": (),
    "PEPPER": (3, 2),
    "VECTOR": (),
    "COFFEE": (2, 2),
    "MATRIX": (),
    "STATISTICS": (3, 3, 2),
    "GRAPH": (),
    "ZERO": (),
    "LETTER": (2, 2),
    "ANGLE": (),
    "RADII": (2,),
    "MEDIAN": (),
    "SQUARE": (),
    "CIRCLE": (2,),
    "FUNCTION": (3,),
    "LIMIT": (2,),
    "DEGREE": (3,),
    "TANGENT": (2, 2),
    "COMMON": (2, 2),
    "SUMMIT": (2,),
}  # repeated letters


def arrange_letters(d: Draw) -> Item:
    text, repeats = d.one_of(*_WORDS.items())
    n = len(text)
    value = math.factorial(n) // math.prod(math.factorial(k) for k in repeats)
    shown = frac(f"{n}!", r" \times ".join(f"{k}!" for k in repeats)) if repeats else f"{n}!"
    repeated = (
        "All letters are different."
        if not repeats
        else f"There are {n} letters, and equal letters can be swapped without a change."
    )
    return Item(
        ask=(
            f"In how many different ways can the letters of the word {text} be arranged?",
            f"How many different rows of letters can be made from all letters of {text}?",
            f"Find the number of arrangements of the letters of {text}.",
        ),
        answer=prose(value),
        steps=(repeated, f"${shown} = {tex(value)}$"),
        wrong=(
            (
                prose(math.factorial(n)) if repeats else prose(n**2),
                "Counts arrangements that look the same" if repeats else "Squares the number of letters",
            ),
            (prose(math.factorial(n - 1)), "Leaves out one letter"),
            (prose(2**n), "Takes two choices for each letter"),
            (
                prose(math.factorial(n) // 2) if repeats != (2,) else prose(math.factorial(n) // 4),
                "Divides by the wrong number",
            ),
        ),
        choice=0.35,
    )


def podium(d: Draw) -> Item:
    n, k = d.whole(6, 14), d.one_of(2, 3, 3, 4)
    value = math.perm(n, k)
    roles = {2: "a chair and a deputy", 3: "a first, a second and a third prize", 4: "four different posts"}[
        k
    ]
    return Item(
        ask=(
            f"From {n} people, {roles} are to be chosen. Nobody can be chosen twice. In how many ways is this possible?"
            if k != 3
            else f"{n} people take part in a competition with a first, a second and a third prize. In how many ways can the prizes be won?",
            f"A club of {n} members has {word(k)} different tasks to give to {word(k)} different members. How many ways are there?",
        ),
        answer=prose(value),
        steps=(
            "The order matters, and nobody is chosen twice.",
            f"${product_of(n, k)} = {tex(value)}$",
        ),
        wrong=(
            (prose(math.comb(n, k)), "Ignores the order"),
            (prose(n**k), "Lets somebody be chosen twice"),
            (prose(n * k), "Multiplies the two numbers"),
        ),
        choice=0.4,
    )


def product_of(n: int, k: int) -> str:
    """Return ``n (n - 1) ...`` with k factors."""
    return r" \times ".join(str(n - i) for i in range(k))


def passwords(d: Draw) -> Item:
    letters, digits = d.one_of(1, 2, 2, 3), d.one_of(2, 3, 3)
    size = d.whole(4, 8)
    repeat = d.chance(0.6)
    value = (size**letters if repeat else math.perm(size, letters)) * (
        10**digits if repeat else math.perm(10, digits)
    )
    d.require(letters <= size)
    alphabet = "ABCDEFGH"[:size]
    rule = "may be repeated" if repeat else "must all be different"
    letter_word = f"{word(letters)} letter{'s' if letters > 1 else ''}"
    parts = [
        *([str(size if repeat else size - i) for i in range(letters)]),
        *([str(10 if repeat else 10 - i) for i in range(digits)]),
    ]
    other = (math.perm(size, letters) * math.perm(10, digits)) if repeat else size**letters * 10**digits
    return Item(
        ask=(
            f"A code consists of {letter_word} from {', '.join(alphabet)} followed by {word(digits)} digits. Letters and digits {rule}. How many codes are "
            "there?",
            f"A lock opens with {letter_word} (from {', '.join(alphabet)}) and then {word(digits)} digits, which {rule}. How many combinations does it have?"
            if repeat
            else f"Number plates have {letter_word} from {', '.join(alphabet)} and then {word(digits)} digits. All characters must be different. How many plates are "
            "possible?",
        ),
        answer=prose(value),
        steps=("Multiply the numbers of choices for each place.", f"${times(parts)} = {tex(value)}$"),
        wrong=(
            (prose(other), "Does not let characters repeat" if repeat else "Lets characters repeat"),
            (prose(size * letters + 10 * digits), "Adds the choices"),
            (
                prose(size * letters * 10 * digits),
                "Multiplies by the number of places instead of using powers",
            ),
        ),
        choice=0.35,
    )


def times(parts: list[str]) -> str:
    """Return a product."""
    return r" \times ".join(parts)


def choose_team(d: Draw) -> Item:
    n, k = d.whole(6, 14), d.one_of(2, 3, 3, 4)
    value = math.comb(n, k)
    what = d.one_of(
        (f"A coach picks {word(k)} of {n} players for a photo.", "In how many ways can they be picked?"),
        (
            f"From {n} toppings a customer chooses {word(k)} different ones for a pizza.",
            "How many choices are there?",
        ),
        (f"A committee of {word(k)} is chosen from {n} people.", "In how many ways is this possible?"),
        (
            f"A teacher selects {word(k)} of {n} problems for a quiz; their order does not matter.",
            "How many selections are there?",
        ),
    )
    return Item(
        ask=(
            " ".join(what),
            f"{what[0]} Nobody cares about the order. {what[1]}"
            if "order" not in what[0]
            else f"{what[0]} Find the number of possible selections.",
        ),
        answer=prose(value),
        steps=(
            "The order does not matter.",
            rf"$\binom{{{n}}}{{{k}}} = {frac(product_of(n, k), product_of(k, k) if k > 1 else '1')} = {tex(value)}$",
        ),
        wrong=(
            (prose(math.perm(n, k)), "Counts each selection in every order"),
            (prose(n**k), "Lets the same one be chosen twice"),
            (prose(n * k), "Multiplies the two numbers"),
        ),
        choice=0.4,
    )


def mixed_committee(d: Draw) -> Item:
    women, men = d.whole(4, 9), d.whole(4, 9)
    p, q = d.one_of((2, 1), (1, 2), (2, 2), (3, 1), (3, 2))
    value = math.comb(women, p) * math.comb(men, q)
    people = lambda k, one, many: f"{word(k)} {one if k == 1 else many}"
    group = f"{people(p, 'woman', 'women')} and {people(q, 'man', 'men')}"
    return Item(
        ask=(
            f"A group has {women} women and {men} men. In how many ways can a committee of {group} be chosen from it?",
            f"From {women} women and {men} men, {group} are to be selected for a jury. How many selections are possible?",
        ),
        answer=prose(value),
        steps=(
            rf"Women: $\binom{{{women}}}{{{p}}} = {math.comb(women, p)}$. Men: $\binom{{{men}}}{{{q}}} = {math.comb(men, q)}$.",
            f"${math.comb(women, p)} \\times {math.comb(men, q)} = {tex(value)}$",
        ),
        wrong=(
            (prose(math.comb(women, p) + math.comb(men, q)), "Adds the two numbers of ways"),
            (prose(math.comb(women + men, p + q)), "Ignores how many of each are needed"),
            (prose(math.perm(women, p) * math.perm(men, q)), "Counts each selection in every order"),
        ),
        choice=0.35,
    )


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
    text = lambda label: rf"\text{{{label}}}"
    shown = table(
        ["", *(text(label) for label in columns)],
        [text(rows[0]), *cells[0]],
        [text(rows[1]), *cells[1]],
    )
    known, asked = (rows[row], columns[column]) if given_row else (columns[column], rows[row])
    denominator = sum(cells[row]) if given_row else cells[0][column] + cells[1][column]
    return Item(
        ask=(
            f'The table sorts {a + b + c + e} answers. One answer is picked at random. Given that it belongs to "{known}", what is the probability that it '
            f'belongs to "{asked}"?\n$${shown}$$',
            f"From the answers in this table find $P(\\text{{{asked}}} \\mid \\text{{{known}}})$.\n$${shown}$$",
        ),
        answer=m(result),
        steps=(
            f'Only the {denominator} answers in "{known}" count.',
            f"$P = {frac(cells[row][column], denominator)}{'' if result.denominator == denominator else f' = {tex(result)}'}$",
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
            f"{die} is rolled. You are told that the result {known}. What is the probability that it {asked}?",
            f"{die} is rolled and the result {known}. Find the probability that it {asked}.",
        ),
        answer=m(value) if value.denominator > 1 else str(value),
        steps=(
            f"The possible results are {listing(list(map(str, space)))}.",
            f"Of these {len(space)}, {len(hits)} fit: $P = {frac(len(hits), len(space))}{'' if value.denominator == len(space) else f' = {tex(value)}'}$.",
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
    thing, found, tested = d.one_of(
        ("an allergy", "positive", "people"),
        ("a plant disease", "positive", "plants"),
        ("a production fault", "faulty", "parts"),
    )
    return Item(
        ask=(
            f"{prevalence}% of {tested} have {thing}. A test recognises it in {sensitivity}% of the cases, but it also reports {false_rate}% of the others as {found}. "
            f"One result is {found}. What is the probability, in per cent to one decimal place, that it is right?"
            if thing != "a production fault"
            else f"{prevalence}% of all parts from a machine have a fault. A check finds {sensitivity}% of the faulty parts and also reports {false_rate}% of the good "
            "ones. A part has been reported. What is the probability, in per cent to one decimal place, that it is really faulty?",
        ),
        answer=f"{result}%",
        steps=(
            f"Think of {prose(population)} {tested}: {ill} have it, and {true_positive} of them are reported.",
            f"Of the other {prose(population - ill)}, {false_positive} are reported by mistake.",
            f"${frac(true_positive, true_positive + false_positive)} \\approx {rounded(value, 3)}$, that is {result}%.",
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
            f"{a} provides {share}% of all {thing}, {b} the rest. From {a[0].lower() + a[1:]} {p}% are {fault}, from {b} {q}%. What percentage of all {thing} is {fault}?",
            f"{share}% of the {thing} come from {a[0].lower() + a[1:]} and the others from {b}; {p}% and {q}% of them are {fault}. Find the percentage of {thing} that are {fault} overall.",
        ),
        answer=f"{decimal(total * 100)}%",
        steps=(
            f"${decimal(Fraction(share, 100))} \\times {decimal(Fraction(p, 100))} + {decimal(Fraction(100 - share, 100))} \\times {decimal(Fraction(q, 100))} = {decimal(total)}$",
            f"That is {decimal(total * 100)}%.",
        ),
        wrong=(
            (f"{decimal(Fraction(p + q, 2))}%", "Takes the mean without the shares"),
            (f"{p + q}%", "Adds the percentages"),
            (f"{decimal(Fraction(share * q + (100 - share) * p, 100))}%", "Swaps the shares"),
        ),
        choice=0.4,
    )


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
            f"In a game with a fair {sides}-sided die one pays £{fee} and gets £{prize} back for {numbers}. How much does a player gain or lose per game on average?"
            if sides != 6
            else f"In a game with a fair die one pays £{fee} and gets £{prize} back for {numbers}. How much does a player gain or lose per game on average?",
            f"{who} pays £{fee} to roll a fair {sides}-sided die and wins £{prize} for {numbers}. What is the expected gain or loss per game?",
        ),
        answer=f"{'a gain' if value > 0 else 'a loss'} of £{shown}",
        steps=(
            f"Expected prize: ${frac(hits, sides)} \\times {prize} = {tex(Fraction(prize * hits, sides))}$ pounds.",
            f"Minus the stake: ${tex(Fraction(prize * hits, sides))} - {fee} = {tex(value)}$.",
            f"On average a player {outcome} £{shown}: {'a gain' if value > 0 else 'a loss'} of £{shown}.",
        ),
        wrong=(
            (f"{'a loss' if value > 0 else 'a gain'} of £{shown}", "Has the wrong sign"),
            (
                f"a gain of £{decimal(Fraction(prize * hits, sides), 2)}"
                if (Fraction(prize * hits * 100, sides)).denominator == 1
                else "a gain of £1.00",
                "Forgets the stake",
            ),
            (f"a gain of £{decimal(Fraction(prize - fee), 2)}", "Ignores the probability"),
            ("neither a gain nor a loss", "Believes that a fair die makes the game fair"),
        ),
        choice=0.5,
    )


def binomial_probability(d: Draw) -> Item:
    n, k = d.whole(4, 8), d.whole(1, 4)
    p = d.one_of(
        Fraction(1, 2), Fraction(1, 4), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5), Fraction(3, 5)
    )
    d.require(k < n)
    value = math.comb(n, k) * p**k * (1 - p) ** (n - k)
    result = rounded(value, 4)
    scene = {
        Fraction(
            1, 2
        ): f"A fair coin is tossed {n} times. What is the probability of exactly {k} head{'s' if k > 1 else ''}?",
        Fraction(
            1, 4
        ): f"Each of {n} questions has four options, one of them right, and a candidate guesses. What is the probability of exactly {k} right answer{'s' if k > 1 else ''}?",
        Fraction(
            1, 5
        ): f"A spinner stops on green with probability 0.2. It is spun {n} times. What is the probability of exactly {k} green result{'s' if k > 1 else ''}?",
        Fraction(
            3, 10
        ): f"A bus is late with probability 0.3. What is the probability that it is late on exactly {k} of {n} independent days?",
        Fraction(
            2, 5
        ): f"A basketball player scores with probability 0.4. What is the probability of exactly {k} hit{'s' if k > 1 else ''} in {n} throws?",
        Fraction(
            3, 5
        ): f"A seed comes up with probability 0.6. What is the probability that exactly {k} of {n} seeds come{'s' if k == 1 else ''} up?",
    }[p]
    wrong_value = p**k * (1 - p) ** (n - k)
    return Item(
        ask=(f"{scene} Round to four decimal places.", f"{scene} Give it to four decimal places."),
        answer=result,
        steps=(
            rf"$P(X = {k}) = \binom{{{n}}}{{{k}}} \times {decimal(p)}^{k} \times {decimal(1 - p)}^{n - k}$",
            rf"$\approx {math.comb(n, k)} \times {rounded(p**k, 5)} \times {rounded((1 - p) ** (n - k), 5)} \approx {result}$",
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
            f"A trial with probability of success {decimal(p)} is repeated {n} times independently. What is the {what} of the number of successes?",
        ),
        answer=result,
        steps=(
            f"$E(X) = np = {n} \\times {decimal(p)} = {decimal(mean)}$",
            *(
                ()
                if wants_mean
                else (
                    f"The variance is $np(1 - p) = {decimal(mean)} \\times {decimal(1 - p)} = {decimal(variance)}$.",
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
    Pattern("arrange-letters", "Arrangements", 10, 0.3, arrange_letters),
    Pattern("podium", "Arrangements", 10, 0.4, podium),
    Pattern("passwords", "Arrangements", 10, 0.3, passwords),
    Pattern("choose-team", "Combinations", 10, 0.4, choose_team),
    Pattern("mixed-committee", "Combinations", 11, 0.8, mixed_committee),
    Pattern("two-way-table", "Conditional probability from tables", 10, 0.4, two_way_table),
    Pattern("given-number-rolled", "Conditional probability from tables", 10, 0.6, given_number_rolled),
    Pattern("medical-test", "Total probability and Bayes", 11, 1.5, medical_test),
    Pattern("two-machines", "Total probability and Bayes", 11, 0.6, two_machines),
    Pattern("expected-value", "Expected value", 11, 0.2, expected_value),
    Pattern("fair-game", "Expected value", 11, 0.7, fair_game),
    Pattern("binomial-probability", "Binomial distribution", 12, 0.6, binomial_probability),
    Pattern("binomial-moments", "Binomial distribution", 12, 0.1, binomial_moments),
)
