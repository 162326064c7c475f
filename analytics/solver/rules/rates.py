"""What comes together in a period at a steady rate: "4 dollars a day" in 3 weeks, 90 km per hour for 45 minutes."""

from __future__ import annotations

import re
from fractions import Fraction

from analytics.expression.tree import ExpressionTree
from analytics.solver.rules.conversions import asked_unit, conversion_factor, scaled
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

_TIMES = "second|minute|hour|day|week|month|year"
_RATE = re.compile(
    rf"\b(?:an?|per|each|every|in (?:an?|one|1))\s(?P<unit>{_TIMES})\b|\b(?P<ly>dai|hour|week|month|year)ly\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    rf"\b(?:in|for|during|over|after|of)\s(?:an?|one)\s(?:whole\s|full\s)?(?P<unit>{_TIMES})\b", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"\b(?:more|less|fewer|than|after that|left|remain\w*|already|also|first"
    r"|then|but|except|week(?:end|day)s?|(?:sun|mon|tues|wednes|thurs|fri|satur)days?"
    r"|school (?:day|week)s?|work(?:ing)? days?|twice|half|doubl\w+|tripl\w+"
    r"|shared?|times|both|days? (?:a|per|each|every) week|hours? (?:a|per|each"
    r"|every) (?:day|week)"
    r"|(?:two|three|several|some) \w+ (?:each|every)|average|away|still|need|save up|how long)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\bhow (?:many|much|far)\b|\bwhat (?:distance|is the (?:total )?(?:distance|cost))\b", re.IGNORECASE
)
_LARGER = {
    ("hour", "day"),
    ("hour", "week"),
    ("day", "month"),
    ("day", "year"),
    ("week", "month"),
}  # not so many of it are meant


@when(1, 2, asks=_ASKS, unless=_OTHERWISE)
def rate_in_period(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for one rate and one period, in the unit that the question asks for."""
    rate, unit = _rate(reading, quantities)
    if rate is None:
        return None
    period = _period(reading, [each for each in quantities if each is not rate], unit)
    if period is None:
        return None
    tree = rate.tree * period
    asked = asked_unit(reading)
    if not asked and unit == "hour" and re.search(r"\bsec(?:ond)?s?\b", reading.question):
        return None  # metres are meant, or kilometres
    amount = rate.unit_name.partition(" / ")[0]
    if asked and amount and asked != amount:
        factor = conversion_factor(amount, asked)
        if factor is None:
            return None
        tree = scaled(tree, factor)
    return RuleAnswer(tree)


def _rate(reading: Reading, quantities: list[Quantity]) -> tuple[Quantity | None, str]:
    """Return the number that is given for a unit of time, and that unit."""
    for quantity in quantities:
        if quantity.unit is not None and quantity.unit.dimension == "speed":
            is_only = len(_RATE.findall(reading.text)) <= 1
            return (quantity, quantity.unit.unit.partition(" / ")[2]) if is_only else (None, "")
    found = [
        match
        for match in _RATE.finditer(reading.text)
        if match.start() < reading.text.rfind(reading.question)
    ]
    if len(found) != 1:
        return None, ""
    match = found[0]
    unit = match["unit"] or {"dai": "day"}.get(match["ly"].lower(), match["ly"])
    sentence = max(reading.text.rfind(mark, 0, match.start()) for mark in (". ", "? ", "! "))
    end = min(
        (at for mark in (". ", "?", "!") if (at := reading.text.find(mark, match.end())) > 0),
        default=len(reading.text),
    )
    inside = [each for each in quantities if sentence < each.mention.start < end]
    if len(inside) != 1:
        return None, ""
    measured = inside[0].unit
    if measured is not None and measured.dimension == "time" and asked_unit(reading) != measured.unit:
        return None, ""
    return inside[0], unit.lower()


def _period(reading: Reading, others: list[Quantity], unit: str) -> ExpressionTree | None:
    """Return the period in a unit of time."""
    if others:
        period = others[0]
        if period.unit is None or period.mention.start < reading.text.rfind(reading.question):
            return None
        name, tree = period.unit.unit, period.tree
    else:
        match = _PERIOD.search(reading.question)
        if match is None:
            return None
        name, tree = match["unit"].lower(), None
    factor = Fraction(52) if (unit, name) == ("week", "year") else conversion_factor(name, unit)
    if factor is None or (unit, name) in _LARGER:
        return None
    if tree is None:
        return constant(factor)
    return scaled(tree, factor)
