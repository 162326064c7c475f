"""How many are enough for all, and quantities in several units: what is left, in all, and how many pieces there are."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise

from analytics.solver.rules.conversions import asked_unit, conversion_factor, scaled
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when
from analytics.text.unit_names import unit_dimension

_CAPACITY = re.compile(
    r"\b(?:each|every|one|per|an?) (?:\w+ ){1,3}?(?:can |will |only )*(?:has|have|holds?|seats?|takes?|carr(?:y|ies)"
    r"|fits?|contains?|room for|capacity (?:is|of))\b(?: \w+){0,3} <(\d)>"
    r"|\b\w+s (?:of|for|that (?:hold|seat|carry|take|fit)) <(\d)>"
    r"|<(\d)>(?: (?!if\b|that\b)\w+){0,4} (?:(?:in )?each|per|in every|(?:to|in) an?)\b"
    r"|每[条辆只个张艘间顶]\D{0,9}<(\d)>",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"\bhow many\b[^?]*\b(?:needs?|needed|must|required?|necessary|have to|has to)\b|至少", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"\b(?:times|twice|half|more|less|fewer|left|remain\w*|already|full|empty|days?|hours?|minutes?|weeks?|except|third"
    r"|absent|leave\w*|back|both|trips|drops?|about|approximately|costs?|each (?:other|of)|\w+ each,|eats?|gets?|gives?"
    r"|brings?)\b|[倍剩比次天元]|走|保证|取|摸",
    re.IGNORECASE,
)
_TOGETHER = r"<{}>[^<.。]{{0,25}}(?:\band\b|带着|和|与|、)[^<.。]{{0,12}}<{}>"


@when(2, 3, asks=_NEEDED, unless=_OTHERWISE)
def enough_for_all(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "3 teachers and 48 pupils go by boat, 6 in a boat. How many boats are needed?", rounded up."""
    found = {place for match in _CAPACITY.finditer(reading.marked) for place in match.groups() if place}
    if len(found) != 1 or any(each.value.denominator != 1 for each in quantities):
        return None
    capacity = quantities[int(found.pop())]
    places = [place for place, each in enumerate(quantities) if each is not capacity]
    people = [quantities[place] for place in places]
    total, following = sum(each.value for each in people), re.split("[.?!,]", reading.text[capacity.end :])[0]
    asked = re.search(r"how many (\w+)", reading.question, re.IGNORECASE)
    if total < capacity.value or (asked is not None and re.search(rf"\b{asked[1]}\b", following)):
        return None
    if capacity.value < 2 or any(each.unit_name != capacity.unit_name for each in people):
        return None
    if len(people) == 2 and not re.search(_TOGETHER.format(*places), reading.marked):
        return None
    quotient = total / capacity.value
    tree = sum_of([each.tree for each in people]) / capacity.tree
    is_exact = quotient.denominator == 1
    return RuleAnswer(tree) if is_exact else RuleAnswer(tree, "up", value=Fraction(math.ceil(quotient)))


_LEFT = re.compile(r"\b(?:left|remain\w*)\b|剩", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|altogether|in all|together|combined)\b|[一总]共", re.IGNORECASE)
_PIECES = re.compile(
    r"\bhow many (?:complete |whole |full )?(?:[\d.,]+[ -]?[a-z]+ |<\d> |\w+ )?(?:pieces|glasses|cups|bottles|bags|jars|packets|portions|servings|strips|boxes|jugs)\b"
    r"|(?:几|多少)[段杯瓶袋根块盒]",
    re.IGNORECASE,
)
_EACH = re.compile(r"\beach\b|每", re.IGNORECASE)
_SEVERAL = re.compile(  # 5 glasses of 220 ml, 5 pieces, each 45 cm long
    r"<(?P<n>\d)>(?: ?[a-z-]+){1,3}(?: of|, each(?: \w+)?|,? (?:each )?(?:weigh|hold|measur)\w*) <(?P<size>\d)>"
    r"|<(?P<n2>\d)>[段杯瓶袋根块盒个][^<]{0,8}每[^<]{0,6}<(?P<size2>\d)>",
    re.IGNORECASE,
)
_NO_SUM = re.compile(
    r"\b(?:times|twice|half|double\w*|more|less|fewer|than|per|every|percent|ratio|average|speed|older|as many as|if 1|there are"
    r"|wide|deep|area|round|both|rest|profit|sells?|complete[sd]?(?! \w+s\b)|completing|days?|weeks?)\b|[倍比%]|每[天小时分]|面积|宽|平均|照这样|对折|每隔",
    re.IGNORECASE,
)


@when(2, 5, unless=_NO_SUM)
def in_several_units(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer what is left, what there is in all or how many pieces there are, of quantities in more than one unit."""
    measured = [each for each in quantities if each.unit is not None]
    counts = [each for each in quantities if each.unit is None]
    asked, asks_pieces = reading.asked, _PIECES.search(reading.asked) is not None
    unit = asked_unit(reading) or (measured[-1].unit_name if asks_pieces and measured else "")
    factors = [conversion_factor(each.unit_name, unit) for each in measured] if unit else []
    known = [factor for factor in factors if factor is not None]
    if len(known) < len(measured) or set(known) <= {1} or unit_dimension(unit) == "time":
        return None
    trees = [scaled(each.tree, factor) for each, factor in zip(measured, known, strict=True)]
    values = [each.value * factor for each, factor in zip(measured, known, strict=True)]
    for match in _SEVERAL.finditer(reading.marked):
        number, size = (quantities[int(match[name] or match[f"{name}2"])] for name in ("n", "size"))
        if number in counts and size in measured:
            place = measured.index(size)
            trees[place], values[place] = number.tree * trees[place], number.value * values[place]
            counts.remove(number)
    gaps = [reading.text[one.end : other.start].strip() for one, other in pairwise(measured)]
    rest = values[0] - sum(values[1:])
    left = trees[0]
    for tree in trees[1:]:
        left = left - tree
    if asks_pieces:
        sized = _PIECES.search(reading.marked)
        if len(values) == 2 and sized is not None and f"<{quantities.index(measured[0])}>" in sized[0]:
            trees, values = trees[::-1], values[::-1]
        whole = values[0] // values[1] if len(values) == 2 and not counts else 0
        is_exact = len(values) == 2 and whole * values[1] == values[0]
        answer = RuleAnswer(
            trees[0] / trees[-1], "" if is_exact else "down", value=None if is_exact else Fraction(whole)
        )
        return answer if whole else None
    if len(counts) == 1 and _EACH.search(asked):
        is_one = set(gaps) <= {"", "and"}
        is_rest = _LEFT.search(reading.story) is not None and rest > 0
        return RuleAnswer((sum_of(trees) if is_one else left) / counts[0].tree) if is_one or is_rest else None
    if counts or _EACH.search(asked) or len(trees) < 2:
        return None
    if _LEFT.search(reading.text, max(measured[-1].end, reading.text.rfind(asked))):
        return RuleAnswer(left) if rest >= 0 and gaps[0] not in ("", "and") else None
    return RuleAnswer(sum_of(trees)) if _TOTAL.search(asked) else None
