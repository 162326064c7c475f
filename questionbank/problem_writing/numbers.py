"""Other numbers in a word problem, of the same kind and order of magnitude."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from random import Random

from analytics.text.number_slots import NumberSlot
from questionbank.problem_writing.editing import replaced

_DIGITS = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_KEPT_BEFORE = re.compile(
    r"[/:^]\s?$|\b(?:since|year|grade|class|level|chapter|section|exercise|unit|number|no\.|room|flat|house|bus|route"
    r"|line|platform|question|size|out of|for every|in every|per) $",
    re.IGNORECASE,
)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_YEAR_BEFORE = re.compile(r"\b(?:in|from|until|till|before|after|by|of|year|to|and) $", re.IGNORECASE)
_KEPT_AFTER = re.compile(
    r"\s?[/:^]|(?:st|nd|rd|th)\b|\s?(?:a\.?m|p\.?m)\b|[- ](?:legs?|wheels?|sides?|sided|faces?|corners?|vertices|edges"
    r"|fingers|toes|eyes|wings|suits|letters of the alphabet)\b"
)
_FRACTION = re.compile(r"frac|\d\s?/\s?\d")
_NOTES = frozenset("1 2 5 10 20 50 100 200 500 5.00 10.00 20.00 50.00 100.00".split())
_PAYS = re.compile(
    r"\b(?:change|(?:bank)?notes?|bills|coins?|hand(?:s|ed)? over|(?:pays?|paid) with|(?:gets?|got) back)\b|\d bill\b",
    re.IGNORECASE,
)
_CALENDAR = re.compile(r"[ -](?:day|hour|month|minute|week|second)s?\b")
_OF_A_CALENDAR = frozenset({"7", "12", "24", "30", "52", "60", "365"})
_KINDS = {"percent": re.compile(r"%|\bper ?cent\b"), "fraction": re.compile(r"\\d?frac|\d\s?/\s?\d|[½⅓¼⅔¾]")}
_MONEY = re.compile(r"[$£€]\s?$")


class OtherNumbers:
    """Draws other numbers for the digits of a text; equal numbers stay equal.

    Fractions, times of day, years, ordinals, a lone 1 ("1 cone"), notes and coins, calendar numbers and number words
    are kept.

    Args:
        changing: indices of the slots with numbers that may change.
        kept: indices of the slots that stay, along with all numbers written the same way.
    """

    def __init__(
        self, text: str, slots: Sequence[NumberSlot], changing: Iterable[int], kept: Iterable[int] = ()
    ) -> None:
        self._text, self._slots = text, slots
        found = {place: _DIGITS.search(text, slot.start, slot.end) for place, slot in enumerate(slots)}
        fractions = [slot for slot in slots if _FRACTION.search(text, slot.start, slot.end)]
        kept_numbers = {written[0] for place in kept if (written := found[place]) is not None}

        def may_change(written: re.Match[str]) -> bool:
            is_in_fraction = any(slot.start <= written.start() < slot.end for slot in fractions)
            return not (is_in_fraction or written[0] in kept_numbers or _is_kept(text, written[0], *written.span()))

        self._is_money = {
            written[0]: _MONEY.search(text, 0, written.start()) is not None
            for place in changing
            if (written := found[place]) is not None and may_change(written)
        }
        # including occurrences of the same number that the equation does not use
        self._places = {
            written.start(): written
            for written in _DIGITS.finditer(text)
            if written[0] in self._is_money and may_change(written)
        }
        self._written = [
            written[0] if written is not None and written.start() in self._places else "" for written in found.values()
        ]

    def __bool__(self) -> bool:
        """Return whether any number may change."""
        return bool(self._is_money)

    def draw(self, rng: Random) -> dict[str, str]:
        """Draw a replacement for each number that may change, by its written form."""
        return {
            written: _another_number(written, rng, is_money=is_money) for written, is_money in self._is_money.items()
        }

    def values(self, drawn: Mapping[str, str]) -> list[Fraction]:
        """Return the value of each slot after replacement."""
        return [
            slot.value * _value(drawn[written]) / _value(written) if written else slot.value
            for slot, written in zip(self._slots, self._written, strict=True)
        ]

    def text(self, drawn: Mapping[str, str]) -> str:
        """Return the text after replacement."""
        return replaced(self._text, [(*written.span(), drawn[written[0]]) for written in self._places.values()])


def number_kinds(text: str) -> frozenset[str]:
    r"""Return the kinds of numbers in a text besides integers and decimals: percentages, fractions.

    >>> sorted(number_kinds(r"25% of 80 is $\frac{1}{4}$ of 80."))
    ['fraction', 'percent']
    """
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(text))


def _is_kept(text: str, written: str, start: int, end: int) -> bool:
    """Return whether a number in digits must stay as it is."""
    if written == "1" and not _MONEY.search(text, 0, start):
        return True
    if not _value(written) or (written in _OF_A_CALENDAR and _CALENDAR.match(text, end)):
        return True
    if _YEAR.fullmatch(written) and _YEAR_BEFORE.search(text, 0, start):
        return True
    if written in _NOTES and _MONEY.search(text, 0, start) and _PAYS.search(text):
        return True
    return bool(_KEPT_BEFORE.search(text[max(0, start - 20) : start]) or _KEPT_AFTER.match(text, end))


def _another_number(written: str, rng: Random, *, is_money: bool) -> str:
    """Return an equally round number of as many digits and the same notation; only money always keeps its decimals."""
    _whole, _point, decimals = written.partition(".")
    unit = 10 ** len(decimals)
    value = int(written.replace(",", "").replace(".", ""))
    step = _roundness(value, unit)
    least = 10 ** (len(str(value)) - 1)
    most = max(value * 3 // 2, 2 + min(value, 4) if is_money else 3 * min(value, 3))
    low, high = max(2, least, value * 3 // 5), min(10 * least - 1, most)
    drawn = range(low - low % step or step, high + 1, step)  # never as a list: 0.16666666666666666 has 10^15 neighbours
    place = rng.randrange(len(drawn) - (value in drawn))
    new = drawn[place + (value in drawn and place >= drawn.index(value))]
    is_whole = not (is_money or new % unit or decimals.endswith("0"))
    return f"{new / unit:{',' if ',' in written else ''}.{0 if is_whole else len(decimals)}f}"


def _value(written: str) -> Fraction:
    return Fraction(written.replace(",", ""))


def _roundness(value: int, unit: int) -> int:
    """Return the largest usual step that divides a number, in units of its last decimal."""
    steps = (100 * unit, 10 * unit, 5 * unit, unit, unit // 2, unit // 4, unit // 10, unit // 20, 1)
    return next(step for step in steps if step and value % step == 0 and (value >= 5 * step or step in (unit, 1)))
