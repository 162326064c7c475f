r"""Units of measurement in questions: finding them (a curated table) and converting between them (pint).

Finding uses only the tables of the languages, whether or not a unit is attached to a number ("5km", "5 km",
"per hour", 5千米, ``\text{cm}^2``). pint is not imported until something is converted: importing it
takes a quarter of a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from analytics.errors import DataError
from analytics.language.contract import Language
from analytics.language.mentions import DEFINITIONS, MONEY_SIGNS, UnitPlace, alternatives, unit_dimension
from analytics.languages import languages
from analytics.text.formulas import segment_text
from analytics.text.remembered import Remembered

if TYPE_CHECKING:
    import pint


@dataclass(frozen=True, slots=True)
class UnitMention:
    """A unit as written in a text; ``source_text[start:end] == text``.

    Attributes:
        unit: pint's name for it: ``kilometer``, ``centimeter ** 2``, ``mile / hour``.
        dimension: length, mass, time, money, speed, area, volume, temperature or angle.
    """

    start: int
    end: int
    text: str
    unit: str
    dimension: str


@lru_cache(maxsize=8)
def _money_sign(languages: tuple[Language, ...]) -> re.Pattern[str]:
    words = "|".join(language.numbers.NUMBER_WORD for language in languages)
    return re.compile(
        rf"(?P<sign>\\?[$]|(?<![A-Za-z])(?:{alternatives(MONEY_SIGNS)}))\s?(?=\.?\d|(?i:{words})\b)"
        r"|(?<=\d)\s?(?P<after>[€£₹])"
    )


def find_units(text: str) -> list[UnitMention]:
    """Return the units of a text in order of appearance.

    >>> [(m.text, m.unit, m.dimension) for m in find_units("5km in 2 hours, 3千米")]
    [('km', 'kilometer', 'length'), ('hours', 'hour', 'time'), ('千米', 'kilometer', 'length')]
    """
    return _mentions(text)


@Remembered
def _mentions(text: str) -> tuple[UnitMention, ...]:
    places = [*_money(text), *(place for language in languages() for place in language.units.find_unit_words(text))]
    places.sort(key=lambda place: (place[0], -place[1]))
    mentions: list[UnitMention] = []
    done = 0
    for start, end, unit in places:
        if start >= done:
            mentions.append(UnitMention(start, end, text[start:end], unit, unit_dimension(unit)))
            done = end
    return tuple(mentions)


def _money(text: str) -> Iterator[UnitPlace]:
    formulas = segment_text(text) if "$" in text else []
    delimiters = {
        at
        for segment in formulas
        if segment.kind == "formula"
        for at in (segment.start, segment.start + 1, segment.end - 2, segment.end - 1)
    }
    for match in _money_sign(languages()).finditer(text):
        if match[0].startswith("$") and match.start() in delimiters:
            continue
        name = "sign" if match["sign"] else "after"
        yield match.start(name), match.end(name), MONEY_SIGNS[match[name].removeprefix("\\")]


def convert_quantity(value: Fraction, unit: str, target: str) -> Fraction:
    """Convert a quantity; exact if the factor is exact, otherwise to twelve significant digits.

    >>> convert_quantity(Fraction(5, 2), "kilometer", "meter")
    Fraction(2500, 1)

    Raises:
        DataError: the units measure different dimensions, or one of them is unknown.
    """
    import pint

    try:
        magnitude = _registry().Quantity(value, unit).to(target).magnitude
    except (pint.errors.PintError, TypeError) as error:
        raise DataError(f"{unit} cannot be converted into {target}") from error
    if isinstance(magnitude, Fraction):
        return magnitude
    return Fraction(f"{float(magnitude):.12g}")


@lru_cache(maxsize=1)
def _registry() -> pint.UnitRegistry[Any]:
    """Return pint's registry with the currencies, built on first use (a quarter of a second)."""
    import pint

    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(non_int_type=Fraction)
    for definition in DEFINITIONS:
        registry.define(definition)
    return registry
