"""English units: their names, where they occur in a text, and which one a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analytics.errors import DataError
from analytics.language.en.numbers import NUMBER_WORD
from analytics.language.mentions import ABBREVIATIONS, DIMENSIONS, UnitPlace, alternatives, unit_dimension

_NAMES = {
    "kilometer": "kilometre kilometres kilometer kilometers kms",
    "meter": "metre metres meter meters",
    "decimeter": "decimetre decimetres decimeter decimeters",
    "centimeter": "centimetre centimetres centimeter centimeters cms",
    "millimeter": "millimetre millimetres millimeter millimeters",
    "inch": "inch inches",
    "foot": "foot feet",
    "yard": "yard yards",
    "mile": "mile miles",
    "light_year": "light-year light-years",
    "kilogram": "kilogram kilograms kilogramme kilogrammes kilo kilos kgs",
    "gram": "gram grams gramme grammes",
    "milligram": "milligram milligrams",
    "metric_ton": "tonne tonnes",
    "ton": "ton tons",
    "pound": "pound pounds",
    "ounce": "ounce ounces",
    "second": "second seconds",
    "minute": "minute minutes",
    "hour": "hour hours",
    "day": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years",
    "decade_of_years": "decade decades",
    "century": "century centuries",
    "liter": "litre litres liter liters",
    "milliliter": "millilitre millilitres milliliter milliliters",
    "gallon": "gallon gallons",
    "quart": "quart quarts",
    "pint": "pint pints",
    "cup": "cup cups",
    "tablespoon": "tablespoon tablespoons",
    "teaspoon": "teaspoon teaspoons",
    "hectare": "hectare hectares",
    "acre": "acre acres",
    "dollar": "dollar dollars",
    "dollar_cent": "cent cents penny pennies",
    "dollar_nickel": "nickel nickels",
    "dollar_dime": "dime dimes",
    "penny_sterling": "pence",
    "euro": "euro euros",
    "rupee": "rupee rupees",
    "paisa": "paisa paise",
    "yuan": "yuan",
    "jiao": "jiao",
    "kelvin": "kelvin kelvins",
    "degree": "degree degrees",
    "radian": "radian radians",
}

WORDS: dict[str, str] = {word: unit for unit, words in _NAMES.items() for word in words.split()} | {
    "mph": "mile / hour",
    "kmph": "kilometer / hour",
    "kph": "kilometer / hour",
}
"""Single words, in lower case -> unit."""

NEEDS_NUMBER = frozenset({"second", "foot", "yard", "pint", "cup", "cups", "kilo", "nickel"})
"""Words that are a unit only after a number, an article or "per"."""

NAMES: dict[str, tuple[str, str]] = {
    unit: (words.split()[0], words.split()[1] if " " in words else words) for unit, words in _NAMES.items()
} | {"pound_sterling": ("pound", "pounds"), "penny_sterling": ("penny", "pence")}
"""pint's name of a simple unit -> its singular and plural (British spelling)."""

_WORD = re.compile(r"[A-Za-z]+(?:-years?)?")
_POWER_WORD = re.compile(r"\b(?:square|sq\.?|cubic|cu\.?)[ -]$", re.IGNORECASE)
_PER_TIME = re.compile(
    r"(?:(?: (?:per|an?|each|every) |\s?/\s?)(second|minute|hour|day|sec|min|hr)|\s/\s?([hs]))\b", re.IGNORECASE
)
_TIMES = {"sec": "second", "min": "minute", "hr": "hour", "h": "hour", "s": "second"}
_SCALE = re.compile(r" (celsius|centigrade|fahrenheit)\b", re.IGNORECASE)
_ABBREVIATION = re.compile(
    r"(?<=[\d½¼¾}])(?:\s|\\[,; ]|~|-)?\s?(?:\\(?:text|mathrm|rm|mbox)\s?\{\s?)?"
    rf"(?P<name>{alternatives(ABBREVIATIONS)})"
    r"(?![A-Za-z])\s?\}?(?:\s?\^?\s?\{?(?P<power>[23²³])(?!\d|\s?[cdm]?m\b)\}?)?"
)
_NUMBER_WORD = re.compile(
    rf"\b{NUMBER_WORD}[ -]"
    rf"(?P<name>{alternatives(frozenset(name for name in ABBREVIATIONS if name.isalpha() and name != 'in'))})"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)
# Questions for a unit: "in km/h?", "how many cm are left", "its length (in m)".
_BARE = {name for name in ABBREVIATIONS if name.replace("/", "").isalpha() and name != "in"}
_LONG, _SHORT = (alternatives(frozenset(name for name in _BARE if (len(name) > 1) == is_long)) for is_long in (1, 0))
_ASKS = r"\s(?:is|are|was|were|does|do|did|will|can|has|have|per|an hour)\b"
_ASKED = re.compile(
    rf"\b(?:in|many)\s(?P<long>{_LONG})(?=\s?(?:[?.,;:)]|$)|{_ASKS})"
    rf"|\bin\s(?P<short>{_SHORT})(?=\s?(?:[?)]|$))|\bmany\s(?P<counted>{_SHORT})(?=\s?(?:[?)]|$)|{_ASKS})"
)
# What may follow an inch; before any other word "in" is a preposition.
_PREPOSITION = re.compile(
    r"\s+(?!(?:long|wide|tall|high|deep|thick|across|apart|by|x|and|or|of|per|in|on|from|is|are|diameter|longer|shorter|taller)\b)\w|\s*(?:total|order|number)\b"
)
_COUNTED = re.compile(
    r"(?:\d|\b(?:a|an|one|two|three|four|five|six|ten|half|full|whole|per|each|every|of))[\s-]?$", re.IGNORECASE
)
_POWERS = {"2": 2, "3": 3, "²": 2, "³": 3}
_EN_UNIT = "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True))
_SHORT_FORM = "|".join(
    sorted((re.escape(name) for name in ABBREVIATIONS if name.replace("/", "").isalpha()), key=len, reverse=True)
)
_POWER = r"(?P<power>square |cubic )?"
_ASKED_UNIT = re.compile(
    rf"\bhow (?:many|much) (?:more |fewer |whole |full )?{_POWER}(?P<a>{_EN_UNIT}|(?-i:{_SHORT_FORM}))\b(?!\s?\d)"
    rf"|\b(?:in|into|to) (?P<b>{_EN_UNIT}|(?-i:{_SHORT_FORM}))(?P<per> ?(?:per|an?"
    rf"|/) ?(?:second|minute|hour|day|h|s))?\b\s*(?=[?.,)]|$|is\b|does\b|did\b"
    rf"|do\b|will\b|are\b|have\b|has\b)",
    re.IGNORECASE,
)
_PER = {"h": "hour", "s": "second"}


def find_unit_words(text: str) -> Iterator[UnitPlace]:
    """Yield units in words ("square metres", "per hour") and the short forms shared by all languages."""
    yield from _short_forms(text)
    yield from _words(text)


def asked_unit(question: str) -> str:
    """Return pint's name for the unit that a question asks for; empty if it names none."""
    last = ""
    for match in _ASKED_UNIT.finditer(question):
        name = match["a"] or match["b"]
        unit = ABBREVIATIONS.get(name) or WORDS.get(name.lower(), "")
        if match["power"]:
            unit = f"{unit} ** {2 if match['power'].lower().startswith('s') else 3}"
        if match["per"]:
            time = match["per"].split()[-1].lstrip("/").lower()
            unit = f"{unit} / {_PER.get(time, time)}"
        last = unit
    try:
        return last if last and unit_dimension(last) else ""
    except DataError:
        return ""


def name_of(unit: str) -> str:
    """Return the plural name of a simple unit; empty if it has none."""
    return NAMES[unit][1] if unit in NAMES else ""


def _short_forms(text: str) -> Iterator[UnitPlace]:
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


def _with_time(text: str, start: int, end: int, unit: str) -> UnitPlace:
    """Turn a length that is followed by "per hour" into a speed."""
    if DIMENSIONS.get(unit) == "length" and (time := _PER_TIME.match(text, end)):
        name = (time[1] or time[2]).lower()
        return start, time.end(), f"{unit} / {_TIMES.get(name, name)}"
    return start, end, unit


def _words(text: str) -> Iterator[UnitPlace]:
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
