"""What is in proportion: so many for so many, how many for another number."""

from __future__ import annotations

import re

from analytics.language.en.words import singular
from analytics.language.mentions import NumberKind
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
    """Answer "10 bottles for 8 guests. How many for 12 guests?": three numbers, two of them of one kind."""
    is_inverse = _INVERSE.search(_AT_ONE_RATE.sub("", reading.text)) is not None
    if is_inverse or any(singular(each.noun) in _WORKERS for each in quantities):
        return None
    first, second, third = quantities
    if any(each.value <= 0 or each.mention.kind in _NO_AMOUNTS for each in quantities):
        return None
    between, gap = reading.text[first.end : second.start], reading.text[second.end : third.start]
    is_asked_apart = re.search(r"[.?!,;]\s|\bhow\b", gap, re.IGNORECASE) is not None
    if (
        re.search(r"[.?!]\s", between)
        or not is_asked_apart
        or third.start < reading.text.rfind(reading.question)
    ):
        return None
    kinds = [_kind(each) for each in quantities]
    if kinds[2] == kinds[0] != kinds[1]:
        same, other = first, second
    elif kinds[2] == kinds[1] != kinds[0]:
        same, other = second, first
    else:
        return None
    asked = _asked_kind(reading)
    if same.unit is None and other.unit is not None and other.unit.dimension == "time":
        return None  # 4 painters need 45 minutes
    if not asked or asked != _kind(other):
        return None
    return RuleAnswer(other.tree / same.tree * third.tree)


_AT_ONE_RATE = re.compile(r"\bat (?:the same|this|that) (?:price|rate|speed|pace|cost)\b", re.IGNORECASE)
_WORKERS = frozenset(
    str.split(
        "man worker machine pipe painter tap person pump labourer laborer farmer builder robot cow horse"
    )
)
_NO_AMOUNTS = (NumberKind.PERCENT, NumberKind.CLOCK_TIME, NumberKind.RATIO_PART, NumberKind.RANGE_END)


def _kind(quantity: Quantity) -> str:
    """Return what a number counts or measures: its unit, or else its noun."""
    return quantity.unit_name or singular(quantity.noun)


def _asked_kind(reading: Reading) -> str:
    money = next((unit.unit for unit in reading.units if unit.dimension == "money"), "")
    if re.search(
        r"\bhow much\b.*\b(?:cost|pay|costs|be|are|earn|money|price|spend)\b", reading.question, re.IGNORECASE
    ):
        return money
    if match := re.search(
        r"\bhow (?:many|much|far|long)\b\s?(?P<noun>[a-z]+)?", reading.question, re.IGNORECASE
    ):
        noun = (match["noun"] or "").lower()
        unit = next((each.unit for each in reading.units if each.text.lower() == noun), "")
        if match[0].lower().startswith("how far"):
            return next((each.unit for each in reading.units if each.dimension == "length"), "")
        return unit or singular(noun)
    return (
        money
        if re.search(r"\bcosts?\b", reading.text) and not re.search(r"\bhow|what\b", reading.text)
        else ""
    )
