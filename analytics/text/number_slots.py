"""Number slots of a word problem: the numbers that a solution may use, and where they are in the text.

Equations and texts do not always agree on what a number is. For ``20 %`` in a text, one data set's equations have 1/5
and another's have 20. For ``2 / 3`` or ``1 dozen``, an equation has 2 and 3, or 1. So a number may have several slots
at the same place, one for each reading, and the model chooses among them as it chooses among numbers. Torch-free.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from analytics.language.mentions import NumberMention
from analytics.text.characters import VULGAR_FRACTIONS
from analytics.text.numbers import numbers_alone

NumberPlace = tuple[bool, int]
"""A number of a text: whether it is written in words, and its index among the numbers written the same way."""

READINGS = ("value", "digits")
"""``value``: the meaning, with percentages and scales applied; ``digits``: the digits alone."""

_DIGITS = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")


@dataclass(frozen=True, slots=True)
class NumberSlot:
    """One reading of a number of the text.

    Attributes:
        start, end: character offsets of the number in the text.
        value: its value under this reading.
        reading: one of `READINGS`.
        in_words: whether the number is written without digits.
    """

    start: int
    end: int
    value: Fraction
    reading: str = "value"
    in_words: bool = False


class SlotPlace(NamedTuple):
    """The place of a slot among the numbers of its text.

    Numbers in digits and numbers in words are indexed separately: of two texts with the same story, one may have more
    words such as "one" and "both" than the other.

    Attributes:
        number: index among the text's numbers in digits, or among those in words.
        in_words: which of the two sequences `number` indexes.
        reading: index of the reading of that number; 0 is its value.
    """

    number: int
    in_words: bool = False
    reading: int = 0

    @property
    def mention(self) -> NumberPlace:
        """The number that the slot reads, regardless of the reading."""
        return self.in_words, self.number


@dataclass(frozen=True, slots=True)
class SlotNumbers:
    """The values of a problem's slots, and their places.

    Attributes:
        values: one per slot, ``N0`` first.
        places: one per slot.
    """

    values: tuple[Fraction, ...]
    places: tuple[SlotPlace, ...]

    @classmethod
    def of_text(cls, text: str) -> SlotNumbers:
        """Return the numbers of a text, each with all its readings."""
        slots = number_slots(text)
        return cls(tuple(slot.value for slot in slots), tuple(slot_places(slots)))

    @classmethod
    def of_values(cls, values: Iterable[Fraction]) -> SlotNumbers:
        """Return numbers with one reading each."""
        numbers = tuple(values)
        return cls(numbers, tuple(map(SlotPlace, range(len(numbers)))))


def number_slots(text: str) -> list[NumberSlot]:
    """Return the slots of a text, ``N0`` first, in the order of the numbers.

    >>> [(str(slot.value), slot.reading) for slot in number_slots("20% of 3 pens")]
    [('1/5', 'value'), ('20', 'digits'), ('3', 'value')]
    >>> [str(slot.value) for slot in number_slots("He ate 2 / 3 of 1 dozen eggs.")]
    ['2/3', '2', '3', '12', '1']
    """
    return [slot for mention in numbers_alone(text) for slot in _readings(mention)]


def slot_places(slots: Iterable[NumberSlot]) -> list[SlotPlace]:
    """Return the place of each slot of a text.

    >>> [tuple(place) for place in slot_places(number_slots("20% of one half of 30"))]
    [(0, False, 0), (0, False, 1), (0, True, 0), (1, False, 0)]
    """
    places: list[SlotPlace] = []
    count = {True: -1, False: -1}
    for slot in slots:
        is_value = slot.reading == "value"
        count[slot.in_words] += is_value
        reading = 0 if is_value else places[-1].reading + 1
        places.append(SlotPlace(count[slot.in_words], slot.in_words, reading))
    return places


def _readings(mention: NumberMention) -> Iterator[NumberSlot]:
    if mention.text.isdecimal():  # as for most numbers
        yield NumberSlot(mention.start, mention.end, mention.value)
        return
    in_words = not any(character.isdigit() or character in VULGAR_FRACTIONS for character in mention.text)
    yield NumberSlot(mention.start, mention.end, mention.value, in_words=in_words)
    seen = {mention.value}
    for digits in _DIGITS.finditer(mention.text):
        value = Fraction(digits[0].replace(",", ""))
        if value not in seen:
            seen.add(value)
            start = mention.start + digits.start()
            yield NumberSlot(start, start + len(digits[0]), value, "digits")
