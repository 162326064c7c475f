"""The number slots of a word problem: which numbers a solution may use, and where they stand in the text.

Equations and texts do not always agree on what a number is. A text says ``20 %``; one set's equations say 1/5 and
another's 20. A text says ``2 / 3`` or ``1 dozen``; an equation has 2 and 3, or 1. So a number may have several slots
at the same place, one for each reading, and the model chooses between them as it chooses between numbers. Torch-free.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from analytics.text.numbers import NumberMention, find_numbers

__all__ = ["READINGS", "NumberSlot", "number_slots"]

READINGS = ("value", "digits")
"""``value``: what the text means, per cents and scales applied; ``digits``: the digits alone."""

_DIGITS = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")


@dataclass(frozen=True, slots=True)
class NumberSlot:
    """One reading of a number of the text.

    Attributes:
        start, end: the characters of the number in the text.
        value: what it is worth under this reading.
        reading: one of `READINGS`.
    """

    start: int
    end: int
    value: Fraction
    reading: str = "value"


def number_slots(text: str) -> list[NumberSlot]:
    """Return the slots of a text, ``N0`` first, in the order of the numbers.

    >>> [(str(slot.value), slot.reading) for slot in number_slots("20% of 3 pens")]
    [('1/5', 'value'), ('20', 'digits'), ('3', 'value')]
    >>> [str(slot.value) for slot in number_slots("He ate 2 / 3 of 1 dozen eggs.")]
    ['2/3', '2', '3', '12', '1']
    """
    return [slot for mention in find_numbers(text) for slot in _readings(mention)]


def _readings(mention: NumberMention) -> Iterator[NumberSlot]:
    yield NumberSlot(mention.start, mention.end, mention.value)
    seen = {mention.value}
    for digits in _DIGITS.finditer(mention.text):
        value = Fraction(digits[0].replace(",", ""))
        if value not in seen:
            seen.add(value)
            start = mention.start + digits.start()
            yield NumberSlot(start, start + len(digits[0]), value, "digits")
