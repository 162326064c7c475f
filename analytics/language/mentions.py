"""What readers of a language return: numbers and clock times with their places, and ways to write a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class NumberKind(StrEnum):
    """How a number is written; of a plain one, what it is part of."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    FRACTION = "fraction"
    MIXED = "mixed"
    PERCENT = "percent"
    SCALED = "scaled"  # 3 million, 2 dozen, 3万, 2e3, 10^6
    CLOCK_TIME = "clock time"  # the hour or the minutes of one
    RATIO_PART = "ratio part"
    RANGE_END = "range end"


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number as written in a text; ``source_text[start:end] == text``.

    Attributes:
        value: without the sign in front of it.
        is_negative: whether the minus in front of it is a sign: directly before the number or its dollar,
            unless it comes directly after a word or a bracket, and anywhere at the text's beginning.
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
    """A time of day; ``source_text[start:end]`` is how it is written.

    Attributes:
        minutes: since midnight; if `half` is empty, the time may also be twelve hours later.
        half: ``"am"`` or ``"pm"`` if the text says so, ``"24"`` of a 24-hour clock; else empty.
    """

    start: int
    end: int
    minutes: int
    half: str = ""


@dataclass(frozen=True, slots=True)
class NumeralForm:
    """A way to write a number in digits.

    Attributes:
        name: a group name of the regular expression of all forms.
        pattern: matches a number written this way; the names of its groups are its own.
        read: returns the value of a match; None if it has none.
        kind: of the number.
        fits: whether the text around a match allows this reading.
    """

    name: str
    pattern: str
    read: Callable[[re.Match[str]], Fraction | None]
    kind: NumberKind = NumberKind.INTEGER
    fits: Callable[[re.Match[str]], bool] = lambda _match: True


def fraction_of(whole: str | None, numerator: str, denominator: str) -> Fraction | None:
    """Return a fraction or mixed number written in digits; None if it divides by zero."""
    if int(denominator) == 0:
        return None
    part = Fraction(int(numerator), int(denominator))
    return part if whole is None else int(whole) + part


MINUTES_OF_DAY = 24 * 60


def hour_and_minutes(minutes: int) -> tuple[int, int]:
    """Return the hour (0 to 23) and the minutes of a time of day in minutes."""
    return divmod(minutes % MINUTES_OF_DAY, 60)


UnitPlace = tuple[int, int, str]
"""Start and end in a text, and pint's name of the unit there."""


def alternatives(names: Iterable[str]) -> str:
    """Return a regular expression for one of several names, the longest first."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
