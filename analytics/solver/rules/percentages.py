"""Percentages of a number and percentage changes: the original number, and the change from one number to another."""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re

from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

_ASKS_SHARE = re.compile(
    r"\bwhat (?:percent|per cent|percentage|%)|\bin per ?cent\b|\bas a percentage\b", re.IGNORECASE
)
_PART_OF = re.compile(
    r"<(?P<part>\d)> (?:(?:out )?of|in) (?:(?:the|his|her|their|its|a total of|these|those) )?<(?P<whole>\d)>"
    r"|(?:\bof (?:the|his|her|their|its|these)|\bout of|\bin an? [a-z ]{3,30}? (?:of|with)|\bthere are|\bhas|\bhad) <(?P<first>\d)>[^<?]{2,70}?"
    r"<(?P<then>\d)>(?! more| less| fewer)",
    re.IGNORECASE,
)
_OF_PER_CENT = frozenset("percent percentage cent score mark result did get whole".split())
_NO_PART = re.compile(
    r"\b(?:increas\w+|decreas\w+|reduc\w+|change[sd]?|profit|loss|discount|off|more|less|fewer|wrong|not|miss\w+|left|remain\w*"
    r"|rest|others?|absent|didn['’]t|don['’]t|empty|without|cheaper|grew|rose|fell|each|every|per|twice|half|another|again)\b|%",
    re.IGNORECASE,
)


@when(2, only="en", asks=_ASKS_SHARE, unless=_NO_PART)
def percent_of_whole(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "18 of the 24 pupils have a pet. What percentage is that?", "In a class of 32, 12 come by bus. ..."."""
    found = list(_PART_OF.finditer(reading.marked))
    if len(found) != 1 or len({each.unit_name for each in quantities}) > 1:
        return None
    match = found[0]
    part, whole = (quantities[int(match[name])] for name in (("part", "whole") if match["part"] else ("then", "first")))
    content = reading.language.relations.content
    asked = content(reading.asked) - content(reading.clause_around(whole)) - _OF_PER_CENT
    is_named = not asked or asked & content(reading.clause_around(part))
    is_part = 0 < part.value < whole.value and whole is not part
    return RuleAnswer(part.tree / whole.tree * constant(100)) if is_part and is_named else None


_BY_SHARE = re.compile(
    r"\b(?P<up>increase[ds]?|grows?|grew|rises?|rose|raised|went up|goes up)\b"
    r"|\b(?P<down>decrease[ds]?|reduced?|reduces|falls?|fell|drops?|dropped"
    r"|lowered|lost|loses|went down|discount(?:ed)?|off|marked down|cheaper)\b",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"\b(?:new|now|after(?:wards)?|sale price|final|does [^?]*\b(?:pay|cost)"
    r"|did [^?]*\bpay|will [^?]*\b(?:pay|cost))\b",
    re.IGNORECASE,
)
_NOT_NEW = re.compile(
    r"\b(?:extra|double[ds]?|original\w*|before|save[ds]?|by how|how much (?:more"
    r"|less|cheaper)|discount|increase|decrease|each|every|per|year(?:s|ly)?"
    r"|tax|tip|again|then"
    r"|percent(?:age)? of|interest|profit|both|another|two|half|old price|was \w+ before)\b",
    re.IGNORECASE,
)

_TO_SHARE = re.compile(r"\bto(?: (?:only|just|about))? $", re.IGNORECASE)


@when(2, only="en", asks=_NEW)
def changed_by_share(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the result of a number that grows or shrinks by a percentage, once."""
    shares = [each for each in quantities if each.mention.kind is NumberKind.PERCENT]
    if len(shares) != 1 or not 0 < shares[0].value < 1:
        return None
    whole = next(each for each in quantities if each is not shares[0])
    found = [match.lastgroup for match in _BY_SHARE.finditer(reading.text)]
    if len(found) != 1 or _NOT_NEW.search(reading.text.replace("discount of", "off")):
        return None
    if whole.mention.start > reading.text.rfind(reading.question) or re.search(
        r"\bof (?:them|these|those)\b", reading.text
    ):
        return None
    if _TO_SHARE.search(reading.text[: shares[0].start]):
        return None
    share = shares[0].tree
    return RuleAnswer(whole.tree * (constant(1) + share if found[0] == "up" else constant(1) - share))


_LESS = re.compile(r"便宜|优惠(?!后|价|卡)|节[约省]|省|少[花付用]|降")
_ORIGINAL = re.compile(r"原价|原来|定价|标价")
_NO_PRICE = re.compile(r"利息|按原价|可以买|[买卖]多少[^元]|%|再|每(?!件|本|套|台|个|只|双|支)")


def discounted_price(reading: Reading) -> RuleAnswer | None:
    """Answer for the price after 八折, the price before, or the saving, given another one of these."""
    quantities = reading.counted()
    discounts = [each for each in quantities if "折" in each.mention.text]
    prices = [each for each in quantities if each not in discounts]
    if len(discounts) != 1 or len(prices) != 1 or _NO_PRICE.search(reading.text):
        return None
    discount, price = discounts[0], prices[0]
    asked = re.split(r"[,，。；;：:]|．(?!\d)", reading.question)[-1]
    before = re.split("[,，。；;：:]", reading.text[: price.start])[-1]
    if not re.search("多少|几", asked) or (price.unit is not None and price.unit.dimension != "money"):
        return None
    rate, saved = discount.tree, constant(1) - discount.tree
    if _LESS.search(before):
        original = price.tree / saved
    elif _ORIGINAL.search(before) or price.start < discount.mention.start:
        original = price.tree
    else:
        original = price.tree / rate
    if _LESS.search(asked):
        return RuleAnswer(original * saved)
    if _ORIGINAL.search(asked):
        return None if original is price.tree else RuleAnswer(original)
    return RuleAnswer(original * rate)


_UP = re.compile(
    r"\b(?:increas\w+|rises?|risen|rose|rais(?:e[ds]?|ing)|gr[eo]w[ns]?|(?:go|goes|gone|went|price\w*|pay) up|up by"
    r"|higher|profit|gain(?:s|ed)?|mark-?up|marked up|includ\w+|inclusive|plus|tax|vat|tip|service charge|more)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:decreas\w+|reduc\w+|discount(?:ed|s)?|off|falls?|fell|fallen|drop(?:s|ped)?|lower(?:ed)?|lost|loss|cheaper|less"
    r"|fewer|marked down|cut|(?:went|goes|gone) down|down by|depreciat\w+)\b",
    re.IGNORECASE,
)
_ASKS_BEFORE = re.compile(
    r"\b(?:(?<!day )before|original\w*|normal\w*|usual\w*|regular\w*|full price|old|initial\w*|at first"
    r"|start(?:ed|ing)?|pre-\w+|last (?:year|month|week|season)|without|excluding|cost price|list price)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"{_ASKS_BEFORE.pattern}|\b(?:was|were|used to|bought|marked (?:price|at)|retail|each|per|every)\b", re.IGNORECASE
)
_AFTER = re.compile(
    r"\b(?:now|paid|pays?|paying|includ\w+|inclusive|sold|selling|sells|sale|new|after|reduced|discounted|becam?es?"
    r"|this (?:year|month|week)|today)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:save[ds]?|saving|how much (?:more|less|cheaper)|by how|difference|(?:percent(?:age)?|per cent) of the"
    r"|of (?:them|the (?:remain\w+|rest))|both|twice|double[ds]?|half|compound\w*|interest|approximately"
    r"|(?:is|are) at|extra|commission"
    r"|what percent\w*|each|every|or|evaporat\w+|mixture|alcohol|solution|during|speed|older)\b|(?:percent|%) of (?!the"
    r" (?:price|cost))",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\b(?:how (?:much|many)|what(?:'s)?|find|calculate|work out)\b", re.IGNORECASE)


def _split(quantities: list[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    shares = [each for each in quantities if each.mention.kind is NumberKind.PERCENT]
    return shares, [each for each in quantities if each not in shares]


def _factor(share: Quantity, words: str) -> ExpressionTree | None:
    """Return the factor by which a share changes a number, according to the words around the share."""
    is_up, is_down = _UP.search(words), _DOWN.search(words)
    if (is_up is None) == (is_down is None) or not 0 < share.value < 1:
        return None
    return constant(1) + share.tree if is_up else constant(1) - share.tree


def _asked_from(reading: Reading) -> int:
    """Return the offset of the words that ask."""
    begin = reading.text.rfind(reading.question)
    asked = list(_ASKED.finditer(reading.text, begin))
    return asked[-1].start() if asked else begin


@when(2, only="en", asks=_ASKS_BEFORE, unless=_OTHERWISE)
def before_change(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "After a 20% increase the rent is $960. What was it before?": one share, and the result."""
    shares, wholes = _split(quantities)
    if len(shares) != 1 or (factor := _factor(shares[0], reading.text)) is None:
        return None
    whole, asked = wholes[0], _asked_from(reading)
    clause = reading.clause_around(whole).partition(reading.text[asked : asked + 8])[0]
    is_after = shares[0].start < whole.start or _AFTER.search(clause) is not None
    is_after &= "percent" not in reading.text[asked:]
    if not is_after or whole.start > asked or not _ASKS_BEFORE.search(reading.text, asked):
        return None
    return None if _BEFORE.search(clause) else RuleAnswer(whole.tree / factor)


_PERCENT_CHANGE = re.compile(
    r"(?=.*(?:\bpercent|\bper cent\b|%))(?=.*\b(?:increase|decrease|change|discount|reduction|rise|rose|raise|drop|fall"
    r"|fell|grow|gr[eo]wn?|reduce|cheaper|(?:go|went|gone) (?:up|down))d?\b)",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\bfrom <(?P<a>\d)>[^<.?]{0,25}\bto <(?P<b>\d)>", re.IGNORECASE)
_OVER = re.compile(r"\b(?:over|in|within|during|after) (?:the )?(?:past |last )?<(?P<time>\d)>", re.IGNORECASE)
_NO_CHANGE = re.compile(r"%|\b(?:each|every|ratio|half|twice|round\w*|nearest)\b", re.IGNORECASE)


@when(2, 3, only="en", asks=_PERCENT_CHANGE, unless=_NO_CHANGE)
def change_in_percent(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer by what percentage something changed from one number to another; a third number is the period."""
    first, last = quantities[0], quantities[-1]
    if match := _FROM_TO.search(reading.marked):
        first, last = quantities[int(match["a"])], quantities[int(match["b"])]
    else:
        clauses = [reading.clause_around(each) for each in (first, last)]
        is_change = any(pattern.search(clauses[0]) for pattern in (_AFTER, _UP, _DOWN))
        is_change |= re.search(r"\bby <", reading.marked) is not None
        if is_change or clauses[0] == clauses[1] or not _AFTER.search(clauses[1]):
            return None
    periods = [quantities[int(match["time"])] for match in _OVER.finditer(reading.marked)]
    others = [each for each in quantities if each is not first and each is not last]
    if any(each not in periods for each in others) or first.unit_name != last.unit_name or _split(quantities)[0]:
        return None
    change = last.tree - first.tree if last.value > first.value else first.tree - last.tree
    return RuleAnswer(change / first.tree * constant(100))
