"""A fixed amount and so much for each: taxi fares, call-out fees, delivery; and interest that is not compounded."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import re

from analytics.language.en.words import singular
from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

# fmt: off
_FIXED = re.compile(r"\b(?:fixed|call-?out|flat|basic|base|initial|standing|booking|entry|entrance|delivery|service|starting|sign-?up|joining|one-?off|set-?up|rental|plus|charges?|fee)\b", re.IGNORECASE)
_RATE = re.compile(r"<(?P<place>\d)> (?:(?:per|for (?:each|every)|an?|each|every)(?: extra| additional)?|extra (?:per|for each)|(?:for|on) (?:each|every)) (?P<unit>[a-z]+)", re.IGNORECASE)
_OTHERWISE = re.compile(r"\b(?:first|further|after that|discount|free|off|half|twice|double|more than|less|fewer|save[sd]?|change|left|tax|tip)\b|%", re.IGNORECASE)
_ASKS_TOTAL = re.compile(r"\bhow much\b|\b(?:total|what (?:is|was|will be)) (?:the )?(?:cost|price|fare|bill|charge|fee|total)\b|\bhow many (?:dollars|euros|pounds|rupees|shillings|francs|rand)\b|\bwhat does\b", re.IGNORECASE)
_ASKS_COUNT = re.compile(r"\bhow (?:many|long|far)\b", re.IGNORECASE)
_PAID = re.compile(r"\b(?:paid|pays|bill|cost|costs|total|charged|came to|comes to|spent|was|fare)\b", re.IGNORECASE)
# fmt: on


@when(3, only="en", says=_FIXED, unless=_OTHERWISE)
def fixed_and_each(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer what "a fixed $3.20 plus $1.80 per kilometre" make for 7 km, or for how many kilometres one paid $14."""
    rates = list(_RATE.finditer(reading.marked))
    if len(rates) != 1:
        return None
    rate, unit = quantities[int(rates[0]["place"])], singular(rates[0]["unit"].lower())
    others = [each for each in quantities if each is not rate]
    money = [each for each in others if each.unit_name == rate.unit_name]
    if rate.unit is None or rate.unit.dimension != "money" or not money:
        return None
    counts = [each for each in others if each not in money]
    begin = reading.text.rfind(reading.question)
    if len(counts) == 1 and _is_counted(counts[0], unit) and _ASKS_TOTAL.search(reading.question):
        return RuleAnswer(money[0].tree + rate.tree * counts[0].tree)
    if counts or len(money) != 2 or not _ASKS_COUNT.search(reading.question):
        return None
    fixed, total = sorted(money, key=lambda each: each.value)
    number = (total.value - fixed.value) / rate.value
    is_told = total.start < begin or _PAID.search(reading.question) is not None
    asks_unit = re.search(rf"\bhow (?:many {unit}|long|far)", reading.question, re.IGNORECASE)
    is_whole = number.denominator == 1 or reading.quantities[0].unit is None
    return (
        RuleAnswer((total.tree - fixed.tree) / rate.tree)
        if is_told and asks_unit and is_whole and number > 0
        else None
    )


def _is_counted(count: Quantity, unit: str) -> bool:
    name = count.unit_name or singular(count.noun)
    return name == unit or name.startswith(unit[:4]) or unit.startswith(name[:4] or " ")


# fmt: off
_SIMPLE = re.compile(r"\bsimple interest\b|\binterest\b[^.?]*\b(?:per|a|each|every) (?:year|annum)\b|\bannual (?:simple )?interest\b", re.IGNORECASE)
_NOT_SIMPLE = re.compile(r"\b(?:compound\w*|monthly|quarterly|half-yearly|twice|double|then|each month|withdraw\w*|tax|initial\w*|principal|rate of interest|how long)\b", re.IGNORECASE)
_ASKS_INTEREST = re.compile(r"\binterest\b", re.IGNORECASE)
_ASKS_AMOUNT = re.compile(r"\b(?:how much (?:money )?(?:is|will|does|are)|total amount|balance|altogether|in total)\b", re.IGNORECASE)
# fmt: on


@when(3, only="en", says=_SIMPLE, unless=_NOT_SIMPLE)
def simple_interest(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the simple interest of a sum, at a rate for some years or months, or for both together."""
    rates = [each for each in quantities if each.mention.kind is NumberKind.PERCENT]
    times = [each for each in quantities if each.unit_name in ("year", "month")]
    sums = [each for each in quantities if each not in rates and each not in times]
    if len(rates) != 1 or len(times) != 1 or len(sums) != 1 or "simple" not in reading.text.lower():
        return None
    years = times[0].tree if times[0].unit_name == "year" else times[0].tree / constant(12)
    interest = sums[0].tree * rates[0].tree * years
    if re.search(
        r"\bhow (?:much|many dollars|many pounds)[^?]*\binterest\b|(?:what is|find|calculate|work out) (?:the )?(?:amount of )?(?:simple )?interest\b",
        reading.text,
        re.IGNORECASE,
    ):
        return RuleAnswer(interest)
    return (
        RuleAnswer(sums[0].tree + interest)
        if _ASKS_AMOUNT.search(reading.question) and not _ASKS_INTEREST.search(reading.question)
        else None
    )
