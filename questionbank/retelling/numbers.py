"""Other numbers in a word problem, of the same kind and the same order of size."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

from analytics.text.number_slots import NumberSlot
from questionbank.retelling.editing import replaced

_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?")
_KEPT_BEFORE = re.compile(
    r"[/:^]\s?$|\b(?:in|since|year|grade|chapter|number|room|question) $", re.IGNORECASE
)
_KEPT_AFTER = re.compile(r"\s?[/:^]|(?:st|nd|rd|th)\b|\s?(?:a\.?m|p\.?m)\b")
_CALENDAR = re.compile(r"[ -](?:day|hour|month|minute|week|second)s?\b")
_OF_A_CALENDAR = frozenset({"7", "12", "24", "30", "52", "60", "365"})
_KINDS = {"percent": re.compile(r"%|\bper ?cent\b"), "fraction": re.compile(r"\\d?frac|\d\s?/\s?\d|[½⅓¼⅔¾]")}
_COMPARED_WITH_SUMS = 6  # numbers of a text
_MONEY = re.compile(r"[$£€]\s?$")


def with_other_numbers(text: str, slots: Sequence[NumberSlot], used: Collection[int], rng: Random) -> str:
    """Return the text with other numbers where digits that the equation uses stand; equal numbers stay equal.

    Fractions, times of day, years, ordinals, a lone 1 ("1 cone") and the numbers of a calendar stay, as do words.

    Args:
        used: indices of the slots that the equation uses.
    """
    drawn: dict[str, str] = {}
    edits: dict[int, tuple[int, int, str]] = {}
    for place in used:
        written = _DIGITS.search(text, slots[place].start, slots[place].end)
        if written is None or _is_kept(text, written.start(), written.end()):
            continue
        if written[0] not in drawn:
            is_money = bool(_MONEY.search(text, 0, written.start()))
            drawn[written[0]] = _another_number(written[0], rng, is_money=is_money)
        edits[written.start()] = (written.start(), written.end(), drawn[written[0]])
    for match in _DIGITS.finditer(text):  # the same number where the equation does not name it
        if match[0] in drawn and not _is_kept(text, match.start(), match.end()):
            edits[match.start()] = (match.start(), match.end(), drawn[match[0]])
    return replaced(text, edits.values())


def number_kinds(text: str) -> frozenset[str]:
    r"""Return which kinds of numbers a text has beside whole ones and decimals: per cents, fractions.

    >>> sorted(number_kinds(r"25% of 80 is $\frac{1}{4}$ of 80."))
    ['fraction', 'percent']
    """
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(text))


def _is_kept(text: str, start: int, end: int) -> bool:
    """Return whether a number in digits is one that stays as it is."""
    written = text[start:end]
    if written == "1" and not _MONEY.search(text, 0, start):
        return True
    if written in _OF_A_CALENDAR and _CALENDAR.match(text, end):
        return True
    return bool(_KEPT_BEFORE.search(text[max(0, start - 12) : start]) or _KEPT_AFTER.match(text, end))


def keeps_order(old: Sequence[NumberSlot], new: Sequence[NumberSlot]) -> bool:
    """Return whether the numbers of two texts compare alike: what was more is still more, what was equal still is.

    A number is also compared with the sum of two others, so that nobody gives away more than there is; in texts with
    more than six numbers only with one another.
    """
    return _signs([slot.value for slot in old]) == _signs([slot.value for slot in new])


def _signs(values: Sequence[Fraction]) -> list[int]:
    pairs = [first - second for first, second in combinations(values, 2)]
    few = range(len(values) if len(values) <= _COMPARED_WITH_SUMS else 0)
    sums = [
        values[whole] - values[first] - values[second]
        for first, second in combinations(few, 2)
        for whole in few
        if whole not in (first, second)
    ]
    return [(difference > 0) - (difference < 0) for difference in (*pairs, *sums)]


def _another_number(written: str, rng: Random, *, is_money: bool) -> str:
    """Return a number of about the same size, as round as the given one, written alike: $6.00, but 6 hours."""
    _whole, _point, decimals = written.partition(".")
    unit = 10 ** len(decimals)
    value = int(written.replace(",", "").replace(".", ""))
    step = _roundness(value, unit)
    low, high = max(2, value * 3 // 5), max(9, value * 17 // 10)
    drawn = range(
        low - low % step or step, high + 1, step
    )  # never as a list: 0.16666666666666666 has 10^15 neighbours
    place = rng.randrange(len(drawn) - (value in drawn))
    new = drawn[place + (value in drawn and place >= drawn.index(value))]
    if decimals:
        text = f"{new / unit:.{len(decimals)}f}"
        return text if is_money or new % unit or decimals.endswith("0") else text.partition(".")[0]
    return f"{new:,}" if "," in written else str(new)


def _roundness(value: int, unit: int) -> int:
    """Return the largest usual step of which a number, in units of its last decimal, is a multiple."""
    steps = (100 * unit, 10 * unit, 5 * unit, unit, unit // 2, unit // 4, unit // 10, unit // 20, 1)
    return next(
        step for step in steps if step and value % step == 0 and (value >= 5 * step or step in (unit, 1))
    )
