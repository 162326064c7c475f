"""Units used in school questions, under pint's names, with the short forms shared by all languages."""

from __future__ import annotations

from analytics.errors import DataError

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
