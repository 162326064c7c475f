"""Scales of maps and models, both ways."""

from __future__ import annotations

import re
from fractions import Fraction

from analytics.solver.rules.conversions import asked_unit, conversion_factor, scaled
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when

_SCALE = re.compile(r"\bscale\b|\bmaps?\b|\bmodel\b|\bplan\b|比例尺", re.IGNORECASE)
_STANDS_FOR = re.compile(
    r"<\d> (?:on (?:the|a) \w+ )?(?:represents?|stands for|corresponds to|shows|means|is|for|to|equals)"
    r" (?:an? )?(?:actual |real )?(?:distance |length )?(?:of )?<\d>"
    r"|<\d> ?[=:：] ?<\d>|<\d>(?:的距离)?(?:表示|代表|相当于)\D{0,8}<\d>",
    re.IGNORECASE,
)
_REAL = re.compile(r"\b(?:real\w*|actual\w*|true|ground|(?:full|life)[- ]size)\b|实际", re.IGNORECASE)
_DRAWN = re.compile(
    r"\b(?:on|in) (?:the|this|a|that) (?:\w+ )?(?:map|plan|drawing)\b|\bmodel\b|图上|图纸上|画", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"\b(?:area|volume|perimeter|factor|similar|dilat\w+|speed|hours?)\b|面积|体积|周长|直径|半径|小时|[行分]",
    re.IGNORECASE,
)


@when(2, 4, says=_SCALE, unless=_OTHERWISE)
def length_by_scale(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for a real length by its length on a map or model, or the other way round."""
    match = _STANDS_FOR.search(reading.marked)
    if match is None:
        return None
    drawn, real = (quantities[int(place)] for place in re.findall(r"\d", match[0]))
    rest = [each for each in quantities if each is not drawn and each is not real]
    rest = [each for each in rest if each.unit or each.mention.text.lower() not in ("two", "两")]
    if (
        (drawn.unit is None) != (real.unit is None)
        or len(rest) != 1
        or rest[0].unit is None
        or rest[0].unit.dimension != "length"
    ):
        return None
    given, wanted, is_pair = rest[0], asked_unit(reading), drawn.unit is not None
    ratio = conversion_factor(wanted, given.unit_name) if wanted else None
    is_real, is_drawn = (pattern.search(reading.asked) is not None for pattern in (_REAL, _DRAWN))
    if ratio is not None and ratio != 1 and real.value > drawn.value:
        is_real, is_drawn = ratio > 1, ratio < 1
    if is_real == is_drawn or (wanted and ratio is None) or not (wanted or is_pair):
        return None
    source, target = (drawn, real) if is_real else (real, drawn)
    before = conversion_factor(given.unit_name, source.unit_name) if is_pair else Fraction(1)
    unit = target.unit_name if is_pair else given.unit_name
    after = conversion_factor(unit, wanted or unit)
    if before is None or after is None:
        return None
    tree = scaled(given.tree, before)
    tree = tree * target.tree if target.value != 1 else tree
    return RuleAnswer(scaled(tree / source.tree if source.value != 1 else tree, after))
