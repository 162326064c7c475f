"""Integers and powers: factors and multiples, negative numbers, powers and roots."""

from __future__ import annotations

import math
from fractions import Fraction

from questionbank.demo.notation import (
    answer,
    braced,
    decimal,
    frac,
    m,
    plus,
    power,
    prose,
    root,
    standard_form,
    surd,
    tex,
)
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
    fewer = {prime: exponent for prime, exponent in exponents.items() if prime != largest}
    return Item(
        ask=(
            f"Write {number} as a product of its prime factors. Use index form.",
            f"Find the prime factorisation of {number}.",
            f"Express {number} as a product of powers of primes.",
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
                "Multiplies the base by the exponent",
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
            f"The common prime factors give ${factor_product(factorise(common))} = {common}$."
            if len(factorise(common)) + max(factorise(common).values()) > 2
            else f"The common prime factor is {common}.",
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
    thing, other = d.one_of(
        (Noun("apple"), Noun("pear")),
        (Noun("pen"), Noun("ruler")),
        (Noun("red rose", "red roses"), Noun("white rose", "white roses")),
        (Noun("sandwich", "sandwiches"), Noun("muffin")),
    )
    maker = d.person()
    return Item(
        ask=(
            f"{maker} has {thing(a)} and {other(b)} and makes identical parcels with nothing left over. What is the "
            "largest number of parcels that can be made?",
            f"{a} {thing} and {b} {other} are to be divided into as many identical sets as possible, using all of them. "
            "How many sets are there?",
        ),
        answer=str(common),
        steps=(
            f"The number of parcels must divide both {a} and {b}; the largest such number is their highest common "
            "factor.",
            f"${a} = {common} \\times {s}$ and ${b} = {common} \\times {t}$, and {s} and {t} have no common factor.",
            f"So there are {common} parcels, each with {thing(s)} and {other(t)}.",
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
            f"Two buses leave the station together. One leaves every {a} minutes, the other every {b} minutes.",
            "After how many minutes do they next leave together?",
        ),
        (
            f"One lighthouse flashes every {a} seconds, another every {b} seconds. They have just flashed together.",
            "How many seconds pass until they flash together again?",
        ),
        (
            f"Two cyclists start together on a circuit. One needs {a} minutes for a lap, the other {b} minutes.",
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
        last = f"The digit sum ${known} + {result} = {known + result}$ is then a multiple of 9, so the digit is {result}."
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
            f"In {city} it was {start_text} °C in the {'morning' if rising else 'evening'}. The temperature had {verb} by {change} degrees "
            f"{when}. What was the temperature then, in °C?",
            f"A thermometer in {city} shows {start_text} °C. The temperature then {'rises' if rising else 'falls'} by "
            f"{change} degrees. What does the thermometer show, in °C?",
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
        shown, result, other = rf"{a} \times {braced(b)}", a * b, a + b
    else:
        shown, result, other = rf"{a * b} \div {braced(b)}", a, a * b - b
    return Item(
        ask=(f"Calculate ${shown}$.", f"Work out ${shown}$.", f"${shown} =$ ____"),
        answer=answer(result),
        steps=(
            "Equal signs give a positive result, different signs a negative one.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (answer(-result), "Uses the wrong sign rule"),
            (answer(other), "Adds or subtracts instead"),
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
        shown, result = rf"-{b}^2 + {c} \times ({a})", -b * b + c * a
        steps = (
            f"The square belongs to {b} alone: $-{b}^2 = {-b * b}$.",
            f"${c} \\times ({a}) = {c * a}$, so the value is ${-b * b} + {c * a} = {result}$.",
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


def index_law(d: Draw) -> Item:
    base = d.one_of("a", "x", "y", "p", "2", "3", "5", "7")
    p, q = d.several(2, 2, 9)
    kind = d.one_of("multiply", "divide", "power")
    if kind == "multiply":
        shown, result, wrong = rf"{power(base, p)} \times {power(base, q)}", p + q, p * q
        rule = f"To multiply powers of one base, add the exponents: ${p} + {q} = {p + q}$."
        mistake = "Multiplies the exponents instead of adding them"
    elif kind == "divide":
        p, q = max(p, q) + 3, min(p, q)
        shown, result, wrong = rf"{power(base, p)} \div {power(base, q)}", p - q, p + q
        rule = f"To divide powers of one base, subtract the exponents: ${p} - {q} = {p - q}$."
        mistake = "Adds the exponents instead of subtracting them"
    else:
        shown, result, wrong = rf"\left({power(base, p)}\right)^{q}", p * q, p + q
        rule = f"To raise a power to a power, multiply the exponents: ${p} \\times {q} = {p * q}$."
        mistake = "Adds the exponents instead of multiplying them"
    d.require(wrong != result)
    return Item(
        ask=(
            f"Write ${shown}$ as a single power of ${base}$.",
            f"Simplify ${shown}$. Give your answer as a power of ${base}$.",
            f"Which power of ${base}$ equals ${shown}$?",
        ),
        answer=m(power(base, result)),
        steps=(rule, f"${shown} = {power(base, result)}$"),
        wrong=(
            (m(power(base, wrong)), mistake),
            (m(power(base, result + 1)), "Makes a slip of one in the exponent"),
            (m(power(base, abs(p - q))), "Subtracts the exponents"),
            (
                m(f"{result}{base}") if not base.isdigit() else m(power(str(int(base) ** 2), result)),
                "Turns the power into a product" if not base.isdigit() else "Multiplies the bases too",
            ),
        ),
    )


def fractional_index(d: Draw) -> Item:
    bottom = d.one_of(2, 3)
    foot = d.whole(2, 9) if bottom == 2 else d.whole(2, 5)
    top = d.whole(1, 3)
    d.require(top % bottom != 0 and foot**top <= 1000)
    base = foot**bottom
    negative = d.chance()
    exponent = Fraction(-top if negative else top, bottom)
    value = Fraction(foot) ** (-top if negative else top)
    rooted = root(base, bottom)
    middle = (
        rf"\left({rooted}\right)^{top} = {power(foot, top)} = {foot**top}"
        if top > 1
        else f"{rooted} = {foot}"
    )
    steps = [f"The denominator {bottom} means the {'square' if bottom == 2 else 'cube'} root: ${middle}$."]
    if negative:
        steps.append(f"The negative exponent means the reciprocal: ${frac(1, foot**top)}$.")
    shown = power(base, exponent)
    return Item(
        ask=(
            f"Find the value of ${shown}$.",
            f"Evaluate ${shown}$.",
            f"Work out ${shown}$ without a calculator. Give an integer or a fraction.",
        ),
        answer=answer(value),
        steps=tuple([*steps, f"So ${shown} = {tex(value)}$."]),
        wrong=(
            (answer(base * exponent), "Multiplies the base by the exponent"),
            (
                answer(-value if negative else 1 / value),
                "Confuses a negative exponent with a negative number",
            ),
            (answer(1 / value), "Turns the fraction the wrong way round"),
            (answer(Fraction(base) ** top), "Ignores the root"),
        ),
        choice=0.4,
    )


def simplify_surd(d: Draw) -> Item:
    square, inside = d.whole(2, 9), d.one_of(2, 3, 5, 6, 7, 10, 11)
    radicand = square * square * inside
    d.require(radicand <= 500)
    return Item(
        ask=(
            f"Simplify ${root(radicand)}$.",
            f"Write ${root(radicand)}$ in the form $a\\sqrt{{b}}$, where $b$ is as small as possible.",
            f"Express ${root(radicand)}$ as a surd in its simplest form.",
        ),
        answer=m(surd(1, radicand)),
        steps=(
            f"The largest square factor of {radicand} is {square * square}: "
            f"${radicand} = {square * square} \\times {inside}$.",
            f"${root(radicand)} = {root(square * square)} \\times {root(inside)} = {surd(1, radicand)}$",
        ),
        wrong=(
            (m(f"{square * square}{root(inside)}"), "Takes the square factor out without its root"),
            (m(f"{inside}{root(square)}"), "Swaps the factor outside and the number under the root"),
            (m(f"{square}{root(radicand // square)}"), "Takes a factor out but divides by it only once"),
        ),
        choice=0.4,
    )


def add_surds(d: Draw) -> Item:
    inside = d.one_of(2, 3, 5, 6, 7)
    s, t = d.several(2, 2, 6)
    p = d.whole(1, 4)
    total = p * s + t
    first = surd_raw(p, s * s * inside)
    second = root(t * t * inside)
    return Item(
        ask=(
            f"Simplify ${first} + {second}$.",
            f"Write ${first} + {second}$ as a single surd.",
            f"Express ${first} + {second}$ in the form $k\\sqrt{{{inside}}}$.",
        ),
        answer=m(surd(total, inside)),
        steps=(
            f"${first} = {surd(p * s, inside)}$ and ${second} = {surd(t, inside)}$.",
            f"${surd(p * s, inside)} + {surd(t, inside)} = {surd(total, inside)}$",
        ),
        wrong=(
            (m(surd_raw(p, (s * s + t * t) * inside)), "Adds the numbers under the roots"),
            (m(surd_raw(total, 2 * inside)), "Adds the numbers under the roots after simplifying"),
            (m(surd_raw(p * s * t, inside)), "Multiplies the coefficients"),
            (m(surd_raw(p + t, inside)), "Does not simplify the first surd"),
        ),
        choice=0.4,
    )


def surd_raw(coefficient: int, radicand: int) -> str:
    """Return a surd that is left unsimplified."""
    return root(radicand) if coefficient == 1 else f"{coefficient}{root(radicand)}"


def rationalise(d: Draw) -> Item:
    b, k, c = d.one_of(2, 3, 5, 6, 7), d.whole(2, 9), d.whole(2, 6)
    simple = d.chance()
    if simple:
        top = b * k
        return Item(
            ask=(
                f"Rationalise the denominator of ${frac(top, root(b))}$ and simplify.",
                f"Write ${frac(top, root(b))}$ without a root in the denominator.",
            ),
            answer=m(surd(k, b)),
            steps=(
                f"Multiply top and bottom by ${root(b)}$: ${frac(f'{top}{root(b)}', b)}$.",
                f"Cancel: ${surd(k, b)}$.",
            ),
        )
    d.require(c * c > b)
    bottom = c * c - b
    top = bottom * k
    return Item(
        ask=(
            f"Rationalise the denominator of ${frac(top, f'{c} - {root(b)}')}$.",
            f"Write ${frac(top, f'{c} - {root(b)}')}$ in the form $p + q\\sqrt{{{b}}}$ with integers $p$ and $q$.",
        ),
        answer=m(f"{k * c} + {surd(k, b)}"),
        steps=(
            f"Multiply top and bottom by ${c} + {root(b)}$.",
            f"The denominator becomes ${c}^2 - {b} = {bottom}$.",
            f"${frac(f'{top}({c} + {root(b)})', bottom)} = {k}({c} + {root(b)}) = {k * c} + {surd(k, b)}$"
            if bottom > 1
            else f"${k}({c} + {root(b)}) = {k * c} + {surd(k, b)}$",
        ),
    )


def to_standard_form(d: Draw) -> Item:
    digits, exponent = d.whole(11, 989), d.whole(-6, 8, but=(-1, 0, 1, 2))
    d.require(digits % 10 != 0)
    mantissa = Fraction(digits, 10 if digits < 100 else 100)
    number = mantissa * Fraction(10) ** exponent
    shown = tex(int(number)) if number.denominator == 1 else decimal(number)
    result = standard_form(mantissa, exponent)
    return Item(
        ask=(
            f"Write ${shown}$ in standard form.",
            f"Express ${shown}$ in the form $a \\times 10^n$, where $1 \\le a < 10$ and $n$ is an integer.",
            f"A calculator shows ${shown}$. Write this number in scientific notation.",
        ),
        answer=m(result),
        steps=(
            f"The factor between 1 and 10 is {decimal(mantissa)}.",
            f"The decimal point moves {abs(exponent)} places to the {'left' if exponent > 0 else 'right'}, so the "
            f"exponent is ${exponent}$.",
            f"${shown} = {result}$",
        ),
        wrong=(
            (m(standard_form(mantissa, -exponent)), "Uses the wrong sign for the exponent"),
            (m(standard_form(mantissa * 10, exponent - 1)), "Leaves a factor that is not below 10"),
            (
                m(standard_form(mantissa, exponent + (1 if exponent > 0 else -1))),
                "Counts all the digits or zeros",
            ),
            (m(standard_form(mantissa / 10, exponent + 1)), "Leaves a factor below 1"),
        ),
        choice=0.5,
    )


def multiply_standard_form(d: Draw) -> Item:
    a, b = Fraction(d.whole(12, 80), 10), Fraction(d.whole(2, 9))
    p, q = d.whole(3, 9), d.whole(-7, -2) if d.chance() else d.whole(2, 8)
    product = a * b
    shift = 1 if product >= 10 else 0
    mantissa, exponent = product / 10**shift, p + q + shift
    d.require(exponent not in (0, 1) and p + q not in (0, 1) and mantissa != 10)
    result = standard_form(mantissa, exponent)
    shown = rf"({standard_form(a, p)}) \times ({standard_form(b, q)})"
    last = f"So the product is ${result}$."
    return Item(
        ask=(
            f"Work out ${shown}$. Give your answer in standard form.",
            f"Calculate ${shown}$ and write the result in scientific notation.",
        ),
        answer=m(result),
        steps=(
            f"Multiply the factors: ${decimal(a)} \\times {decimal(b)} = {decimal(product)}$.",
            f"Add the exponents: ${p} {plus(q)} = {p + q}$.",
            f"${standard_form(product, p + q)} = {result}$" if shift else last,
        ),
        wrong=(
            (m(standard_form(mantissa, p * q)), "Multiplies the exponents"),
            (
                m(standard_form(product, p + q)) if shift else m(standard_form(product, p + q + 1)),
                "Does not bring the factor between 1 and 10"
                if shift
                else "Makes a slip of one in the exponent",
            ),
            (m(standard_form(a + b, p + q)), "Adds the factors"),
            (m(standard_form(mantissa, p + q - shift)), "Moves the decimal point the wrong way"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("prime-factorisation", "Prime numbers and prime factors", 6, -0.1, prime_factorisation),
    Pattern("which-is-prime", "Prime numbers and prime factors", 5, 0.2, which_is_prime),
    Pattern("how-many-factors", "Prime numbers and prime factors", 7, 1.1, how_many_factors),
    Pattern("highest-common-factor", "Highest common factor", 6, -0.2, highest_common_factor),
    Pattern("equal-parcels", "Highest common factor", 6, 0.6, equal_parcels),
    Pattern("lowest-common-multiple", "Lowest common multiple", 6, 0.0, lowest_common_multiple),
    Pattern("meet-again", "Lowest common multiple", 6, 0.5, meet_again),
    Pattern("missing-digit", "Divisibility", 6, 0.4, missing_digit),
    Pattern("negative-sum", "Adding and subtracting negatives", 6, -0.4, negative_sum),
    Pattern("temperature-change", "Adding and subtracting negatives", 6, -0.8, temperature_change),
    Pattern("negative-product", "Multiplying and dividing negatives", 7, -0.7, negative_product),
    Pattern("negative-expression", "Multiplying and dividing negatives", 7, 0.4, negative_expression),
    Pattern("index-law", "Index laws", 8, -0.4, index_law),
    Pattern("fractional-index", "Index laws", 10, 0.9, fractional_index),
    Pattern("simplify-surd", "Surds", 9, -0.2, simplify_surd),
    Pattern("add-surds", "Surds", 10, 0.6, add_surds),
    Pattern("rationalise", "Surds", 10, 1.1, rationalise),
    Pattern("to-standard-form", "Standard form", 8, -0.3, to_standard_form),
    Pattern("multiply-standard-form", "Standard form", 9, 0.6, multiply_standard_form),
)
