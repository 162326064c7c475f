"""Published answers that are numbers, and the values that agree with them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from analytics.expression.evaluate import answers_agree
from analytics.text.meaning import answer_value
from analytics.text.number_slots import number_slots
from analytics.text.numbers import find_numbers

_READ = 200  # characters of an answer that are parsed
_CALCULATES = re.compile(  # signs that the digits are not the number itself: roots, π, powers, logarithms, letters
    r"\\sqrt|sqrt|√|\\pi(?![a-z])|π|(?<![a-z])pi(?![a-z])|[\d)]\s*\^(?!\s*\{?\s*(?:\\circ|\\degree|°))|\\(?:log|ln)"
    r"|\\frac\s*\{(?:[^{}]*\}\s*\{)?[^{}]*[a-z]|(?<![a-zA-Z])[xyz]\s*\^|[\d}]\s?[xyz](?![a-z])"
)


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A published answer that is a number.

    Attributes:
        value: the signed value.
        decimals: number of digits after the decimal point.
        digits: the value of the digits alone, if it differs: 10 for 10 %.
    """

    value: float
    decimals: int
    digits: float | None = None

    def agrees_with(self, value: float | None) -> bool:
        """Return whether a value equals the answer, or does so when rounded to its decimals; 0.67 agrees with 2/3.

        An answer without decimals is not taken to be rounded: 25.7 packets are neither 25 nor 26.
        """
        if value is None:
            return False
        rounded = round(value, self.decimals) if self.decimals else value
        readings = [self.value] if self.digits is None else [self.value, self.digits]
        return any(answers_agree(candidate, reading) for candidate in (value, rounded) for reading in readings)


def number_of_answer(answer: str) -> PublishedNumber | None:
    r"""Parse an answer that is a single number, as in ``24 eggs``, ``-3``, ``5/56`` and ``10%``; None otherwise.

    ``2\sqrt{3}`` is read as its value. An answer with a letter for a number, such as ``3x``, is not a number.
    """
    answer = answer[:_READ]
    if _CALCULATES.search(answer):
        value = answer_value(answer)
        return None if value is None else PublishedNumber(value, 0)
    mentions = find_numbers(answer)
    if len(mentions) != 1:
        return None
    mention = mentions[0]
    readings = {slot.value for slot in number_slots(answer)} - {mention.value}
    decimals = re.fullmatch(r"[\d,]*\.(\d+)", mention.text)
    try:
        value = float(mention.signed)
        digits = float(readings.pop()) if len(readings) == 1 else None  # a fraction has two: 5 and 56
    except OverflowError:
        return None
    return PublishedNumber(value, len(decimals[1]) if decimals else 0, digits)
