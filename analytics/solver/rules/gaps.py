"""Posts and the gaps between them: one more or one less."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import re

from analytics.solver.rules.conversions import conversion_factor, in_unit
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

# fmt: off
_APART = re.compile(r"(?:\bevery|\bintervals? of|\bspaced|\bdistance of|\b(?:spacing|gaps?) of|每隔|间隔)[^<.]{0,12}<(?P<a>\d)>|<(?P<b>\d)> (?:[a-z ]{0,20}from (?:each|one) [a-z]+ to the next|apart|from (?:each other|one another|the next)|between|intervals?|distance)", re.IGNORECASE)
_ROUND = re.compile(r"\b(?:circular|circle|(?:all the way |right )?(?:a?round) (?:the (?:edge|whole|outside)|an?|the|it)\b|ring|perimeter|pond|lake|roundabout|running track|closed|loop)\b|圆形|四周|一周|环形|封闭", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:(?:at|on) (?:each|both|either) ends?|both ends|one end to the other|(?:beginning|start) and (?:the |at the )?end|from (?:the )?first to (?:the )?last|including (?:both|the) ends?|very (?:start|beginning))\b|两端都|两头都", re.IGNORECASE)
_NO_ENDS = re.compile(r"\b(?:not|no \w+|none|except|neither|without)\b[^.]{0,20}\bends?\b|两端(?:都)?不|两头(?:都)?不|not at (?:either|the) end", re.IGNORECASE)
_ONE_END = re.compile(r"\b(?:only (?:at )?one end|one of the ends|starting \w+ m)\b|一端", re.IGNORECASE)
_BOTH_SIDES = re.compile(r"\b(?:both|each|either|two) sides?\b|\bon each side\b|两[侧旁边]", re.IGNORECASE)
_BETWEEN = re.compile("中间|灯间|杆间|之间挂|每两")
_PLANTED = re.compile(r"\b(?:posts?|poles?|trees?|flags?|lamps?|lampposts?|lights?|stakes?|bushes|bollards?|cones?|pegs?|plants?|saplings?|hooks?|chairs?|streetlights?|pillars?|columns?|markers?|lanterns?|seedlings?)\b|树|棵|灯|旗|杆|花", re.IGNORECASE)
_ASKS_NUMBER = re.compile(r"\bhow many (?!met|m\b|cm|minutes|seconds|gaps)|几|多少(?:棵|盏|面|根|盆)|\bfind the number of\b", re.IGNORECASE)
_ASKS_LENGTH = re.compile(r"\bhow (?:far|long)\b|\bhow many (?:met\w+|m|feet|yards|km|cm)\b|\bwhat is the (?:distance|length)\b|多少米", re.IGNORECASE)
# fmt: on


@when(2, 3, says=_PLANTED, unless=_BETWEEN)
def posts_and_gaps(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer how many posts a fence has whose ends are told, how far it is from the first to the last of them."""
    text = reading.marked
    if (found := _APART.search(text)) is None or _ONE_END.search(text):
        return None
    apart = quantities[int(found["a"] or found["b"])]
    if apart.unit is None or apart.unit.dimension != "length":
        return None
    others = [
        each for each in quantities if each is not apart and not (each.value == 2 and each.unit is None)
    ]
    if len(others) != 1:
        return None
    other, is_round = others[0], _ROUND.search(text) is not None
    if other.unit is None and _ASKS_LENGTH.search(reading.question) and _PLANTED.search(text):
        gaps = other.tree if is_round else other.tree - constant(1)
        return None if _BOTH_SIDES.search(text) or _NO_ENDS.search(text) else RuleAnswer(gaps * apart.tree)
    return _number_of_posts(reading, other, apart) if _ASKS_NUMBER.search(reading.question) else None


def _number_of_posts(reading: Reading, length: Quantity, apart: Quantity) -> RuleAnswer | None:
    text, factor = reading.text, conversion_factor(length.unit_name, apart.unit_name) if length.unit else None
    tree = in_unit(length, apart.unit_name)
    if factor is None or tree is None or (length.value * factor / apart.value).denominator != 1:
        return None
    gaps = tree / apart.tree
    if _NO_ENDS.search(text):
        number = gaps - constant(1)
    elif _ENDS.search(text):
        number = gaps + constant(1)
    elif _ROUND.search(text):
        number = gaps
    else:
        return None  # whether there is one at each end is not told
    return RuleAnswer(constant(2) * number if _BOTH_SIDES.search(text) else number)
