"""What is found in texts of all languages: numbers, clock times and units, and the ways of writing a number.

Units have pint's names; the short forms here are shared by all languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from analytics.errors import DataError


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


_UNITS = {
    "length": "kilometer meter decimeter centimeter millimeter inch foot yard mile light_year",
    "mass": "kilogram gram milligram metric_ton ton pound ounce jin",
    "time": "second minute hour day week month year decade_of_years century",
    "volume": "liter milliliter gallon quart pint cup tablespoon teaspoon",
    "area": "hectare acre mu_area",
    "money": (
        "dollar dollar_cent dollar_nickel dollar_dime pound_sterling penny_sterling euro rupee paisa yuan jiao fen"
    ),
    "temperature": "degree_Celsius degree_Fahrenheit kelvin",
    "angle": "degree radian",
}

DIMENSIONS: dict[str, str] = {unit: dimension for dimension, units in _UNITS.items() for unit in units.split()} | {
    "mile / hour": "speed",
    "kilometer / hour": "speed",
}
"""pint's name of a unit -> the dimension that it measures."""

DEFINITIONS = (
    "dollar = [currency_dollar]",
    "dollar_cent = dollar / 100",
    "dollar_nickel = dollar / 20",
    "dollar_dime = dollar / 10",
    "pound_sterling = [currency_sterling]",
    "penny_sterling = pound_sterling / 100",
    "euro = [currency_euro]",
    "rupee = [currency_rupee]",
    "paisa = rupee / 100",
    "yuan = [currency_yuan]",
    "jiao = yuan / 10",
    "fen = yuan / 100",
    "mu_area = 2000 / 3 * meter ** 2",
    "jin = 500 * gram",
    "decade_of_years = 10 * year",
)
"""Definitions that pint lacks; currencies do not convert into one another."""

_SHORT_FORMS = {
    "kilometer": "km Km KM",
    "meter": "m",
    "decimeter": "dm",
    "centimeter": "cm",
    "millimeter": "mm",
    "inch": "in",
    "foot": "ft",
    "yard": "yd",
    "mile": "mi",
    "kilogram": "kg Kg KG",
    "gram": "gm gms g",
    "milligram": "mg",
    "pound": "lb lbs",
    "ounce": "oz",
    "metric_ton": "t",
    "second": "s sec",
    "minute": "min mins",
    "hour": "h hr hrs",
    "liter": "L l",
    "milliliter": "mL ml",
    "gallon": "gal",
    "quart": "qt",
    "hectare": "ha",
    "kilometer / hour": "km/h km/hr kmph kph",
    "mile / hour": "mph",
    "meter / second": "m/s",
    "kilometer / second": "km/s",
    "meter / minute": "m/min",
    "centimeter / second": "cm/s",
    "foot / second": "ft/s",
    "radian": "rad",
    "degree_Celsius": "°C ℃",
    "degree_Fahrenheit": "°F ℉",
    "degree": r"° ^\circ ^{\circ} {}^{\circ}",
}
ABBREVIATIONS: dict[str, str] = {name: unit for unit, names in _SHORT_FORMS.items() for name in names.split()}
"""Short forms -> unit. Only recognised after a number."""

MONEY_SIGNS: dict[str, str] = {
    "$": "dollar",
    "£": "pound_sterling",
    "€": "euro",
    "¥": "yuan",
    "￥": "yuan",
    "₹": "rupee",
    "Rs.": "rupee",
    "Rs": "rupee",
    "rs.": "rupee",
    "rs": "rupee",
    "INR": "rupee",
    "USD": "dollar",
    "US$": "dollar",
}
"""Currency signs and letters before an amount."""


def unit_dimension(unit: str) -> str:
    """Return the dimension of a unit.

    >>> unit_dimension("meter ** 2"), unit_dimension("mile / hour"), unit_dimension("yuan")
    ('area', 'speed', 'money')

    Raises:
        DataError: the unit is unknown.
    """
    if unit in DIMENSIONS:
        return DIMENSIONS[unit]
    base, _, rest = unit.partition(" ")
    if DIMENSIONS.get(base) == "length":
        dimension = {"** 2": "area", "** 3": "volume"}.get(rest)
        if dimension is None and rest.startswith("/ ") and DIMENSIONS.get(rest[2:]) == "time":
            dimension = "speed"
        if dimension is not None:
            return dimension
    raise DataError(f"{unit} is not a known unit")
