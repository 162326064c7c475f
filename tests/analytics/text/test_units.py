"""Units in English and Chinese, and conversion between them."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from analytics.errors import DataError
from analytics.language.en.units import WORDS
from analytics.language.mentions import ABBREVIATIONS, DIMENSIONS, MONEY_SIGNS, unit_dimension
from analytics.language.zh.units import NAMES
from analytics.text.units import convert_quantity, find_units
from tests.cases import each_case

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


@each_case("units", "mentions")
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


@each_case("units", "conversions")
def test_quantities_convert_exactly(value: str, unit: str, target: str, converted: str) -> None:
    assert convert_quantity(Fraction(value), unit, target) == Fraction(converted)


@pytest.mark.parametrize(("unit", "target"), [("dollar", "euro"), ("meter", "second"), ("banana", "meter")])
def test_what_measures_different_things_does_not_convert(unit: str, target: str) -> None:
    with pytest.raises(DataError, match="cannot be converted"):
        convert_quantity(Fraction(1), unit, target)


def test_an_unknown_unit_has_no_dimension() -> None:
    for unit in ("banana", "gram ** 2", "meter / gram"):
        with pytest.raises(DataError, match="not a known unit"):
            unit_dimension(unit)


def test_finding_units_does_not_import_pint() -> None:
    script = (
        "import sys; from analytics.text.units import find_units; find_units('5 km')\nassert 'pint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60, cwd=Path.cwd())


@pytest.mark.parametrize("unit", ["5 ", "5m", r"5 \text{", "5   ", "metre ", "$5 ", "米", "5米"])
def test_finding_ends_whatever_the_text(unit: str, no_hang: None) -> None:
    find_units(unit * 10_000)
