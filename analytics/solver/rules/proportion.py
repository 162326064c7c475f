"""Proportion: a given amount for one number, and the amount for another number."""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re
from dataclasses import replace

from analytics.language.en.words import singular
from analytics.language.mentions import NumberKind
from analytics.solver.rules.conversions import in_unit
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when

_INVERSE = re.compile(
    r"\b(?:speed|people can|finish|complete|build|dig|last|first|additional|extra|free|discount"
    r"|inversely|minimum|together|combined|fenced?|same|percent|of them|twice"
    r"|half|more|less|fewer|left|remain\w*|after|then|also|total|altogether|each"
    r"|every|profit|average)\b",
    re.IGNORECASE,
)


@when(3, only="en")
def in_proportion(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "10 bottles for 8 guests. How many for 12 guests?": three numbers, two of them of the same kind."""
    is_inverse = _INVERSE.search(_AT_ONE_RATE.sub("", reading.text)) is not None
    is_consumed = any(each.unit is not None and each.unit.dimension in ("mass", "volume") for each in quantities)
    if is_inverse or (not is_consumed and any(singular(each.noun) in _WORKERS for each in quantities)):
        return None
    first, second, third = quantities
    third = _in_unit_of(third, [first, second])
    if any(each.value <= 0 or each.mention.kind in _NO_AMOUNTS for each in quantities):
        return None
    between, gap = reading.text[first.end : second.start], reading.text[second.end : third.start]
    is_asked_apart = re.search(r"[.?!,;]\s|\bhow\b", gap, re.IGNORECASE) is not None
    is_asked = third.start >= reading.text.rfind(reading.question) or _HAS.search(gap) is not None
    if re.search(r"[.?!]\s", between) or not is_asked_apart or not is_asked:
        return None
    kinds = [_kind(reading, each) for each in (first, second, third)]
    if kinds[2] == kinds[0] != kinds[1]:
        same, other = first, second
    elif kinds[2] == kinds[1] != kinds[0]:
        same, other = second, first
    else:
        return None
    asked = _asked_kind(reading)
    if same.unit is None and other.unit is not None and other.unit.dimension == "time":
        return None  # 4 painters need 45 minutes
    if not asked or asked != _kind(reading, other):
        return None
    return RuleAnswer(other.tree / same.tree * third.tree)


_AT_ONE_RATE = re.compile(
    r"\bat (?:the same|this|that) (?:price|rate|speed|pace|cost)\b(?: each)?|\bfor every (?=\d)|\bof the same kind\b|\b(?:with )?the same number in each \w+|\bin total\b",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"\b(?:i|he|she|they|we|[A-Z][a-z]+) (?:only )?(?:has|have|had)(?: only| got)? $|\b(?:for|with|(?:wants?|needs?|plans?) to [a-z]+) $"
)
_ADJECTIVE = re.compile(
    r" (?:identical|equal|such|large|small|big|ripe|fresh|of these|of those|of the) (?P<noun>[a-z]+s)\b"
)
_WORKERS = frozenset(
    str.split(
        "man worker woman volunteer bricklayer gardener carpenter baker mechanic cleaner truck lorry machine pipe painter tap person pump labourer laborer farmer builder robot cow horse"
    )
)
_NO_AMOUNTS = (NumberKind.PERCENT, NumberKind.CLOCK_TIME, NumberKind.RATIO_PART, NumberKind.RANGE_END)


def _in_unit_of(quantity: Quantity, others: list[Quantity]) -> Quantity:
    """Return a quantity in the unit of another one with the same dimension: 1.5 km as metres."""
    alike = [each for each in others if each.unit and quantity.unit and each.unit.dimension == quantity.unit.dimension]
    tree = in_unit(quantity, alike[0].unit_name) if len(alike) == 1 else None
    if tree is None or quantity.unit is None:
        return quantity
    return replace(quantity, tree=tree, unit=replace(quantity.unit, unit=alike[0].unit_name))


def _kind(reading: Reading, quantity: Quantity) -> str:
    """Return what a number counts or measures: its unit, or otherwise its noun, which may follow an adjective."""
    if quantity.unit_name or singular(quantity.noun) != quantity.noun:
        return quantity.unit_name or singular(quantity.noun)
    after = _ADJECTIVE.match(reading.text, quantity.end)
    return singular(after["noun"]) if after else quantity.noun


def _asked_kind(reading: Reading) -> str:
    money = next((unit.unit for unit in reading.units if unit.dimension == "money"), "")
    if re.search(
        r"\bhow much\b.*\b(?:cost|pay|costs|be|are|earn|money|price|spend)\b", reading.question, re.IGNORECASE
    ):
        return money
    if match := re.search(r"\bhow (?:many|much|far|long)\b\s?(?P<noun>[a-z]+)?", reading.question, re.IGNORECASE):
        noun = (match["noun"] or "").lower()
        unit = next((each.unit for each in reading.units if each.text.lower() == noun), "")
        if match[0].lower().startswith("how far"):
            return next((each.unit for each in reading.units if each.dimension == "length"), "")
        return unit or singular(noun)
    return money if re.search(r"\bcosts?\b", reading.text) and not re.search(r"\bhow|what\b", reading.text) else ""


_SPREAD = re.compile(
    r"\b(?:need|needs|take|takes|took|can|could|would|lasts?|enough|finish\w*|complet\w+|build\w*|built|dig|dug|paint\w*|pave\w*|pick\w*)\b",
    re.IGNORECASE,
)
_NOT_SPREAD = re.compile(
    r"\b(?:each|every|per|more|extra|additional|join\w*|left|leave\w*|after|then|half|twice|together|fewer|less|hours a day|km|metres|times as"
    r"|tables?|walls|houses|chairs|pages|boxes|cars|toys|shirts|holes)\b",
    re.IGNORECASE,
)


@when(3, only="en", says=_SPREAD, unless=_NOT_SPREAD)
def in_inverse_proportion(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "6 painters need 8 days. How many days do 4 need?": the same work by others, or food for others."""
    times = [each for each in quantities if each.unit is not None and each.unit.dimension == "time"]
    nouns = _WORKERS | _EATERS if _FOOD.search(reading.text) else _WORKERS
    people = [each for each in quantities if each.unit is None and singular(each.noun) in nouns]
    asked = reading.question
    if len(times) == 1 and len(people) == 2 and people[0].noun[:4] == people[1].noun[:4]:
        is_time = re.search(r"\bhow (?:long|many (?:days|hours|minutes|weeks))\b", asked, re.IGNORECASE)
        is_last = people[1].start > times[0].start and people[1].start > people[0].start
        return RuleAnswer(people[0].tree * times[0].tree / people[1].tree) if is_time and is_last else None
    if len(times) == 2 and len(people) == 1 and times[0].unit_name == times[1].unit_name:
        is_number = re.search(rf"\bhow many (?:{people[0].noun})\b", asked, re.IGNORECASE)
        return RuleAnswer(people[0].tree * times[0].tree / times[1].tree) if is_number else None
    return None


_FOOD = re.compile(r"\b(?:lasts?|food|hay|feed|provisions|supplies|rations|water)\b", re.IGNORECASE)
_EATERS = frozenset("sheep goat chicken hen dog cat soldier sailor hiker camper guest child".split())
