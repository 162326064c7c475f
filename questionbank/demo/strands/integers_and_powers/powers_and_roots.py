"""Integers and powers: powers and roots."""

from __future__ import annotations

from fractions import Fraction

from questionbank.demo.notation import answer, decimal, frac, m, plus, power, root, standard_form, surd, tex
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


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
            f"As a single power of ${base}$, ${shown} =$ ____.",
        ),
        answer=m(power(base, result)),
        steps=(rule, f"${shown} = {power(base, result)}$"),
        wrong=(
            (m(power(base, wrong)), mistake),
            (m(power(base, result + 1)), "Makes a slip of one in the exponent"),
            (m(power(base, abs(p - q))), "Subtracts the exponents"),
            (m(f"{result}{base}"), "Turns the power into a product")
            if not base.isdigit()
            else (m(power(base, result - 1)), "Loses one factor"),
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
        effort=0.5 * (top > 1) + 0.6 * negative,
        answer=answer(value),
        steps=(*steps, f"So ${shown} = {tex(value)}$."),
        wrong=(
            (answer(base * exponent), "Multiplies the base by the exponent"),
            (answer(1 / value), "Has the wrong sign of the exponent"),
            (answer(-value), "Takes the value to be negative"),
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
            f"In simplest form, ${root(radicand)} =$ ____.",
        ),
        answer=m(surd(1, radicand)),
        steps=(
            (
                f"The largest square factor of {radicand} is {square * square}: "
                f"${radicand} = {square * square} \\times {inside}$."
            ),
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
    d.require(p * p * (s * s + t * t) != total * total)
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
    b, k, c = d.one_of(2, 3, 5, 6, 7), d.whole(2, 7), d.whole(2, 5)
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
            (
                f"Write ${frac(top, f'{c} - {root(b)}')}$ in the form $p + q\\sqrt{{{b}}}$ with integers $p$"
                " and $q$."
            ),
        ),
        answer=m(f"{k * c} + {surd(k, b)}"),
        steps=(
            f"Multiply top and bottom by ${c} + {root(b)}$.",
            f"The denominator becomes ${c}^2 - {b} = {bottom}$.",
            (
                f"${frac(f'{top}({c} + {root(b)})', bottom)} = {k}({c} + {root(b)}) = {k * c} + {surd(k, b)}$"
                if bottom > 1
                else f"${k}({c} + {root(b)}) = {k * c} + {surd(k, b)}$"
            ),
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
            f"In standard form, ${shown}$ is ____.",
        ),
        answer=m(result),
        steps=(
            f"The factor between 1 and 10 is {decimal(mantissa)}.",
            (
                f"The decimal point moves {abs(exponent)} places to the"
                f" {'left' if exponent > 0 else 'right'}, so the exponent is ${exponent}$."
            ),
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
                (
                    "Does not bring the factor between 1 and 10"
                    if shift
                    else "Makes a slip of one in the exponent"
                ),
            ),
            (m(standard_form(a + b, p + q)), "Adds the factors"),
            (m(standard_form(mantissa, p + q - shift)), "Moves the decimal point the wrong way"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("index-law", "Index laws", 8, -1.2, index_law),
    Pattern("fractional-index", "Index laws", 10, 1.0, fractional_index),
    Pattern("simplify-surd", "Surds", 9, -0.8, simplify_surd),
    Pattern("add-surds", "Surds", 10, 0.5, add_surds),
    Pattern("rationalise", "Surds", 10, 1.4, rationalise),
    Pattern("to-standard-form", "Standard form", 8, -1.0, to_standard_form),
    Pattern("multiply-standard-form", "Standard form", 9, 0.5, multiply_standard_form),
)
