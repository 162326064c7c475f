"""Sums of products, totals at a steady rate, interest, and proportion: the amounts for two numbers."""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from operator import add

from analytics.expression.tree import ExpressionTree
from analytics.language.en.words import singular
from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import (
    Quantity,
    Reading,
    RuleAnswer,
    asked_unit,
    constant,
    conversion_factor,
    in_unit,
    scaled,
    when,
)
from analytics.solver.rules.story import ONE, Amount
from analytics.text.units import UnitMention

# fmt: off
_MINOR = {"dollar_cent": "", "penny_sterling": "pound_sterling"}  # the unit with a hundred of these, if there is only one
_PENCE = re.compile(r" ?p\b")
_OTHERWISE = re.compile(r"\b(?:twice|half|double|triple|times|more|less|fewer|than|percent|discount|tax|tip|profit|loss|equal|average|ratio"
    r"|every|dozen|pairs?|packs? of|free|off|saved?|sells?|lost|loses?|penalt\w+|deduct\w*|wrong|incorrect)\b|%|[倍比折扣错赔罚坏]", re.IGNORECASE)
# fmt: on


def _amounts(quantities: list[Quantity]) -> list[Amount]:
    """Return numbers with cents converted to dollars if the text also has dollars."""
    amounts = [Amount(each.value, each.tree) for each in quantities]
    is_mixed = any(_larger(each) != each.unit_name for each in quantities) and any(
        each.unit is not None and each.unit_name not in _MINOR for each in quantities
    )
    return [
        amount / Amount.of(100) if is_mixed and each.unit_name in _MINOR else amount
        for each, amount in zip(quantities, amounts, strict=True)
    ]


def _in_pounds(reading: Reading, quantity: Quantity) -> Quantity:
    """Return a number of pence written with a letter, "80p", with its unit."""
    match = _PENCE.match(reading.text, quantity.end)
    if quantity.unit is not None or match is None:
        return quantity
    unit = UnitMention(match.start(), match.end(), match[0], "penny_sterling", "money")
    return replace(quantity, unit=unit)


# fmt: off
_NOUN = r"(?:(?!and\b|at\b|for\b|that\b|cost)[a-z-]+ ){0,2}?(?P<noun>[a-z]+)"
_ITEM = re.compile(rf"(?:<(?P<n>\d)>|\ban?|\bone) {_NOUN}(?:(?: (?:each )?(?:at|for|cost(?:s|ing)?|(?:that|which) costs?|priced at|worth)|,) <(?P<p>\d)>"
    r"(?! (?:altogether|in all|in total))(?P<each>,? (?:each|apiece|per \w+|an? \w+))?)?(?=[,.]| and\b| then\b| for\b| with\b)", re.IGNORECASE)
_PRICE = re.compile(rf"{_NOUN} (?:costs?|are|is|sells? for) <(?P<p>\d)>", re.IGNORECASE)
_BUYS = re.compile(r"\b(?:buys?|bought|purchase[sd]?|orders?|ordered)\b(?P<items>[^.?]*)"
    r"|(?P<priced>(?:<\d>|\ban?|\bone) [a-z ]+ and (?:<\d>|an?|one) [a-z ]+)(?= costs? <)", re.IGNORECASE)
_NOTHING_ELSE = re.compile(r"(?:[ ,.]|\b(?:and|also|both)\b|\b(?:at|from|in|with|for) (?:an? |the |his |her )?[a-z]+)*", re.IGNORECASE)
_PAYS = r"(?:,? and)? (?:\w+ )?(?:pa(?:ys?|id)|spen[dt]s?|hand(?:s|ed)|g[ia]ves?)\b| for <\d> (?:[a-z]+ )?(?:altogether|in all|in total)\b"
_PAID = re.compile(r"\b(?:(?:pa(?:ys?|id)|hand(?:s|ed)|g[ia]ves?)\b[^<.?]{0,30}?|(?:spen[dt]s?|costs?|comes? to|for) (?:him |her |them )?(?:a total of )?)<(\d)>", re.IGNORECASE)
_ASKS_PRICE = re.compile(rf"\b(?:price|cost of|how much (?:does|did|is|was))\b.*? (?:the|one|each|an?) {_NOUN}", re.IGNORECASE)
_ASKS_TOTAL = re.compile(r"\bhow much (?:money )?(?:does|did|do|must|will) (?:he|she|they|[a-z]+) (?:spend|pay|have to pay)(?: altogether| in all| in total)?$"
    r"|\btotal (?:cost|price|bill)\b", re.IGNORECASE)
# fmt: on


def _larger(price: Quantity) -> str:
    """Return the unit of a price, or the larger unit for cents; empty if that may be dollars or euros."""
    return _MINOR.get(price.unit_name, price.unit_name)


def _stem(noun: str) -> str:
    return noun.lower().rstrip("s").removesuffix("e")


@dataclass(slots=True)
class _Purchase:
    """What is bought: the cost of priced things, the number of unpriced things, and the numbers that state these."""

    known: list[Amount] = field(default_factory=list)
    unknown: list[tuple[str, Amount]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    units: set[str] = field(default_factory=set)  # of the prices


@when(2, 7, only="en", unless=_OTHERWISE)
def part_of_purchase(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer with the change, the sum or one thing's price for "three mugs at $2.45 each and a pen for $1.30"."""
    quantities = [_in_pounds(reading, each) for each in quantities]
    amounts, text = _amounts(quantities), re.sub(r"(<\d>) ?p\b", r"\1", reading.marked)
    bought = _purchase(text, quantities, amounts)
    if bought is None or not bought.known:
        return None
    sums = sorted(set(_PAID.findall(text)) - set(bought.places))
    units = bought.units | {_larger(quantities[int(each)]) for each in sums}
    is_read = sorted((*bought.places, *sums)) == [str(place) for place in range(len(quantities))]
    if not is_read or len(units - {""}) > 1 or len(sums) > 1:
        return None
    if not sums:
        is_sum = not bought.unknown and len(bought.known) > 1 and _ASKS_TOTAL.search(reading.asked)
        return RuleAnswer(reduce(add, bought.known).tree) if is_sum else None
    return _change_or_price(reading, reduce(Amount.__sub__, bought.known, amounts[int(sums[0])]), bought.unknown)


def _purchase(text: str, quantities: list[Quantity], amounts: list[Amount]) -> _Purchase | None:
    """Parse the only list of purchases; None if it contains anything else."""
    lists = list(_BUYS.finditer(text))
    if len(lists) != 1:
        return None
    start, end = lists[0].span()
    prices = [each for each in _PRICE.finditer(text) if not start <= each.start() < end]
    items = re.split(_PAYS, lists[0]["items"] or lists[0]["priced"] or "")[0] + "."
    if not _NOTHING_ELSE.fullmatch(_ITEM.sub("", items)):
        return None
    bought = _Purchase()
    for item in _ITEM.finditer(items):
        if item["p"] and bool(item["each"]) != bool(item["n"]):
            return None
        place = _place_of_price(item, prices)
        bought.places += filter(None, (item["n"], place))
        count = amounts[int(item["n"])] if item["n"] else ONE
        if place:
            bought.known.append(count * amounts[int(place)])
            bought.units.add(_larger(quantities[int(place)]))
        else:
            bought.unknown.append((_stem(item["noun"]), count))
    return bought


def _place_of_price(item: re.Match[str], prices: list[re.Match[str]]) -> str:
    """Return which number is the price of a thing: the one next to it, or the one in the only sentence about it."""
    own = [price["p"] for price in prices if _stem(price["noun"]) == _stem(item["noun"])]
    return item["p"] or (own[0] if len(own) == 1 else "")


def _change_or_price(reading: Reading, rest: Amount, unknown: list[tuple[str, Amount]]) -> RuleAnswer | None:
    """Return the remaining money if it is change, or its share per item of the only thing without a price."""
    if rest.value <= 0:
        return None
    if re.search(r"\bchange\b", reading.asked) and not unknown:
        return RuleAnswer(rest.tree)
    asked = _ASKS_PRICE.search(reading.asked)
    is_asked = asked is not None and [noun for noun, _count in unknown] == [_stem(asked["noun"])]
    return RuleAnswer((rest / unknown[0][1]).tree) if is_asked else None


_TIMES = "second|minute|hour|day|week|month|year"
_RATE = re.compile(
    rf"\b(?:an?|per|each|every|in (?:an?|one|1))\s(?P<unit>{_TIMES})\b|\b(?P<ly>dai|hour|week|month|year)ly\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    rf"\b(?:in|for|during|over|after|of)\s(?:an?|one)\s(?:whole\s|full\s)?(?P<unit>{_TIMES})\b", re.IGNORECASE
)
_NO_STEADY_RATE = re.compile(
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
}  # not that many of it are meant


@when(1, 2, asks=_ASKS, unless=_NO_STEADY_RATE)
def rate_in_period(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer from a rate and a period, in the unit that the question asks for."""
    rate, unit = _rate(reading, quantities)
    if rate is None:
        return None
    period = _period(reading, [each for each in quantities if each is not rate], unit)
    if period is None:
        return None
    tree = rate.tree * period
    asked = asked_unit(reading)
    if not asked and unit == "hour" and re.search(r"\bsec(?:ond)?s?\b", reading.question):
        return None  # metres or kilometres may be meant
    amount = rate.unit_name.partition(" / ")[0]
    if asked and amount and asked != amount:
        factor = conversion_factor(amount, asked)
        if factor is None:
            return None
        tree = scaled(tree, factor)
    return RuleAnswer(tree)


def _rate(reading: Reading, quantities: list[Quantity]) -> tuple[Quantity | None, str]:
    """Return the number that is given per unit of time, and that unit."""
    for quantity in quantities:
        if quantity.unit is not None and quantity.unit.dimension == "speed":
            is_only = len(_RATE.findall(reading.text)) <= 1
            return (quantity, quantity.unit.unit.partition(" / ")[2]) if is_only else (None, "")
    found = [match for match in _RATE.finditer(reading.text) if match.start() < reading.text.rfind(reading.question)]
    if len(found) != 1:
        return None, ""
    match = found[0]
    unit = match["unit"] or {"dai": "day"}.get(match["ly"].lower(), match["ly"])
    sentence = max(reading.text.rfind(mark, 0, match.start()) for mark in (". ", "? ", "! "))
    end = min(
        (at for mark in (". ", "?", "!") if (at := reading.text.find(mark, match.end())) > 0), default=len(reading.text)
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


# fmt: off
_SIMPLE = re.compile(r"\bsimple interest\b|\binterest\b[^.?]*\b(?:per|a|each|every) (?:year|annum)\b|\bannual (?:simple )?interest\b", re.IGNORECASE)
_NOT_SIMPLE = re.compile(r"\b(?:compound\w*|monthly|quarterly|half-yearly|twice|double|then|each month|withdraw\w*|tax|initial\w*|principal|rate of interest|how long)\b", re.IGNORECASE)
_ASKS_INTEREST = re.compile(r"\binterest\b", re.IGNORECASE)
_ASKS_AMOUNT = re.compile(r"\b(?:how much (?:money )?(?:is|will|does|are)|total amount|balance|altogether|in total)\b", re.IGNORECASE)
# fmt: on


@when(3, only="en", says=_SIMPLE, unless=_NOT_SIMPLE)
def simple_interest(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the simple interest on a sum, at a rate for some years or months, or for both together."""
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
