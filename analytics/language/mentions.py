"""Results of parsing text in a language: numbers and clock times with offsets, and ways of writing a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class NumberKind(StrEnum):
    """How a number is written or, for a plain number, what it is part of."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    FRACTION = "fraction"
    MIXED = "mixed"
    PERCENT = "percent"
    SCALED = "scaled"  # 3 million, 2 dozen, 3万, 2e3, 10^6
    CLOCK_TIME = "clock time"  # its hour or its minutes
    RATIO_PART = "ratio part"
    RANGE_END = "range end"


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number as written in a text; ``source_text[start:end] == text``.

    Attributes:
        value: without its sign.
        is_negative: whether a preceding minus is a sign: directly before the number or its dollar sign,
            unless directly after a word or a bracket, and anywhere at the start of the text.
    """

    start: int
    end: int
    text: str
    value: Fraction
    kind: NumberKind = NumberKind.INTEGER
    is_negative: bool = False

    @property
    def signed(self) -> Fraction:
        """The value with its sign."""
        return -self.value if self.is_negative else self.value


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day; ``source_text[start:end]`` is its source.

    Attributes:
        minutes: since midnight; if `half` is empty, the time may also be twelve hours later.
        half: ``"am"`` or ``"pm"`` if stated, ``"24"`` for a 24-hour clock; otherwise empty.
    """

    start: int
    end: int
    minutes: int
    half: str = ""


@dataclass(frozen=True, slots=True)
class NumeralForm:
    """A way of writing a number in digits.

    Attributes:
        name: its group name in the regular expression of all forms.
        pattern: matches a number in this form; its group names are local.
        read: returns the value of a match; None if it has none.
        kind: kind of the number.
        fits: whether the text around a match allows this reading.
    """

    name: str
    pattern: str
    read: Callable[[re.Match[str]], Fraction | None]
    kind: NumberKind = NumberKind.INTEGER
    fits: Callable[[re.Match[str]], bool] = lambda _match: True


def fraction_of(whole: str | None, numerator: str, denominator: str) -> Fraction | None:
    """Return a fraction or mixed number written in digits; None for a zero denominator."""
    if int(denominator) == 0:
        return None
    part = Fraction(int(numerator), int(denominator))
    return part if whole is None else int(whole) + part


MINUTES_OF_DAY = 24 * 60


def hour_and_minutes(minutes: int) -> tuple[int, int]:
    """Return the hour (0 to 23) and the minutes of a time of day given in minutes."""
    return divmod(minutes % MINUTES_OF_DAY, 60)


UnitPlace = tuple[int, int, str]
"""Start and end in a text, and pint's name of the unit there."""


def alternatives(names: Iterable[str]) -> str:
    """Return a regular expression for any of several names, the longest first."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
