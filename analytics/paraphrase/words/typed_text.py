"""A text as the encoder of a scorer reads it: numbers and units in one notation each, and once more behind it.

The mean over a text's tokens hides one changed number, and "three" is far from "3". Written in one notation, numbers
that are equal are equal tokens; repeated behind the text, in the order of their values, they weigh more than in a text
of fifty words. Torch-free.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from analytics.retrieval import Encode
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

_MARK = "#"


def typed_text(text: str) -> str:
    """Write numbers as decimals and units by their names in the text, and list them behind it.

    >>> typed_text("Ann runs three km in 1,500 s.")
    'Ann runs 3 kilometer in 1500 second. # 3 # 1500 # kilometer # second'
    >>> typed_text("No number here.")
    'No number here.'
    """
    mentions = find_units(text)
    numbers = [
        number
        for number in find_numbers(text)
        if not any(unit.start <= number.start and number.end <= unit.end for unit in mentions)  # the 2 of m^2
    ]
    units = [
        unit
        for unit in mentions
        if not any(number.start < unit.end and unit.start < number.end for number in numbers)
    ]
    places = [
        *((number.start, number.end, _decimal(number.value)) for number in numbers),
        *((unit.start, unit.end, _name(unit.unit)) for unit in units),
    ]
    written = text
    for start, end, word in sorted(places, reverse=True):
        before, after = written[:start], written[end:]
        left = " " if before[-1:].isalnum() else ""
        right = " " if after[:1].isalnum() else ""
        written = f"{before}{left}{word}{right}{after}"
    listed = [_decimal(value) for value in sorted(number.value for number in numbers)]
    listed += sorted({_name(unit.unit) for unit in units})
    return f" {_MARK} ".join([written, *listed])


def reading_typed(encode: Encode) -> Encode:
    """Return the same encoder, which reads `typed_text` of what it is given."""
    return lambda texts: encode([typed_text(text) for text in texts])


def _decimal(value: Fraction) -> str:
    return f"{Decimal(value.numerator) / value.denominator:.6g}" if value.denominator > 1 else f"{value}"


def _name(unit: str) -> str:
    return unit.replace("_", " ").replace("**", "^")
