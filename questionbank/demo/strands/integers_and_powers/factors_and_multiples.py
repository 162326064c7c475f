"""Integers and powers: factors and multiples."""

from __future__ import annotations

import math

from questionbank.demo.notation import m, power, prose
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw, Noun, listing

__all__ = ["PATTERNS"]

_PRIMES = [p for p in range(2, 120) if all(p % q for q in range(2, math.isqrt(p) + 1))]


def factorise(number: int) -> dict[int, int]:
    """Return the prime factors of a number up to 14,000 with their exponents."""
    exponents: dict[int, int] = {}
    for prime in _PRIMES:
        while number % prime == 0:
            exponents[prime] = exponents.get(prime, 0) + 1
            number //= prime
    return exponents


def factor_product(exponents: dict[int, int]) -> str:
    """Return a prime factorisation in index form."""
    return r" \times ".join(power(prime, exponent) for prime, exponent in sorted(exponents.items()))


def prime_factorisation(d: Draw) -> Item:
    exponents = {2: d.whole(1, 4), 3: d.whole(0, 3), 5: d.whole(0, 2), d.one_of(7, 11, 13): d.whole(0, 1)}
    exponents = {prime: exponent for prime, exponent in exponents.items() if exponent}
    number = math.prod(prime**exponent for prime, exponent in exponents.items())
    d.require(len(exponents) >= 2 and 24 <= number <= 2500 and sum(exponents.values()) >= 4)
    written_out = r" \times ".join(str(p) for p, e in sorted(exponents.items()) for _ in range(e))
    result = factor_product(exponents)
    largest = max(exponents)
    swapped = dict(exponents)
    swapped[2] += 1
    multiplied = math.prod(prime * exponent for prime, exponent in exponents.items())
    fewer = {prime: exponent for prime, exponent in exponents.items() if prime != largest}
    return Item(
        ask=(
            f"Write {number} as a product of its prime factors. Use index form.",
            f"Find the prime factorisation of {number}.",
            f"Express {number} as a product of powers of primes.",
            f"The prime factorisation of {number} in index form is ____.",
        ),
        answer=m(result),
        steps=(
            "Divide by the smallest prime that fits, again and again.",
            f"${number} = {written_out}$",
            f"In index form this is ${result}$.",
        ),
        wrong=(
            (m(factor_product(swapped)), "Counts one factor 2 too many"),
            (m(factor_product(fewer)), "Leaves out the largest prime factor"),
            (
                m(r" \times ".join(str(p * e) for p, e in sorted(exponents.items()))),
                "Leaves a factor that is not prime"
                if multiplied == number
                else "Multiplies the base by the exponent",
            ),
            (m(" + ".join(power(p, e) for p, e in sorted(exponents.items()))), "Adds the powers"),
        ),
        choice=0.4,
    )


def which_is_prime(d: Draw) -> Item:
    prime = d.one_of(*[p for p in _PRIMES if 40 < p < 110])
    lookalikes = d.sample([51, 57, 63, 69, 77, 81, 87, 91, 93, 99, 111, 117, 119], 3)
    numbers = sorted([prime, *lookalikes])
    divisors = {number: min(factorise(number)) for number in lookalikes}
    return Item(
        ask=(
            f"Which of the numbers {listing(list(map(str, numbers)))} is prime?",
            f"Exactly one of {listing(list(map(str, numbers)))} is a prime number. Which one?",
        ),
        answer=str(prime),
        steps=(
            *(
                f"${number} = {divisor} \\times {number // divisor}$ is not prime."
                for number, divisor in sorted(divisors.items())
            ),
            f"No prime up to $\\sqrt{{{prime}}}$ divides {prime}, so the prime number is {prime}.",
        ),
        wrong=tuple(
            (str(number), f"Overlooks that the number is divisible by {divisor}")
            for number, divisor in divisors.items()
        ),
        choice=0.8,
    )


def highest_common_factor(d: Draw) -> Item:
    common = d.one_of(6, 8, 9, 12, 14, 15, 18, 20, 24)
    s, t = d.several(2, 2, 9)
    d.require(math.gcd(s, t) == 1)
    a, b = common * s, common * t
    return Item(
        ask=(
            f"Find the highest common factor of {a} and {b}.",
            f"What is the greatest common divisor of {a} and {b}?",
            f"The largest whole number that divides both {a} and {b} is ____.",
        ),
        answer=str(common),
        steps=(
            f"${a} = {factor_product(factorise(a))}$",
            f"${b} = {factor_product(factorise(b))}$",
            (
                f"The common prime factors give ${factor_product(factorise(common))} = {common}$."
                if len(factorise(common)) + max(factorise(common).values()) > 2
                else f"The common prime factor is {common}."
            ),
        ),
        wrong=(
            (prose(common * s * t), "Gives the lowest common multiple"),
            (str(min(factorise(common))), "Gives the smallest common prime factor"),
            (str(common // min(factorise(common))), "Stops before all common factors are taken out"),
            (str(common * 2), "Gives a number that divides at most one of the two"),
        ),
    )


def equal_parcels(d: Draw) -> Item:
    common = d.one_of(4, 6, 8, 9, 12, 14, 15, 16, 18)
    s, t = d.several(2, 2, 7)
    d.require(math.gcd(s, t) == 1)
    a, b = common * s, common * t
    thing, second = d.one_of(
        (Noun("apple"), Noun("pear")),
        (Noun("pen"), Noun("ruler")),
        (Noun("red rose", "red roses"), Noun("white rose", "white roses")),
        (Noun("sandwich", "sandwiches"), Noun("muffin")),
    )
    maker = d.person()
    return Item(
        ask=(
            (
                f"{maker} has {thing(a)} and {second(b)} and makes identical parcels with nothing left over."
                " What is the largest number of parcels that can be made?"
            ),
            (
                f"{a} {thing} and {b} {second} are to be divided into as many identical sets as possible,"
                " using all of them. How many sets are there?"
            ),
        ),
        answer=str(common),
        steps=(
            (
                f"The number of parcels must divide both {a} and {b}; the largest such number is their"
                " highest common factor."
            ),
            (
                f"${a} = {common} \\times {s}$ and ${b} = {common} \\times {t}$, and {s} and {t} have no"
                " common factor."
            ),
            f"So there are {common} parcels, each with {thing(s)} and {second(t)}.",
        ),
    )


def lowest_common_multiple(d: Draw) -> Item:
    a, b = d.several(2, 6, 36)
    common = math.gcd(a, b)
    lcm = a * b // common
    d.require(common > 1 and lcm not in (a, b) and lcm <= 360)
    return Item(
        ask=(
            f"Find the lowest common multiple of {a} and {b}.",
            f"What is the smallest number that is a multiple of both {a} and {b}?",
            f"The least common multiple of {a} and {b} is ____.",
        ),
        answer=str(lcm),
        steps=(
            f"${a} = {factor_product(factorise(a))}$ and ${b} = {factor_product(factorise(b))}$.",
            f"Take every prime to its highest power: ${factor_product(factorise(lcm))} = {lcm}$.",
        ),
        wrong=(
            (str(a * b), "Multiplies the numbers although they have a common factor"),
            (str(common), "Gives the highest common factor"),
            (str(lcm * 2), "Gives a common multiple that is not the lowest"),
            (str(a + b), "Adds the numbers"),
        ),
    )


def meet_again(d: Draw) -> Item:
    a, b = d.several(2, 4, 30)
    common = math.gcd(a, b)
    lcm = a * b // common
    d.require(common > 1 and lcm not in (a, b) and 12 <= lcm <= 180)
    stories = d.one_of(
        (
            (
                f"Two buses leave the station together. One leaves every {a} minutes, the other every {b}"
                " minutes."
            ),
            "After how many minutes do they next leave together?",
        ),
        (
            (
                f"One lighthouse flashes every {a} seconds, another every {b} seconds. They have just flashed"
                " together."
            ),
            "How many seconds pass until they flash together again?",
        ),
        (
            (
                f"Two cyclists start together on a circuit. One needs {a} minutes for a lap, the other {b}"
                " minutes."
            ),
            "After how many minutes do they next pass the start together?",
        ),
    )
    return Item(
        ask=(" ".join(stories), f"{stories[0]} Both keep to their rhythm. {stories[1]}"),
        answer=str(lcm),
        steps=(
            f"We look for the lowest common multiple of {a} and {b}.",
            f"${a} = {factor_product(factorise(a))}$ and ${b} = {factor_product(factorise(b))}$.",
            f"The lowest common multiple is ${factor_product(factorise(lcm))} = {lcm}$.",
        ),
        wrong=(
            (str(a * b), "Multiplies the times although they have a common factor"),
            (str(common), "Gives the highest common factor"),
            (str(a + b), "Adds the times"),
        ),
        choice=0.3,
    )


def missing_digit(d: Draw) -> Item:
    divisor = d.one_of(3, 9)
    digits = [d.whole(1, 9), d.whole(0, 9), -1, d.whole(0, 9)]
    known = sum(digit for digit in digits if digit >= 0)
    fitting = [x for x in range(10) if (known + x) % divisor == 0]
    d.require(divisor == 3 or len(fitting) == 1)
    shown = "".join(r"\square" if digit < 0 else str(digit) for digit in digits).replace(
        r"\square", r"\,\square\,"
    )
    if divisor == 9:
        result = fitting[0]
        ask = (
            f"Which digit must replace the box so that ${shown}$ is divisible by 9?",
            f"The four-digit number ${shown}$ is a multiple of 9. Find the missing digit.",
        )
        last = (
            f"The digit sum ${known} + {result} = {known + result}$ is then a multiple of 9, so the digit is"
            f" {result}."
        )
        return Item(
            ask=ask, answer=str(result), steps=("A number is divisible by 9 when its digit sum is.", last)
        )
    total = ", ".join(map(str, fitting))
    return Item(
        ask=(
            f"Which digits can replace the box so that ${shown}$ is divisible by 3? Give all of them.",
            f"Find every digit that makes the four-digit number ${shown}$ a multiple of 3.",
        ),
        answer=total,
        steps=(
            "A number is divisible by 3 when its digit sum is.",
            f"The other digits add up to {known}.",
            f"The sum becomes a multiple of 3 for the digits {total}.",
        ),
    )


def how_many_factors(d: Draw) -> Item:
    exponents = {2: d.whole(1, 4), d.one_of(3, 5, 7): d.whole(1, 2)}
    if d.chance(0.4):
        exponents[d.one_of(11, 13)] = 1
    number = math.prod(prime**exponent for prime, exponent in exponents.items())
    d.require(number <= 1000)
    count = math.prod(exponent + 1 for exponent in exponents.values())
    product = r" \times ".join(f"({exponent} + 1)" for _, exponent in sorted(exponents.items()))
    return Item(
        ask=(
            f"How many factors does {number} have, counting 1 and {number} itself?",
            f"Use ${number} = {factor_product(exponents)}$ to find how many positive divisors {number} has.",
            f"Counting 1 and itself, the number {number} has ____ factors.",
        ),
        answer=str(count),
        steps=(
            f"${number} = {factor_product(exponents)}$",
            f"Each exponent can be chosen from 0 up to its value: ${product} = {count}$.",
        ),
        wrong=(
            (str(len(exponents)), "Counts only the different primes"),
            (str(sum(exponents.values())), "Adds the exponents"),
            (str(count - 2), "Leaves out 1 and the number itself"),
            (str(math.prod(exponents.values())), "Multiplies the exponents without adding one"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("prime-factorisation", "Prime numbers and prime factors", 6, -0.7, prime_factorisation),
    Pattern("which-is-prime", "Prime numbers and prime factors", 5, -0.2, which_is_prime),
    Pattern("how-many-factors", "Prime numbers and prime factors", 7, 1.4, how_many_factors),
    Pattern("highest-common-factor", "Highest common factor", 6, -0.8, highest_common_factor),
    Pattern("equal-parcels", "Highest common factor", 6, 0.5, equal_parcels),
    Pattern("lowest-common-multiple", "Lowest common multiple", 6, -0.5, lowest_common_multiple),
    Pattern("meet-again", "Lowest common multiple", 6, 0.3, meet_again),
    Pattern("missing-digit", "Divisibility", 6, 0.2, missing_digit),
)
