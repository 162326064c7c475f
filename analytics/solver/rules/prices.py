"""Sums of products: a purchase of several things."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce
from operator import add

from analytics.solver.rules.linear import ONE, Amount
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when
from analytics.text.units import UnitMention

# fmt: off
_MINOR = {"dollar_cent": "", "penny_sterling": "pound_sterling"}  # the unit of which a hundred are one, if only one has it
_PENCE = re.compile(r" ?p\b")
_OTHERWISE = re.compile(r"\b(?:twice|half|double|triple|times|more|less|fewer|than|percent|discount|tax|tip|profit|loss|equal|average|ratio"
    r"|every|dozen|pairs?|packs? of|free|off|saved?|sells?|lost|loses?|penalt\w+|deduct\w*|wrong|incorrect)\b|%|[倍比折扣错赔罚坏]", re.IGNORECASE)
# fmt: on


def _amounts(quantities: list[Quantity]) -> list[Amount]:
    """Return numbers with cents as dollars, where the text has dollars too."""
    amounts = [Amount(each.value, each.tree) for each in quantities]
    is_mixed = any(_larger(each) != each.unit_name for each in quantities) and any(
        each.unit is not None and each.unit_name not in _MINOR for each in quantities
    )
    return [
        amount / Amount.of(100) if is_mixed and each.unit_name in _MINOR else amount
        for each, amount in zip(quantities, amounts, strict=True)
    ]


def _in_pounds(reading: Reading, quantity: Quantity) -> Quantity:
    """Return a number of pence that is written with a letter, "80p", with its unit."""
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
    """Return the unit of a price, or the larger one for cents; empty where that may be dollars or euros."""
    return _MINOR.get(price.unit_name, price.unit_name)


def _stem(noun: str) -> str:
    return noun.lower().rstrip("s").removesuffix("e")


@when(2, 7, only="en", unless=_OTHERWISE)
def part_of_purchase(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the change, the sum, or the price of one thing, of "three mugs at $2.45 each and a pen for $1.30"."""
    quantities = [_in_pounds(reading, each) for each in quantities]
    amounts, text = _amounts(quantities), re.sub(r"(<\d>) ?p\b", r"\1", reading.marked)
    bought = list(_BUYS.finditer(text))
    if len(bought) != 1:
        return None
    start, end = bought[0].span()
    prices = [each for each in _PRICE.finditer(text) if not start <= each.start() < end]
    places, units, known, unknown = list[str](), set[str](), list[Amount](), list[tuple[str, Amount]]()
    items = re.split(_PAYS, bought[0]["items"] or bought[0]["priced"] or "")[0] + "."
    if not _NOTHING_ELSE.fullmatch(_ITEM.sub("", items)):
        return None
    for item in _ITEM.finditer(items):
        own = [price["p"] for price in prices if _stem(price["noun"]) == _stem(item["noun"])]
        place = item["p"] or (own[0] if len(own) == 1 else "")
        if item["p"] and bool(item["each"]) != bool(item["n"]):
            return None
        places += filter(None, (item["n"], place))
        count = amounts[int(item["n"])] if item["n"] else ONE
        if place:
            known.append(count * amounts[int(place)])
            units.add(_larger(quantities[int(place)]))
        else:
            unknown.append((_stem(item["noun"]), count))
    sums = sorted(set(_PAID.findall(text)) - set(places))
    units |= {_larger(quantities[int(each)]) for each in sums}
    is_read = sorted((*places, *sums)) == [str(place) for place in range(len(quantities))]
    if not known or not is_read or len(units - {""}) > 1 or len(sums) > 1:
        return None
    if not sums:
        is_sum = not unknown and len(known) > 1 and _ASKS_TOTAL.search(reading.asked)
        return RuleAnswer(reduce(add, known).tree) if is_sum else None
    rest = reduce(Amount.__sub__, known, amounts[int(sums[0])])
    asked = _ASKS_PRICE.search(reading.asked)
    if rest.value <= 0:
        return None
    if re.search(r"\bchange\b", reading.asked) and not unknown:
        return RuleAnswer(rest.tree)
    is_asked = asked is not None and [noun for noun, _count in unknown] == [_stem(asked["noun"])]
    return RuleAnswer((rest / unknown[0][1]).tree) if is_asked else None
