"""Units in English and Chinese, and conversion between them."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from analytics.errors import DataError
from analytics.language.en.units import WORDS
from analytics.language.zh.units import NAMES
from analytics.text.unit_names import ABBREVIATIONS, DIMENSIONS, MONEY_SIGNS, unit_dimension
from analytics.text.units import convert_quantity, find_units

BASE = {
    "length": "meter",
    "mass": "gram",
    "time": "second",
    "speed": "meter / second",
    "area": "meter ** 2",
    "volume": "liter",
    "temperature": "kelvin",
    "angle": "radian",
}


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("5km in 2 hours", ["kilometer", "hour"]),
        ("60 km/h or 30 miles per hour", ["kilometer / hour", "mile / hour"]),
        ("5 m^2, 3 cm², 4 square metres, 2 cubic feet", ["meter ** 2", "centimeter ** 2", "meter ** 2", "foot ** 3"]),
        (r"$2\text{ cm}^2$ and $3\mathrm{kg}$", ["centimeter ** 2", "kilogram"]),
        (r"$5, \$6, £7, 8€, 20 cents", ["dollar", "dollar", "pound_sterling", "euro", "dollar_cent"]),
        (r"$x$ and $y$ metres", ["meter"]),
        (r"$x$ 5 times, $$y$$ six", []),
        ("in km/h? many km is (in mm) x in m", ["kilometer / hour", "kilometer", "millimeter", "meter"]),
        ("the point in m, n; in s the; Rose is in g and; how many m does she run", ["meter"]),
        ("$five hundred, Rs. Two thousand, \\$six", ["dollar", "rupee", "dollar"]),
        (r"90^\circ, 45°, 20℃, 30 degrees Celsius", ["degree", "degree", "degree_Celsius", "degree_Celsius"]),
        ("5 in the box, 6 in. long", ["inch"]),
        (r"Rs. 500, Rs.20, rs 7, USD 3 and 50 paise", ["rupee", "rupee", "rupee", "dollar", "paisa"]),
        ("twenty kmph, one hundred km, five in a row", ["kilometer / hour", "kilometer"]),
        ("30 km per hour, 5 miles/hour, 10 m/s", ["kilometer / hour", "mile / hour", "meter / second"]),
        ("2 dimes and 3 nickels, an alloy of zinc and nickel", ["dollar_dime", "dollar_nickel"]),
        ("the second number, 5 seconds, one second", ["second", "second"]),
        ("my left foot, 6-foot pole, in the yard", ["foot"]),
        ("100 km / h, 4 m / s, 5 km / 2 h", ["kilometer / hour", "meter / second", "kilometer", "hour"]),
        ("20 in number, 20 in long, a full cup", ["inch", "cup"]),
        ("a 5-m rope, x m, 3g, m", ["meter", "gram"]),
        ("5千米，60元5角，每分60米，3天", ["kilometer", "yuan", "jiao", "minute", "meter", "day"]),
        ("40平方厘米，2小时，千米/时", ["centimeter ** 2", "hour", "kilometer / hour"]),
        ("上午时分，天空", []),
        ("", []),
    ],
)
def test_units_are_found_in_words_and_short_forms(text: str, units: list[str]) -> None:
    mentions = find_units(text)
    assert [mention.unit for mention in mentions] == units
    assert all(text[mention.start : mention.end] == mention.text for mention in mentions)


def test_a_mention_knows_its_dimension() -> None:
    assert [mention.dimension for mention in find_units("5 kg for 3 hours at 5 km/h, 2 m^3")] == [
        *("mass", "time", "speed", "volume")
    ]


def test_every_name_is_a_unit_that_pint_converts_to_its_dimensions_base() -> None:
    tables = (WORDS, ABBREVIATIONS, NAMES, MONEY_SIGNS)
    units = {unit for table in tables for unit in table.values()} | set(DIMENSIONS)
    assert len(units) > 50
    for unit in units:
        dimension = unit_dimension(unit)
        if dimension != "money":
            assert convert_quantity(Fraction(1), unit, BASE[dimension])


@pytest.mark.parametrize(
    ("value", "unit", "target", "converted"),
    [
        (Fraction(5, 2), "kilometer", "meter", Fraction(2500)),
        (Fraction(36), "kilometer / hour", "meter / second", Fraction(10)),
        (Fraction(3), "yuan", "fen", Fraction(300)),
        (Fraction(1), "hectare", "meter ** 2", Fraction(10_000)),
        (Fraction(100), "degree_Celsius", "degree_Fahrenheit", Fraction(212)),
        (Fraction(1, 3), "hour", "minute", Fraction(20)),
        (Fraction(2), "jin", "kilogram", Fraction(1)),
    ],
)
def test_quantities_convert_exactly(value: Fraction, unit: str, target: str, converted: Fraction) -> None:
    assert convert_quantity(value, unit, target) == converted


@pytest.mark.parametrize(("unit", "target"), [("dollar", "euro"), ("meter", "second"), ("banana", "meter")])
def test_what_measures_different_things_does_not_convert(unit: str, target: str) -> None:
    with pytest.raises(DataError, match="cannot be converted"):
        convert_quantity(Fraction(1), unit, target)


def test_an_unknown_unit_has_no_dimension() -> None:
    for unit in ("banana", "gram ** 2", "meter / gram"):
        with pytest.raises(DataError, match="no unit"):
            unit_dimension(unit)


def test_finding_units_does_not_import_pint() -> None:
    script = (
        "import sys; from analytics.text.units import find_units; find_units('5 km')\nassert 'pint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60, cwd=Path.cwd())


@pytest.mark.parametrize("unit", ["5 ", "5m", r"5 \text{", "5   ", "metre ", "$5 ", "米", "5米"])
def test_finding_ends_whatever_the_text(unit: str, no_hang: None) -> None:
    find_units(unit * 10_000)
