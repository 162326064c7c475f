"""Shared parts of problem reversal in both languages: statements, numbers, reasons. Torch-free."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

_MOST_PLACES = 4
_LONGEST = 12


class NotReversibleError(ValueError):
    """The text cannot be reversed; the message is a reason that is counted."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or clause of a problem.

    Attributes:
        text: without its final punctuation.
        mark: the punctuation that ends it.
        start: its offset in the problem's text.
    """

    text: str
    mark: str
    start: int


def number_text(value: Fraction, language: str) -> str:
    """Format a number as problems write it: whole, as a short decimal, or in Chinese as Math23K's ``(2/3)``.

    >>> number_text(Fraction(5, 2), "en"), number_text(Fraction(2, 3), "zh")
    ('2.5', '(2/3)')

    Raises:
        NotReversibleError: it is negative, too long, or in English not a short decimal.
    """
    if value < 0:
        raise NotReversibleError("the answer is negative")
    if value >= 10**_LONGEST:
        raise NotReversibleError("the answer has too many digits")
    decimal = f"{float(value):.{_MOST_PLACES}f}".rstrip("0").rstrip(".")
    if Fraction(decimal) != value:
        if language != "zh" or value.denominator > 10_000:
            raise NotReversibleError("the answer has too many digits")
        decimal = f"({value.numerator}/{value.denominator})"
    if len(decimal) > _LONGEST:
        raise NotReversibleError("the answer has too many digits")
    return decimal
