"""Mathematics as tidy LaTeX: numbers, fractions, surds, polynomials, matrices, tables.

Every function returns LaTeX without dollar signs, except `m`, which wraps it for use in a sentence. None of them writes
``1x``, ``+ -3``, ``x^{1}`` or an unsimplified fraction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

__all__ = [
    "Number",
    "answer",
    "braced",
    "cases",
    "column",
    "decimal",
    "degrees",
    "determinant",
    "frac",
    "line_equation",
    "m",
    "matrix",
    "mixed",
    "money",
    "percent",
    "pi_times",
    "plus",
    "poly",
    "power",
    "prose",
    "quantity",
    "root",
    "rounded",
    "short_decimal",
    "signed_sum",
    "standard_form",
    "superscript",
    "surd",
    "table",
    "term",
    "tex",
]

Number = int | Fraction

_LARGE = 10_000  # from here on digits are grouped in threes


def tex(value: Number | str) -> str:
    r"""Return a number as LaTeX; a string is taken to be LaTeX already.

    >>> tex(-3), tex(12345), tex(Fraction(-6, 8))
    ('-3', '12\\,345', '-\\frac{3}{4}')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) or value.denominator == 1:
        number = int(value)
        return f"{number:,}".replace(",", r"\,") if abs(number) >= _LARGE else str(number)
    return frac(value.numerator, value.denominator)


def m(value: Number | str) -> str:
    """Return `value` as a formula inside a sentence."""
    return f"${tex(value)}$"


def prose(value: int) -> str:
    """Return a whole number as it stands in a sentence, with commas from 10,000 on."""
    return f"{value:,}" if abs(value) >= _LARGE else str(value)


def answer(value: Number | str) -> str:
    """Return a number as an answer: a natural number plain, a decimal string plain, anything else as a formula."""
    if isinstance(value, str):
        return value if value.replace(".", "", 1).isdigit() else f"${value}$"
    if value.denominator == 1 and value >= 0:
        return prose(int(value))
    return m(value)


def frac(top: Number | str, bottom: Number | str) -> str:
    """Return a fraction exactly as given, unsimplified; the sign of a negative numerator stands in front."""
    if not isinstance(top, str) and top < 0:
        return f"-{frac(-top, bottom)}"
    return rf"\frac{{{tex(top)}}}{{{tex(bottom)}}}"


def mixed(value: Fraction) -> str:
    r"""Return a fraction as a mixed number.

    >>> mixed(Fraction(11, 4)), mixed(Fraction(-7, 3)), mixed(Fraction(2, 3))
    ('2\\frac{3}{4}', '-2\\frac{1}{3}', '\\frac{2}{3}')
    """
    whole, rest = divmod(abs(value.numerator), value.denominator)
    sign = "-" if value < 0 else ""
    if rest == 0:
        return f"{sign}{tex(whole)}"
    return f"{sign}{whole or ''}{frac(rest, value.denominator)}"


def decimal(value: Number, places: int | None = None) -> str:
    """Return a terminating decimal without trailing zeros, or with exactly `places` digits after the point.

    Raises:
        ValueError: the value has no finite decimal (or none with so few places).
    """
    scaled = Fraction(value)
    digits = 0
    while scaled.denominator != 1:
        scaled *= 10
        digits += 1
        if digits > 12:
            raise ValueError(f"{value} has no finite decimal")
    if places is not None:
        if digits > places:
            raise ValueError(f"{value} needs more than {places} places")
        digits = places
    return f"{Decimal(Fraction(value).numerator) / Decimal(Fraction(value).denominator):.{digits}f}"


def rounded(value: float | Fraction, places: int) -> str:
    """Return `value` rounded half up to `places` digits after the point, trailing zeros kept.

    A float is first cut to 12 significant decimals, so that 0.125 computed as 0.12499999999999999 rounds up too.
    """
    if isinstance(value, Fraction):
        exact = Decimal(value.numerator) / Decimal(value.denominator)
    else:
        exact = Decimal(f"{value:.12f}")
    shown = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return f"{shown if shown else abs(shown):f}"


def money(value: Number, sign: str = "£") -> str:
    """Return an amount of money: pounds alone where there are no pence."""
    return f"{sign}{prose(int(value))}" if Fraction(value).denominator == 1 else f"{sign}{decimal(value, 2)}"


def percent(value: Number) -> str:
    """Return a percentage as it stands in a formula."""
    return rf"{decimal(value)}\%"


def quantity(value: Number | str, unit: str, exponent: int = 1) -> str:
    r"""Return a measured quantity in a sentence; squared and cubed units need a formula.

    >>> quantity(12, "cm"), quantity(12, "cm", 2), quantity("7.5", "m", 3)
    ('12 cm', '$12\\,\\text{cm}^2$', '$7.5\\,\\text{m}^3$')
    """
    if exponent == 1:
        shown = value if isinstance(value, str) else prose(value) if isinstance(value, int) else m(value)
        return f"{shown} {unit}"
    return rf"${tex(value)}\,\text{{{unit}}}^{exponent}$"


def braced(value: Number | str) -> str:
    """Return a number, in parentheses where it is negative, to stand after an operator."""
    shown = tex(value)
    if not shown.startswith("-"):
        return shown
    return rf"\left({shown}\right)" if r"\frac" in shown else f"({shown})"


def plus(value: Number) -> str:
    """Return a number with its sign as it continues a sum: ``+ 3`` or ``- 3``."""
    return f"- {tex(-value)}" if value < 0 else f"+ {tex(value)}"


def superscript(exponent: Number | str) -> str:
    """Return ``^2``, ``^{-1}``, ``^{10}``: braces only where they are needed."""
    shown = tex(exponent)
    return f"^{shown}" if len(shown) == 1 else f"^{{{shown}}}"


def power(base: Number | str, exponent: Number | str) -> str:
    """Return a power; an exponent of 1 is not written, a negative or fractional base is bracketed."""
    shown = tex(base)
    if shown.startswith("-") or r"\frac" in shown:
        shown = rf"\left({shown}\right)" if r"\frac" in shown else f"({shown})"
    return shown if exponent == 1 else f"{shown}{superscript(exponent)}"


def term(coefficient: Number, monomial: str = "") -> str:
    """Return one term of a sum: ``x``, ``-x``, ``3x``, or the number alone without a monomial."""
    if not monomial or coefficient == 0:
        return tex(coefficient)
    if abs(coefficient) == 1:
        return monomial if coefficient > 0 else f"-{monomial}"
    return f"{tex(coefficient)}{monomial}"


def signed_sum(terms: Sequence[str]) -> str:
    """Join terms into a sum; a term that begins with a minus sign is subtracted, a term ``0`` left out."""
    result = ""
    for shown in terms:
        if shown == "0":
            continue
        if not result:
            result = shown
        elif shown.startswith("-"):
            result += f" - {shown[1:]}"
        else:
            result += f" + {shown}"
    return result or "0"


def poly(coefficients: Sequence[Number], variable: str = "x") -> str:
    """Return a polynomial from its coefficients, highest power first.

    >>> poly([1, -1, 0, 3]), poly([-2, 5], "t"), poly([0, 0])
    ('x^3 - x^2 + 3', '-2t + 5', '0')
    """
    degree = len(coefficients) - 1
    return signed_sum(
        [
            term(coefficient, power(variable, degree - i) if degree > i else "")
            for i, coefficient in enumerate(coefficients)
        ]
    )


def root(radicand: Number | str, index: int = 2) -> str:
    """Return a root exactly as given."""
    return rf"\sqrt{{{tex(radicand)}}}" if index == 2 else rf"\sqrt[{index}]{{{tex(radicand)}}}"


def surd(coefficient: Number, radicand: int) -> str:
    r"""Return `coefficient` times the square root of `radicand` in simplest form.

    >>> surd(2, 12), surd(-1, 5), surd(3, 16)
    ('4\\sqrt{3}', '-\\sqrt{5}', '12')
    """
    outside, inside = 1, radicand
    for factor in range(math.isqrt(radicand), 1, -1):
        if inside % (factor * factor) == 0:
            inside //= factor * factor
            outside *= factor
            break
    total = coefficient * outside
    return tex(total) if inside == 1 or total == 0 else term(total, root(inside))


def standard_form(mantissa: Fraction, exponent: int) -> str:
    """Return ``a times 10 to the n``, the mantissa as a decimal."""
    return rf"{decimal(mantissa)} \times 10{superscript(exponent)}"


def cases(*equations: str) -> str:
    """Return a system of equations under one brace."""
    return r"\begin{cases} " + r" \\ ".join(equations) + r" \end{cases}"


def matrix(rows: Sequence[Sequence[Number | str]]) -> str:
    """Return a matrix in round brackets."""
    body = r" \\ ".join(" & ".join(tex(entry) for entry in row) for row in rows)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"


def determinant(rows: Sequence[Sequence[Number | str]]) -> str:
    """Return a determinant between bars."""
    return matrix(rows).replace("pmatrix", "vmatrix")


def column(*entries: Number | str) -> str:
    """Return a column vector."""
    return matrix([[entry] for entry in entries])


def table(*rows: Sequence[Number | str]) -> str:
    """Return a ruled table; the first column holds the headings, given as LaTeX."""
    body = " ".join(" & ".join(tex(entry) for entry in row).strip() + r" \\ \hline" for row in rows)
    return rf"\begin{{array}}{{|{'c|' * len(rows[0])}}} \hline {body} \end{{array}}"


def line_equation(gradient: Number, intercept: Number) -> str:
    """Return ``y = mx + c``."""
    return f"y = {poly([gradient, intercept])}"


def degrees(value: Number | str) -> str:
    """Return an angle, already as a formula in a sentence."""
    return f"${tex(value)}^\\circ$"


def pi_times(coefficient: Fraction) -> str:
    """Return a multiple of pi."""
    if coefficient == 1:
        return r"\pi"
    if coefficient.denominator == 1:
        return rf"{coefficient.numerator}\pi"
    top = r"\pi" if coefficient.numerator == 1 else rf"{coefficient.numerator}\pi"
    return frac(top, coefficient.denominator)


def short_decimal(value: Fraction) -> str:
    """Return a decimal if it ends after two places at most, otherwise one rounded to two places."""
    return decimal(value) if (value * 100).denominator == 1 else rounded(value, 2)
