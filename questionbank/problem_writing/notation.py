"""Money and units of a new problem, in another problem's notation: £3, 3 €, Rs. 3; metres, meters. English."""

from __future__ import annotations

import re
from dataclasses import dataclass

from analytics.language.en.units import NAMES
from analytics.text.units import find_units

_COINS = {
    "dollar_cent": "dollar",
    "dollar_nickel": "dollar",
    "dollar_dime": "dollar",
    "penny_sterling": "pound_sterling",
    "paisa": "rupee",
    "jiao": "yuan",
}
_PENCE = re.compile(r"\d\s?p\b")
_TRADES = re.compile(
    r"\b(?:pays?|paid|costs?|spen[dt]s?|prices?|earn\w*|sav(?:e|es|ed|ings?)|money|buys?|bought|sells?|sold|change|owes?)\b"
)
_NUMBER = r"(\d+(?:,\d{3})*(?:\.\d+)?)"
_DOLLARS = re.compile(rf"\$\s?{_NUMBER}|{_NUMBER} dollars?\b|\bdollars?\b")
_LETTERS_BEFORE = frozenset({"rs", "inr", "usd"})
_IMPERIAL = re.compile(r"\b(?:inch|foot|yard|mile|ounce|gallon|quart|pint|acre)\b")
_METRIC = re.compile(r"(?:meter|gram|liter|hectare|metric_ton)\b")
_BRITISH = re.compile(r"(?:met|lit)res?\b")
_AMERICAN = re.compile(r"(met|lit)er(s?)\b")


@dataclass(frozen=True, slots=True)
class _Amounts:
    """A text's notation for amounts of money.

    Attributes:
        written: a format with {} for the number.
        one, several: singular and plural name of the currency.
    """

    written: str
    one: str
    several: str


def currencies(text: str) -> frozenset[str]:
    """Return pint's names for the currencies of a text; coins count as their currency.

    >>> sorted(currencies("A pen costs 80p.")), sorted(currencies("It costs 50 cents."))
    (['pound_sterling'], ['dollar'])
    """
    units = find_units(text)
    found = {_COINS.get(unit.unit, unit.unit) for unit in units if unit.dimension == "money"}
    is_sterling = any(unit.text in ("pound", "pounds") for unit in units) or _PENCE.search(text)
    if not found and is_sterling and _TRADES.search(text):
        return frozenset({"pound_sterling"})
    return frozenset(found)


def written_like(text: str, like: str) -> str:
    """Return a text about dollars with money and units in another text's notation, if that has any.

    >>> written_like("A hat costs $12. How many dollars are 3 hats?", like="A pen costs £2.")
    'A hat costs £12. How many pounds are 3 hats?'
    >>> written_like("A rope of 3 meters costs 12 dollars.", like="Ann spends 5 euros on 2 metres of wire.")
    'A rope of 3 metres costs 12 euros.'
    """
    if _BRITISH.search(like):
        text = _AMERICAN.sub(r"\1re\2", text)
    amounts = _amounts(like)
    if amounts is None:
        return text

    def written(match: re.Match[str]) -> str:
        if number := match[1] or match[2]:
            return amounts.written.format(number)
        return amounts.several if match[0].endswith("s") else amounts.one

    return _DOLLARS.sub(written, text)


def measures_alike(text: str, like: str) -> bool:
    """Return whether a text has miles or kilometres only if the other has them, or has no measurements."""
    return _systems(text) <= (_systems(like) or {"imperial", "metric"})


def _systems(text: str) -> set[str]:
    units = " ".join(unit.unit for unit in find_units(text))
    systems = {"imperial": _IMPERIAL, "metric": _METRIC}
    return {name for name, pattern in systems.items() if pattern.search(units)}


def _amounts(text: str) -> _Amounts | None:
    names = currencies(text)
    if len(names) != 1:
        return None
    one, several = NAMES[next(iter(names))]
    for unit in find_units(text):
        is_word = unit.text[-1].isalpha() and unit.text.lower() not in _LETTERS_BEFORE
        if unit.dimension != "money" or is_word:
            continue
        if before := re.match(r"\s?(?=\.?\d)", text[unit.end :]):
            return _Amounts(f"{unit.text}{before[0]}{{}}", one, several)
        if after := re.search(r"\d(\s?)$", text[: unit.start]):
            return _Amounts(f"{{}}{after[1]}{unit.text}", one, several)
    return _Amounts(f"{{}} {several}", one, several)
