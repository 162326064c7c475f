"""Units of measurement in questions: finding them (a curated table) and converting between them (pint).

Finding works from the table alone, English and Chinese, glued to a number or not ("5km", "5 km", "per
hour", 5千米, ``\\text{cm}^2``). pint is imported when something is converted, and not before: importing it
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
from analytics.text.formulas import segment_text
from analytics.text.remembered import Remembered
from analytics.text.unit_names import (
    ABBREVIATIONS,
    CHINESE,
    CHINESE_AFTER_NUMBER,
    DEFINITIONS,
    DIMENSIONS,
    MONEY_SIGNS,
    NEEDS_NUMBER,
    WORDS,
)

if TYPE_CHECKING:
    import pint

_Place = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class UnitMention:
    """A unit as it stands in a text; ``source_text[start:end] == text``.

    Attributes:
        unit: pint's name for it: ``kilometer``, ``centimeter ** 2``, ``mile / hour``.
        dimension: length, mass, time, money, speed, area, volume, temperature or angle.
    """

    start: int
    end: int
    text: str
    unit: str
    dimension: str


def _alternatives(names: dict[str, str] | frozenset[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_WORD = re.compile(r"[A-Za-z]+(?:-years?)?")
_POWER_WORD = re.compile(r"\b(?:square|sq\.?|cubic|cu\.?)[ -]$", re.IGNORECASE)
_PER_TIME = re.compile(
    r"(?:(?: (?:per|an?|each|every) |\s?/\s?)(second|minute|hour|day|sec|min|hr)|\s/\s?([hs]))\b",
    re.IGNORECASE,
)
_TIMES = {"sec": "second", "min": "minute", "hr": "hour", "h": "hour", "s": "second"}
_SCALE = re.compile(r" (celsius|centigrade|fahrenheit)\b", re.IGNORECASE)
_ABBREVIATION = re.compile(
    r"(?<=[\d½¼¾}])(?:\s|\\[,; ]|~|-)?\s?(?:\\(?:text|mathrm|rm|mbox)\s?\{\s?)?"
    rf"(?P<name>{_alternatives(ABBREVIATIONS)})"
    r"(?![A-Za-z])\s?\}?(?:\s?\^?\s?\{?(?P<power>[23²³])\}?)?"
)
_NUMBER_WORDS = (
    r"(?:half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)"
)
_NUMBER_WORD = re.compile(
    rf"\b{_NUMBER_WORDS}[ -]"
    rf"(?P<name>{_alternatives(frozenset(name for name in ABBREVIATIONS if name.isalpha() and name != 'in'))})"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)
# Asked for: "in km/h?", "how many cm are left", "its length (in m)".
_BARE = {name for name in ABBREVIATIONS if name.replace("/", "").isalpha() and name != "in"}
_LONG, _SHORT = (
    _alternatives(frozenset(name for name in _BARE if (len(name) > 1) == is_long)) for is_long in (1, 0)
)
_ASKS = r"\s(?:is|are|was|were|does|do|did|will|can|has|have|per|an hour)\b"
_ASKED = re.compile(
    rf"\b(?:in|many)\s(?P<long>{_LONG})(?=\s?(?:[?.,;:)]|$)|{_ASKS})"
    rf"|\bin\s(?P<short>{_SHORT})(?=\s?(?:[?)]|$))|\bmany\s(?P<counted>{_SHORT})(?=\s?(?:[?)]|$)|{_ASKS})"
)
_CHINESE = re.compile(_alternatives(CHINESE))
_CHINESE_NUMBERED = re.compile(
    rf"(?<=[\d零一二两三四五六七八九十百千万几半每多数$}}])\s?(?P<name>{_alternatives(CHINESE_AFTER_NUMBER)})"
)
_MONEY = re.compile(
    rf"(?P<sign>\\?[$]|(?<![A-Za-z])(?:{_alternatives(MONEY_SIGNS)}))\s?(?=\.?\d|(?i:{_NUMBER_WORDS})\b)"
    r"|(?<=\d)\s?(?P<after>[€£₹])"
)
# What may follow an inch; before any other word "in" is a preposition.
_PREPOSITION = re.compile(
    r"\s+(?!(?:long|wide|tall|high|deep|thick|across|apart|by|x|and|or|of|per|in|on|from|is|are|diameter|longer|shorter|taller)\b)\w|\s*(?:total|order|number)\b"
)
_COUNTED = re.compile(
    r"(?:\d|\b(?:a|an|one|two|three|four|five|six|ten|half|full|whole|per|each|every|of))[\s-]?$",
    re.IGNORECASE,
)
_POWERS = {"2": 2, "3": 3, "²": 2, "³": 3}


def find_units(text: str) -> list[UnitMention]:
    """Return the units of a text in order of appearance.

    >>> [(m.text, m.unit, m.dimension) for m in find_units("5km in 2 hours, 3千米")]
    [('km', 'kilometer', 'length'), ('hours', 'hour', 'time'), ('千米', 'kilometer', 'length')]
    """
    return _mentions(text)


@Remembered
def _mentions(text: str) -> tuple[UnitMention, ...]:
    places = [*_money(text), *_short_forms(text), *_words(text), *_chinese(text)]
    places.sort(key=lambda place: (place[0], -place[1]))
    mentions: list[UnitMention] = []
    done = 0
    for start, end, unit in places:
        if start >= done:
            mentions.append(UnitMention(start, end, text[start:end], unit, unit_dimension(unit)))
            done = end
    return tuple(mentions)


def _money(text: str) -> Iterator[_Place]:
    formulas = segment_text(text) if "$" in text else []
    delimiters = {
        at
        for segment in formulas
        if segment.kind == "formula"
        for at in (segment.start, segment.start + 1, segment.end - 2, segment.end - 1)
    }
    for match in _MONEY.finditer(text):
        if match[0].startswith("$") and match.start() in delimiters:
            continue
        name = "sign" if match["sign"] else "after"
        yield match.start(name), match.end(name), MONEY_SIGNS[match[name].removeprefix("\\")]


def _short_forms(text: str) -> Iterator[_Place]:
    for match in _ABBREVIATION.finditer(text):
        name = match["name"]
        if name == "in" and _PREPOSITION.match(text, match.end("name")):
            continue
        unit = ABBREVIATIONS[name]
        if match["power"] and DIMENSIONS.get(unit) == "length":
            yield match.start("name"), match.end("power"), f"{unit} ** {_POWERS[match['power']]}"
        else:
            yield _with_time(text, match.start("name"), match.end("name"), unit)
    for match in _ASKED.finditer(text):
        kind = match.lastgroup or "long"
        yield _with_time(text, match.start(kind), match.end(kind), ABBREVIATIONS[match[kind]])
    for match in _NUMBER_WORD.finditer(text):
        if (unit := ABBREVIATIONS.get(match["name"], "")) != "":
            yield _with_time(text, match.start("name"), match.end("name"), unit)


def _with_time(text: str, start: int, end: int, unit: str) -> _Place:
    """Make a speed of a length that is followed by "per hour"."""
    if DIMENSIONS.get(unit) == "length" and (time := _PER_TIME.match(text, end)):
        name = (time[1] or time[2]).lower()
        return start, time.end(), f"{unit} / {_TIMES.get(name, name)}"
    return start, end, unit


def _words(text: str) -> Iterator[_Place]:
    for match in _WORD.finditer(text):
        word = match[0].lower()
        unit = WORDS.get(word)
        if unit is None:
            continue
        start, end = match.span()
        before = text[max(start - 12, 0) : start]
        if word == "cent" and before.lower().endswith("per "):
            continue  # 20 per cent is 20 %
        if word in NEEDS_NUMBER and not _COUNTED.search(before):
            continue
        if DIMENSIONS.get(unit) == "length":
            if power := _POWER_WORD.search(before):
                start -= len(power[0])
                unit += " ** 2" if power[0][0] in "sS" else " ** 3"
            else:
                start, end, unit = _with_time(text, start, end, unit)
        elif unit == "degree" and (scale := _SCALE.match(text, end)):
            end = scale.end()
            unit = "degree_Celsius" if scale[1][0] in "cC" else "degree_Fahrenheit"
        yield start, end, unit


def _chinese(text: str) -> Iterator[_Place]:
    if text.isascii():
        return
    for match in _CHINESE.finditer(text):
        yield match.start(), match.end(), CHINESE[match[0]]
    for match in _CHINESE_NUMBERED.finditer(text):
        yield match.start("name"), match.end("name"), CHINESE_AFTER_NUMBER[match["name"]]


def unit_dimension(unit: str) -> str:
    """Return what a unit measures.

    >>> unit_dimension("meter ** 2"), unit_dimension("mile / hour"), unit_dimension("yuan")
    ('area', 'speed', 'money')

    Raises:
        DataError: no such unit is known here.
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
    raise DataError(f"{unit} is no unit that we know")


def convert_quantity(value: Fraction, unit: str, target: str) -> Fraction:
    """Convert a quantity, exactly where the factor is exact (to twelve significant digits else).

    >>> convert_quantity(Fraction(5, 2), "kilometer", "meter")
    Fraction(2500, 1)

    Raises:
        DataError: the units measure different things, or one of them is unknown.
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
    """Return pint's registry with the currencies, built at the first conversion (a quarter of a second)."""
    import pint

    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(non_int_type=Fraction)
    for definition in DEFINITIONS:
        registry.define(definition)
    return registry
